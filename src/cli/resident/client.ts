interface Known {
  readonly name: string;
  /** Its absolute path. */
  readonly program: string;
  /** Seconds after which a server that says nothing is given up, and the event decided without it. */
  readonly patience: number;
}

/** Only carries: a shell puts the question together and takes the reply apart. */
export interface Carrier extends Known {
  readonly kind: 'carrier';
  /** The path of `cat`, which reads the event. */
  readonly cat: string;
  /** How it is called: words before the socket's path. */
  words(patience: number): readonly string[];
}

/** A whole client by itself, in Perl. */
export interface PerlClient extends Known {
  readonly kind: 'perl';
}

/** A whole client by itself, compiled on this machine. */
export interface NativeClient extends Known {
  readonly kind: 'native';
  /** What is to be written to its place; absent where it is there already. */
  readonly image?: Uint8Array;
}

/** A program that carries an event to the server and its reply back. */
export type Client = Carrier | PerlClient | NativeClient;

/** How the hook is reached without starting Node. */
export interface ResidentStart {
  readonly socket: string;
  readonly client: Client;
  /** The path of `setsid`, by which the server outlives the host; where there is none, hangups are ignored. */
  readonly setsid?: string;
}
