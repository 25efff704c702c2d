import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { findGit } from '../git/head';
import { withEnvironment } from '../guards/gates/config';
import {
  activeReport,
  disabledReport,
  errorReport,
  type GauntletStatus,
  reportOf,
} from '../guards/gates/report';
import type { EventContext } from './context';
import { type Failure, type Result, succeed } from './failure';
import { chunksFrom, isDisabled } from './guard';
import { type Invocation, internalError, readInput, routeEvent } from './hook';
import type { JsonObject } from './json';
import { sentenceOf, vanishedProjectNote } from './messages';
import type { Answer, Decision, Report } from './verdict';

/** Too frequent to be shown at every stop. */
const QUIET: readonly GauntletStatus[] = ['no_config', 'stop_hook_active', 'stop_hook_disabled'];
/** Statuses where nothing ran although something could have. */
const SKIPS: readonly GauntletStatus[] = [
  'interval_not_elapsed',
  'lock_exists',
  'lock_conflict',
  'stop_hook_disabled',
];

/** The output of `gates stop-hook`: always one line, with a reason only if the stop is held. */
function stopHookAnswer({ status, message }: Report, reason?: string, notes: readonly string[] = []): Answer {
  const isAmong = (list: readonly string[]): boolean => list.includes(status);
  const line = {
    decision: reason === undefined ? 'approve' : 'block',
    status,
    message,
    ...(reason !== undefined && { reason, stopReason: reason }),
    ...(!isAmong(QUIET) && { systemMessage: [message, ...notes].join('\n\n') }),
  };
  return {
    stdout: `${JSON.stringify(line)}\n`,
    stderr: isAmong(SKIPS) ? `holdpoint: ${message}\n` : '',
    exitCode: 0,
    losses: [],
  };
}

/** A decision in the format of `gates stop-hook`. Without a report of the gates, something is broken. */
export function gauntletAnswer(
  context: EventContext,
  decision: Decision,
  failures: readonly Failure[],
): Answer {
  const report = ('report' in decision && decision.report) || reportWithout(context, failures);
  const reason = decision.kind === 'hold' ? decision.reason : undefined;
  const notes = decision.toPerson.filter((note) => note !== report.message);
  const answer = stopHookAnswer(report, reason, notes);
  // No session starts here at which a person would be told of them.
  const warnings = context.problems.map((problem) => `holdpoint: Warning: ${problem.split('\n', 1)[0]}\n`);
  return { ...answer, stderr: answer.stderr + warnings.join('') };
}

function reportWithout({ env }: EventContext, failures: readonly Failure[]): Report {
  const { enabled } = withEnvironment(
    { enabled: true, intervalMinutes: 0, reverify: false },
    (name) => env[name] ?? '',
  );
  if (!enabled) return disabledReport('stop_hook.enabled');
  return errorReport(failures.map(sentenceOf).join(' ') || 'the gates gave no answer');
}

/** `cwd`: where the command was called, for input that does not say where the agent is. */
type StopHookSurroundings = Omit<Invocation, 'only' | 'gauntletCompat'> & { readonly cwd: string };

/** The answer if the command is switched off, or if one of our reviewers has called it. */
export function answerIfOff(env: Invocation['env']): Answer | undefined {
  if ((env['GAUNTLET_STOP_HOOK_ACTIVE'] ?? '') !== '') return stopHookAnswer(activeReport());
  return isDisabled(env) ? stopHookAnswer(disabledReport('HOLDPOINT_DISABLE')) : undefined;
}

/** Answers one call of `gates stop-hook`, whatever the input. */
export async function answerStopHook(
  input: Result<string>,
  invocation: Omit<StopHookSurroundings, 'chunks'>,
  load: (name: string) => unknown,
): Promise<Answer> {
  try {
    return await handleStopHook(input, { ...invocation, chunks: chunksFrom(load) });
  } catch (error) {
    const text = input.ok ? input.value : '';
    const { detail, report } = internalError(error, ['gates', 'stop-hook'], text, load);
    return { ...stopHookAnswer(errorReport(detail)), stderr: report };
  }
}

const CONFIG = '.gauntlet/config.yml';

async function handleStopHook(
  input: Result<string>,
  { cwd, ...rest }: StopHookSurroundings,
): Promise<Answer> {
  const invocation = { ...rest, only: ['gates'], gauntletCompat: true };
  const raw = input.ok ? readInput(input.value) : input;
  const event = withStopDefaults(raw.ok ? raw.value : {}, cwd);
  if (event['hook_event_name'] !== 'Stop') {
    const sentence = `${event['hook_event_name']} is not the end of a turn — the gates run only when one ends.`;
    return stopHookAnswer(reportOf('no_applicable_gates', sentence));
  }
  const [look] = routeEvent(succeed(JSON.stringify(event)), invocation);
  if (look.kind === 'unwatched') return stopHookAnswer(withoutGates(String(event['cwd'])));
  if (look.kind === 'vanished') return stopHookAnswer(errorReport(vanishedProjectNote(look.root)));
  if (look.kind === 'shadowed') {
    await invocation.chunks.part('decide').decideEvent([look], invocation);
    return stopHookAnswer(reportOf('no_applicable_gates', 'No applicable gates for these changes.'));
  }
  if (!raw.ok) {
    const sentence = `Hook input could not be parsed — ${sentenceOf(raw.failure)}`;
    return stopHookAnswer(reportOf('invalid_input', sentence));
  }
  return invocation.chunks.part('decide').decideEvent([look], invocation);
}

/** Scripts call it with as little as `{}`; fills in the defaults. */
function withStopDefaults(raw: JsonObject, here: string): JsonObject {
  const { hook_event_name: name, cwd } = raw;
  return {
    ...raw,
    hook_event_name: typeof name === 'string' && name !== '' ? name : 'Stop',
    cwd: typeof cwd === 'string' && cwd !== '' ? resolve(here, cwd) : here,
  };
}

const noGates = (): Report => reportOf('no_config', 'Not a gauntlet project — no gates are configured here.');

/** Most projects have no gates. One that has gate files but no gates is told why. */
function withoutGates(cwd: string): Report {
  const why = ignoredConfig(cwd);
  return why === undefined ? noGates() : errorReport(why);
}

/** Why agent-gauntlet's config at a directory or above has no effect. */
export function ignoredConfig(cwd: string): string | undefined {
  const file = isAbsolute(cwd) ? configAbove(cwd) : undefined;
  if (file === undefined) return undefined;
  const root = findGit(cwd)?.root;
  if (root === undefined) return `${file} is ignored: this is not a git repository. Run \`git init\` first.`;
  if (file === join(root, CONFIG))
    return `${file} is ignored: it has no entry points. Run \`agent-gauntlet validate\` for details.`;
  return `${file} is ignored: \`.gauntlet\` has an effect only at the root of the git repository. Move it to ${root}.`;
}

function configAbove(start: string): string | undefined {
  for (let dir = start; ; dir = dirname(dir)) {
    if (existsSync(join(dir, CONFIG))) return join(dir, CONFIG);
    if (existsSync(join(dir, '.git')) || dirname(dir) === dir) return undefined;
  }
}
