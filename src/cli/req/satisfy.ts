import { parseArgs } from 'node:util';
import { nearest } from '../../config/nearest';
import type { Change, DocumentRef } from '../../core/document';
import { branchLabel } from '../../core/git-head';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../core/json';
import { loadConfig } from '../../core/load-config';
import { sessionKey } from '../../core/session-key';
import { branchFile, PROJECT_FILE } from '../../guards/requirements/branch-file';
import type { Requirement, Scope } from '../../guards/requirements/config';
import { noteSatisfied } from '../../guards/requirements/metrics';
import { migrateKeys } from '../../guards/requirements/migrate-keys';
import { metricsFile } from '../../guards/requirements/session-files';
import { sessionKeyIn } from '../../guards/requirements/session-key-in';
import { type Satisfaction, satisfyRoot, satisfySession } from '../../guards/requirements/state';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';
import { updateDocuments } from '../../state/update';
import { type OpenProject, requirementsConfig } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { actorIn, noteOverride, refuseReserved } from './actor';
import { checkSessionOption, readRegistry, requireSession, sessionLine } from './find-session';
import { Refusal, requireProject } from './refuse';
import { changeState, existingBranches, requirementsIn } from './state-files';

/** `req satisfy`; `approve` is another word for it. */
export function satisfyVerb(command: 'satisfy' | 'approve'): Verb {
  return {
    usage: `req ${command} NAME… [--session ID] [--branch [B]] [--ttl SECONDS] [--metadata JSON] [--force] [--json]`,
    async run(args, context): Promise<ExitCode> {
      const options = satisfyOptions(command, args);
      const project = requireProject(context);
      const known = requirementsConfig(loadConfig(project, context.chunks))?.requirements ?? [];
      checkAllowed(command, options, known, context);
      const target = await targetFor(options, project, context);
      const done = options.names.map((name) => satisfiedAs(name, known, options, target));
      record(options, done, target, project, context);
      warn(options, target, project, context);
      const { branch, session, level } = target;
      if (options.json) context.out.json({ satisfied: done, branch, session, level });
      else for (const line of successLines(done, target)) context.out.line(context.out.style('green', line));
      return 0;
    },
  };
}

interface SatisfyOptions {
  readonly names: readonly string[];
  readonly session: string | undefined;
  /** Empty for the current branch. */
  readonly branch: string | undefined;
  readonly ttl: number | undefined;
  readonly metadata: JsonObject | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

function satisfyOptions(command: string, args: readonly string[]): SatisfyOptions {
  const { values, positionals } = parseArgs({
    args: withOptionalBranch(args),
    allowPositionals: true,
    options: {
      session: { type: 'string', short: 's' },
      branch: { type: 'string', short: 'b' },
      ttl: { type: 'string' },
      metadata: { type: 'string', short: 'm' },
      force: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { session, branch, force, json } = values;
  if (positionals.length === 0) throw new Refusal(`req ${command}: name at least one requirement.`, 2);
  checkSessionOption(command, session);
  const ttl = values.ttl === undefined ? undefined : Number(values.ttl);
  if (ttl !== undefined && !(ttl > 0))
    throw new Refusal(`req ${command}: --ttl takes seconds above zero, not '${values.ttl}'.`, 2);
  const metadata = values.metadata === undefined ? undefined : jsonObjectIn(values.metadata);
  if (values.metadata !== undefined && metadata === undefined)
    throw new Refusal(`req ${command}: --metadata takes a JSON object, such as '{"ticket": 7}'.`, 2);
  return { names: [...new Set(positionals)], session, branch, ttl, metadata, force, json };
}

/** `--branch` may stand without a value, which `parseArgs` does not know: it then means the current branch. */
function withOptionalBranch(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const alone = args[at + 1] === undefined || args[at + 1]?.startsWith('-') === true;
    return (arg === '--branch' || arg === '-b') && alone ? '--branch=' : arg;
  });
}

function checkAllowed(
  command: string,
  { names, force, ttl }: SatisfyOptions,
  known: readonly Requirement[],
  { env }: Context,
): void {
  const all = known.map(({ name }) => name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined && !force)
    throw new Refusal(
      [
        ...unknownRequirement(unknown, all),
        'Where to define it:',
        '  .holdpoint/config.yaml or .claude/requirements.yaml (this project)',
        '  .holdpoint/config.local.yaml or .claude/requirements.local.yaml (only here, not committed)',
        '  ~/.config/holdpoint/config.yaml or ~/.claude/requirements.yaml (all projects)',
        'Use --force to record it all the same.',
      ].join('\n'),
    );
  const named = known.filter(({ name }) => names.includes(name));
  const reserved = named.filter(({ agentMaySatisfy }) => !agentMaySatisfy);
  if (actorIn(env) === 'agent') refuseReserved(reserved.map(({ name }) => name));
  const permanent = named.find(({ scope }) => scope === 'permanent');
  if (ttl !== undefined && permanent !== undefined)
    throw new Refusal(
      `req ${command}: '${permanent.name}' is permanent and does not expire; leave --ttl out, or take it back later with 'req clear'.`,
    );
}

function unknownRequirement(name: string, known: readonly string[]): string[] {
  const near = nearest(name, known);
  return [`Unknown requirement: '${name}'`, ...(near === undefined ? [] : ['Did you mean?', `  ${near}`])];
}

/** For which branch, and for one session or for all of them, requirements are satisfied. */
interface Target {
  readonly branch: string;
  readonly level: 'session' | 'branch';
  readonly session: string;
  /** The session's id as it was given; two sessions may share the first eight characters. */
  readonly sessionId: string;
  /** The first line of the success message. */
  readonly intro: string;
}

async function targetFor(options: SatisfyOptions, project: OpenProject, { env }: Context): Promise<Target> {
  const current = branchLabel(project.head);
  if (options.branch !== undefined) {
    const branch = options.branch === '' ? current : options.branch;
    const intro = `Using branch-level satisfaction for: ${branch}`;
    return { branch, level: 'branch', session: '', sessionId: '', intro };
  }
  const found = await requireSession(options.session, project, env);
  return {
    branch: current,
    level: 'session',
    session: found.key,
    sessionId: found.id,
    intro: sessionLine(found),
  };
}

interface Satisfied {
  readonly name: string;
  readonly scope: Scope;
  /** Seconds, for an approval that expires. */
  readonly approvedFor?: number;
}

/** A requirement with a computed value is approved for a while, and only for the session. */
function satisfiedAs(
  name: string,
  known: readonly Requirement[],
  { ttl }: SatisfyOptions,
  { level }: Target,
): Satisfied {
  const requirement = known.find((one) => one.name === name);
  if (requirement?.type !== 'dynamic' || level === 'branch')
    return { name, scope: requirement?.scope ?? 'session' };
  return { name, scope: 'session', approvedFor: ttl ?? requirement.approvalTtl };
}

function record(
  options: SatisfyOptions,
  done: readonly Satisfied[],
  target: Target,
  project: OpenProject,
  { env }: Context,
): void {
  const { layout } = project;
  const { session } = target;
  // The files are chosen under the lock: until then another branch may take a name that both would get.
  const written = changeState(layout, 'Nothing was recorded', () =>
    done.map((one) => satisfyChange(one, options, target, actorIn(env), project)),
  );
  noteOverride(layout, { command: 'satisfy', about: options.names.join(' '), session, written });
  if (target.level === 'session') countSatisfied(layout, session, done);
}

function satisfyChange(
  { name, scope, approvedFor }: Satisfied,
  options: SatisfyOptions,
  target: Target,
  actor: 'agent' | 'person',
  { root, layout }: OpenProject,
): Change {
  const now = Math.floor(Date.now() / 1000);
  const ttl = approvedFor ?? options.ttl;
  const isBranchLevel = target.level === 'branch';
  const owner = { branch: target.branch, project: root, now };
  const satisfaction: Satisfaction = {
    by: approvedFor === undefined ? 'cli' : 'approval',
    at: now,
    actor,
    ...(ttl !== undefined && { expiresAt: now + ttl }),
    ...(options.metadata !== undefined && { metadata: options.metadata }),
  };
  return {
    document: scope === 'permanent' && !isBranchLevel ? PROJECT_FILE : fileOf(target.branch, layout),
    what: `satisfied ${name}`,
    apply: (current) => {
      if (isBranchLevel || scope === 'branch' || scope === 'permanent')
        return satisfyRoot(current, owner, name, isBranchLevel ? 'branch' : scope, satisfaction);
      const key = sessionKeyIn(migrateKeys(current), target.sessionId) ?? target.session;
      return satisfySession(current, owner, name, scope, key, satisfaction);
    },
  };
}

function fileOf(branch: string, layout: Layout): DocumentRef {
  return branchFile(branch, (ref) => readDocument(layout, ref));
}

const COUNTS_WAIT_MS = 2000;

/** Adds to the counts of a session that has any. Nothing depends on them. */
function countSatisfied(layout: Layout, session: string, done: readonly Satisfied[]): void {
  const now = Math.floor(Date.now() / 1000);
  const add = (counts: JsonObject, { name, approvedFor }: Satisfied): JsonObject =>
    noteSatisfied(counts, [name], approvedFor === undefined ? 'cli' : 'approval', now);
  const change: Change = {
    document: metricsFile(session),
    what: 'session counts',
    apply: (counts) => (isJsonObject(counts) ? done.reduce(add, counts) : counts),
  };
  updateDocuments(layout, [change], COUNTS_WAIT_MS);
}

/** A mistyped session or branch satisfies nobody, but either may still come into being. */
function warn(
  { session, branch = '' }: SatisfyOptions,
  target: Target,
  { root, layout, head }: OpenProject,
  { chunks, out }: Context,
): void {
  const registered = readRegistry(layout, Date.now()).sessions;
  const live = registered.filter(({ alive }) => alive).map(({ id }) => id);
  if (session !== undefined && live.length > 0 && !live.includes(target.session))
    out.error(
      `Note: ${target.session} is none of the live sessions (${live.join(', ')}); it was recorded all the same.`,
    );
  const named = branch !== '' && branch !== branchLabel(head);
  const existing = named ? existingBranches(root, chunks.askGit) : undefined;
  if (existing === undefined || existing.has(branch)) return;
  const near = nearest(branch, existing);
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
  out.error(`Note: there is no branch '${branch}' here; it was recorded all the same.${hint}`);
}

function successLines(done: readonly Satisfied[], { level, branch, intro }: Target): string[] {
  if (level === 'branch')
    return [intro, ...done.map(({ name }) => `Satisfied '${name}' at branch level for ${branch}`)];
  const [first, ...more] = done;
  if (first === undefined || more.length > 0)
    return [
      intro,
      `Satisfied ${done.length} requirement(s) for ${branch}`,
      ...done.map(({ name, scope }) => `- ${name} (${scope} scope)`),
    ];
  const { name, scope, approvedFor: seconds } = first;
  if (seconds === undefined) return [intro, `Satisfied '${name}' for ${branch} (${scope} scope)`];
  const duration = `${Math.floor(seconds / 60)}m ${Math.floor(seconds % 60)}s`;
  return [intro, `Approved '${name}' for ${branch}`, `Duration: ${duration} (${scope} scope)`];
}

/** `req clear`: forgets that requirements were satisfied. */
export const clearVerb: Verb = {
  usage: 'req clear NAME… | --all [-b BRANCH] [-s SESSION] [--json]',
  run(args, context) {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        branch: { type: 'string', short: 'b' },
        all: { type: 'boolean', short: 'a' },
        session: { type: 'string', short: 's' },
        json: { type: 'boolean' },
      },
    });
    checkSessionOption('clear', values.session);
    const project = requireProject(context);
    const { layout } = project;
    if (positionals.length === 0 && !values.all) throw new Refusal('Specify requirement name or use --all');
    const names = values.all ? 'all' : [...new Set(positionals)];
    const branch = values.branch ?? branchLabel(project.head);
    if (names !== 'all') checkKnown(names, branch, project, context);
    const session = sessionKey(values.session ?? '');
    const now = Math.floor(Date.now() / 1000);
    const written = changeState(layout, 'Nothing was cleared', () => {
      // What is permanent is kept beside the branches; a named branch means that one alone.
      const files =
        values.branch === undefined ? [fileOf(branch, layout), PROJECT_FILE] : [fileOf(branch, layout)];
      return files.map((document) => {
        return { document, what: 'cleared', apply: (state) => clearedState(state, names, session, now) };
      });
    });
    const about = names === 'all' ? '--all' : names.join(' ');
    if (written.length > 0)
      noteOverride(layout, { command: 'clear', about, session: session ?? '', written });
    if (values.json) out.json({ cleared: names, branch, session: session ?? null });
    else {
      if (session !== undefined) out.line(out.style('green', `Using explicit session: ${session}`));
      const cleared = names === 'all' ? ['all requirements'] : names.map((name) => `'${name}'`);
      for (const what of cleared) out.line(out.style('green', `Cleared ${what} for ${branch}`));
    }
    return 0;
  },
};

/** A name that neither the config nor the state knows is most likely mistyped. */
function checkKnown(
  names: readonly string[],
  branch: string,
  project: OpenProject,
  { chunks }: Context,
): void {
  const config = requirementsConfig(loadConfig(project, chunks));
  const files = [fileOf(branch, project.layout), PROJECT_FILE];
  const known = [
    ...(config?.requirements ?? []).map(({ name }) => name),
    ...files.flatMap((ref) => {
      const document = readDocument(project.layout, ref);
      return document.kind === 'present' ? Object.keys(requirementsIn(document.value)) : [];
    }),
  ];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Refusal(
      [
        ...unknownRequirement(unknown, known),
        'Neither the config nor the state of this branch knows it; `req list` and `req status` show what they know.',
      ].join('\n'),
    );
}

/** What an entry holds for every session. */
const FOR_EVERYBODY = ['satisfied', 'satisfied_at', 'satisfied_by', 'expires_at', 'metadata'];

/** The state without these entries, or without what concerns one session in them. */
function clearedState(
  state: Json | undefined,
  names: readonly string[] | 'all',
  session: string | undefined,
  now: number,
): Json | undefined {
  if (!isJsonObject(state)) return state;
  const requirements = requirementsIn(state);
  const after = Object.entries(requirements).flatMap(([name, entry]) => {
    if (names !== 'all' && !names.includes(name)) return [[name, entry] as const];
    const left = session === undefined ? undefined : withoutSession(entry, session);
    return left === undefined ? [] : [[name, left] as const];
  });
  const unchanged = JSON.stringify(Object.fromEntries(after)) === JSON.stringify(requirements);
  return unchanged ? state : { ...state, updated_at: now, requirements: Object.fromEntries(after) };
}

/** What counts for everybody counts for this session too, so it goes as well; what other sessions have stays. */
function withoutSession(entry: Json | undefined, session: string): JsonObject | undefined {
  if (!isJsonObject(entry)) return undefined;
  const kept = Object.fromEntries(Object.entries(entry).filter(([key]) => !FOR_EVERYBODY.includes(key)));
  const sessions = without(kept['sessions'], session);
  const triggered = without(kept['triggered_sessions'], session);
  if (Object.keys({ ...sessions, ...triggered }).length === 0) return undefined;
  return { ...kept, sessions, ...('triggered_sessions' in kept && { triggered_sessions: triggered }) };
}

function without(sessions: Json | undefined, session: string): JsonObject {
  if (!isJsonObject(sessions)) return {};
  const { [session]: _gone, ...others } = sessions;
  return others;
}
