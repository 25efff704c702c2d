import type { Client } from './client';

/** Longer than the watchdog lets any event take. */
const PATIENCE_SECONDS = 10;

/** A way to use a program; several where programs of that name differ. */
export interface ClientForm {
  readonly name: string;
  readonly program: string;
  words?(patience: number): readonly string[];
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

/** A form, made ready for a program that was found. */
export function clientOf(form: ClientForm, program: string, patience = PATIENCE_SECONDS): Client {
  return {
    name: form.name,
    program,
    patience,
    ...(form.words !== undefined && { words: form.words(patience) }),
  };
}
