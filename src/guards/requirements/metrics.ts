import type { Event } from '../../core/event';
import { branchLabel, type GitHead } from '../../core/git-head';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';

/** Whose counts these are, and when. */
export interface MetricsOwner {
  readonly session: string;
  readonly fullId: string;
  readonly project: string;
  readonly branch: string;
  /** Seconds since the epoch. */
  readonly now: number;
}

export interface ToolUse {
  readonly tool: string;
  readonly blocked: boolean;
  readonly file?: string | undefined;
  readonly command?: string | undefined;
}

const MOST_FILES = 50;
const MOST_COMMANDS = 30;
const MOST_SKILLS = 50;
const MOST_BRANCHES = 20;
const LONGEST = 200;
const LONGEST_PATH = 1024;

/** What counts begin with, in this order. */
const OPENING =
  'version,session_id,full_session_id,project_dir,started_at,compaction_count,tools,requirements,errors,skills';
const OPENING_KEYS = 10;

/** The counts of a session, begun if there are none, with the branch it is on now. */
export function openMetrics(current: Json | undefined, owner: MetricsOwner): JsonObject {
  const known = isJsonObject(current) ? current : {};
  const branches = textsIn(known['branches']);
  const isKnown = branches.includes(owner.branch);
  if (isKnown && isOpen(known, branches, owner)) return known;
  return {
    version: '1.0',
    session_id: owner.session,
    full_session_id: owner.fullId.slice(0, LONGEST),
    project_dir: owner.project,
    started_at: owner.now,
    compaction_count: 0,
    tools: {},
    requirements: {},
    errors: [],
    skills: [],
    ...known,
    branch: owner.branch,
    branches: isKnown ? branches : [...branches, owner.branch].slice(-MOST_BRANCHES),
  };
}

/** Whether opening the counts would change nothing, as at every call but the first on a branch. */
function isOpen(known: JsonObject, branches: readonly string[], { branch }: MetricsOwner): boolean {
  const { branch: last, branches: listed } = known as Partial<Record<string, Json>>;
  const isSame = last === branch && Array.isArray(listed) && listed.length === branches.length;
  return isSame && Object.keys(known).slice(0, OPENING_KEYS).join() === OPENING;
}

/** The parts of the counts that a call changes: its tool, and the requirements that it set off or was held by. */
export function countCall(
  metrics: JsonObject,
  use: ToolUse,
  names: readonly string[],
  now: number,
): { readonly tools: JsonObject; readonly requirements: JsonObject } {
  const requirements = objectIn(metrics, 'requirements');
  const counted = names.map(
    (name) => [name, countRequirement(requirements, name, use.blocked, now)] as const,
  );
  return {
    tools: countTool(objectIn(metrics, 'tools'), use),
    requirements: { ...requirements, ...Object.fromEntries(counted) },
  };
}

/** An object that is filled in and then left as it is. To set what is there already is cheaper than to write it anew. */
type Filling = { [key: string]: Json };

function countTool(tools: JsonObject, use: ToolUse): JsonObject {
  const tool = use.tool.slice(0, LONGEST);
  const before = objectIn(tools, tool);
  const file = use.file?.slice(0, LONGEST_PATH);
  const files = textsIn(before['files']);
  const commands = textsIn(before['commands']);
  const after = { ...before } as Filling;
  after['count'] = numberIn(before, 'count') + 1;
  after['blocked_count'] = numberIn(before, 'blocked_count') + (use.blocked ? 1 : 0);
  after['files'] = file === undefined || files.includes(file) ? files : [...files, file].slice(-MOST_FILES);
  after['commands'] =
    use.command === undefined ? commands : [...commands, use.command.slice(0, LONGEST)].slice(-MOST_COMMANDS);
  return { ...tools, [tool]: after };
}

function countRequirement(requirements: JsonObject, name: string, blocked: boolean, now: number): JsonObject {
  const before = objectIn(requirements, name);
  const after = { ...before } as Filling;
  after['triggered_at'] ??= now;
  after['blocked_count'] = numberIn(before, 'blocked_count') + (blocked ? 1 : 0);
  return after;
}

export function noteSkill(
  metrics: JsonObject,
  skill: string,
  names: readonly string[],
  now: number,
): JsonObject {
  const listed = Array.isArray(metrics['skills']) ? metrics['skills'] : [];
  return {
    ...noteSatisfied(metrics, names, `skill:${skill}`, now),
    skills: [...listed, { name: skill.slice(0, LONGEST), timestamp: now }].slice(-MOST_SKILLS),
  };
}

/** What was satisfied, how, and how long after it was first asked for. */
export function noteSatisfied(
  metrics: JsonObject,
  names: readonly string[],
  by: string,
  now: number,
): JsonObject {
  const requirements = objectIn(metrics, 'requirements');
  const satisfied = names.map((name) => {
    const before = objectIn(requirements, name);
    const since = numberIn(before, 'triggered_at');
    const took = since > 0 ? { time_to_satisfy_seconds: Math.max(0, now - since) } : {};
    return [name, { ...before, satisfied_at: now, satisfied_by: by, ...took }] as const;
  });
  return { ...metrics, requirements: { ...requirements, ...Object.fromEntries(satisfied) } };
}

/** Subagents work for their parent: what they did counts for it, and they are named. Nothing where they are already. */
export function agentsWith(
  metrics: JsonObject,
  agent: { readonly id: string } | undefined,
): { readonly agents: readonly string[] } | undefined {
  if (agent === undefined) return undefined;
  const known = textsIn(metrics['agents']);
  const id = agent.id.slice(0, LONGEST);
  return known.includes(id) ? undefined : { agents: [...known, id].slice(-MOST_SKILLS) };
}

export function closeMetrics(metrics: JsonObject, now: number): JsonObject {
  const started = numberIn(metrics, 'started_at');
  return { ...metrics, ended_at: now, duration_seconds: started > 0 ? Math.max(0, now - started) : 0 };
}

/** How many tools a session has used. */
export function toolUses(metrics: Json | undefined): number {
  const tools = isJsonObject(metrics) ? objectIn(metrics, 'tools') : {};
  return Object.values(tools).reduce<number>(
    (sum, tool) => sum + (isJsonObject(tool) ? numberIn(tool, 'count') : 0),
    0,
  );
}

/** The branches on which a session was seen at work. */
export function branchesIn(metrics: Json | undefined): readonly string[] {
  return isJsonObject(metrics) ? textsIn(metrics['branches']) : [];
}

export function objectIn(holder: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
  return isJsonObject(value) ? value : {};
}

export function numberIn(holder: JsonObject, key: string): number {
  const value = holder[key];
  return typeof value === 'number' ? value : 0;
}

export function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

const CALLS_KEPT = 20;
const MOST_NAMED = 5;
const LONGEST_ID = 64;

/** The counts with the branch on which a pass has let a call through: a command may end on another one. */
export function noteBranch(metrics: JsonObject, callId: string | undefined, branch: string): JsonObject {
  if (callId === undefined) return metrics;
  const kept = Object.entries(objectIn(metrics, 'call_branches')).slice(1 - CALLS_KEPT);
  return {
    ...metrics,
    call_branches: { ...Object.fromEntries(kept), [callId.slice(0, LONGEST_ID)]: branch },
  };
}

/**
 * The branches on which a call that went well uses up its pass: the one it was judged on, those that its
 * command goes to, and where the first is not known, the last one the session was seen on and that of now.
 */
export function passBranches(
  event: Extract<Event, { kind: 'tool.after' }>,
  metrics: Json | undefined,
  git: GitHead | undefined,
  commandLines: readonly (readonly string[])[],
): string[] {
  const counts = isJsonObject(metrics) ? metrics : {};
  const judged = objectIn(counts, 'call_branches')[event.call.callId?.slice(0, LONGEST_ID) ?? ''];
  const last = typeof counts['branch'] === 'string' ? [counts['branch']] : [];
  const begun = typeof judged === 'string' ? [judged] : [...last, branchLabel(git)];
  return [...new Set([...begun, ...namedBranches(commandLines)])];
}

/** Where `git checkout` and `git switch` of the line may lead; a word that is no branch has no pass either. */
function namedBranches(lines: readonly (readonly string[])[]): string[] {
  return lines
    .filter(([program, verb]) => program === 'git' && (verb === 'checkout' || verb === 'switch'))
    .flatMap((words) => words.slice(2).filter((word) => word !== '' && !word.startsWith('-')))
    .slice(0, MOST_NAMED);
}
