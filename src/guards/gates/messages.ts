import { type GatesConfig, gatesHere, hasGates } from './config';
import { countGates, gateLabel, lowerFirst, plural, took } from './run/messages';
import { didNotPass, type GateResult, type RunResult } from './run-result';

export const SUBAGENT = 'A subagent stopped, not the turn — the gates were not run.';
export const INTERRUPTED = 'The turn was interrupted — the gates were not run.';
export const PLANNING = 'Plan mode — the gates were not run.';

export const NOT_HOLDING = 'No applicable gates: none holds the end of a turn here.';

/** Who may waive a gate, for `why`. */
export function waiver(home: GatesConfig['home']): string {
  const key = home === '.gauntlet' ? 'stop_hook.enabled' : 'gates.stop_hook.enabled';
  return `a person: \`holdpoint pause\`, \`${key}: false\` in the config, or GAUNTLET_STOP_HOOK_ENABLED=0 in the environment of the host`;
}

/** How a person accepts weakened checks. */
export const ACCEPT = 'a person: `holdpoint trust --accept` in a terminal of their own';

type UncheckedWork = NonNullable<RunResult['aside']>;

/** For a held agent: where the unchecked work is, and how to get it checked. */
export function uncheckedWorkText(aside: UncheckedWork): string {
  if (aside.length === 0) return '';
  return [
    'Holdpoint holds the end of your turn: work of this session was put where the gates do not see it.',
    ...aside.map(({ what, exit }) => `- ${what}: get it back with ${exit}`),
    'Then end your turn there, so that it is checked. If it is not yours, leave it as it is and end your turn again; the user is told.',
  ].join('\n');
}

export function uncheckedWorkNote(aside: UncheckedWork): string {
  return `Unchecked work from during this session is in ${aside.map(({ what }) => what).join(', ')}.`;
}

const MOST_FACTS = 15;

function shownFacts(facts: readonly string[]): readonly string[] {
  const more = facts.length - MOST_FACTS;
  return more > 0 ? [...facts.slice(0, MOST_FACTS), `and ${more} more`] : facts;
}

/** For a held agent. */
export function weakerHoldText(facts: readonly string[]): string {
  if (facts.length === 0) return '';
  return [
    'Holdpoint holds the end of your turn: what checks your work may have become weaker since the session began.',
    ...shownFacts(facts).map((fact) => `- ${fact}`),
    'Undo it, or tell the user why it is right: a person accepts it with `holdpoint trust --accept` in a terminal of their own.',
  ].join('\n');
}

/** For the user. The `changed` ones need no acceptance. */
export function weakerNote(facts: readonly string[], changed: readonly string[]): string {
  const listed = (list: readonly string[]): string => shownFacts(list).join(', ');
  const exits = '`holdpoint trust` shows them, `holdpoint trust --accept` accepts them.';
  return [
    ...(facts.length > 0
      ? [`Possibly weaker checks since the session began: ${listed(facts)}. ${exits}`]
      : []),
    ...(changed.length > 0 ? [`Changed since the session began: ${listed(changed)}.`] : []),
  ].join(' ');
}

/** For the user: the turn was held as often as allowed. */
export function releasedNote(aside: UncheckedWork): string {
  const what = aside.length > 0 ? ` ${uncheckedWorkNote(aside)}` : '';
  return `Holdpoint let this turn end after it was held.${what}`;
}

/** What satisfies a failed gate, for `why`. `verifies`: the next stop of the turn is checked too. */
export function satisfyText(id: string, verifies: boolean): string {
  const fix = id.startsWith('review:') ? 'fix or answer its findings' : 'fix what the log shows';
  return verifies
    ? `${fix}; the gates run again when you end the turn`
    : `${fix}; the gates run again at the end of the next turn`;
}

/** For the user: gates in warn mode that did not pass. */
export function warnedText(failed: readonly { readonly rule: string; readonly fact: string }[]): string {
  return failed.map(({ rule, fact }) => `Holdpoint: ${rule} only warns: ${fact}`).join('\n');
}

/** What will be checked at the end of a turn, for the start of a session. */
export function armed(config: GatesConfig, enabled: boolean): string {
  const { checks, reviews } = gatesHere(config);
  const { problems } = config;
  if (!enabled) return 'gates (disabled by `stop_hook.enabled`)';
  if (problems.length > 0 && !hasGates(config)) return 'gates (off: config error)';
  const counted = [plural(checks.length, 'check'), plural(reviews.length, 'review')];
  const some = counted.filter((count) => !count.startsWith('0 '));
  const error = problems.length > 0 ? ['config error'] : [];
  return `gates (${[...some, ...error].join(', ') || 'none yet'})`;
}

/** For the user, at the end of a turn: what ran and passed. `undefined` if nothing had to run. */
export function passedText({ gates, durationMs }: RunResult): string | undefined {
  const ran = gates.filter(({ status }) => status === 'pass');
  if (ran.length === 0) return undefined;
  const cached = gates.length - ran.length;
  const skipped = gates.reduce((sum, { skippedFindings = 0 }) => sum + skippedFindings, 0);
  const empty = ran.filter(({ isEmpty }) => isEmpty === true).map(({ id }) => gateLabel(id));
  const notes = [
    ...(empty.length > 0 ? [`no tests in ${empty.join(', ')}`] : []),
    ...(durationMs === undefined ? [] : [took(durationMs)]),
    ...(cached > 0 ? [`${cached} cached`] : []),
    ...(skipped > 0 ? [`${plural(skipped, 'finding')} skipped`] : []),
  ];
  return `${countGates(ran)} passed${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** The last allowed run failed, or no further run may start. */
export function limitExceeded({ message, gates, run, consoleLogPath }: RunResult, gauntlet: boolean): string {
  const head = 'Retry limit exceeded';
  if (message.startsWith(head)) return message;
  if (gauntlet) {
    return `${head} — ${message} A person may have to look at it, and can archive this session with \`agent-gauntlet clean\`.`;
  }
  const bad = gates.filter(didNotPass).map(({ id }) => gateLabel(id));
  const log = consoleLogPath === undefined ? '' : ` Log: ${consoleLogPath}.`;
  return (
    `${head}: ${bad.join(', ')} still ${bad.length === 1 ? 'fails' : 'fail'} after ${plural(run ?? 1, 'run')}, ` +
    `so the turn was allowed to end.${log} Decide what to do; \`holdpoint gates run\` runs the gates again and resets the limit.`
  );
}

export function intervalNotElapsed(intervalMinutes: number, leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const left = minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  return `Skipped — run interval (${intervalMinutes} min) not elapsed since the last run passed; ${left} left.`;
}

/** If the text is longer, the host gives the agent a file name instead. */
const MOST_TELLING_CHARS = 4000;
const MOST_GATES = 12;
const LONGEST_FIX = 500;

/** What a held agent reads. It promises a new run only if the next stop is checked. */
export function holdText(result: RunResult, verifies: boolean): string {
  const bad = result.gates.filter(didNotPass);
  const isReview = ({ id }: GateResult): boolean => id.startsWith('review:');
  const left = retriesLeft(result);
  return [
    `Holdpoint holds the end of your turn: ${countGates(bad)} did not pass.`,
    '',
    ...failedGates(result, ({ id, message }) => `✗ ${id} (${lowerFirst(message)})`),
    '',
    ...(bad.some(isReview) ? [REVIEW_FILES] : []),
    `${verifies ? VERIFIED : UNVERIFIED}${left === undefined ? '.' : ` (${left}, then a person decides).`}`,
    ...(verifies ? [NOT_YOURS] : []),
    'Only a person can waive a gate, with `holdpoint pause` in their own terminal.',
  ].join('\n');
}

const REVIEW_FILES =
  'Answer each finding in its review file: `"status": "fixed"` with what you changed in `"result"`, or `"status": "skipped"` with your reason there.';

const VERIFIED = 'Fix this, then end your turn: the gates run again';

/** The changes of a branch may be the user's own, unfinished, in a turn that only asks a question. */
const NOT_YOURS =
  'If you have changed nothing, leave it alone: tell the user what fails, and end your turn again until a person decides.';

const UNVERIFIED =
  'Fix this now: your next stop in this turn is not checked; when the next turn ends, the gates run again';

function retriesLeft({ run, maxRuns }: RunResult): string | undefined {
  if (run === undefined || maxRuns === undefined) return undefined;
  return maxRuns - run === 1 ? '1 retry left' : `${maxRuns - run} retries left`;
}

/** The gates that did not pass, each with its fix instructions, key output lines and files. */
function failedGates(
  { gates, consoleLogPath: log }: RunResult,
  titleOf: (gate: GateResult) => string,
): readonly string[] {
  const bad = gates.filter(didNotPass);
  const shown = bad.slice(0, MOST_GATES);
  const room = Math.floor(MOST_TELLING_CHARS / Math.max(1, shown.length));
  const more = bad.length - shown.length;
  return [
    ...shown.flatMap((gate) => [
      titleOf(gate),
      ...fixLines(gate),
      ...withinRoom(gate.telling ?? [], room).map((line) => `    ${line}`),
      ...(gate.log === undefined ? [] : [`  Log: ${gate.log}`]),
      ...(gate.reviews ?? []).map((file) => `  Review: ${file}`),
    ]),
    ...(more > 0 ? [`… and ${more} more, in the console log${log === undefined ? '' : ` ${log}`}`] : []),
  ];
}

function fixLines({ fix }: GateResult): readonly string[] {
  if (fix === undefined) return [];
  if (fix.length > LONGEST_FIX) return ['  How to fix it: see the end of the log.'];
  return fix
    .trim()
    .split('\n')
    .map((line, at) => `  ${at === 0 ? 'How to fix it: ' : ''}${line}`);
}

/** As many whole lines as fit into `room` characters. */
function withinRoom(lines: readonly string[], room: number): readonly string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += line.length + 5;
    return used > room;
  });
  return end < 0
    ? lines
    : [...lines.slice(0, end), `… ${plural(lines.length - end, 'more line')}, see the log`];
}

/** `holdText` for users of agent-gauntlet, whose scripts and prompts rely on its wording. */
export function gauntletText(result: RunResult, verifies: boolean): string {
  const { message, consoleLogPath: log, run, maxRuns } = result;
  const left = retriesLeft(result);
  const attempt = left === undefined ? '' : ` This was run ${run} of ${maxRuns}; ${left}.`;
  return [
    '**GAUNTLET FAILED — YOU MUST FIX ISSUES NOW**',
    message,
    '',
    `${verifies ? GAUNTLET_VERIFIED : GAUNTLET_UNVERIFIED}${attempt}`,
    '',
    '**Failed gates:**',
    ...failedGates(result, (gate) => `- ${gate.id}: ${gate.message}`),
    ...(log === undefined ? [] : [`**Console log:** \`${log}\` (read it for everything that was printed)`]),
    '',
    ...GAUNTLET_STEPS,
  ].join('\n');
}

const GAUNTLET_VERIFIED =
  'You cannot stop until the issues below are resolved or one of the termination conditions is met. When you stop, the gates are automatically re-run to verify your fixes; you need not run them yourself.';

const GAUNTLET_UNVERIFIED =
  'You cannot stop here with these issues: resolve them, or meet one of the termination conditions. Your next stop in this turn is not checked, so make sure yourself that they are gone; when the next turn ends, the gates are automatically re-run.';

const GAUNTLET_STEPS = [
  '**What to do:**',
  '1. CHECK failures: fix them; the `.log` file behind "Log: <path>" has the whole output.',
  '2. REVIEW failures: the `.json` file behind "Review: <path>" lists the violations. Set `"status": "fixed"` on each that you fixed, with what you changed in `"result"`, or `"status": "skipped"`, with your reason in `"result"`.',
  '**Review trust level: medium** — fix what you find reasonable or think the user wants fixed; skip matters of taste.',
  '',
  '**Termination conditions:** "Status: Passed", "Status: Passed with warnings" (the rest was skipped, with reasons), or "Status: Retry limit exceeded": then say what is unsolved and end the turn; a person decides, and can archive the session with `agent-gauntlet clean`.',
];
