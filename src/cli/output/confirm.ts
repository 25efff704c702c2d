import { isAtTerminal } from './at-terminal';
import type { Chosen } from './choose';

/** Asks a person at a terminal for a yes or a no. */
export async function confirm(question: string): Promise<Chosen<boolean>> {
  if (!isAtTerminal()) return { kind: 'nobody' };
  const prompts = await import('@clack/prompts');
  const answer = await prompts.confirm({ message: question, output: process.stderr });
  return prompts.isCancel(answer) ? { kind: 'cancelled' } : { kind: 'chosen', value: answer };
}
