import { nearest } from '../../config/nearest';
import type { Change, DocumentRef } from '../../domain/document';
import { type Result, succeed } from '../../domain/failure';
import { branchLabel } from '../../domain/git-head';
import { branchFile, PROJECT_FILE } from '../../guards/requirements/branch-file';
import type { Requirement, RequirementsConfig, Scope } from '../../guards/requirements/config';
import { type Satisfaction, satisfyRoot, satisfySession } from '../../guards/requirements/state';
import { loadConfig } from '../../pipeline/load-config';
import { sentenceOf } from '../../pipeline/messages';
import { nextDecisionId } from '../../store/decision-id';
import { readDocument } from '../../store/documents';
import { appendJournal } from '../../store/journal';
import { lockProject } from '../../store/update';
import { applyChanges, type WriteReport } from '../../store/write';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { findOrAskSession } from './find-session';
import * as say from './messages';
import { type SatisfyOptions, satisfyOptions } from './satisfy-options';

const LOCK_WAIT_MS = 10_000;

/** What is about to be written: where, for whom, and how it is told. */
interface Plan {
  readonly branch: string;
  readonly level: 'session' | 'branch';
  readonly session: string;
  readonly told: string;
}

export const verb: Verb = {
  usage:
    'req satisfy NAME… [--session ID] [--branch [B]] [--ttl SECONDS] [--metadata JSON] [--force] [--json]',
  async run(args, context) {
    const options = satisfyOptions(args);
    if (!options.ok) return refuse(context, options.failure, 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const known = requirementsOf(project, context);
    const refusal = refusalFor(options.value, known, context);
    if (refusal !== undefined) return refuse(context, refusal, 1);
    const plan = await planFor(options.value, project, context);
    if (typeof plan === 'string') return refuse(context, plan, 1);
    return record(options.value, known, plan, project, context);
  },
};

function refuse({ out }: Context, why: string, code: ExitCode): ExitCode {
  out.error(why);
  return code;
}

function requirementsOf(project: OpenProject, { chunks }: Context): readonly Requirement[] {
  const config = loadConfig(project, chunks);
  const index = config?.head.guards.findIndex(({ name }) => name === 'requirements') ?? -1;
  if (config === undefined || index < 0) return [];
  return (config.configOf(index) as RequirementsConfig).requirements;
}

function refusalFor(
  { names, force }: SatisfyOptions,
  known: readonly Requirement[],
  { env }: Context,
): string | undefined {
  const all = known.map(({ name }) => name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined && !force) return say.unknownRequirement(unknown, nearest(unknown, all));
  const reserved = known.filter(({ name, agentMaySatisfy }) => names.includes(name) && !agentMaySatisfy);
  const byAgent = env['CLAUDECODE'] === '1' || env['AI_AGENT'] !== undefined;
  return byAgent && reserved.length > 0 ? say.agentMayNot(reserved.map(({ name }) => name)) : undefined;
}

async function planFor(
  options: SatisfyOptions,
  project: OpenProject,
  { env }: Context,
): Promise<Plan | string> {
  const current = branchLabel(project.head);
  if (options.branch !== undefined) {
    const branch = options.branch === '' ? current : options.branch;
    return { branch, level: 'branch', session: '', told: `Using branch-level satisfaction for: ${branch}` };
  }
  const found = await findOrAskSession(options.session, project, env);
  if (found.kind === 'none') return say.noSession(found, project.root);
  return {
    branch: current,
    level: 'session',
    session: found.key,
    told: say.sessionLine(found),
  };
}

function record(
  options: SatisfyOptions,
  known: readonly Requirement[],
  plan: Plan,
  project: OpenProject,
  context: Context,
): ExitCode {
  const { out } = context;
  const done = options.names.map((name) => ({ name, scope: scopeOf(name, known) }));
  const report = write(done, options, plan, project);
  const failure = report.ok ? report.value.failures[0]?.failure : report.failure;
  if (failure !== undefined) return refuse(context, `Nothing was recorded: ${sentenceOf(failure)}`, 1);
  note(options.names, plan, project, report.ok ? report.value.written : []);
  if (options.json)
    out.json({ satisfied: done, branch: plan.branch, session: plan.session, level: plan.level });
  else for (const line of say.successLines(done, plan)) out.line(out.style('green', line));
  return 0;
}

/** The files are chosen under the lock: until then another branch may take a name that both would get. */
function write(
  done: readonly say.Satisfied[],
  options: SatisfyOptions,
  plan: Plan,
  project: OpenProject,
): Result<WriteReport> {
  const lock = lockProject(project.layout, LOCK_WAIT_MS);
  if (!lock.ok) return lock;
  try {
    const changes = done.map(({ name, scope }) => changeFor(name, scope, options, plan, project));
    return succeed(applyChanges(project.layout, lock.value, changes));
  } finally {
    lock.value.release();
  }
}

function scopeOf(name: string, known: readonly Requirement[]): Scope {
  return known.find((requirement) => requirement.name === name)?.scope ?? 'session';
}

function changeFor(
  name: string,
  scope: Scope,
  options: SatisfyOptions,
  plan: Plan,
  project: OpenProject,
): Change {
  const now = Math.floor(Date.now() / 1000);
  const owner = { branch: plan.branch, project: project.root, now };
  const satisfaction: Satisfaction = {
    by: 'cli',
    at: now,
    ...(options.ttl !== undefined && { expiresAt: now + options.ttl }),
    ...(options.metadata !== undefined && { metadata: options.metadata }),
  };
  const atRoot = plan.level === 'branch' || scope === 'branch' || scope === 'permanent';
  const permanent = scope === 'permanent' && plan.level === 'session';
  return {
    document: permanent ? PROJECT_FILE : fileOf(plan.branch, project),
    what: `satisfied ${name}`,
    apply: (current) =>
      atRoot
        ? satisfyRoot(current, owner, name, plan.level === 'branch' ? 'branch' : scope, satisfaction)
        : satisfySession(current, owner, name, scope, plan.session, satisfaction),
  };
}

function fileOf(branch: string, project: OpenProject): DocumentRef {
  return branchFile(branch, (ref) => readDocument(project.layout, ref));
}

/** An override is worth a line in the journal, whoever made it. */
function note(names: readonly string[], plan: Plan, project: OpenProject, written: readonly string[]): void {
  const now = Date.now();
  appendJournal(project.layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session: plan.session,
    event: 'req satisfy',
    tool: names.join(' '),
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}
