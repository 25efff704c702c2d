import { once } from 'node:events';

export type Chosen<Value = string> =
  | { readonly kind: 'chosen'; readonly value: Value }
  /** The person gave up. */
  | { readonly kind: 'cancelled' }
  /** There is nobody to ask: the caller has to name the flag that answers instead. */
  | { readonly kind: 'nobody' };

type Prompts = typeof import('@clack/prompts');

const SHOW_CURSOR = '\x1b[?25h';
const GAVE_UP = Symbol('gave up');

/** Whether there is a person who can be asked: questions go to standard error, answers come from standard input. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a person at a terminal. The prompt library is loaded only when there is somebody to ask. */
export async function askPerson<Value extends string | boolean | readonly string[]>(
  ask: (prompts: Prompts) => Promise<Value | symbol>,
): Promise<Chosen<Value>> {
  if (!isAtTerminal()) return { kind: 'nobody' };
  const prompts = await import('@clack/prompts');
  // A prompt whose input ends waits for ever, which shows when nothing else is left to be done.
  const watch = new AbortController();
  const ended = once(process, 'beforeExit', { signal: watch.signal }).then(
    () => GAVE_UP,
    () => GAVE_UP,
  );
  const answer = await Promise.race([ask(prompts), ended]);
  watch.abort();
  if (typeof answer !== 'symbol') return { kind: 'chosen', value: answer };
  process.stderr.write(SHOW_CURSOR);
  return { kind: 'cancelled' };
}
