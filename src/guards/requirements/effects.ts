import type { EffectContext, EffectRunner } from '../../core/guard';
import { isJsonObject, type Json } from '../../core/json';
import { branchSize } from './branch-size';
import { findEvidence } from './evidence';
import { type Computed, type Inquiry, keyOf, type Shown } from './findings';
import { runLine } from './run-line';

/** Finds out what the guard cannot know: computed values and shown evidence, all of them side by side. */
export const runEffect: EffectRunner = async (name, input, context) => {
  if (name !== 'gather' || !isJsonObject(input)) throw new Error(`there is no effect ${name}`);
  const inquiry = input as unknown as Inquiry;
  const found = await Promise.all([
    ...inquiry.values.map(
      async (one) => [one.name, await compute(one.calculator, inquiry.branch, context)] as const,
    ),
    ...inquiry.evidence.map(async (one) => [one.name, await findEvidence(one.evidence, context)] as const),
  ]);
  const entries = found.map(([one, finding]): [string, Json] => [
    keyOf(inquiry.branch, one),
    asJson(finding),
  ]);
  return Object.fromEntries(entries);
};

/** The calculators by name. Any other name is a command of the user's. */
const CALCULATORS: Readonly<Record<string, (branch: string, context: EffectContext) => Promise<Computed>>> = {
  branch_size: branchSize,
};

function compute(calculator: string, branch: string, context: EffectContext): Promise<Computed> {
  const known = Object.hasOwn(CALCULATORS, calculator) ? CALCULATORS[calculator] : undefined;
  return known === undefined ? byCommand(calculator, context) : known(branch, context);
}

/** A command says its value as the first number that it prints. */
async function byCommand(command: string, context: EffectContext): Promise<Computed> {
  const ended = await runLine(command, context);
  if (ended.kind !== 'exited' || ended.code !== 0) {
    return { kind: 'failed', why: `\`${command}\` did not end well (${describe(ended)})` };
  }
  const number = /-?\d+(?:\.\d+)?/.exec(ended.stdout)?.[0];
  if (number === undefined) return { kind: 'failed', why: `\`${command}\` printed no number` };
  return { kind: 'value', value: Number(number), summary: '', base: '' };
}

function describe(ended: Awaited<ReturnType<typeof runLine>>): string {
  return ended.kind === 'exited' ? `exit code ${ended.code}` : ended.kind;
}

function asJson(finding: Computed | Shown): Json {
  return { ...finding };
}
