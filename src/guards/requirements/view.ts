import { type Effect, type Mode, mayHaveEffect } from '../../core/effect-kinds';
import type { Event, EventOf } from '../../core/event';
import type { Context } from '../../core/guard';
import {
  countIn,
  isJsonObject,
  type Json,
  type JsonObject,
  listIn,
  objectIn,
  textIn,
  textsIn,
} from '../../core/json';
import { type CallEffects, fileToolEffects } from '../../core/project-paths';
import { digest, ownJson, sha256Hex } from '../../core/text';
import { branchLabel } from '../../git/head';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { stateDirectoryOf } from '../../state/hub';
import { FULL_ID, metricsFile, sessionFileKey } from '../../state/sessions';
import type { Requirement, RequirementsConfig } from './section';
import * as states from './state';

function gitFile(path: string): DocumentRef {
  return { base: 'git', path: `requirements/${path}`, format: 'json', durability: 'durable' };
}

const PROJECT_SLUG = '_project';

/** Requirements that are satisfied for the whole project. */
export const PROJECT_FILE = gitFile(`${PROJECT_SLUG}.json`);

/** Cache of values that a process had to compute. */
export const VALUES_FILE = ownJson('values.json', 'bookkeeping');

/** Open approval requests and rejections, the clients of sessions, and used hub approvals. */
export const APPROVALS = ownJson('approvals.json', 'durable');

const LONGEST_SLUG = 120;
/** A file name may have 255 bytes, and the store appends to it for temporary files. */
const LONGEST_BYTES = 180;

/** A branch name as a file name: slashes become `-`, and what is neither letter nor digit becomes `_`. */
export function branchSlug(branch: string): string {
  const dashed = branch.replaceAll('/', '-').replaceAll('\\', '-');
  // Fast path: compiling the Unicode classes below takes a while, and most names do not need them.
  if (/^[\w-]+$/.test(dashed)) return dashed;
  return dashed.normalize('NFC').replace(/[^\p{L}\p{N}_-]/gu, '_');
}

/**
 * The state file of a branch. Two branches may share a slug (`a/b` and `a-b`); the second one gets a file name with a
 * hash of its name.
 */
export function branchFile(branch: string, lookUp: (ref: DocumentRef) => Document | undefined): DocumentRef {
  const slug = branchSlug(branch);
  const plain = gitFile(`${slug}.json`);
  let short = slug.slice(0, LONGEST_SLUG);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  while (short.length > LONGEST_BYTES / 3 && Buffer.byteLength(short) > LONGEST_BYTES)
    short = short.slice(0, -1);
  const isTaken = slug === PROJECT_SLUG || slug !== short || belongsToAnother(lookUp(plain), branch);
  return isTaken ? gitFile(`${short}~${sha256Hex(branch).slice(0, 8)}.json`) : plain;
}

export function presentValue(document: Document): Json | undefined {
  return document.kind === 'present' ? document.value : undefined;
}

function belongsToAnother(document: Document | undefined, branch: string): boolean {
  if (document?.kind !== 'present' || !isJsonObject(document.value)) return false;
  const owner = document.value['branch'];
  return typeof owner === 'string' && owner !== branch;
}

export type View = ReturnType<typeof viewOf>;

/** The requirements as the event's session sees them, on the current branch or another one where it worked. */
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
  const mayUse = (taken: JsonObject): boolean => isOwnPass(taken, event, ctx);
  const { hubKey } = config;
  const isSigned: states.IsSigned = (requirement, holder) => {
    const standpoint = { sessionId: event.sessionId, branch, now, hubKey };
    const place = stateDirectoryOf(ctx.projectRoot, ctx.git);
    return ctx.part('signed').signatureCheck(ctx.document, { ...standpoint, place })(requirement, holder);
  };
  const { sessionId } = event;
  const from: Standpoint = {
    ...{ branch, sessionId, key, session, now, state, metrics, isSigned, mayUse },
    inProject: presentValue(inProject),
    read: ctx.document,
  };
  return {
    ...from,
    event,
    config,
    ctx,
    project: ctx.projectRoot,
    file,
    isSatisfied: (requirement: Requirement): boolean => satisfactionOf(requirement, from) !== undefined,
    /** Whether this machine has joined the hub, and the right one. */
    hub: () => ctx.part('signed').hubStatus(ctx.document, hubKey),
    isTriggered: ({ name, scope }: Requirement): boolean =>
      states.isTriggered(states.entryIn(state, name), scope, session),
    onBranch: (other: string): { readonly isSatisfied: (one: Requirement) => boolean } =>
      viewOf(event, config, ctx, other),
    /** How a person can approve in this session. */
    channel: () =>
      channelOf(event, ctx, Object.hasOwn(clientsIn(presentValue(ctx.document(APPROVALS))), session)),
    /** State files that could not be read; nothing in them counts. */
    unreadable: [...unreadableFile(onBranch, file.path), ...unreadableFile(inProject, PROJECT_FILE.path)],
  };
}

function unreadableFile(document: Document, path: string): string[] {
  if (document.kind === 'unreadable') return [`${document.file} ${document.why}`];
  const broken = document.kind === 'present' && !isJsonObject(document.value);
  return broken ? [`${path} in the git directory is not a JSON object`] : [];
}

/** The view of the current branch, then those of the other branches that the session was seen on. */
export function viewsOf(view: View): View[] {
  const others = branchesIn(view.metrics).filter((branch) => branch !== view.branch);
  return [view, ...others.map((branch) => viewOf(view.event, view.config, view.ctx, branch))];
}

export function changeState(
  { ctx, file }: View,
  what: string,
  apply: Change['apply'],
  holdIfUnwritten?: string,
): void {
  ctx.change({ document: file, what, apply, ...(holdIfUnwritten !== undefined && { holdIfUnwritten }) });
}

/** The client that each session runs in, as its start told. */
export function clientsIn(approvals: Json | undefined): JsonObject {
  return objectIn(approvals, 'clients');
}

/**
 * Claude Code shows the person a dialog, unless it says that nobody attends the session or we do not know the
 * session's client; in other hosts a person needs a terminal. Older clients do not say it, only how they were started.
 */
export function channelOf(
  { host }: Event,
  { env }: Pick<Context, 'env'>,
  isClientKnown: boolean,
): 'question' | 'terminal' | 'nobody' {
  if (host !== 'claude-code') return 'terminal';
  const attended = env('CLAUDE_CODE_SESSION_ATTENDED');
  const isUnattended = attended === '' ? env('CLAUDE_CODE_ENTRYPOINT').startsWith('sdk') : attended === '0';
  if (isUnattended) return 'nobody';
  return isClientKnown ? 'question' : 'terminal';
}

/* What satisfies a requirement. */

/** No host lets a call run for longer. */
const LONGEST_CALL_SECONDS = 600;

/**
 * Whether an event may use a pass that a call has taken: either it is the same call, seen by another of our
 * processes, or that call is over and has changed no ref, for example because the person denied it.
 */
function isOwnPass(taken: JsonObject, event: Event, ctx: Context): boolean {
  if ('call' in event && event.call.callId?.slice(0, LONGEST_CALL_ID) === taken['by']) return true;
  const isOver =
    (event.promptId !== undefined && event.promptId !== taken['prompt']) ||
    ctx.now / 1000 - countIn(taken, 'at') > LONGEST_CALL_SECONDS;
  return isOver && taken['refs'] === refsStamp(ctx);
}

/** A digest that changes as soon as there is a new commit, even one that HEAD has left again, or another ref moves. */
export function refsStamp(ctx: Context): string {
  const { head = '', heads = {}, remotes = {}, others = [] } = ctx.refs() ?? {};
  const commits = [...new Set([head, ...Object.values(heads)])].sort();
  const left = ctx.moves('HEAD').findLast(({ to }) => !commits.includes(to));
  const elsewhere = [...Object.values(remotes), ...others].sort();
  return digest(`${commits.join()} ${elsewhere.join()} ${left?.to} ${left?.at}`);
}

/** For which session, branch and moment satisfactions are looked up. */
interface Standpoint {
  readonly branch: string;
  readonly sessionId: string;
  /** The key of the session's own files. */
  readonly key: string;
  /** The session's key in the branch state, which may be longer than `key`. */
  readonly session: string;
  /** Seconds since the epoch. */
  readonly now: number;
  readonly state: states.State;
  readonly inProject: Json | undefined;
  readonly metrics: Json | undefined;
  readonly isSigned: states.IsSigned;
  readonly mayUse?: states.MayUse;
  readonly read: (ref: DocumentRef) => Document;
}

/** What satisfies a requirement now; what is recorded at the root of an entry counts for every session. */
export function satisfactionOf(requirement: states.Satisfiable, from: Standpoint): JsonObject | undefined {
  const { name, scope, type, approvalTtl } = requirement;
  const { session, branch, state, metrics, isSigned } = from;
  const entry = states.entryIn(state, name);
  const accepted = (whose: string, holder: JsonObject): JsonObject =>
    states.acceptedRecord(requirement, whose, holder, isSigned);
  const own = withPassTaken(accepted(session, states.sessionIn(entry, session)), name, branch, metrics);
  const ofProject = [states.entryIn(from.inProject, name), entry].map((one) =>
    accepted(states.EVERY_SESSION, one),
  );
  const holders = [
    // A value is approved for the session, whatever the scope.
    ...(states.isPerSession(scope) || type === 'dynamic' ? [own] : []),
    ...(scope === 'permanent' ? ofProject : []),
    accepted(branch, entry),
  ];
  // What is permanent ends only if the rule itself says when.
  const hasEnd = scope !== 'permanent' || type === 'dynamic' || approvalTtl !== undefined;
  const isNow = (one: JsonObject): boolean =>
    hasEnd ? states.isSatisfied(one, from.now, from.mayUse) : one['satisfied'] === true;
  // Another branch's file is read only if nothing here satisfies it.
  return holders.find(isNow) ?? [recordedElsewhere(requirement, from)].find(isNow);
}

/** What a session recorded on another branch, which its counts name, for a requirement that follows it. */
export function recordedElsewhere(
  requirement: states.Satisfiable,
  from: Pick<Standpoint, 'branch' | 'sessionId' | 'key' | 'metrics' | 'isSigned' | 'read'>,
): JsonObject {
  const { read, isSigned } = from;
  const branch = branchSatisfiedOn(requirement, from.metrics);
  if (branch === undefined || branch === from.branch) return {};
  const state = states.migrateKeys(presentValue(read(branchFile(branch, read))));
  const session = states.sessionKeyIn(state, from.sessionId, from.key);
  const { name } = requirement;
  const own = states.sessionIn(states.entryIn(state, name), session);
  return withPassTaken(
    states.acceptedRecord(requirement, session, own, isSigned),
    name,
    branch,
    from.metrics,
  );
}

/** A used pass that someone restores in the state file stays taken: the session's counts remember it. */
function withPassTaken(own: JsonObject, name: string, branch: string, metrics: Json | undefined): JsonObject {
  const taken = takenIn(metrics, name)[branch];
  const isLater = isJsonObject(taken) && countIn(taken, 'at') >= countIn(own, 'satisfied_at');
  return isLater ? { taken, ...own } : own;
}

/** By branch, the call that last took a requirement's pass. */
export function takenIn(metrics: Json | undefined, name: string): JsonObject {
  return objectIn(objectIn(objectIn(metrics, 'requirements'), name), 'taken');
}

/** The branch on which the session last satisfied a requirement that follows the session. */
export function branchSatisfiedOn(
  requirement: Pick<Requirement, 'name' | 'scope' | 'perBranch'>,
  metrics: Json | undefined,
): string | undefined {
  if (!states.followsSession(requirement)) return undefined;
  return textIn(objectIn(objectIn(metrics, 'requirements'), requirement.name), SATISFIED_ON);
}

/* Session counts. */

const MOST_FILES = 50;
const MOST_COMMANDS = 30;
const MOST_SKILLS = 50;
const MOST_BRANCHES = 20;
const LONGEST = 200;
const LONGEST_PATH = 1024;
export const CALLS_KEPT = 20;
export const LONGEST_CALL_ID = 64;

/** Changes the session's counts, creating them if there are none. */
export function changeMetrics(view: View, change: (metrics: JsonObject) => JsonObject): void {
  const apply = (current: Json | undefined): Json => change(openMetrics(current, view));
  view.ctx.change({ document: metricsFile(view.key), what: 'session counts', apply });
}

export function countUp(view: View, key: string): void {
  changeMetrics(view, (metrics) => ({ ...metrics, [key]: countIn(metrics, key) + 1 }));
}

/** The session's counts, new ones if there are none, with the current branch. */
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

export function branchesWith(metrics: Json | undefined, branch: string): readonly string[] {
  return withLast(branchesIn(metrics), branch, MOST_BRANCHES);
}

/** Appends an item unless the list has it, and drops the oldest items. */
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

/** The counts of all requirements, with those of `names` changed. */
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

/** Notes in the counts which call took the passes of a branch; `undefined` if they were returned or renewed. */
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

export function noteSkill(
  metrics: JsonObject,
  skill: string,
  names: readonly string[],
  { branch, now }: Pick<View, 'branch' | 'now'>,
) {
  return {
    ...noteSatisfied(metrics, names, `skill:${skill}`, branch, now),
    skills: [...listIn(metrics, 'skills'), { name: skill.slice(0, LONGEST), timestamp: now }].slice(
      -MOST_SKILLS,
    ),
  };
}

const SATISFIED_ON = 'satisfied_on';

/** Notes what was satisfied, how, on which branch, and how long after it was first triggered. */
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

/** A subagent's calls count for its parent, which lists its subagents. */
export function agentsWith(metrics: JsonObject, { agent }: Event): JsonObject {
  const agents = textsIn(metrics, 'agents');
  const id = agent?.id.slice(0, LONGEST);
  return id === undefined || agents.includes(id) ? {} : { agents: withLast(agents, id, MOST_SKILLS) };
}

export function closeMetrics(metrics: JsonObject, now: number): JsonObject {
  const started = countIn(metrics, 'started_at');
  return { ...metrics, ended_at: now, duration_seconds: started > 0 ? Math.max(0, now - started) : 0 };
}

export function branchesIn(metrics: Json | undefined): readonly string[] {
  return textsIn(metrics, 'branches');
}

/* What the rules of a config need. */

/** Whether any rule must be approved by a person. */
export function hasRulesForPeople({
  requirements,
  isApart = false,
}: Pick<RequirementsConfig, 'requirements'> & { readonly isApart?: boolean }): boolean {
  // Warn and shadow rules ask nobody.
  return !isApart && requirements.some(({ agentMaySatisfy }) => !agentMaySatisfy);
}

/** Config that was compiled before modes existed has no mode; such rules hold. */
function modeOf({ mode = 'hold' }: { readonly mode?: Mode }): Mode {
  return mode;
}

/** The config with only the rules of one mode; for warn and shadow also without anything that is not a rule. */
export function rulesInMode(config: RequirementsConfig, mode: Mode): RequirementsConfig {
  const requirements = config.requirements.filter((one) => modeOf(one) === mode);
  if (mode === 'hold') return { ...config, requirements };
  return {
    ...config,
    requirements,
    isApart: true,
    denyDangerous: false,
    thinkFirst: { onPlan: false, onPrompt: false },
  };
}

export function hasMode({ requirements }: RequirementsConfig, mode: Mode): boolean {
  return requirements.some((one) => modeOf(one) === mode);
}

export const TREE_EFFECTS: readonly Effect[] = ['edit', 'delete', 'config'];
export const REF_EFFECTS: readonly Effect[] = ['commit', 'merge', 'push'];

export function hasEffects({ requirements }: RequirementsConfig): boolean {
  return requirements.some(({ effects }) => effects.length > 0);
}

/** The rules that can be checked afterwards, from the work tree and the refs. */
export function rulesJudgedAfter({ requirements }: RequirementsConfig): Requirement[] {
  return requirements.filter(
    ({ type, effects, ...rest }) =>
      effects.some((one) => TREE_EFFECTS.includes(one) || REF_EFFECTS.includes(one)) &&
      (type === 'blocking' || 'branches' in rest),
  );
}

/** Whether what was done is judged by the branch where it was done: it may be satisfied on another one alone. */
export function isJudgedByBranch({ type, scope, perBranch }: Requirement): boolean {
  return type === 'blocking' && (scope === 'branch' || (scope === 'session' && perBranch));
}

export function isJudgedAfter(config: RequirementsConfig): boolean {
  return rulesJudgedAfter(config).length > 0;
}

/** The effects of a call, if any rule asks for effects. */
export function effectsOfCall(
  event: Pick<EventOf<'tool.before'>, 'call'> & Event,
  { config, ctx }: View,
): CallEffects | undefined {
  const wanted = config.requirements.flatMap(({ effects }) => effects);
  if (wanted.length === 0 || !mayHaveEffect(event.call)) return undefined;
  return fileToolEffects(event.call, ctx) ?? ctx.part('effect-rules').callEffects(event, ctx, wanted);
}
