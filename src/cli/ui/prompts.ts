import { once } from 'node:events';
import { Refusal } from './refusal';

export type Chosen<Value = string> =
  | { readonly kind: 'chosen'; readonly value: Value }
  | { readonly kind: 'cancelled' }
  /** There is nobody to ask: the caller has to name the flag that answers instead. */
  | { readonly kind: 'nobody' };

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

const SHOW_CURSOR = '\x1b[?25h';
const GAVE_UP = Symbol('gave up');

/** Whether there is a person to ask: questions go to standard error, answers come from standard input. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export function confirm(question: string): Promise<Chosen<boolean>> {
  return ask<boolean>((prompts) => prompts.confirm({ message: question, output: process.stderr }));
}

/** Asks for a line of text; an empty answer means `standard`. */
export function askText(question: string, standard: string): Promise<Chosen> {
  return ask<string>(async ({ text }) => {
    const answer = await text({
      message: question,
      ...(standard !== '' && { placeholder: standard, defaultValue: standard }),
      output: process.stderr,
    });
    // An empty answer without a default is undefined, whatever the library's types say.
    return typeof answer === 'symbol' ? answer : (answer ?? '').trim();
  });
}

export function choose(question: string, choices: readonly Choice[]): Promise<Chosen> {
  return ask<string>(({ select }) =>
    select({ message: question, options: choices.map((choice) => ({ ...choice })), output: process.stderr }),
  );
}

/** Asks to pick any number; those in `picked` are selected at first. */
export function chooseSeveral(
  question: string,
  choices: readonly Choice[],
  picked: readonly string[],
): Promise<Chosen<readonly string[]>> {
  return ask<readonly string[]>(({ multiselect }) =>
    multiselect({
      message: question,
      options: choices.map((choice) => ({ ...choice })),
      initialValues: [...picked],
      required: false,
      output: process.stderr,
    }),
  );
}

/** What a person chose; refuses in these words where nobody did. */
export async function answerTo<Value>(question: Promise<Chosen<Value>>, refusal: string): Promise<Value> {
  const answer = await question;
  if (answer.kind !== 'chosen') throw new Refusal(refusal);
  return answer.value;
}

/** The prompt library is loaded only when there is somebody to ask. */
async function ask<Value extends string | boolean | readonly string[]>(
  prompt: (prompts: typeof import('@clack/prompts')) => Promise<Value | symbol>,
): Promise<Chosen<Value>> {
  if (!isAtTerminal()) return { kind: 'nobody' };
  const prompts = await import('@clack/prompts');
  // A prompt whose input ends waits for ever; then nothing else is left to do and the process wants to exit.
  const watch = new AbortController();
  const gaveUp = (): symbol => GAVE_UP;
  const ended = once(process, 'beforeExit', { signal: watch.signal }).then(gaveUp, gaveUp);
  const answer = await Promise.race([prompt(prompts), ended]);
  watch.abort();
  if (typeof answer !== 'symbol') return { kind: 'chosen', value: answer };
  process.stderr.write(SHOW_CURSOR);
  return { kind: 'cancelled' };
}
