import { formatDiagnostic } from '../../config/diagnostics';
import { actorPhraseOrUnknown } from '../../core/actor';
import type { JsonObject } from '../../core/json';
import { type Disabled, loadConfig } from '../../core/project';
import { localTime } from '../../core/text';
import { branchLabel } from '../../git/head';
import { reqCommand } from '../../guards/requirements/messages';
import type { RequirementsConfig } from '../../guards/requirements/section';
import { type RequirementStatus, requirementStatuses } from '../../guards/requirements/status';
import { branchFile, PROJECT_FILE, rulesInMode } from '../../guards/requirements/view';
import { type Document, type DocumentRef, readDocument } from '../../state/documents';
import { pauseJson, pauseOf, pauseText } from '../../state/sessions';
import { type Context, type ExitCode, report } from '../context';
import { type ProjectContext, requirementsConfig, requireProject } from '../project';
import { ago, printError, styled, table } from '../ui/output';
import type { ReqOptions } from './context';
import {
  checkSessionOption,
  findOrAskSession,
  findSession,
  type KnownSession,
  noSession,
  readRegistry,
  refuseUnknownSession,
  sessionJson,
} from './find-session';

export async function status(context: Context, values: ReqOptions): Promise<ExitCode> {
  const began = performance.now();
  checkSessionOption('status', values.session);
  const call = requireProject(context, 1);
  // Never ask if the output goes into a prompt or to a program.
  const find = values.summary || context.json ? findSession : findOrAskSession;
  const found = await find(values.session, call);
  refuseUnknownSession(found, call, 'req status');
  if (found.kind === 'none') {
    const [why = ''] = noSession(found, call.root).split('\n');
    printError(`${why}\nNo session given: showing what applies to all sessions; give one with --session ID.`);
  }
  const now = Date.now();
  const session = found.kind === 'found' ? found : { key: '', id: '' };
  const status = gatherStatus(call, values.branch ?? branchLabel(call.head), session, now);
  const { broken, problems } = status;
  const lines = values.summary ? [summaryLine(status)] : statusLines(status, values.verbose, now);
  if (values.timing) printError(`Timing: ${Math.round(performance.now() - began)} ms`);
  report(context, statusJson(status), lines, values.summary && broken ? problems : []);
  return broken ? 1 : 0;
}

type ReqStatus = ReturnType<typeof gatherStatus>;
type Named = Pick<KnownSession, 'key' | 'id'>;

/** An empty session means none was found. */
function gatherStatus(
  call: ProjectContext,
  branch: string,
  { key: session, id: sessionId }: Named,
  now: number,
) {
  const { root, home, layout } = call;
  const compiled = loadConfig(call, call.chunks);
  const config = requirementsConfig(compiled);
  const reach = reachOf(config);
  const { sessions } = readRegistry(layout, now);
  const read = (ref: DocumentRef): Document => readDocument(layout, ref);
  const isOther = branch !== branchLabel(call.head);
  const requirements = statusesOf(call, { branch, isOther, session, sessionId });
  // Compiled again, since the cache does not tell errors from warnings.
  const { compileConfig } = call.chunks.part('compile-config');
  const diagnostics = call.configured ? compileConfig(root, home).diagnostics : [];
  return {
    project: root,
    branch,
    session,
    reach,
    paused: pauseOf(sessionId, read, now),
    requirements,
    /** The rules in hold mode; the others are only listed. */
    held: requirements.filter(({ mode }) => mode === 'hold'),
    open: reach === 'enforced' ? requirements.filter(({ mode, isOpen }) => mode === 'hold' && isOpen) : [],
    sessions: sessions.filter((one) => one.alive && one.projectDir === root && one.branch === branch),
    /** The rules that are switched off one by one. */
    disabled: (compiled?.head.disabled ?? []).filter(({ kind }) => kind === 'rule'),
    problems: diagnostics.map(formatDiagnostic),
    /** Whether part of the config is not in effect. */
    broken: diagnostics.some(({ severity }) => severity === 'error'),
    unreadable: [read(branchFile(branch, read)), read(PROJECT_FILE)].flatMap((document) =>
      document.kind === 'unreadable' ? [`${document.file} ${document.why}`] : [],
    ),
  };
}

/** How the rules of a project stand for a session on a branch; empty if it has none. */
export function statusesOf(
  project: ProjectContext,
  from: Omit<Parameters<typeof requirementStatuses>[1], 'projectRoot' | 'layout' | 'sessions' | 'now'>,
): readonly RequirementStatus[] {
  const { root: projectRoot, layout, chunks } = project;
  const config = requirementsConfig(loadConfig(project, chunks));
  const now = Date.now();
  const { sessions } = readRegistry(layout, now);
  const read = (ref: DocumentRef): Document => readDocument(layout, ref);
  return config === undefined
    ? []
    : requirementStatuses(config, { projectRoot, layout, sessions, now, ...from }, read);
}

function reachOf(config: RequirementsConfig | undefined) {
  if (config !== undefined && !config.enabled) return 'disabled';
  if (config === undefined || rulesInMode(config, 'hold').requirements.length === 0) return 'none';
  return config.reach === 'global-only' ? 'global-only' : 'enforced';
}

/** The one command that satisfies everything open, if there is one. */
function commonStep(open: readonly RequirementStatus[], session: string): string | undefined {
  const [step, ...others] = new Set(open.map(({ next }) => next));
  if (others.length === 0) return step;
  const names = open.map(({ name }) => name);
  // On another branch each rule has a command of its own.
  const isRecorded = open.every((one) => one.isRecorded && !one.next.includes(' --branch '));
  return isRecorded ? reqCommand('satisfy', names, session || 'ID') : undefined;
}

function statusJson({ open, held, requirements, sessions, ...status }: ReqStatus): JsonObject {
  return {
    project: status.project,
    branch: status.branch,
    session: status.session === '' ? null : status.session,
    enforced: status.reach === 'enforced',
    reach: status.reach,
    paused: status.paused === undefined ? null : pauseJson(status.paused),
    satisfied: held.filter((one) => one.satisfied).length,
    total: held.length,
    needed: open.map(({ name }) => name),
    requirements: requirements.map(requirementJson),
    disabled: status.disabled.map(disabledJson),
    sessions: sessions.map(sessionJson),
    broken: status.broken,
    problems: status.problems,
    unreadable: status.unreadable,
  };
}

export function requirementJson(one: RequirementStatus): JsonObject {
  return {
    name: one.name,
    mode: one.mode === 'hold' ? undefined : one.mode,
    type: typeName(one),
    scope: one.scope,
    satisfied: one.satisfied,
    unknown: one.unknown,
    applies: one.applies,
    triggered: one.triggered,
    place: one.place,
    ...(one.threshold !== undefined && {
      value: one.value ?? null,
      threshold: one.threshold,
      warn: one.warn ?? null,
    }),
    expires_at: one.expiresAt ?? null,
    actor: one.by?.actor ?? null,
    channel: one.by?.channel ?? null,
    clear: one.satisfied ? null : one.next,
  };
}

/** What is switched off, where, and why if the config does not say so. */
export function disabledRow({ kind, name, place, missing }: Disabled): string[] {
  return [name || kind, place, ...(missing ? ['`enabled: true` is missing'] : [])];
}

export function disabledJson(one: Disabled): JsonObject {
  const [rule, place, why] = disabledRow(one);
  return { rule, place, why };
}

/** The type's name in the config. */
function typeName({ type }: RequirementStatus): string {
  return type === 'condition' ? 'guard' : type;
}

/** For prompts and status lines. */
function summaryLine(status: ReqStatus): string {
  const { reach, held, open } = status;
  if (reach !== 'enforced') return notEnforced(status);
  const total = held.length;
  const done = held.filter(({ satisfied }) => satisfied).length;
  if (done === total) return `All ${total} requirements satisfied`;
  const names = open.map(({ name }) => name).join(', ');
  const rest = [...(names === '' ? [] : [`${names} needed`]), ...unknownIn(held)];
  return `${done}/${total} requirements satisfied (${rest.join('; ')})`;
}

/** What holds now and the one command that satisfies it, then the rest; `verbose` shows everything. */
function statusLines(status: ReqStatus, verbose: boolean, now: number): string[] {
  const { branch, session, project, broken, unreadable, problems, sessions, disabled } = status;
  const label = (name: string, value: string): string => `${styled('dim', name)} ${styled('bold', value)}`;
  const live = sessions.map((one) => [one.id, `PID ${one.hostPid}`, ago(now / 1000 - one.lastActive)]);
  const wrong = problems.flatMap((problem) => problem.split('\n'));
  const unread = 'State files that cannot be read (nothing in them counts):';
  const details = [
    label('Session:', session || 'no-session'),
    label('Project:', project),
    ...block('Active sessions on this branch:', table(live)),
    ...block('Requirements:', requirementRows(status, now)),
  ];
  return [
    ...holdLines(status),
    styled('bold', 'Requirements Status'),
    label('Branch:', branch),
    ...(verbose ? details : []),
    '',
    ...openLines(status),
    ...nonHoldingLines(status),
    ...block('Disabled:', table(disabled.map(disabledRow))),
    ...(verbose || broken || unreadable.length > 0 ? block('Config problems:', wrong) : []),
    ...block(unread, unreadable),
  ];
}

function holdLines({ paused, open, session }: ReqStatus): string[] {
  if (paused !== undefined) {
    const { at, reason } = paused;
    const since = at === undefined ? '' : ` since ${localTime(at, Date.now(), 'minutes')}`;
    const why = reason === undefined ? '' : ` (${reason})`;
    const text = `Paused${since}${pauseText(paused)}${why}: nothing is held. Resume with \`req resume\`.`;
    return [styled('yellow', text), ''];
  }
  if (open.length === 0) return [];
  const names = open.map(({ name }) => name).join(', ');
  const step = commonStep(open, session);
  return [styled('red', `Open: ${names}.${step === undefined ? '' : ` Next: ${step}`}`), ''];
}

function unknownIn(requirements: readonly RequirementStatus[]): string[] {
  return requirements.flatMap(({ name, unknown }) => (unknown === undefined ? [] : [`${name}: ${unknown}`]));
}

function openLines(status: ReqStatus): string[] {
  const { reach, open, held } = status;
  if (reach !== 'enforced') return [styled('yellow', notEnforced(status))];
  const unknown = unknownIn(held).map((line) => `  ${styled('yellow', line)}`);
  const rest = unknown.length === 0 ? [] : [styled('bold', 'Not known yet:'), ...unknown];
  if (open.length === 0) return rest.length > 0 ? rest : [styled('green', 'All requirements satisfied')];
  const rows = open.flatMap((one) => {
    const note = one.triggered && one.isVerified ? ', holds the end of the turn' : '';
    return [
      `  ${styled('yellow', `${one.name} (${one.scope} scope)${note}`)}`,
      `    -> ${styled('cyan', one.next)}`,
    ];
  });
  return [styled('bold', 'Unsatisfied Requirements:'), ...rows, ...rest];
}

/** The rules in warn or shadow mode, on one line. */
function nonHoldingLines({ requirements }: ReqStatus): string[] {
  const named = requirements.flatMap(({ name, mode }) => (mode === 'hold' ? [] : [`${name} (${mode})`]));
  return named.length === 0 ? [] : ['', `${styled('dim', 'Not holding:')} ${named.join(', ')}`];
}

function notEnforced({ reach, broken, requirements, disabled }: ReqStatus): string {
  if (reach === 'disabled') return 'Requirements framework disabled';
  if (reach === 'global-only')
    return 'Not enforced here: requirements are only in the global config. Set `enforce_everywhere: true` there, or run `req init` here.';
  if (broken) return 'No requirement is in effect: fix the config first.';
  if (requirements.length === 0 && disabled.some(({ missing }) => missing))
    return 'No requirement is enabled.';
  return requirements.length > 0
    ? 'No requirement holds: all of them only warn or record.'
    : 'No requirements configured for this project.';
}

function requirementRows({ requirements }: ReqStatus, now: number): string[] {
  const rows = requirements.map((one) => [
    one.satisfied ? '✓' : '✗',
    `${one.name} (${one.scope} scope)`,
    remarks(one, now),
    one.satisfied ? '' : one.next,
  ]);
  return table(rows).map((row, at) => styled(requirements[at]?.satisfied ? 'green' : 'yellow', row));
}

function remarks(requirement: RequirementStatus, now: number): string {
  const { mode, applies, triggered, expiresAt, type, value, threshold, warn, by } = requirement;
  const left = expiresAt === undefined ? 0 : Math.max(0, expiresAt - Math.floor(now / 1000));
  return [
    ...(mode === 'hold' ? [] : [`${mode} mode`]),
    ...(type === 'blocking' ? [] : [typeName(requirement)]),
    ...(value === undefined ? [] : [`value ${value}, holds from ${threshold}`]),
    ...(value === undefined || warn === undefined ? [] : [`warns from ${warn}`]),
    ...(applies || type === 'dynamic' ? [] : ['does not apply here']),
    ...(triggered ? ['triggered'] : []),
    ...(expiresAt === undefined ? [] : [`${Math.floor(left / 60)}m ${left % 60}s left`]),
    ...(by === undefined ? [] : [actorPhraseOrUnknown(by)]),
  ].join(', ');
}

/** A title and indented lines; empty without lines. */
export function block(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', styled('bold', title), ...lines.map((line) => `  ${line}`)];
}
