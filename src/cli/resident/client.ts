/** A program that carries an event to the server and its reply back. */
export interface Client {
  readonly name: string;
  /** Its absolute path. */
  readonly program: string;
  /** Seconds after which a server that says nothing is given up, and the event decided without it. */
  readonly patience: number;
  /** How it is called: words before the socket's path. Absent for Perl, which is a whole client by itself. */
  readonly words?: readonly string[];
}

/** How the hook is reached without starting Node. */
export interface ResidentStart {
  readonly socket: string;
  readonly client: Client;
  /** The path of `cat`, which reads the event for clients that only carry. */
  readonly cat: string;
  /** The path of `setsid`, by which the server outlives the host; where there is none, hangups are ignored. */
  readonly setsid?: string;
}
