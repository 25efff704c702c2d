import { isAtTerminal } from './at-terminal';

/** One of several things a person may pick. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

export type Chosen<Value = string> =
  | { readonly kind: 'chosen'; readonly value: Value }
  /** The person gave up. */
  | { readonly kind: 'cancelled' }
  /** There is nobody to ask: the caller has to name the flag that answers instead. */
  | { readonly kind: 'nobody' };

/** Asks a person at a terminal to pick one. The prompt library is loaded only when there is somebody to ask. */
export async function choose(question: string, choices: readonly Choice[]): Promise<Chosen> {
  if (!isAtTerminal()) return { kind: 'nobody' };
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select({
    message: question,
    options: choices.map((choice) => ({ ...choice })),
    output: process.stderr,
  });
  return isCancel(answer) ? { kind: 'cancelled' } : { kind: 'chosen', value: answer };
}
