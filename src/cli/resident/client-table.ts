import type { Carrier, Client, NativeClient } from './client';

/** Several times what the watchdog lets an event take. One that waits longer is decided sooner without the server. */
const PATIENCE_SECONDS = 3;

/** A way to use a program that others have installed; several where programs of that name differ. */
export interface ClientForm {
  readonly name: string;
  readonly program: string;
  /** Absent for Perl, which is a whole client by itself. */
  readonly words?: Carrier['words'];
}

/**
 * All that is known to reach a socket in the file system. The server ends the connection, so a program need not
 * tell it that the event has ended; one that can is answered sooner where the event is no JSON.
 */
export const CLIENT_FORMS: readonly ClientForm[] = [
  { name: 'nc -N', program: 'nc', words: (patience) => ['-w', String(patience), '-N', '-U'] },
  { name: 'nc', program: 'nc', words: (patience) => ['-w', String(patience), '-U'] },
  { name: 'ncat', program: 'ncat', words: (patience) => ['-i', String(patience), '-U'] },
  { name: 'perl', program: 'perl' },
  {
    name: 'socat',
    program: 'socat',
    words: (patience) => ['-t', String(patience), '-T', String(patience), '-', 'UNIX-CONNECT:'],
  },
];

/** By this name the launch file tells that its client is ours. */
export const NATIVE = 'native';

/** The client that was compiled and lies at this place. */
export function nativeAt(program: string): NativeClient {
  return { kind: 'native', name: NATIVE, program, patience: PATIENCE_SECONDS };
}

/** A form, made ready for the programs that were found. */
export function clientOf({ name, words }: ClientForm, program: string, cat: string): Client {
  const known = { name, program, patience: PATIENCE_SECONDS };
  return words === undefined ? { ...known, kind: 'perl' } : { ...known, kind: 'carrier', cat, words };
}
