import { parseArgs } from 'node:util';
import { formatDiagnostic } from '../../config/diagnostics';
import { compileConfig } from '../../core/compile-config';
import type { Document, DocumentRef } from '../../core/document';
import { branchLabel } from '../../core/git-head';
import { isJsonObject, type JsonObject } from '../../core/json';
import { loadConfig } from '../../core/load-config';
import { branchFile, PROJECT_FILE } from '../../guards/requirements/branch-file';
import type { RequirementsConfig } from '../../guards/requirements/config';
import { pauseFile } from '../../guards/requirements/session-files';
import { type RequirementStatus, requirementStatuses } from '../../guards/requirements/status';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';
import { ago } from '../output/ago';
import type { Output } from '../output/output';
import { printable } from '../output/printable';
import { table } from '../output/table';
import { type OpenProject, requirementsConfig } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import {
  checkSessionOption,
  findOrAskSession,
  findSession,
  noSession,
  type RegisteredSession,
  readRegistry,
  sessionJson,
} from './find-session';
import { requireProject } from './refuse';

/** `req status`: what holds now, and what clears it. */
export const statusVerb: Verb = {
  usage: 'req status [-b BRANCH] [-s SESSION] [-v] [--summary] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: {
        branch: { type: 'string', short: 'b' },
        session: { type: 'string', short: 's' },
        verbose: { type: 'boolean', short: 'v' },
        summary: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    });
    checkSessionOption('status', values.session);
    const project = requireProject(context);
    // What is printed into a prompt or read by a program never asks.
    const find = values.summary || values.json ? findSession : findOrAskSession;
    const found = await find(values.session, project, context.env);
    if (found.kind === 'none') {
      const [why = ''] = noSession(found, project.root).split('\n');
      out.error(`${why}\nOnly what counts for every session is shown; give one with --session ID.`);
    }
    const session = found.kind === 'found' ? found.key : '';
    const now = Date.now();
    const branch = values.branch ?? branchLabel(project.head);
    const status = gather(project, branch, session, context, now);
    const { broken, problems, unreadable } = status;
    if (values.json) out.json(statusJson(status));
    else if (values.summary) {
      out.line(summaryLine(status));
      if (broken) for (const problem of problems) out.error(problem);
    } else {
      const withProblems = values.verbose || broken || unreadable.length > 0;
      const lines = [
        ...statusLines(status, values.verbose ? now : undefined, out),
        ...(withProblems ? problemLines(status, out) : []),
      ];
      for (const line of lines) out.line(line);
    }
    return broken ? 1 : 0;
  },
};

interface Paused {
  readonly since: string;
  readonly reason: string;
}

/** What `req status` shows. */
interface ReqStatus {
  readonly project: string;
  readonly branch: string;
  /** Empty where no session was found. */
  readonly session: string;
  readonly reach: 'none' | 'disabled' | 'global-only' | 'enforced';
  readonly paused: Paused | undefined;
  readonly requirements: readonly RequirementStatus[];
  /** Enforced and not satisfied. */
  readonly open: readonly RequirementStatus[];
  /** The live sessions on this branch. */
  readonly sessions: readonly RegisteredSession[];
  /** What is wrong with the config, with its place. */
  readonly problems: readonly string[];
  /** Whether a part of the config is without effect because of it. */
  readonly broken: boolean;
  /** State files that could not be read, so that nothing in them counts. */
  readonly unreadable: readonly string[];
}

function gather(
  project: OpenProject,
  branch: string,
  session: string,
  { chunks }: Context,
  now: number,
): ReqStatus {
  const { root, home, layout } = project;
  const config = requirementsConfig(loadConfig(project, chunks));
  const reach = reachOf(config);
  const { sessions } = readRegistry(layout, now);
  const from = { projectRoot: root, branch, session, sessions, now };
  const read = (ref: DocumentRef): Document => readDocument(layout, ref);
  const requirements = config === undefined ? [] : requirementStatuses(config, from, read);
  // Compiled afresh: only then is it known which problems are errors and which only warnings.
  const diagnostics = project.configured ? compileConfig(root, home).diagnostics : [];
  return {
    project: root,
    branch,
    session,
    reach,
    paused: session === '' ? undefined : readPause(layout, session),
    requirements,
    open: reach === 'enforced' ? requirements.filter(({ satisfied }) => !satisfied) : [],
    sessions: sessions.filter((one) => one.alive && one.projectDir === root && one.branch === branch),
    problems: diagnostics.map(formatDiagnostic),
    broken: diagnostics.some(({ severity }) => severity === 'error'),
    unreadable: [read(branchFile(branch, read)), read(PROJECT_FILE)].flatMap((document) =>
      document.kind === 'unreadable' ? [`${document.file} ${document.why}`] : [],
    ),
  };
}

function reachOf(config: RequirementsConfig | undefined): ReqStatus['reach'] {
  if (config !== undefined && !config.enabled) return 'disabled';
  if (config === undefined || config.requirements.length === 0) return 'none';
  return config.reach === 'global-only' ? 'global-only' : 'enforced';
}

/** Like the guard, takes any JSON in the file for a pause; what it does not say is left blank. */
function readPause(layout: Layout, session: string): Paused | undefined {
  const document = readDocument(layout, pauseFile(session));
  if (document.kind !== 'present') return undefined;
  const { paused_at: since, reason } = isJsonObject(document.value) ? document.value : ({} as JsonObject);
  return {
    since: typeof since === 'string' ? since : '',
    reason: typeof reason === 'string' ? reason : '',
  };
}

/** The command that satisfies requirements: the skill they share, else `req satisfy`. */
function satisfyCommand(open: readonly RequirementStatus[], session: string): string {
  const [skill, ...others] = new Set(open.map((one) => one.skill));
  if (skill !== undefined && others.length === 0) return `/${skill}`;
  const names = open.map(({ name }) => name).join(' ');
  return `req satisfy ${names} --session ${session === '' ? 'ID' : session}`;
}

function statusJson(status: ReqStatus): JsonObject {
  const { project, branch, session, reach, paused, requirements, open, broken } = status;
  return {
    project,
    branch,
    session: session === '' ? null : session,
    enforced: reach === 'enforced',
    reach,
    paused: paused === undefined ? null : { paused_at: paused.since, reason: paused.reason },
    satisfied: requirements.filter((one) => one.satisfied).length,
    total: requirements.length,
    needed: open.map(({ name }) => name),
    requirements: requirements.map((one) => requirementJson(one, session)),
    sessions: status.sessions.map(sessionJson),
    broken,
    problems: status.problems,
    unreadable: status.unreadable,
  };
}

/** A requirement as JSON, the same wherever one is shown; `session` is empty where none is known. */
export function requirementJson(one: RequirementStatus, session: string): JsonObject {
  return {
    name: one.name,
    type: typeName(one),
    scope: one.scope,
    satisfied: one.satisfied,
    applies: one.applies,
    triggered: one.triggered,
    place: one.place,
    ...(one.threshold !== undefined && {
      value: one.value ?? null,
      threshold: one.threshold,
      warn: one.warn ?? null,
    }),
    expires_at: one.expiresAt ?? null,
    clear: one.satisfied ? null : satisfyCommand([one], session),
  };
}

/** As the config calls it. */
function typeName({ type }: RequirementStatus): string {
  return type === 'condition' ? 'guard' : type;
}

/** Everything on one line, for prompts and status lines. */
function summaryLine(status: ReqStatus): string {
  const { reach, requirements, open } = status;
  if (reach !== 'enforced') return notEnforced(status);
  const total = requirements.length;
  if (open.length === 0) return `All ${total} requirements satisfied`;
  const names = open.map(({ name }) => name).join(', ');
  return printable(`${total - open.length}/${total} requirements satisfied (${names} needed)`);
}

/** What holds now and the one command that clears it, then the rest; with `now` set, all that is known. */
function statusLines(status: ReqStatus, now: number | undefined, out: Output): string[] {
  const label = (name: string, value: string): string =>
    `${out.style('dim', name)} ${out.style('bold', value)}`;
  return [
    ...holdLines(status, out),
    out.style('bold', 'Requirements Status'),
    label('Branch:', status.branch),
    ...(now === undefined
      ? []
      : [
          label('Session:', status.session || 'no-session'),
          label('Project:', status.project),
          ...detailLines(status, now, out),
        ]),
    ...openLines(status, out),
  ];
}

function holdLines({ paused, open, session }: ReqStatus, out: Output): string[] {
  if (paused !== undefined) {
    const since = paused.since === '' ? '' : ` since ${paused.since}`;
    const why = paused.reason === '' ? '' : ` (${paused.reason})`;
    return [out.style('yellow', `Paused${since}${why}: nothing is held. Go on with: req resume`), ''];
  }
  if (open.length === 0) return [];
  const names = open.map(({ name }) => name).join(', ');
  return [out.style('red', `Open: ${names}. Clear: ${satisfyCommand(open, session)}`), ''];
}

function openLines(status: ReqStatus, out: Output): string[] {
  const { reach, open, session } = status;
  if (reach !== 'enforced') return ['', out.style('yellow', notEnforced(status))];
  if (open.length === 0) return ['', out.style('green', 'All requirements satisfied')];
  return [
    '',
    out.style('bold', 'Unsatisfied Requirements:'),
    ...open.flatMap((one) => {
      const note = one.triggered ? ', holds the end of the turn' : '';
      return [
        `  ${out.style('yellow', `${one.name} (${one.scope} scope)${note}`)}`,
        `    -> ${out.style('cyan', satisfyCommand([one], session))}`,
      ];
    }),
  ];
}

function notEnforced({ reach, broken }: ReqStatus): string {
  if (reach === 'disabled') return 'Requirements framework disabled';
  if (reach === 'global-only')
    return 'Not enforced here: only the global config names requirements. Set `enforce_everywhere: true` in it, or give this project a config.';
  return broken
    ? 'No requirement is in force: the config has to be mended first.'
    : 'No requirements configured for this project.';
}

function detailLines({ sessions, requirements, session }: ReqStatus, now: number, out: Output): string[] {
  const rows = requirements.map((one) => [
    one.satisfied ? '✓' : '✗',
    `${one.name} (${one.scope} scope)`,
    remarks(one, now),
    one.satisfied ? '' : satisfyCommand([one], session),
  ]);
  const styled = table(rows).map((row, at) =>
    out.style(requirements[at]?.satisfied ? 'green' : 'yellow', row),
  );
  return [
    ...block(
      'Active sessions on this branch:',
      table(sessions.map((one) => [one.id, `PID ${one.hostPid}`, ago(now / 1000 - one.lastActive)])),
      out,
    ),
    ...block('Requirements:', styled, out),
  ];
}

function remarks(requirement: RequirementStatus, now: number): string {
  const { applies, triggered, expiresAt, type, value, threshold, warn } = requirement;
  const left = expiresAt === undefined ? 0 : Math.max(0, expiresAt - Math.floor(now / 1000));
  return [
    ...(type === 'blocking' ? [] : [typeName(requirement)]),
    ...(value === undefined ? [] : [`value ${value}, holds from ${threshold}`]),
    ...(value === undefined || warn === undefined ? [] : [`warns from ${warn}`]),
    ...(applies || type === 'dynamic' ? [] : ['does not apply here']),
    ...(triggered ? ['set off'] : []),
    ...(expiresAt === undefined ? [] : [`${Math.floor(left / 60)}m ${left % 60}s left`]),
  ].join(', ');
}

function problemLines({ problems, unreadable }: ReqStatus, out: Output): string[] {
  const lines = problems.flatMap((problem) => printable(problem).split('\n'));
  return [
    ...block('Config problems:', lines, out),
    ...block('State files that cannot be read (nothing in them counts):', unreadable.map(printable), out),
  ];
}

/** A title and indented lines; nothing where there are no lines. */
export function block(title: string, lines: readonly string[], out: Output): string[] {
  return lines.length === 0 ? [] : ['', out.style('bold', title), ...lines.map((line) => `  ${line}`)];
}
