/** One line of the log. Never put a secret, a body or a header into it. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/** Writes JSON lines to standard error. */
export function stderrLog(): Log {
  return (entry) => {
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
  };
}
