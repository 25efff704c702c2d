import type { GatesConfig } from './config';
import { plural } from './run/messages';
import { didNotPass, type GateResult, type RunResult } from './run-result';

export const SUBAGENT = 'Not the end of a turn — the stop of a subagent is not held.';
export const BROKEN_OFF = 'The turn was broken off — nobody is there to be held.';
export const PLANNING = 'The agent is planning and may change nothing — the gates were not run.';

export const WAIVER =
  'a person: skip a finding with its reason in the review file, set `stop_hook.enabled: false`, or start the host with GAUNTLET_STOP_HOOK_ENABLED=0';

/** What will be checked at the end of a turn, in a few words. */
export function armed({ checks, reviews, problems }: GatesConfig, enabled: boolean): string {
  if (!enabled) return 'gates off by `stop_hook.enabled`';
  if (problems.length > 0) return 'gates with a mistake in their config';
  const counted = [plural(checks.length, 'check'), plural(reviews.length, 'review')];
  const some = counted.filter((count) => !count.startsWith('0 '));
  return `gates (${some.join(', ') || 'none yet'})`;
}

/** The last run that is allowed has failed, or no further one may be started. */
export function limitExceeded(detail: string): string {
  const head = 'Retry limit exceeded';
  if (detail.startsWith(head)) return detail;
  return `${head} — ${detail} A person may have to look at it; \`agent-gauntlet clean\` archives this session.`;
}

export function intervalNotElapsed(intervalMinutes: number, leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const left = minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  return `Skipped — run interval (${intervalMinutes} min) not elapsed since the last run passed; ${left} left.`;
}

export function clears(home: GatesConfig['home']): string {
  const command = home === '.gauntlet' ? 'agent-gauntlet' : 'holdpoint gates';
  return `mend what the log shows; the next end of a turn verifies it, as does \`${command} run\``;
}

/** Of a longer text the client hands the agent a file name instead. */
const MOST_TAIL_CHARS = 4000;
const MOST_GATES = 12;

/** What a held agent reads. It promises a verification only where the next stop brings one. */
export function holdText(result: RunResult, verifies: boolean): string {
  const { message, consoleLogPath: log } = result;
  return [
    '**GAUNTLET FAILED — YOU MUST FIX ISSUES NOW**',
    message,
    '',
    `${(verifies ? VERIFIED : UNVERIFIED).join('\n')}${retriesLeft(result)}`,
    '',
    ...failedGates(result.gates),
    ...(log === undefined ? [] : [`**Console log:** \`${log}\` (read it for everything that was printed)`]),
    '',
    ...WHAT_TO_DO,
  ].join('\n');
}

const VERIFIED = [
  'You cannot stop until the issues below are resolved or one of the termination conditions is met. When you',
  'stop, the gates are automatically re-run to verify your fixes; you need not run them yourself.',
];

const UNVERIFIED = [
  'You cannot stop here with these issues: resolve them, or meet one of the termination conditions. Your next stop',
  'in this turn is not checked, so make sure yourself that they are gone; when the next turn ends, the gates are',
  'automatically re-run.',
];

function retriesLeft({ run, maxRuns }: RunResult): string {
  if (run === undefined || maxRuns === undefined) return '';
  const retries = maxRuns - run;
  return ` This was run ${run} of ${maxRuns}; ${retries} ${retries === 1 ? 'retry is' : 'retries are'} left.`;
}

function failedGates(gates: readonly GateResult[]): string[] {
  const bad = gates.filter(didNotPass);
  const shown = bad.slice(0, MOST_GATES);
  const room = Math.floor(MOST_TAIL_CHARS / Math.max(1, shown.length));
  const more = bad.length - shown.length;
  return [
    '**Failed gates:**',
    ...shown.flatMap(({ id, message, log, reviews = [], tail = '' }) => [
      `- ${id}: ${message}`,
      ...(log === undefined ? [] : [`  Log: ${log}`]),
      ...reviews.map((file) => `  Review: ${file}`),
      ...lastLines(tail, room).map((line) => `    ${line}`),
    ]),
    ...(more > 0 ? [`- … and ${more} more, in the console log`] : []),
  ];
}

/** As many whole lines from the end as there is room for. */
function lastLines(text: string, room: number): string[] {
  const lines = text === '' ? [] : text.split('\n');
  let used = 0;
  const from = lines.findLastIndex((line) => {
    used += line.length + 5;
    return used > room;
  });
  return lines.slice(from + 1);
}

const WHAT_TO_DO = [
  '**Review trust level: medium** — fix what you find reasonable or think the person wants fixed; skip what is a',
  'matter of taste or what they would not want changed.',
  '',
  '**What to do:**',
  '1. CHECK failures: the `.log` file behind "Log: <path>" has the whole output. Fix what it shows.',
  '2. REVIEW failures: the `.json` file behind "Review: <path>" lists the violations. For each one set its fields there:',
  '   - `"status": "fixed"`, with what you changed in `"result"`, once you have fixed it;',
  '   - `"status": "skipped"`, with your reason in `"result"`, if you leave it as it is.',
  '',
  '**Termination conditions:**',
  '- "Status: Passed" — all gates pass.',
  '- "Status: Passed with warnings" — what is left was skipped, with reasons.',
  '- "Status: Retry limit exceeded" — say what is unsolved and end the turn; a person has to decide. `agent-gauntlet clean`',
  '  archives the session, so that the next one begins anew.',
];
