import type { Decision, Remarks } from '../domain/decision';
import type { GuardName } from '../domain/guard-name';
import type { JsonObject } from '../domain/json';
import type { Report, Spoken, Verdict, VerdictKind } from '../domain/verdict';
import { whyLine } from './messages';

const STRICTNESS: Readonly<Record<VerdictKind, number>> = { nothing: 0, advise: 1, hold: 2, ask: 3, deny: 4 };

type Binding = Extract<Verdict, { reason: string }>;
type BindingSpoken = { readonly guard: GuardName; readonly verdict: Binding };

/**
 * One decision from all verdicts: the strictest kind wins, every guard that binds is heard in
 * one message with the strictest first, and advice is passed on beside it, the frame's own last.
 */
export function combine(spoken: readonly Spoken[], own: Remarks, id: string): Decision {
  const remarks = remarksOf(spoken, own);
  const binding = bindingOf(spoken);
  const strictest = binding[0]?.verdict.kind;
  if (strictest === undefined) return unbound(spoken, id, remarks, reportOf(spoken));
  // Beside the loop's own words a report of success would read as their reason.
  const report = binding.every(({ guard }) => guard === 'loop') ? undefined : reportOf(spoken);
  const by = [...new Set(binding.map((one) => one.guard))];
  const decision = { ...remarks, id, by, reason: joinReasons(binding, id) };
  switch (strictest) {
    case 'hold':
      return {
        ...decision,
        kind: 'hold',
        ...(report && { report }),
        ...(isPlain(binding) && { plain: true }),
      };
    case 'ask':
      return { ...decision, kind: 'ask' };
    case 'deny':
      return { ...decision, kind: 'deny' };
  }
}

function unbound(
  spoken: readonly Spoken[],
  id: string,
  remarks: Remarks,
  report: Report | undefined,
): Decision {
  const updatedInput = updatedInputOf(spoken);
  const silent = remarks.toAgent.length === 0 && remarks.toPerson.length === 0 && updatedInput === undefined;
  if (silent) return { kind: 'nothing', ...remarks, ...(report && { report }) };
  return { kind: 'advise', id, ...remarks, ...(report && { report }), ...(updatedInput && { updatedInput }) };
}

function bindingOf(spoken: readonly Spoken[]): BindingSpoken[] {
  return spoken
    .flatMap(({ guard, verdict }) => ('reason' in verdict ? [{ guard, verdict }] : []))
    .sort((a, b) => STRICTNESS[b.verdict.kind] - STRICTNESS[a.verdict.kind]);
}

function isPlain(binding: readonly BindingSpoken[]): boolean {
  return binding.some(({ verdict }) => verdict.kind === 'hold' && verdict.plain === true);
}

/** The loop's own sentence is a wire format that scripts compare, so nothing is added to it. */
function joinReasons(binding: readonly BindingSpoken[], id: string): string {
  const paragraphs = binding.map((one) => one.verdict.reason.trimEnd());
  if (binding.every((one) => one.guard === 'loop')) return paragraphs.join('\n\n');
  return `${paragraphs.join('\n\n')}\n${whyLine(id)}`;
}

function remarksOf(spoken: readonly Spoken[], own: Remarks): Remarks {
  const toAgent: string[] = [];
  const toPerson: string[] = [];
  for (const { verdict } of spoken) {
    if (verdict.kind !== 'advise') continue;
    if (verdict.toAgent !== undefined) toAgent.push(verdict.toAgent);
    if (verdict.toPerson !== undefined) toPerson.push(verdict.toPerson);
  }
  return { toAgent: [...toAgent, ...own.toAgent], toPerson: [...toPerson, ...own.toPerson] };
}

function reportOf(spoken: readonly Spoken[]): Report | undefined {
  for (const { verdict } of spoken) if ('report' in verdict && verdict.report) return verdict.report;
  return undefined;
}

function updatedInputOf(spoken: readonly Spoken[]): JsonObject | undefined {
  for (const { verdict } of spoken)
    if (verdict.kind === 'advise' && verdict.updatedInput) return verdict.updatedInput;
  return undefined;
}
