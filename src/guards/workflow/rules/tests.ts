import type { Effects } from '../../../core/command-effects';
import type { EventOf } from '../../../core/event';
import { isJsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { commandEffects, type Facts, type Finding, noting, type Rule } from '../facts';
import { approvalCommand } from '../gate';
import { listAt, numberAt, objectAt, textAt, withMembersAt, withValueAt } from '../json-path';
import type { Requirement } from '../model';
import { isWork } from '../place';
import { evidencePath, type State, testEvidence } from '../state';
import {
  type Counts,
  countsIn,
  coverageIn,
  errorLine,
  normalisedError,
  withoutColours,
} from '../test-output';

/** Records how the tests of a phase went. A later failure or edit takes back what an earlier pass has shown. */
export const testWatcher: Rule = (facts) => {
  const watch = watchOf(facts);
  if (watch === undefined) return undefined;
  return watch.verdict === undefined ? editFinding(facts, watch) : runFinding(facts, watch, watch.verdict);
};

/** Whether the tree has to be known, since a pass is recorded with it. */
export function watcherWantsTree(facts: Facts): boolean {
  return watchOf(facts)?.verdict?.result === 'passed';
}

/** A tool was used in a phase whose gate looks at tests; `verdict` is on the tests that it ran, if any. */
function watchOf(facts: Facts) {
  const { event, workflow, phase } = facts;
  const asked = facts.asked.tests;
  if (event.kind !== 'tool.after' || !workflow || !phase || asked === undefined) return undefined;
  const effects = commandEffects(facts);
  return { event, phase, asked, verdict: effects && testVerdict(event, effects) };
}

type Watch = NonNullable<ReturnType<typeof watchOf>>;

function runFinding(facts: Facts, { event, phase, asked }: Watch, verdict: TestVerdict): Finding {
  const { state = {}, workflow, ctx, tree, head } = facts;
  const { callId, command = '' } = event.call;
  const { result } = verdict;
  const run: Run = { verdict, command, now: ctx.now, callId, tree: tree || undefined, head };
  const after = testEvidence(withRun(state, phase, asked, run), phase);
  const count = after?.iteration ?? 1;
  const iteration = `iteration ${count}/${after?.maxIterations ?? asked.maxIterations}`;
  const skipped = workflow?.atdd === true ? (verdict.counts?.skipped ?? 0) : 0;
  const orphans = skipped > 0 ? ` ${skipped} tests were skipped: acceptance tests may not be.` : '';
  const texts = {
    escalated: `TESTS FAILED (${iteration}): the same trouble again, so the phase is escalated. Stop and tell the person, who may run \`${approvalCommand(phase)}\`.`,
    passed: `TESTS PASSED (iteration ${count}). Next: what the gate still asks for; \`holdpoint flow status\` lists it.${orphans}`,
    failed: `TESTS FAILED (${iteration}). Fix them and run them again; the phase cannot be left before.`,
    inconclusive: `TESTS INCONCLUSIVE (${iteration}): the output does not tell. Run them by themselves.`,
  };
  return {
    weight: 'warn',
    text: texts[after?.status === 'escalated' ? 'escalated' : result],
    fact: `tests ${result} in ${phase}`,
    records: [{ what: `tests ${result}`, apply: (current) => withRun(current, phase, asked, run) }],
  };
}

function editFinding({ state = {}, ctx }: Facts, { event, phase }: Watch): Finding | undefined {
  const { call, outcome } = event;
  const isEdit = ['write', 'edit', 'patch', 'delete'].includes(call.op) && outcome !== 'failure';
  const isCode = isEdit && call.paths.some((path) => isWork(path, ctx.projectRoot));
  if (!isCode || withEdit(state, phase, ctx.now) === state) return undefined;
  const apply = (current: typeof state): typeof state => withEdit(current, phase, ctx.now);
  return noting('a file was edited after the tests had passed', { what: 'test evidence taken back', apply });
}

type AfterTool = EventOf<'tool.after'>;

/** How a run of tests ended: with the telling line of a failure, and its form in which equal failures look alike. */
export type TestVerdict = NonNullable<ReturnType<typeof testVerdict>>;

const MOST_OUTPUT = 256 * 1024;

/**
 * The verdict on the tests that a command has run; `undefined` where it ran none, or has only been started.
 * The outcome of the command comes first, then the numbers that the runner printed; nothing else is read into
 * the output.
 */
export function testVerdict(event: AfterTool, effects: Effects) {
  const { outcome, call, response } = event;
  const run = effects.tests.find(({ certain }) => certain) ?? effects.tests[0];
  const isOnlyStarted = outcome === 'unknown' && call.background === true;
  if (run === undefined || isOnlyStarted) return undefined;
  const text = [response.text, event.error].filter((part) => part !== undefined && part !== '').join('\n');
  const output = withoutColours(text.slice(-MOST_OUTPUT));
  const counts = countsIn(output);
  const result = resultOf(event, run.certain, counts);
  const shown = result === 'failed' ? shownError(event, output, counts) : '';
  return { result, counts, coverage: coverageIn(output), shown, error: normalisedError(shown) };
}

/** Where the tests' own status is lost, numbers count only if nothing else in the line can have printed them. */
const PRINTS = /\b(?:echo|printf|cat|sed|awk|gawk|perl|python\d?|node -\w|tr|cut|print)\b/;
const CHAIN = /[;&|\n]/;
const QUOTED = /\d?>&\d|'[^']*'|"[^"]*"/g;

type Result = 'passed' | 'failed' | 'inconclusive';

function resultOf(event: AfterTool, isCertain: boolean, counts: Counts | undefined): Result {
  const { outcome, interrupted, call } = event;
  const { command = '' } = call;
  if (interrupted === true) return 'inconclusive';
  if (counts !== undefined && counts.failed > 0) return 'failed';
  if (counts !== undefined && counts.passed + counts.skipped === 0)
    return outcome === 'failure' ? 'failed' : 'inconclusive';
  // In a chain of commands the tests may have passed and something else failed.
  if (outcome === 'failure')
    return counts !== undefined && CHAIN.test(command.replace(QUOTED, '')) ? 'inconclusive' : 'failed';
  if (outcome === 'success' && isCertain) return 'passed';
  return counts === undefined || PRINTS.test(command) ? 'inconclusive' : 'passed';
}

function shownError(event: AfterTool, output: string, counts: Counts | undefined): string {
  const line = errorLine(output);
  if (line !== '') return line;
  if (counts !== undefined && counts.failed > 0) return `${counts.failed} failed, ${counts.passed} passed`;
  return (event.error ?? '').split('\n', 1)[0]?.slice(0, 299) || 'the command failed';
}

/** One run of tests, as it is to be recorded, with the tree that it ran on and the commit below that. */
export interface Run {
  readonly verdict: TestVerdict;
  readonly command: string;
  readonly now: number;
  readonly callId?: string | undefined;
  readonly tree?: string | undefined;
  readonly head?: string | undefined;
}

const HISTORY_KEPT = 100;
const TEXT_LENGTH = 300;

/** The state with the run in it; the same state where the run is in it already. */
export function withRun(state: State, phase: string, asked: Requirement<'tests'>, run: Run): State {
  const { verdict, callId } = run;
  const at = isoTime(run.now);
  const path = evidencePath(phase, 'tests');
  const before = objectAt(state, path) ?? { required: true, completed: false, started_at: at };
  const history = listAt(before, ['history']).filter(isJsonObject);
  if (callId !== undefined && history.some((one) => one['tool_use_id'] === callId)) return state;
  // A project's own limits; without the time at which it has set them they do not count.
  const config = objectAt(state, ['iteration_config']);
  const set = textAt(config, 'configured_at') === undefined ? undefined : config;
  const max = numberAt(set, 'testing_max') ?? asked.maxIterations;
  const breaker = numberAt(set, 'circuit_breaker_threshold') ?? asked.breaker;
  const iteration = (numberAt(before, 'current_iteration') ?? 0) + 1;
  const entry = {
    iteration,
    timestamp: at,
    command: run.command.slice(0, TEXT_LENGTH),
    result: verdict.result.toUpperCase(),
    failures: verdict.counts?.failed ?? (verdict.result === 'failed' ? 1 : 0),
    ...(verdict.result === 'failed' && { error: verdict.shown.slice(0, TEXT_LENGTH) }),
    ...(callId !== undefined && { tool_use_id: callId }),
  };
  const limits = { iteration, max, breaker, reportOnly: asked.reportOnly };
  return withValueAt(state, path, {
    ...before,
    current_iteration: iteration,
    max_iterations: max,
    last_test_result: verdict.result,
    last_test_command: entry.command,
    last_test_at: at,
    ...(verdict.coverage !== undefined && { coverage: verdict.coverage }),
    ...(verdict.result === 'passed' && passedMembers(run)),
    ...(verdict.result === 'failed' && failedMembers(before, run, limits)),
    history: [...history, entry].slice(-HISTORY_KEPT),
  });
}

/** Bound to the tree that was tested: what is edited later has not been. */
function passedMembers({ now, tree, head }: Run): State {
  return {
    completed: true,
    status: 'success',
    identical_failure_count: 0,
    completed_at: isoTime(now),
    edited_at: null,
    evidence: tree === undefined ? null : { tree, head: head ?? null, recorded_at: isoTime(now) },
  };
}

type Limits = { iteration: number; max: number; breaker: number; reportOnly: boolean };

/**
 * Equal failures in a row break the circuit; failures that only alternate are limited by the number of
 * iterations. Errors are compared in their normalised form.
 */
function failedMembers(before: State, { verdict, now }: Run, limits: Limits): State {
  const { iteration, max, breaker, reportOnly } = limits;
  const lastError = textAt(listAt(before, ['history']).filter(isJsonObject).at(-1), 'error');
  const isSame = lastError !== undefined && normalisedError(lastError) === verdict.error;
  const identical = isSame ? (numberAt(before, 'identical_failure_count') ?? 0) + 1 : 1;
  const counted = {
    failures_count: (numberAt(before, 'failures_count') ?? 0) + 1,
    identical_failure_count: identical,
    evidence: null,
  };
  if (reportOnly) return { ...counted, completed: true, status: 'reported', completed_at: isoTime(now) };
  if (identical < breaker && iteration < max) return { ...counted, completed: false, status: 'iterating' };
  return {
    ...counted,
    completed: true,
    status: 'escalated',
    completed_at: isoTime(now),
    escalation_reason: identical >= breaker ? 'circuit_breaker' : 'max_iterations',
    escalation_details: verdict.shown.slice(0, TEXT_LENGTH),
    escalation_approved: false,
  };
}

/** The state of a project that has edited something after its tests had passed: they no longer count. */
export function withEdit(state: State, phase: string, now: number): State {
  const path = evidencePath(phase, 'tests');
  const record = objectAt(state, path);
  const isStanding = record?.['completed'] === true && record['status'] !== 'escalated';
  if (!isStanding || textAt(record, 'edited_at') !== undefined) return state;
  return withMembersAt(state, path, { edited_at: isoTime(now) });
}
