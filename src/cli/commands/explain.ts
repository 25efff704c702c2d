import { readFileSync } from 'node:fs';
import { type Explanation, explainEvent } from '../../core/explain-event';
import { detailOf, errorCode, type Failure, type Result, succeed } from '../../core/failure';
import { GUARD_NAMES, selectGuards, WORKFLOW_RULES } from '../../core/guard';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { type JsonObject, jsonObjectIn } from '../../core/json';
import { noStateDirectoryNote, sentenceAbout, sentenceOf, vanishedProjectNote } from '../../core/messages';
import { startNote } from '../../core/protection';
import type { Grounds } from '../../core/verdict';
import { readAll } from '../../exec/processes';
import { pauseJson, pauseText } from '../../state/sessions';
import { type Context, cannotRun, type ExitCode, type Options, report } from '../context';
import { DECISIONS, unknownName } from '../messages';
import { requireProject } from '../project';
import { checkSessionOption, findOrAskSession, refuseUnknownSession } from '../req/find-session';
import { protectionAtStart } from '../status/protection';
import { printError, styled } from '../ui/output';

const WORDS = 'holdpoint explain';

export async function explain(
  context: Context,
  values: Options<never, 'host' | 'only'>,
  positionals: readonly string[],
): Promise<ExitCode> {
  const [source] = positionals;
  if (!source) throw cannotRun(`${WORDS}: give a file with one event as JSON, or - for standard input.`);
  // The hook ignores an unknown name, because it must run; a person can correct it.
  const host = HOST_NAMES.find((name) => name === values.host);
  if (host === undefined && values.host !== undefined)
    throw cannotRun(`${WORDS}: ${unknownName('--host', values.host, HOST_NAMES)}`);
  const only = (values.only ?? '').split(',').filter((name) => name !== '');
  const [unknown] = selectGuards(only, {}).unknown;
  if (unknown !== undefined) {
    const known = [...GUARD_NAMES, ...WORKFLOW_RULES];
    throw cannotRun(`${WORDS}: ${unknownName('--only', unknown, known)}`);
  }
  const input = source === '-' ? readAll(0) : readFile(source);
  const about = (failure: Failure): string =>
    source === '-' ? sentenceOf(failure) : sentenceAbout(source, failure);
  return show(input, { host, only }, context, (failure) => `${WORDS}: ${about(failure)}`);
}

function readFile(file: string): Result<string> {
  try {
    return succeed(readFileSync(file, 'utf8'));
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT';
    const why = isMissing ? `there is no file ${file}.` : `${file} could not be read (${detailOf(error)}).`;
    throw cannotRun(`${WORDS}: ${why}`);
  }
}

/** `req explain`: the same for a tool call, as an event of Claude Code. */
export async function explainTool(
  context: Context,
  values: Options<never, 'session'>,
  positionals: readonly string[],
): Promise<ExitCode> {
  const { cwd } = context;
  const [tool_name, text = '{}'] = positionals;
  checkSessionOption('explain', values.session);
  if (tool_name === undefined) throw cannotRun('req explain: give a tool, such as Edit.');
  const tool_input = jsonObjectIn(text);
  if (tool_input === undefined)
    throw cannotRun("req explain: the tool's input is one JSON object, such as '{}'.");
  const project = requireProject(context, 1);
  const found = await findOrAskSession(values.session, project);
  refuseUnknownSession(found, project, 'req explain');
  if (found.kind === 'none')
    printError('No session given: explained for a session that has satisfied nothing.');
  const session_id = found.kind === 'found' ? found.id : 'ID';
  const event: JsonObject = { session_id, hook_event_name: 'PreToolUse', tool_name, tool_input, cwd };
  const input = succeed(JSON.stringify(event));
  const as = { host: 'claude-code', only: [] } as const;
  return show(input, as, context, (failure) => `req explain: ${sentenceOf(failure)}`);
}

type Explained = Exclude<Explanation, { kind: 'no-event' }>;
type Watched = Extract<Explanation, { kind: 'watched' }>;
type Row = readonly [label: string, text: string];

async function show(
  input: Result<string>,
  as: { readonly host: HostName | undefined; readonly only: readonly string[] },
  context: Context,
  refusal: (failure: Failure) => string,
): Promise<ExitCode> {
  const { env, chunks } = context;
  const explanation = await explainEvent(input, { ...as, env, chunks, now: Date.now() });
  if (explanation.kind === 'no-event') throw cannotRun(refusal(explanation.failure));
  return report(context, explanationJson(explanation), explanationLines(explanation, context));
}

function explanationJson(explanation: Explained): object {
  if (explanation.kind === 'settings-changed' && explanation.lost !== undefined) {
    const { reason, grounds } = explanation.lost;
    return { watched: true, decision: 'hold', reason, grounds: [grounds] };
  }
  if (explanation.kind !== 'watched') return { watched: false, decision: 'nothing' };
  const { event, root, guards, spoken, shadowed, decision, pause, changes, effect, failures, answer } =
    explanation;
  return {
    watched: true,
    event: event.hostEvent,
    kind: event.kind,
    project: root,
    guards,
    verdicts: spoken.map(({ guard, verdict }) => {
      return { guard, verdict: verdict.kind, grounds: 'grounds' in verdict ? verdict.grounds : [] };
    }),
    shadow: shadowed.map(({ guard, would, grounds }) => ({ guard, verdict: would, grounds })),
    decision: decision.kind,
    pause: pause && pauseJson(pause),
    effect,
    changes: changes.map(({ what }) => what),
    failures: failures.map(({ code }) => code),
    losses: answer.losses,
    stdout: answer.stdout,
    exit_code: answer.exitCode,
  };
}

function explanationLines(explanation: Explained, { env, chunks }: Context): string[] {
  const bold = (text: string): string => styled('bold', text);
  switch (explanation.kind) {
    case 'unwatched': {
      const { answeredFor: other } = explanation;
      return other === undefined
        ? ['No rule applies to this event: it is allowed, and nothing is written.']
        : [
            `This event comes from ${other}, whose own settings call Holdpoint too: it is decided there (--host ${other}), not here.`,
          ];
    }
    case 'homeless':
      return [noStateDirectoryNote(explanation.header.cwd)];
    case 'vanished':
      return [vanishedProjectNote(explanation.root)];
    case 'unconfigured':
    case 'unarmed': {
      const { project, header } = explanation;
      return [startNote(protectionAtStart(project, header.sessionId, { env, chunks }), [])];
    }
    case 'settings-changed':
      return explanation.lost === undefined
        ? ['The settings still call Holdpoint: the change is allowed.']
        : ['The change would be held.', ...explanation.lost.reason.split('\n')];
    case 'watched':
      return rowsOf(explanation).map(([label, text]) => `${styled('dim', label.padEnd(13))}${bold(text)}`);
  }
}

function rowsOf(told: Watched): Row[] {
  const { event, effect, answer, decision } = told;
  const isKnown = effect === undefined || decision.kind !== 'nothing';
  const rows: Row[] = [
    ['event', `${event.hostEvent} (${event.kind})`],
    ['project', told.root],
    ...told.guards.map(({ name, concerned }): Row => {
      const isShadowed = told.shadowed.some(({ guard }) => guard === name);
      const inShadow = isShadowed ? 'only its rules in shadow mode apply' : 'does not apply to this event';
      return ['discipline', `${name}: ${concerned ? 'applies to this event' : inShadow}`];
    }),
    ...told.spoken.flatMap(({ guard, verdict }): Row[] => [
      ['verdict', `${guard}: ${DECISIONS[verdict.kind]}`],
      ...('grounds' in verdict ? verdict.grounds : []).flatMap(groundsRows),
    ]),
    ...told.shadowed.flatMap(({ guard, would, grounds }): Row[] => [
      ['in shadow', `${guard}: would be ${DECISIONS[would]}`],
      ...grounds.flatMap(groundsRows),
    ]),
    ...(effect === undefined ? [] : [['would run', `${effect.guard}: ${effect.name}, then decide`] as const]),
    ...(told.pause === undefined ? [] : [['paused', `this session${pauseText(told.pause)}`] as const]),
    ['decision', isKnown ? DECISIONS[decision.kind] : 'not known before that has run'],
    ...told.changes.map(({ what }): Row => ['would write', what]),
    ...told.failures.map((failure): Row => ['failure', sentenceOf(failure)]),
    ...answer.losses.map((loss): Row => ['lost', loss]),
    ['would print', answer.stdout.trimEnd() || 'nothing'],
    ['exit code', String(answer.exitCode)],
  ];
  return isKnown ? rows : rows.slice(0, -2);
}

function groundsRows({ rule, place, fact, clear, waive }: Grounds): Row[] {
  return [
    ['  rule', `${rule}${place === undefined ? '' : ` (${place})`}`],
    ['  because', fact],
    ...(clear === undefined ? [] : [['  to do', clear] as const]),
    ...(waive === undefined ? [] : [['  may waive', waive] as const]),
  ];
}
