import type { EventOf } from '../../../core/event';
import { testRunText } from '../advice-messages';
import type { Facts } from '../facts';
import { type Finding, noting, type Rule } from '../finding';
import { requirementsOf } from '../look-up';
import type { TestRequirement } from '../model';
import { isWork } from '../not-work';
import { testEvidence } from '../phase-evidence';
import { isEnforced } from '../state';
import { type Run, withEdit, withRun } from '../test-record';
import { type TestVerdict, testVerdict } from '../tests/verdict';

interface Watch {
  readonly event: EventOf<'tool.after'>;
  readonly phase: string;
  readonly asked: TestRequirement;
}

/** Keeps how the tests of a phase went. A later failure or edit takes back what an earlier pass has shown. */
export const testWatcher: Rule = (facts) => {
  const watch = watchOf(facts);
  if (watch === undefined || facts.state === undefined) return undefined;
  if (watch.event.call.op !== 'shell') return editFinding(facts, watch);
  const verdict = verdictOf(facts, watch.event);
  return verdict && runFinding(facts, watch, verdict);
};

/** Whether the tree has to be known, since a pass is to be kept with it. */
export function wantsTree(facts: Facts): boolean {
  const watch = watchOf(facts);
  if (watch === undefined || facts.git === undefined || watch.event.call.op !== 'shell') return false;
  return verdictOf(facts, watch.event)?.result === 'passed';
}

function watchOf({ event, state, workflow, phase, model }: Facts): Watch | undefined {
  if (event.kind !== 'tool.after' || workflow === undefined || phase === undefined) return undefined;
  const asked = requirementsOf(model, workflow.type, phase).tests;
  return asked === undefined || !isEnforced(state) ? undefined : { event, phase, asked };
}

function verdictOf({ effects }: Facts, event: EventOf<'tool.after'>): TestVerdict | undefined {
  return effects && testVerdict(event, effects);
}

function runFinding(
  { state = {}, workflow, now, tree, head }: Facts,
  watch: Watch,
  verdict: TestVerdict,
): Finding {
  const { event, phase, asked } = watch;
  const { callId, command = '' } = event.call;
  const run: Run = {
    verdict,
    command,
    now,
    ...(callId !== undefined && { callId }),
    ...(tree !== undefined && tree !== '' && { tree, head }),
  };
  const after = testEvidence(withRun(state, phase, asked, run), phase);
  const text = testRunText({
    result: verdict.result,
    phase,
    iteration: after?.iteration ?? 1,
    maxIterations: after?.maxIterations ?? asked.maxIterations,
    isEscalated: after?.status === 'escalated',
    skipped: workflow?.atdd === true ? (verdict.counts?.skipped ?? 0) : 0,
  });
  return {
    weight: 'warn',
    text,
    fact: `tests ${verdict.result} in ${phase}`,
    records: [{ what: `tests ${verdict.result}`, apply: (current) => withRun(current, phase, asked, run) }],
  };
}

function editFinding({ state = {}, now, root }: Facts, { event, phase }: Watch): Finding | undefined {
  const { call, outcome } = event;
  const edits = call.op === 'write' || call.op === 'edit' || call.op === 'patch' || call.op === 'delete';
  if (!edits || outcome === 'failure') return undefined;
  const isCode = call.paths.some((path) => isWork(path, root));
  if (!isCode || withEdit(state, phase, now) === state) return undefined;
  const apply = (current: typeof state): typeof state => withEdit(current, phase, now);
  return noting('a file was edited after the tests had passed', { what: 'test evidence taken back', apply });
}
