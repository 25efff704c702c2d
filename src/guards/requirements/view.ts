import type { Event, EventOf } from '../../core/event';
import type { Context } from '../../core/guard';
import {
  countIn,
  isJsonObject,
  type Json,
  type JsonObject,
  objectIn,
  textIn,
  textsIn,
} from '../../core/json';
import { FULL_ID, metricsFile, sessionFileKey } from '../../core/session-files';
import { digest, sha256Hex } from '../../core/text';
import { branchLabel } from '../../git/head';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { placeBelow } from '../../state/hub';
import type { Requirement, RequirementsConfig } from './section';
import * as states from './state';

function gitFile(path: string, keeping: DocumentRef['keeping']): DocumentRef {
  return { base: 'git', path: `requirements/${path}`, format: 'json', keeping };
}

/** Values that cost a process to find out, kept for a while. */
export const VALUES_FILE: DocumentRef = {
  base: 'own',
  path: 'values.json',
  format: 'json',
  keeping: 'bookkeeping',
};

const LONGEST_SLUG = 120;
/** A file name holds 255 bytes, and the store makes longer names of this one while it writes. */
const LONGEST_BYTES = 180;
const PROJECT_SLUG = '_project';

/** What waits for a person. */
export const APPROVALS: DocumentRef = {
  base: 'own',
  path: 'approvals.json',
  format: 'json',
  keeping: 'durable',
};

/** What was satisfied once for the whole project. */
export const PROJECT_FILE = gitFile(`${PROJECT_SLUG}.json`, 'durable');

/** A branch name as a file name: slashes become dashes, what is neither letter nor digit becomes `_`. */
export function branchSlug(branch: string): string {
  const dashed = branch.replaceAll('/', '-').replaceAll('\\', '-');
  // To build the set of all letters takes a while, and most names need only these.
  if (/^[\w-]+$/.test(dashed)) return dashed;
  return dashed.normalize('NFC').replace(/[^\p{L}\p{N}_-]/gu, '_');
}

/**
 * The file of a branch. Two branches may share a slug (`a/b` and `a-b`); the one that finds the file
 * taken by another gets one with a hash of its name.
 */
export function branchFile(branch: string, lookUp: (ref: DocumentRef) => Document | undefined): DocumentRef {
  const slug = branchSlug(branch);
  const plain = gitFile(`${slug}.json`, 'durable');
  let short = slug.slice(0, LONGEST_SLUG);
  // No character has more than three bytes.
  while (short.length > LONGEST_BYTES / 3 && Buffer.byteLength(short) > LONGEST_BYTES)
    short = short.slice(0, -1);
  const isTaken = slug === PROJECT_SLUG || slug !== short || belongsToAnother(lookUp(plain), branch);
  return isTaken ? gitFile(`${short}~${sha256Hex(branch).slice(0, 8)}.json`, 'durable') : plain;
}

/** What a document holds, where it can be read. */
export function presentValue(document: Document): Json | undefined {
  return document.kind === 'present' ? document.value : undefined;
}

function belongsToAnother(document: Document | undefined, branch: string): boolean {
  if (document?.kind !== 'present' || !isJsonObject(document.value)) return false;
  const owner = document.value['branch'];
  return typeof owner === 'string' && owner !== branch;
}

export type View = ReturnType<typeof viewOf>;

/** What the requirements look like to the session of an event, on its branch or on another one where it has worked. */
export function viewOf(
  event: Event,
  config: RequirementsConfig,
  ctx: Context,
  branch: string = branchLabel(ctx.git),
) {
  const file = branchFile(branch, ctx.document);
  const onBranch = ctx.document(file);
  const isPermanentUsed = config.requirements.some(({ scope }) => scope === 'permanent');
  const inProject: Document = isPermanentUsed ? ctx.document(PROJECT_FILE) : { kind: 'missing' };
  const state = states.migrateKeys(presentValue(onBranch));
  const key = sessionFileKey(event.sessionId, ctx.document);
  const session = states.sessionKeyIn(state, event.sessionId, key);
  const now = Math.floor(ctx.now / 1000);
  const metrics = presentValue(ctx.document(metricsFile(key)));
  const from = { branch, sessionId: event.sessionId, key, metrics };
  const mayUse = (taken: JsonObject): boolean => isOwnPass(taken, event, ctx);
  const { hubKey } = config;
  const isSigned: states.IsSigned = (requirement, holder) => {
    const standpoint = { sessionId: event.sessionId, branch, now, hubKey };
    const place = placeBelow(ctx.projectRoot, ctx.git);
    return ctx.part('signed').signedBy(ctx.document, { ...standpoint, place })(requirement, holder);
  };
  return {
    event,
    config,
    ctx,
    branch,
    project: ctx.projectRoot,
    now,
    sessionId: event.sessionId,
    /** Of the session's own files. */
    key,
    /** The session's key in the state, which may be a longer one. */
    session,
    file,
    state,
    metrics,
    isSatisfied: (requirement: Requirement): boolean =>
      satisfiedIn(requirement, state, presentValue(inProject), { ...from, session, now, mayUse, isSigned }) ||
      states.isSatisfied(recordedElsewhere(requirement, from, ctx.document, isSigned), now, mayUse),
    isSigned,
    /** How this machine stands to the hub. */
    hub: () => ctx.part('signed').standingWith(ctx.document, hubKey),
    isTriggered: ({ name, scope }: Requirement): boolean =>
      states.isTriggered(states.entryIn(state, name), scope, session),
    /** How a person can approve here. */
    channel: channelOf(event, ctx),
    /** State files that could not be read, so that nothing in them counts. */
    unreadable: [...unreadableFile(onBranch, file.path), ...unreadableFile(inProject, PROJECT_FILE.path)],
  };
}

/**
 * How a person can approve in a session: in a dialog of Claude Code unless it says that nobody is there, elsewhere in a
 * terminal of their own. Older clients do not say it, only how they were started.
 */
function channelOf({ host }: Event, { env }: Pick<Context, 'env'>): 'question' | 'terminal' | 'nobody' {
  if (host !== 'claude-code') return 'terminal';
  const attended = env('CLAUDE_CODE_SESSION_ATTENDED');
  if (attended === '1') return 'question';
  return attended === '0' || env('CLAUDE_CODE_ENTRYPOINT').startsWith('sdk') ? 'nobody' : 'question';
}

/** No host lets a call run for longer. */
const LONGEST_CALL_SECONDS = 600;

/**
 * Whether an event may use a pass that a call has taken: the very call, seen by several processes; or a later one where
 * that call was never run, as when the person said no to it, so that it has changed nothing.
 */
function isOwnPass(taken: JsonObject, event: Event, ctx: Context): boolean {
  if ('call' in event && event.call.callId === taken['by']) return true;
  const isOver =
    (event.promptId !== undefined && event.promptId !== taken['prompt']) ||
    ctx.now / 1000 - countIn(taken, 'at') > LONGEST_CALL_SECONDS;
  return isOver && taken['refs'] === refsStamp(ctx);
}

/** Another one as soon as there is a commit that no branch had before, or a remote branch is moved. */
export function refsStamp(ctx: Context): string {
  const { head = '', heads = {}, remotes = {} } = ctx.refs() ?? {};
  const commits = [...new Set([head, ...Object.values(heads)])].sort();
  return digest(`${commits.join()} ${Object.values(remotes).sort().join()}`);
}

/** What may satisfy a requirement depends on its scope; a satisfaction at the root counts for every session. */
export function satisfiedIn(
  requirement: states.Satisfiable,
  onBranch: Json | undefined,
  inProject: Json | undefined,
  from: Pick<View, 'session' | 'branch' | 'now' | 'metrics'> & {
    readonly isSigned: states.IsSigned;
    readonly mayUse?: states.MayUse;
  },
): boolean {
  const { name, scope } = requirement;
  const { session, branch, now, mayUse, isSigned, metrics } = from;
  const entry = states.entryIn(onBranch, name);
  const forAll = states.genuine(requirement, branch, entry, isSigned);
  const recorded = states.genuine(requirement, session, states.sessionIn(entry, session), isSigned);
  const own = asTaken(recorded, name, branch, metrics);
  switch (scope) {
    case 'session':
    case 'single_use':
      return states.isSatisfied(forAll, now) || states.isSatisfied(own, now, mayUse);
    case 'branch':
      return states.isSatisfied(forAll, now);
    case 'permanent': {
      const holders = [states.entryIn(inProject, name), entry];
      return holders.some(
        (holder) => states.genuine(requirement, states.EVERYBODY, holder, isSigned)['satisfied'] === true,
      );
    }
  }
}

/** What a session has recorded on another branch for a requirement that follows it; its counts name the branch. */
export function recordedElsewhere(
  requirement: states.Satisfiable,
  from: Pick<View, 'branch' | 'sessionId' | 'key' | 'metrics'>,
  read: (ref: DocumentRef) => Document,
  isSigned: states.IsSigned,
): JsonObject {
  const branch = satisfiedOn(requirement, from.metrics);
  if (branch === undefined || branch === from.branch) return {};
  const state = states.migrateKeys(presentValue(read(branchFile(branch, read))));
  const session = states.sessionKeyIn(state, from.sessionId, from.key);
  const { name } = requirement;
  const own = states.sessionIn(states.entryIn(state, name), session);
  return asTaken(states.genuine(requirement, session, own, isSigned), name, branch, from.metrics);
}

/** A session's pass that is put back into the state after a call has taken it stays taken: its counts know of it. */
function asTaken(own: JsonObject, name: string, branch: string, metrics: Json | undefined): JsonObject {
  const taken = takenIn(metrics, name)[branch];
  const isLater = isJsonObject(taken) && countIn(taken, 'at') >= countIn(own, 'satisfied_at');
  return isLater ? { taken, ...own } : own;
}

/** By branch, what is known of the call that took a requirement's pass last. */
export function takenIn(metrics: Json | undefined, name: string): JsonObject {
  return objectIn(objectIn(objectIn(metrics, 'requirements'), name), 'taken');
}

/** The counts with another call that has taken the passes of a branch; nothing where they were given back or given anew. */
export function noteTaken(
  metrics: JsonObject,
  names: readonly string[],
  branch: string,
  change: (taken: JsonObject, name: string) => JsonObject | undefined,
): JsonObject {
  const requirements = countedFor(metrics, names, (_before, name) => {
    const { [branch]: known, ...others } = takenIn(metrics, name);
    const taken = change(isJsonObject(known) ? known : {}, name);
    const kept = Object.entries(others).slice(1 - MOST_BRANCHES);
    return { taken: { ...Object.fromEntries(kept), ...(taken && { [branch]: taken }) } };
  });
  return { ...metrics, requirements };
}

/** The branch on which a session last satisfied a requirement that follows it. */
export function satisfiedOn(
  requirement: Pick<Requirement, 'name' | 'scope' | 'perBranch'>,
  metrics: Json | undefined,
): string | undefined {
  if (!states.followsSession(requirement)) return undefined;
  return textIn(objectIn(objectIn(metrics, 'requirements'), requirement.name), SATISFIED_ON);
}

function unreadableFile(document: Document, path: string): string[] {
  if (document.kind === 'unreadable') return [`${document.file} ${document.why}`];
  const broken = document.kind === 'present' && !isJsonObject(document.value);
  return broken ? [`${path} in the git directory is not a JSON object`] : [];
}

/** The view of the current branch first, then those of the others that the session was seen on. */
export function viewsOf(view: View): View[] {
  const others = branchesIn(view.metrics).filter((branch) => branch !== view.branch);
  return [view, ...others.map((branch) => viewOf(view.event, view.config, view.ctx, branch))];
}

export function changeState(
  { ctx, file }: View,
  what: string,
  apply: Change['apply'],
  orElse?: string,
): void {
  ctx.change({ document: file, what, apply, ...(orElse !== undefined && { orElse }) });
}

/* The counts of a session. */

const MOST_FILES = 50;
const MOST_COMMANDS = 30;
const MOST_SKILLS = 50;
const MOST_BRANCHES = 20;
const LONGEST = 200;
const LONGEST_PATH = 1024;

/** Changes the session's counts. They are begun if there are none. */
export function changeMetrics(view: View, change: (metrics: JsonObject) => JsonObject): void {
  const apply = (current: Json | undefined): Json => change(openMetrics(current, view));
  view.ctx.change({ document: metricsFile(view.key), what: 'session counts', apply });
}

/** The counts of a session with the branch it is on now. */
export function openMetrics(
  current: Json | undefined,
  { key, sessionId, project, branch, now }: Pick<View, 'key' | 'sessionId' | 'project' | 'branch' | 'now'>,
): JsonObject {
  return {
    version: '1.0',
    session_id: key,
    [FULL_ID]: sessionId.slice(0, LONGEST),
    project_dir: project,
    started_at: now,
    compaction_count: 0,
    tools: {},
    requirements: {},
    errors: [],
    skills: [],
    ...(isJsonObject(current) && current),
    branch,
    branches: branchesWith(current, branch),
  };
}

/** The branches that a session was seen on, with one more. */
export function branchesWith(metrics: Json | undefined, branch: string): readonly string[] {
  return withLast(branchesIn(metrics), branch, MOST_BRANCHES);
}

/** A list with one more at its end, unless it is in it, and the oldest ones dropped. */
function withLast(list: readonly string[], one: string, most: number): readonly string[] {
  return list.includes(one) ? list : [...list, one].slice(-most);
}

export interface ToolUse {
  readonly tool: string;
  readonly blocked: boolean;
  readonly file?: string | undefined;
  readonly command?: string | undefined;
}

/** The parts of the counts that a call changes: its tool, and the requirements that it triggered or was held by. */
export function countCall(metrics: JsonObject, use: ToolUse, names: readonly string[], now: number) {
  const { blocked, file, command } = use;
  const tool = use.tool.slice(0, LONGEST);
  const before = objectIn(objectIn(metrics, 'tools'), tool);
  const files = textsIn(before, 'files');
  const commands = textsIn(before, 'commands');
  const blockedCount = (one: JsonObject): number => countIn(one, 'blocked_count') + (blocked ? 1 : 0);
  const after = {
    ...before,
    count: countIn(before, 'count') + 1,
    blocked_count: blockedCount(before),
    files: file === undefined ? files : withLast(files, file.slice(0, LONGEST_PATH), MOST_FILES),
    commands:
      command === undefined ? commands : [...commands, command.slice(0, LONGEST)].slice(-MOST_COMMANDS),
  };
  return {
    tools: { ...objectIn(metrics, 'tools'), [tool]: after },
    requirements: countedFor(metrics, names, (one) => {
      return { triggered_at: one['triggered_at'] ?? now, blocked_count: blockedCount(one) };
    }),
  };
}

/** The counts of all requirements, with what changes in those of these names. */
function countedFor(
  metrics: JsonObject,
  names: readonly string[],
  change: (before: JsonObject, name: string) => JsonObject,
): JsonObject {
  const requirements = objectIn(metrics, 'requirements');
  const changed = names.map((name) => {
    const before = objectIn(requirements, name);
    return [name, { ...before, ...change(before, name) }] as const;
  });
  return { ...requirements, ...Object.fromEntries(changed) };
}

/** The counts with a skill that was run and the requirements that it satisfied. */
export function noteSkill(
  metrics: JsonObject,
  skill: string,
  names: readonly string[],
  { branch, now }: Pick<View, 'branch' | 'now'>,
) {
  const listed = Array.isArray(metrics['skills']) ? metrics['skills'] : [];
  return {
    ...noteSatisfied(metrics, names, `skill:${skill}`, branch, now),
    skills: [...listed, { name: skill.slice(0, LONGEST), timestamp: now }].slice(-MOST_SKILLS),
  };
}

const SATISFIED_ON = 'satisfied_on';

/** What was satisfied, how, on which branch, and how long after it was first asked for. */
export function noteSatisfied(
  metrics: JsonObject,
  names: readonly string[],
  by: string,
  branch: string,
  now: number,
) {
  const anew = names.filter((name) => Object.hasOwn(takenIn(metrics, name), branch));
  const counts = noteTaken(metrics, anew, branch, () => undefined);
  const requirements = countedFor(counts, names, (before) => {
    const since = countIn(before, 'triggered_at');
    const took = since > 0 ? { time_to_satisfy_seconds: Math.max(0, now - since) } : {};
    return { satisfied_at: now, satisfied_by: by, [SATISFIED_ON]: branch, ...took };
  });
  return { ...metrics, requirements };
}

/** What a subagent does counts for its parent, which lists its subagents. */
export function agentsWith(metrics: JsonObject, { agent }: Event): JsonObject {
  const agents = textsIn(metrics, 'agents');
  const id = agent?.id.slice(0, LONGEST);
  return id === undefined || agents.includes(id) ? {} : { agents: withLast(agents, id, MOST_SKILLS) };
}

export function closeMetrics(metrics: JsonObject, now: number): JsonObject {
  const started = countIn(metrics, 'started_at');
  return { ...metrics, ended_at: now, duration_seconds: started > 0 ? Math.max(0, now - started) : 0 };
}

export function toolUses(metrics: Json | undefined): number {
  const tools = Object.values(objectIn(metrics, 'tools'));
  return tools.reduce<number>((sum, tool) => sum + countIn(tool, 'count'), 0);
}

export function branchesIn(metrics: Json | undefined): readonly string[] {
  return textsIn(metrics, 'branches');
}

export const CALLS_KEPT = 20;
export const LONGEST_CALL_ID = 64;
const MOST_NAMED = 5;

/** The counts with the branch on which a pass has let a call through: a command may end on another one. */
export function noteBranch(metrics: JsonObject, callId: string | undefined, branch: string): JsonObject {
  if (callId === undefined) return metrics;
  const kept = Object.entries(objectIn(metrics, 'call_branches')).slice(1 - CALLS_KEPT);
  const id = callId.slice(0, LONGEST_CALL_ID);
  return { ...metrics, call_branches: { ...Object.fromEntries(kept), [id]: branch } };
}

/**
 * The branches on which a call that succeeded uses up its pass: the one it was judged on, those that its
 * command goes to, and where the first is not known, the last one the session was seen on and the current one.
 */
export function passBranches(
  { call }: EventOf<'tool.after'>,
  { metrics, branch }: Pick<View, 'metrics' | 'branch'>,
  commandLines: readonly (readonly string[])[],
): string[] {
  const judged = objectIn(metrics, 'call_branches')[call.callId?.slice(0, LONGEST_CALL_ID) ?? ''];
  const last = textIn(metrics, 'branch') ?? branch;
  const begun = typeof judged === 'string' ? [judged] : [last, branch];
  // Where `git checkout` and `git switch` may lead; a word that is no branch has no pass either.
  const named = commandLines
    .filter(([program, verb]) => program === 'git' && (verb === 'checkout' || verb === 'switch'))
    .flatMap((words) => words.slice(2).filter((word) => word !== '' && !word.startsWith('-')));
  return [...new Set([...begun, ...named.slice(0, MOST_NAMED)])];
}
