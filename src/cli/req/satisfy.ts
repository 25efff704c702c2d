import { nearest } from '../../config/nearest';
import type { Change, DocumentRef } from '../../core/document';
import { branchLabel } from '../../core/git-head';
import { loadConfig } from '../../core/load-config';
import { sentenceOf } from '../../core/messages';
import type { Requirement } from '../../guards/requirements/config';
import { migrateKeys, type Satisfaction, satisfyRoot, satisfySession } from '../../guards/requirements/state';
import { branchFile, PROJECT_FILE, sessionKeyIn } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { type Actor, actorIn } from './actor';
import { countSatisfied } from './count-satisfied';
import { findOrAskSession } from './find-session';
import { livingBranches } from './living-branches';
import * as say from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { readRegistry } from './registry';
import { requirementsConfig } from './requirements-config';
import { type SatisfyCommand, type SatisfyOptions, satisfyOptions } from './satisfy-options';
import { changeState } from './under-lock';

/** What is about to be written: where, for whom, and how it is told. */
interface Plan {
  readonly branch: string;
  readonly level: 'session' | 'branch';
  readonly session: string;
  /** The session's id as it was told; two sessions may share the first eight characters. */
  readonly sessionId: string;
  readonly told: string;
}

/** `approve` is another word for it. */
export function satisfyVerb(command: SatisfyCommand): Verb {
  return {
    usage: `req ${command} NAME… [--session ID] [--branch [B]] [--ttl SECONDS] [--metadata JSON] [--force] [--json]`,
    async run(args, context) {
      const options = satisfyOptions(command, args);
      if (!options.ok) return refuse(context, options.failure, 2);
      const project = openProject(context);
      if (project === undefined) return refuse(context, NO_PROJECT, 1);
      const known = requirementsConfig(loadConfig(project, context.chunks))?.requirements ?? [];
      const refusal = refusalFor(options.value, known, context);
      if (refusal !== undefined) return refuse(context, refusal, 1);
      const plan = await planFor(options.value, project, context);
      if (typeof plan === 'string') return refuse(context, plan, 1);
      return record(options.value, known, plan, project, context);
    },
  };
}

function refusalFor(
  { command, names, force, ttl }: SatisfyOptions,
  known: readonly Requirement[],
  { env }: Context,
): string | undefined {
  const all = known.map(({ name }) => name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined && !force) return say.unknownRequirement(unknown, nearest(unknown, all));
  const reserved = known.filter(({ name, agentMaySatisfy }) => names.includes(name) && !agentMaySatisfy);
  if (actorIn(env) === 'agent' && reserved.length > 0)
    return say.agentMayNot(reserved.map(({ name }) => name));
  const endless = known.find(({ name, scope }) => names.includes(name) && scope === 'permanent');
  return ttl === undefined || endless === undefined ? undefined : say.neverExpires(command, endless.name);
}

async function planFor(
  options: SatisfyOptions,
  project: OpenProject,
  { env }: Context,
): Promise<Plan | string> {
  const current = branchLabel(project.head);
  if (options.branch !== undefined) {
    const branch = options.branch === '' ? current : options.branch;
    return {
      branch,
      level: 'branch',
      session: '',
      sessionId: '',
      told: `Using branch-level satisfaction for: ${branch}`,
    };
  }
  const found = await findOrAskSession(options.session, project, env);
  if (found.kind === 'none') return say.noSession(found, project.root);
  return {
    branch: current,
    level: 'session',
    session: found.key,
    sessionId: found.id,
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
  const done = options.names.map((name) => meantBy(name, known, options, plan));
  // The files are chosen under the lock: until then another branch may take a name that both would get.
  const written = changeState(project.layout, () =>
    done.map((one) => changeFor(one, options, plan, actorIn(context.env), project)),
  );
  if (!written.ok) return refuse(context, `Nothing was recorded: ${sentenceOf(written.failure)}`, 1);
  noteOverride(project.layout, {
    command: 'satisfy',
    about: options.names.join(' '),
    session: plan.session,
    written: written.value,
  });
  if (plan.level === 'session') countSatisfied(project.layout, plan.session, done);
  const live = readRegistry(project.layout, Date.now())
    .sessions.filter((one) => one.alive)
    .map(({ id }) => id);
  const isStranger = options.session !== undefined && live.length > 0 && !live.includes(plan.session);
  if (isStranger) out.error(say.notLive(plan.session, live));
  const missing = missingBranch(options, project, context);
  if (missing !== undefined) out.error(missing);
  if (options.json)
    out.json({ satisfied: done, branch: plan.branch, session: plan.session, level: plan.level });
  else for (const line of say.successLines(done, plan)) out.line(out.style('green', line));
  return 0;
}

/** A word about a branch that was named and is not there: it may be mistyped, or still to come. */
function missingBranch(
  { branch = '' }: SatisfyOptions,
  project: OpenProject,
  { chunks }: Context,
): string | undefined {
  if (branch === '' || branch === branchLabel(project.head)) return undefined;
  const living = livingBranches(project.root, chunks.askGit);
  return living === undefined || living.has(branch)
    ? undefined
    : say.noBranch(branch, nearest(branch, living));
}

/** One requirement as it is about to be satisfied. A computed value is approved for a while, by the session. */
function meantBy(
  name: string,
  known: readonly Requirement[],
  { ttl }: SatisfyOptions,
  { level }: Plan,
): say.Satisfied {
  const requirement = known.find((one) => one.name === name);
  const scope = requirement?.scope ?? 'session';
  if (requirement?.type !== 'dynamic' || level === 'branch') return { name, scope };
  return { name, scope: 'session', approvedFor: ttl ?? requirement.approvalTtl };
}

function changeFor(
  { name, scope, approvedFor }: say.Satisfied,
  options: SatisfyOptions,
  plan: Plan,
  actor: Actor,
  project: OpenProject,
): Change {
  const now = Math.floor(Date.now() / 1000);
  const ttl = approvedFor ?? options.ttl;
  const owner = { branch: plan.branch, project: project.root, now };
  const satisfaction: Satisfaction = {
    by: approvedFor === undefined ? 'cli' : 'approval',
    at: now,
    actor,
    ...(ttl !== undefined && { expiresAt: now + ttl }),
    ...(options.metadata !== undefined && { metadata: options.metadata }),
  };
  const atRoot = plan.level === 'branch' || scope === 'branch' || scope === 'permanent';
  const permanent = scope === 'permanent' && plan.level === 'session';
  return {
    document: permanent ? PROJECT_FILE : fileOf(plan.branch, project),
    what: `satisfied ${name}`,
    apply: (current) => {
      if (atRoot)
        return satisfyRoot(current, owner, name, plan.level === 'branch' ? 'branch' : scope, satisfaction);
      const key = sessionKeyIn(migrateKeys(current), plan.sessionId) ?? plan.session;
      return satisfySession(current, owner, name, scope, key, satisfaction);
    },
  };
}

function fileOf(branch: string, project: OpenProject): DocumentRef {
  return branchFile(branch, (ref) => readDocument(project.layout, ref));
}
