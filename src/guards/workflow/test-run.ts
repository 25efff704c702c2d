import { listAt, numberAt, objectAt, textAt, withValueAt } from '../../config/pointer';
import type { Effects, TestRun } from '../../core/command-effects';
import type { EventOf } from '../../core/event';
import { isJsonObject } from '../../core/json';
import { digest, isoTime } from '../../core/text';
import type { Facts, Finding } from './facts';
import { approvalCommand } from './gate';
import { gateOf, type Requirement } from './model';
import type { Watch } from './rules/records';
import { activeWorkflow, evidencePath, failedRuns, type State, testEvidence } from './state';
import {
  type Counts,
  countsIn,
  coverageIn,
  errorLine,
  failuresIn,
  normalisedError,
  saysFailed,
  saysNothingRan,
  saysTestsFailed,
  withoutColours,
} from './test-output';

type AfterTool = EventOf<'tool.after'>;

/** Records the tests that a command ran, and reports their result. */
export function runFinding(facts: Facts, { event, phase, asked }: Watch, verdict: TestVerdict): Finding {
  const { state = {}, workflow, ctx, tree, head } = facts;
  const { callId, command = '' } = event.call;
  const { result } = verdict;
  const run: Run = { verdict, command, now: ctx.now, callId, tree: tree || undefined, head };
  const after = testEvidence(withRun(state, phase, asked, run), phase);
  const count = after?.iteration ?? 1;
  const iteration = `iteration ${after?.failures ?? 0}/${after?.maxIterations ?? asked.maxIterations}`;
  const skipped = workflow?.atdd === true ? (verdict.counts?.skipped ?? 0) : 0;
  const tests = skipped === 1 ? 'test was' : 'tests were';
  const orphans = skipped > 0 ? ` ${skipped} ${tests} skipped; acceptance tests must run.` : '';
  const person = `so a person has to decide. Stop and tell the user; they can run \`${approvalCommand(phase)}\`.`;
  const why = after?.reason === 'circuit_breaker' ? 'the same failure again' : 'no iterations are left';
  const texts = {
    stillEscalated: `TESTS PASSED (iteration ${count}), but they had failed too often, ${person}`,
    escalated: `TESTS FAILED (${iteration}): ${why}, ${person}`,
    passed: `TESTS PASSED (iteration ${count}). Next: \`holdpoint flow status\` lists what else ${gateOf(phase)} needs.${orphans}`,
    failed: `TESTS FAILED (${iteration}). Fix them and run them again; the phase cannot end before they pass.`,
    inconclusive: `TESTS INCONCLUSIVE (${iteration}): ${verdict.unclear ?? 'the output does not show a result. Run only the tests.'}`,
  };
  const isEscalated = after?.status === 'escalated' && !after.approved;
  const escalated = { passed: 'stillEscalated', failed: 'escalated', inconclusive: 'inconclusive' } as const;
  return {
    weight: 'warn',
    text: texts[isEscalated ? escalated[result] : result],
    fact: `tests ${result} in ${phase}`,
    records: [{ what: `tests ${result}`, apply: (current) => withRun(current, phase, asked, run) }],
  };
}

/** How a test run ended; `shown` is a failure's line to show, `error` its normalised form to compare. */
export type TestVerdict = NonNullable<ReturnType<typeof testVerdict>>;

const MOST_OUTPUT = 256 * 1024;
const STARTED = 'they run in the background, where nobody sees the result. Run them in the foreground.';
const FOLLOWED = 'the same line changes files after them. Run the tests alone.';

/**
 * Judges the tests that a command ran; `undefined` if it ran none. Failures that the
 * runner counted come first, then the outcome of the command. Words in the output count only if they say that
 * nothing ran, or that something failed whose exit status is hidden.
 */
export function testVerdict(
  event: AfterTool,
  effects: Effects,
  roots: readonly string[],
  isOther: (path: string) => boolean = () => false,
) {
  const { outcome, call } = event;
  const isOnlyStarted = outcome === 'unknown' && call.background === true;
  if (effects.tests.length === 0) return undefined;
  const { tests, ...seen } = seenIn(event, effects.tests);
  const { output } = seen;
  const isHere = (path: string): boolean =>
    !isOther(path) && roots.some((root) => `${path}/`.startsWith(`${root}/`));
  const [reason] = tests.flatMap((one) => whyNotHere(one, isHere) ?? []);
  const here = reason === undefined ? tests : tests.filter((one) => whyNotHere(one, isHere) === undefined);
  const run = here.find(({ certain }) => certain) ?? here[0];
  const seenWhy = run === undefined ? reason : run.followed ? FOLLOWED : whyNoneRan(run, seen);
  const unclear = isOnlyStarted ? STARTED : seenWhy;
  const result =
    unclear === undefined ? resultOf(seen, run?.certain === true, reason !== undefined) : 'inconclusive';
  const shown = result === 'failed' ? shownError(seen) : '';
  const error = failuresIn(output) || normalisedError(shown);
  const coverage = unclear === undefined ? coverageIn(output) : undefined;
  return { result, unclear, counts: seen.counts, coverage, shown, error };
}

/** The output, and what else the command line says; with a printed exit status, the tests are as good as alone. */
function seenIn(event: AfterTool, tests: readonly TestRun[]): Seen & { readonly tests: readonly TestRun[] } {
  const { call, response } = event;
  const text = [response.text, event.error].filter((part) => part !== undefined && part !== '').join('\n');
  const output = withoutColours(text.slice(-MOST_OUTPUT));
  const others = tests.reduce((line, one) => line.replace(one.text, ''), call.command ?? '');
  const seen = { event, output, counts: countsIn(output), others, tests };
  const status = tests.length === 1 ? printedStatus(others, output) : undefined;
  if (status === undefined) return seen;
  const outcome = status === 0 ? 'success' : 'failure';
  const certain = tests.map((one) => ({ ...one, certain: true }));
  return { ...seen, event: { ...event, outcome }, others: '', tests: certain };
}

const REDIRECTED = /\d?>>?(?:&\d| *[\w./-]+)/g;
/** `npm test | tail -5; echo "${PIPESTATUS[0]}"`, in bash and zsh. */
const PIPED_STATUS = /\|[ \t]*[^\s;&|][^;&|\n]*(;[^;&|$\n]*)\$\{(?:PIPESTATUS\[0\]|pipestatus\[1\])\}/;
const PRINTED_STATUS =
  /^(?:cd \S+ && )?(?:\w+=\S* )*(?:time |timeout \S+ )?\s*;\s*echo ("?)([^"'$`;&|]*)\$\?([^"'$`;&|]*)\1\s*$/;

/** The tests' exit status, if the rest of the line only prints it, as in `npm test; echo "exit: $?"`. */
function printedStatus(rest: string, output: string): number | undefined {
  const plain = rest.replace(REDIRECTED, '').replace(PIPED_STATUS, '$1$?');
  const [line, , before = '', after = ''] = PRINTED_STATUS.exec(plain) ?? [];
  if (line === undefined) return undefined;
  const [label, end] = [before.trim(), after.trim()];
  const found = output
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(label) && one.endsWith(end))
    .map((one) => one.slice(label.length, one.length - end.length).trim())
    .findLast((one) => /^\d{1,3}$/.test(one));
  return found === undefined ? undefined : Number(found);
}

/** What is known about a command that ran tests. */
interface Seen {
  readonly event: AfterTool;
  readonly output: string;
  readonly counts: Counts | undefined;
  /** The command line without its tests. */
  readonly others: string;
}

/** Why the tests of a command did not run in this project; `undefined` if they did. */
function whyNotHere({ idle, places }: TestRun, isHere: (path: string) => boolean): string | undefined {
  if (idle !== undefined) return `with \`${idle}\` no test runs. Run them without it.`;
  const away = places.find((place) => place !== undefined && !isHere(place));
  if (away !== undefined) return `they ran in ${away}, outside of this project. Run this project's tests.`;
  return places.includes(undefined)
    ? 'it is unclear where they ran. Run them from a directory of the project.'
    : undefined;
}

/** Why a test command ran no tests; `undefined` if it ran some, as far as the output tells, which may be cut. */
function whyNoneRan({ allowsNone, certain }: TestRun, { event, output, counts }: Seen): string | undefined {
  if ((counts !== undefined && counts.passed + counts.failed > 0) || saysTestsFailed(output))
    return undefined;
  const isGood = event.outcome === 'success';
  if (isGood && counts !== undefined && counts.skipped > 0)
    return 'all tests were skipped. Run at least one.';
  if (saysNothingRan(output) || (isGood && certain && counts !== undefined))
    return 'no tests were found. Add some, or check the command.';
  return isGood && allowsNone !== undefined
    ? `with \`${allowsNone}\` a run without any tests passes, too. Run them without it.`
    : undefined;
}

/**
 * If the tests' exit status is lost, numbers count only if no other command can have printed them, or have left out
 * those of failed tests.
 */
const PRINTERS =
  /\b(?:echo|printf|cat(?! *(?:$|[\n|;&)]))|sed|awk|gawk|perl|python\d?|node -\w|tr|cut|print|head|[ef]?grep(?![^\n;&]*(?:[Ff]ail|FAIL|Tests)))\b|\bgrep +-\w*v/;
const LAST_IS_SEARCH = /\|\s*(?:[ef]?grep|rg|ag)\b[^\n;&]*$/;
const CHAIN = /[;&|\n]/;
const QUOTED = /\d?>&\d|'[^']*'|"[^"]*"/g;

type Result = 'passed' | 'failed' | 'inconclusive';

/** `isMixed`: other tests of the line ran elsewhere, so the numbers may be theirs. */
function resultOf({ event, output, counts, others }: Seen, isCertain: boolean, isMixed: boolean): Result {
  const { outcome, interrupted } = event;
  if (interrupted === true) return 'inconclusive';
  const isGood = outcome === 'success' && isCertain;
  if ((counts?.failed ?? 0) > 0 || (!isGood && saysFailed(output))) return 'failed';
  if (isGood) return 'passed';
  const hasPassed = (counts?.passed ?? 0) > 0;
  if (outcome === 'failure') return isOfAnother(others, hasPassed, isCertain) ? 'inconclusive' : 'failed';
  return !hasPassed || isMixed || PRINTERS.test(others) ? 'inconclusive' : 'passed';
}

/** In a chain of commands the tests may have passed and something else failed, such as a search for failures. */
function isOfAnother(others: string, hasPassed: boolean, isCertain: boolean): boolean {
  return (hasPassed && CHAIN.test(others.replace(QUOTED, ''))) || (!isCertain && LAST_IS_SEARCH.test(others));
}

function shownError({ event, output, counts }: Seen): string {
  const line = errorLine(output);
  if (line !== '') return line;
  if (counts !== undefined && counts.failed > 0) return `${counts.failed} failed, ${counts.passed} passed`;
  return (event.error ?? '').split('\n', 1)[0]?.slice(0, 299) || 'the command failed';
}

/** A test run to record, with the git tree it ran on and the commit at HEAD. */
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

/** With acceptance tests first, a skipped one is noted: nobody has made it pass. */
function withOrphans(state: State, phase: string, { verdict, command }: Run): State {
  if (verdict.result !== 'passed' || activeWorkflow(state)?.atdd !== true) return state;
  const skipped = verdict.counts?.skipped ?? 0;
  return withValueAt(state, ['phases', phase, 'atdd_validation'], {
    orphan_skips_detected: skipped,
    orphan_skip_details: skipped === 0 ? [] : [`${skipped} skipped by ${command.slice(0, TEXT_LENGTH)}`],
  });
}

/** Adds the run to the state; returns the same state if it already has the run. */
export function withRun(state: State, phase: string, asked: Requirement<'tests'>, run: Run): State {
  const { verdict, callId } = run;
  const at = isoTime(run.now);
  const path = evidencePath(phase, 'tests');
  const before = objectAt(state, path) ?? { required: true, completed: false, started_at: at };
  const history = listAt(before, ['history']).filter(isJsonObject);
  if (callId !== undefined && history.some((one) => one['tool_use_id'] === callId)) return state;
  const limits = limitsOf(state, before, asked);
  // A run without tests is not an iteration, and an inconclusive run does not clear a failure.
  const iteration = (numberAt(before, 'current_iteration') ?? 0) + (verdict.unclear === undefined ? 1 : 0);
  const isStillFailed = verdict.result === 'inconclusive' && before['last_test_result'] === 'failed';
  const failures = failedRuns(before) + (verdict.result === 'failed' ? 1 : 0);
  // Only a person releases a phase that is escalated.
  const isEscalated = before['status'] === 'escalated' && before['escalation_approved'] !== true;
  const after = {
    passed: () => passedMembers(run),
    failed: () => failedMembers(before, run, { ...limits, failures }),
    inconclusive: () => undefined,
  };
  const entry = {
    iteration,
    timestamp: at,
    command: run.command.slice(0, TEXT_LENGTH),
    result: verdict.result.toUpperCase(),
    failures: verdict.counts?.failed ?? (verdict.result === 'failed' ? 1 : 0),
    ...(verdict.result === 'failed' && {
      error: verdict.shown.slice(0, TEXT_LENGTH),
      fingerprint: digest(verdict.error),
    }),
    ...(callId !== undefined && { tool_use_id: callId }),
  };
  const recorded = withValueAt(state, path, {
    ...before,
    current_iteration: iteration,
    failures_count: failures,
    max_iterations: limits.max,
    last_test_result: isStillFailed ? 'failed' : verdict.result,
    last_test_command: entry.command,
    last_test_at: at,
    ...(verdict.coverage !== undefined && { coverage: verdict.coverage }),
    ...(!isEscalated && after[verdict.result]()),
    history: [...history, entry].slice(-HISTORY_KEPT),
  });
  return withOrphans(recorded, phase, run);
}

/** The project's own limits, which count only if the state has the time when they were set. */
function limitsOf(state: State, before: State, asked: Requirement<'tests'>) {
  const config = objectAt(state, ['iteration_config']);
  const set = textAt(config, 'configured_at') === undefined ? undefined : config;
  return {
    // Iterations keep the limit that they began with.
    max: numberAt(before, 'max_iterations') ?? numberAt(set, 'testing_max') ?? asked.maxIterations,
    breaker: numberAt(set, 'circuit_breaker_threshold') ?? asked.breaker,
    reportOnly: asked.reportOnly,
  };
}

/** The pass is bound to the tree that was tested: later edits are not. */
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

type Limits = ReturnType<typeof limitsOf> & { readonly failures: number };

/**
 * Equal failures in a row trip the circuit breaker; failures that only alternate are limited by their number.
 * We compare which tests failed and how.
 */
function failedMembers(before: State, { verdict, now }: Run, limits: Limits): State {
  const { failures, max, breaker, reportOnly } = limits;
  const last = listAt(before, ['history'])
    .filter(isJsonObject)
    .findLast((one) => textAt(one, 'error') !== undefined);
  const lastPrint = textAt(last, 'fingerprint') ?? digest(normalisedError(textAt(last, 'error') ?? ''));
  const isSame = last !== undefined && lastPrint === digest(verdict.error);
  const identical = isSame ? (numberAt(before, 'identical_failure_count') ?? 0) + 1 : 1;
  const counted = { identical_failure_count: identical, evidence: null };
  if (reportOnly) return { ...counted, completed: true, status: 'reported', completed_at: isoTime(now) };
  if (identical < breaker && failures < max) return { ...counted, completed: false, status: 'iterating' };
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
