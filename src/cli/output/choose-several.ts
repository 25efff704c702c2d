import { isAtTerminal } from './at-terminal';
import type { Choice, Chosen } from './choose';

/** Asks a person at a terminal to pick any number, `preset` ones being picked already. */
export async function chooseSeveral(
  question: string,
  choices: readonly Choice[],
  preset: readonly string[],
): Promise<Chosen<readonly string[]>> {
  if (!isAtTerminal()) return { kind: 'nobody' };
  const { isCancel, multiselect } = await import('@clack/prompts');
  const answer = await multiselect({
    message: question,
    options: choices.map((choice) => ({ ...choice })),
    initialValues: [...preset],
    required: false,
    output: process.stderr,
  });
  return isCancel(answer) ? { kind: 'cancelled' } : { kind: 'chosen', value: answer };
}
