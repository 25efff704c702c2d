import type { EventOf } from '../../core/event';
import { branchLabel, type GitHead } from '../../core/git-head';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { numberIn, objectIn, type StateOwner, textsIn } from './state';

/** Whose counts these are, and when. */
export interface MetricsOwner extends Pick<StateOwner, 'project' | 'branch' | 'now'> {
  readonly session: string;
  readonly fullId: string;
}

/** A tool call as it is counted. */
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

/** The counts of a session, begun if there are none, with the branch it is on now. */
export function openMetrics(current: Json | undefined, owner: MetricsOwner): JsonObject {
  const known = isJsonObject(current) ? current : {};
  const branches = textsIn(known['branches']);
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
    branches: branches.includes(owner.branch) ? branches : [...branches, owner.branch].slice(-MOST_BRANCHES),
  };
}

/** The parts of the counts that a call changes: its tool, and the requirements that it triggered or was held by. */
export function countCall(
  metrics: JsonObject,
  use: ToolUse,
  names: readonly string[],
  now: number,
): { readonly tools: JsonObject; readonly requirements: JsonObject } {
  const requirements = objectIn(metrics, 'requirements');
  const counted = names.map((name) => {
    const before = objectIn(requirements, name);
    const triggeredAt = before['triggered_at'] ?? now;
    return [
      name,
      { ...before, triggered_at: triggeredAt, blocked_count: blockedCount(before, use) },
    ] as const;
  });
  return {
    tools: countTool(objectIn(metrics, 'tools'), use),
    requirements: { ...requirements, ...Object.fromEntries(counted) },
  };
}

function blockedCount(before: JsonObject, { blocked }: ToolUse): number {
  return numberIn(before, 'blocked_count') + (blocked ? 1 : 0);
}

function countTool(tools: JsonObject, use: ToolUse): JsonObject {
  const tool = use.tool.slice(0, LONGEST);
  const before = objectIn(tools, tool);
  const file = use.file?.slice(0, LONGEST_PATH);
  const files = textsIn(before['files']);
  const commands = textsIn(before['commands']);
  const command = use.command?.slice(0, LONGEST);
  const after = {
    ...before,
    count: numberIn(before, 'count') + 1,
    blocked_count: blockedCount(before, use),
    files: file === undefined || files.includes(file) ? files : [...files, file].slice(-MOST_FILES),
    commands: command === undefined ? commands : [...commands, command].slice(-MOST_COMMANDS),
  };
  return { ...tools, [tool]: after };
}

/** The counts with a skill that was run and the requirements that it satisfied. */
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

/** What a subagent does counts for its parent, which lists its subagents. Nothing where it is listed already. */
export function agentsWith(
  metrics: JsonObject,
  agent: { readonly id: string } | undefined,
): { readonly agents: readonly string[] } | undefined {
  if (agent === undefined) return undefined;
  const known = textsIn(metrics['agents']);
  const id = agent.id.slice(0, LONGEST);
  return known.includes(id) ? undefined : { agents: [...known, id].slice(-MOST_SKILLS) };
}

/** The counts of a session that ends. */
export function closeMetrics(metrics: JsonObject, now: number): JsonObject {
  const started = numberIn(metrics, 'started_at');
  return { ...metrics, ended_at: now, duration_seconds: started > 0 ? Math.max(0, now - started) : 0 };
}

/** How many tools a session has used. */
export function toolUses(metrics: Json | undefined): number {
  const tools = Object.values(objectIn(metrics, 'tools'));
  return tools.reduce<number>((sum, tool) => sum + numberIn(tool, 'count'), 0);
}

/** The branches on which a session was seen at work. */
export function branchesIn(metrics: Json | undefined): readonly string[] {
  return isJsonObject(metrics) ? textsIn(metrics['branches']) : [];
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
 * The branches on which a call that succeeded uses up its pass: the one it was judged on, those that its
 * command goes to, and where the first is not known, the last one the session was seen on and the current one.
 */
export function passBranches(
  { call }: EventOf<'tool.after'>,
  metrics: Json | undefined,
  git: GitHead | undefined,
  commandLines: readonly (readonly string[])[],
): string[] {
  const judged = objectIn(metrics, 'call_branches')[call.callId?.slice(0, LONGEST_ID) ?? ''];
  const last = isJsonObject(metrics) ? textsIn([metrics['branch'] ?? null]) : [];
  const begun = typeof judged === 'string' ? [judged] : [...last, branchLabel(git)];
  // Where `git checkout` and `git switch` may lead; a word that is no branch has no pass either.
  const named = commandLines
    .filter(([program, verb]) => program === 'git' && (verb === 'checkout' || verb === 'switch'))
    .flatMap((words) => words.slice(2).filter((word) => word !== '' && !word.startsWith('-')));
  return [...new Set([...begun, ...named.slice(0, MOST_NAMED)])];
}
