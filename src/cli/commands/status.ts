import { changePhrase, unacceptedChanges } from '../../core/accepted-config';
import { actorPhraseOrUnknown } from '../../core/actor';
import { cannotWrite } from '../../core/combine';
import { fixesOf, type Reason, statementOf } from '../../core/protection';
import { localTime } from '../../core/text';
import { branchText } from '../../git/head';
import { pauseJson } from '../../state/sessions';
import { type Context, cannotRun, type ExitCode, type Options, report } from '../context';
import { serverJson, serverOf, serverText } from '../event-server';
import { flowRow, workflowJson } from '../flow/flow';
import { gatesJson, gatesRow } from '../gates/project';
import { entryFormatter } from '../log/entries';
import { loopJson, loopRow } from '../loop/status';
import { openProject, type ProjectContext, requireProject } from '../project';
import { sessionJson } from '../req/find-session';
import { block, disabledJson, disabledRow, requirementJson } from '../req/status';
import { gatherStatus, type Status } from '../status/gather';
import { ago, folded, styled, table, terminalColumns } from '../ui/output';
import { watchScreen } from '../ui/screen';
import { recordingJson, recordingText } from './record';

export async function status(context: Context, { watch: stays }: Options<'watch'>): Promise<ExitCode> {
  const read = await readStatus(requireProject(context));
  if (stays && !context.json) return watch(context);
  return report(context, statusJson(read), statusLines(read));
}

type ReadStatus = Awaited<ReturnType<typeof readStatus>>;

async function readStatus(project: ProjectContext) {
  const status = gatherStatus(project);
  return { status, server: await serverOf(project.home) };
}

/** Reads everything each time, since even the branch may change meanwhile. */
function watch(context: Context): Promise<ExitCode> {
  if (process.stdout.isTTY !== true)
    throw cannotRun('holdpoint status: --watch needs a terminal. Without one, run it again, or use --json.');
  return watchScreen(async () => {
    const project = openProject(context);
    if (project === undefined) return ['This directory is no longer in a project.'];
    return statusLines(await readStatus(project));
  });
}

function statusJson({ status, server }: ReadStatus): object {
  const { guards, session, protection, unwritable, flow, sessions } = status;
  return {
    project: status.root,
    branch: status.branch,
    configured: status.configured,
    guards: guards.map(({ guard }) => guard),
    guards_holding: protection.holding,
    problems: status.problems,
    switched_off: status.switchedOff.map(withFix),
    disabled: status.disabled.map(disabledJson),
    level: status.signed.length > 0 ? 'signed' : 'watchful',
    tampering: unacceptedChanges(status.config),
    weaker_checks: [...status.weakerChecks],
    paused: status.pause === undefined ? null : pauseJson(status.pause),
    recording: status.recording === undefined ? null : recordingJson(status.recording),
    session: session ?? null,
    state: protection.state,
    state_reason: protection.reasons.map(withFix).join('; '),
    state_trouble: unwritable === undefined ? null : cannotWrite(unwritable),
    requirements: status.requirements.map((one) => requirementJson(one)),
    workflow: { ...workflowJson(flow.workflowStatus, flow.state), trouble: flow.trouble },
    gates: gatesJson(status.gates),
    server: serverJson(server),
    loops: status.loops.map(loopJson),
    sessions: sessions.map(sessionJson),
    session_states: sessions.map(({ id, state, seenAt }) => {
      return { id, state, last_seen: new Date(seenAt).toISOString() };
    }),
    degraded: status.degraded.map((mark) => ({ ...mark, at: new Date(mark.at).toISOString() })),
    recent: status.recent,
  };
}

function statusLines({ status, server }: ReadStatus): string[] {
  const { flow, gates, sessions, signed, protection, now } = status;
  const { state } = protection;
  const columns = terminalColumns();
  const colour = state === 'on' ? 'green' : state === 'off' && !protection.onlyRecords ? 'red' : 'yellow';
  const level = signed.length === 0 ? 'watchful' : `signed for ${signed.join(', ')}, otherwise watchful`;
  const label = (name: string, text: string): string =>
    `${styled('dim', name)}${' '.repeat(10 - name.length)}${text}`;
  const workflow = flow.workflowStatus === undefined ? [] : [flowRow(flow.workflowStatus)];
  const live = sessions.map(({ id, branch, state, seenAt }) => {
    return [id, branchText(branch), state, ago((now - seenAt) / 1000)];
  });
  const blocks: [title: string, lines: readonly string[]][] = [
    ['Disabled', table(status.disabled.map(disabledRow))],
    ['Changed while an agent worked (`holdpoint trust`)', unacceptedChanges(status.config).map(changePhrase)],
    ['Weaker checks (`holdpoint trust`)', [...status.weakerChecks]],
    ['Config problems', status.problems.flatMap((problem) => problem.split('\n'))],
    [requirementsTitle(status), requirementRows(status)],
    ['Workflow', flow.trouble?.split('\n') ?? table(workflow)],
    ['Gates', table(gates === undefined ? [] : [gatesRow(gates, now)])],
    ['Loops', table(status.loops.map((loop) => loopRow(loop, now)))],
    ['Live sessions', table(live)],
    ['Trouble', troubleRows(status)],
    ['Recent decisions', status.recent.flatMap(entryFormatter(status.recent, columns && columns - 2))],
  ];
  return [
    label('Holdpoint', styled(colour, statementOf(protection))),
    ...[
      ...fixesOf(protection),
      ...(status.isOnlyForLive ? [`${NOT_INSTALLED} ${status.installHint}`] : []),
    ].map((line) => label('', styled('dim', line))),
    label('Project', styled('bold', status.root)),
    label('Branch', styled('bold', branchText(status.branch))),
    label('Rules', guardsText(status)),
    label('Level', `${level} (explained in Holdpoint’s SECURITY.md)`),
    ...(server === undefined ? [] : [label('Server', serverText(server))]),
    ...(status.recording === undefined ? [] : [label('Recording', recordingText(status.recording))]),
    ...blocks.flatMap(([title, lines]) => block(title, lines)),
  ];
}

const NOT_INSTALLED = 'New sessions are not held: no settings file calls the hook.';

function withFix({ what, fix }: Reason): string {
  return [what, fix].filter(Boolean).join('; ');
}

function guardsText({ guards, protection }: Status): string {
  if (guards.length === 0) return styled('yellow', `none: ${protection.reasons[0]?.what ?? ''}`);
  const { holding, state } = protection;
  return guards
    .map(({ guard, kind }) =>
      holding.includes(guard)
        ? styled('green', guard)
        : styled('yellow', `${guard} (${kind === 'holding' ? state : kind})`),
    )
    .join(', ');
}

function requirementsTitle({ session, branch, protection }: Status): string {
  const where = branch === '_no_git' ? '' : ` on ${branchText(branch)}`;
  const title =
    session === undefined
      ? `Requirements${where} (no session given: showing what applies to all sessions)`
      : `Requirements for session ${session}${where}`;
  return protection.holding.includes('requirements') ? title : `${title} (not enforced now)`;
}

function requirementRows({ requirements }: Status): string[] {
  const rows = requirements.map(({ name, mode, scope, satisfied, triggered, next, by }) => [
    satisfied ? '✓' : '·',
    mode === 'hold' ? name : `${name} [${mode}]`,
    scope,
    satisfied ? (by === undefined ? '' : actorPhraseOrUnknown(by)) : next,
    triggered && !satisfied ? 'triggered' : '',
  ]);
  return table(rows).flatMap((row, at) => {
    const style = requirements[at]?.satisfied ? 'green' : 'yellow';
    return folded(row, 2).map((line) => styled(style, line));
  });
}

function troubleRows({ degraded, unwritable, now }: Status): string[] {
  const marks = degraded.map(({ at, code, detail, session }) =>
    `${localTime(at, now, 'minutes')} session ${session.slice(0, 8)}: ${code} ${detail}`.trimEnd(),
  );
  return [...(unwritable === undefined ? [] : [cannotWrite(unwritable)]), ...marks];
}
