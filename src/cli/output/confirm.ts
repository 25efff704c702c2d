import { askPerson, type Chosen } from './ask-person';

/** Asks a person at a terminal for a yes or a no. */
export function confirm(question: string): Promise<Chosen<boolean>> {
  return askPerson<boolean>((prompts) => prompts.confirm({ message: question, output: process.stderr }));
}
