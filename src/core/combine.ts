import type { Decision, Remarks } from './decision';
import type { GuardName } from './guard-name';
import { whyLine } from './hold-messages';
import type { JsonObject } from './json';
import type { Report, Spoken, Verdict, VerdictKind } from './verdict';

const BY_STRICTNESS: readonly VerdictKind[] = ['nothing', 'advise', 'hold', 'ask', 'deny'];

type Binding = Extract<Verdict, { reason: string }>;
type BindingSpoken = { readonly guard: GuardName; readonly verdict: Binding };

/** What was said, sorted out: who binds, the strictest first, and what is passed on beside it. */
interface Heard extends Remarks {
  readonly binding: readonly BindingSpoken[];
  readonly report: Report | undefined;
  readonly updatedInput: JsonObject | undefined;
}

/**
 * One decision from all verdicts: the strictest kind wins, every guard that binds is heard in
 * one message with the strictest first, and advice is passed on beside it, the frame's own last.
 */
export function combine(spoken: readonly Spoken[], own: Remarks, id: string): Decision {
  const heard = hear(spoken, own);
  const { binding, report, toAgent, toPerson } = heard;
  const strictest = binding[0]?.verdict.kind;
  if (strictest === undefined) return unbound(heard, id);
  const by: GuardName[] = [];
  for (const { guard } of binding) if (!by.includes(guard)) by.push(guard);
  const byLoopAlone = by.length === 1 && by[0] === 'loop';
  const decision = { toAgent, toPerson, id, by, reason: joinReasons(binding, id, byLoopAlone) };
  switch (strictest) {
    case 'hold':
      return {
        ...decision,
        kind: 'hold',
        // Beside the loop's own words a report of success would read as their reason.
        ...(report && !byLoopAlone && { report }),
        ...(binding.some(isPlain) && { plain: true }),
      };
    case 'ask':
      return { ...decision, kind: 'ask' };
    case 'deny':
      return { ...decision, kind: 'deny' };
  }
}

function hear(spoken: readonly Spoken[], own: Remarks): Heard {
  const binding: BindingSpoken[] = [];
  const toAgent: string[] = [];
  const toPerson: string[] = [];
  let report: Report | undefined;
  let updatedInput: JsonObject | undefined;
  for (const { guard, verdict } of spoken) {
    if ('reason' in verdict) binding.push({ guard, verdict });
    if ('report' in verdict) report ??= verdict.report;
    if (verdict.kind !== 'advise') continue;
    if (verdict.toAgent !== undefined) toAgent.push(verdict.toAgent);
    if (verdict.toPerson !== undefined) toPerson.push(verdict.toPerson);
    updatedInput ??= verdict.updatedInput;
  }
  toAgent.push(...own.toAgent);
  toPerson.push(...own.toPerson);
  if (binding.length > 1) binding.sort((a, b) => strictness(b) - strictness(a));
  return { binding, toAgent, toPerson, report, updatedInput };
}

function unbound({ toAgent, toPerson, report, updatedInput }: Heard, id: string): Decision {
  const silent = toAgent.length === 0 && toPerson.length === 0 && updatedInput === undefined;
  if (silent) return { kind: 'nothing', toAgent, toPerson, ...(report && { report }) };
  return {
    kind: 'advise',
    id,
    toAgent,
    toPerson,
    ...(report && { report }),
    ...(updatedInput && { updatedInput }),
  };
}

function strictness({ verdict }: BindingSpoken): number {
  return BY_STRICTNESS.indexOf(verdict.kind);
}

function isPlain({ verdict }: BindingSpoken): boolean {
  return verdict.kind === 'hold' && verdict.plain === true;
}

/** The loop's own sentence is a wire format that scripts compare, so nothing is added to it. */
function joinReasons(binding: readonly BindingSpoken[], id: string, byLoopAlone: boolean): string {
  const paragraphs = binding.map((one) => one.verdict.reason.trimEnd()).join('\n\n');
  return byLoopAlone ? paragraphs : `${paragraphs}\n${whyLine(id)}`;
}
