import { askPerson, type Chosen } from './ask-person';
import type { Choice } from './choose';

/** Asks a person at a terminal to pick any number; those in `picked` are so already. */
export function chooseSeveral(
  question: string,
  choices: readonly Choice[],
  picked: readonly string[],
): Promise<Chosen<readonly string[]>> {
  return askPerson<readonly string[]>(({ multiselect }) =>
    multiselect({
      message: question,
      options: choices.map((choice) => ({ ...choice })),
      initialValues: [...picked],
      required: false,
      output: process.stderr,
    }),
  );
}
