import { askPerson, type Chosen } from './ask-person';

/** One of several things a person may pick. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Asks a person at a terminal to pick one. */
export function choose(question: string, choices: readonly Choice[]): Promise<Chosen> {
  return askPerson<string>(({ select }) =>
    select({ message: question, options: choices.map((choice) => ({ ...choice })), output: process.stderr }),
  );
}
