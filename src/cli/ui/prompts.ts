import { once } from 'node:events';
import { Refusal } from '../context';
import { SHOW_CURSOR } from './output';

/** Undefined if the question was cancelled, or if there is no terminal to ask on. */
export type Answer<Value = string> = Promise<Value | undefined>;

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

const GAVE_UP = Symbol('gave up');

/** Questions go to standard error, answers come from standard input. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** `standard` is selected at first. */
export function confirm(question: string, standard = true): Answer<boolean> {
  return ask<boolean>((prompts) =>
    prompts.confirm({ message: question, initialValue: standard, output: process.stderr }),
  );
}

/** An empty answer means `standard`. */
export function askText(question: string, standard: string): Answer {
  return ask<string>(async ({ text }) => {
    const answer = await text({
      message: question,
      ...(standard !== '' && { placeholder: standard, defaultValue: standard }),
      output: process.stderr,
    });
    // @clack returns undefined for an empty answer without a default, despite its types.
    return typeof answer === 'symbol' ? answer : (answer ?? '').trim();
  });
}

export function choose(question: string, choices: readonly Choice[]): Answer {
  return ask<string>(({ select }) =>
    select({ message: question, options: choices.map((choice) => ({ ...choice })), output: process.stderr }),
  );
}

/** `picked` are selected at first. */
export function chooseSeveral(
  question: string,
  choices: readonly Choice[],
  picked: readonly string[],
): Answer<readonly string[]> {
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

/** Refuses with this message if there is no answer. */
export async function answerTo<Value>(question: Answer<Value>, refusal: string): Promise<Value> {
  const answer = await question;
  if (answer === undefined) throw new Refusal(refusal);
  return answer;
}

/** Refuses unless the person agrees. If nobody can be asked, running the command is the answer. */
export async function requireYes(question: string, refusal: string): Promise<void> {
  if (isAtTerminal() && !(await confirm(question))) throw new Refusal(refusal);
}

async function ask<Value extends string | boolean | readonly string[]>(
  prompt: (prompts: typeof import('@clack/prompts')) => Promise<Value | symbol>,
): Answer<Value> {
  if (!isAtTerminal()) return undefined;
  const prompts = await import('@clack/prompts');
  // If input ends, the prompt waits for ever; nothing else keeps the process alive then, so `beforeExit` fires.
  const watch = new AbortController();
  const gaveUp = (): symbol => GAVE_UP;
  const ended = once(process, 'beforeExit', { signal: watch.signal }).then(gaveUp, gaveUp);
  const answer = await Promise.race([prompt(prompts), ended]);
  watch.abort();
  if (typeof answer !== 'symbol') return answer;
  process.stderr.write(SHOW_CURSOR);
  return undefined;
}
