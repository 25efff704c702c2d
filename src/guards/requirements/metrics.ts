import { isJsonObject, type Json, type JsonObject } from '../../domain/json';

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
  readonly file?: string;
  readonly command?: string;
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

export function countTool(metrics: JsonObject, use: ToolUse): JsonObject {
  const tools = objectIn(metrics, 'tools');
  const tool = use.tool.slice(0, LONGEST);
  const before = objectIn(tools, tool);
  const file = use.file?.slice(0, LONGEST_PATH);
  const files = textsIn(before['files']);
  const commands = textsIn(before['commands']);
  const after = {
    ...before,
    count: numberIn(before, 'count') + 1,
    blocked_count: numberIn(before, 'blocked_count') + (use.blocked ? 1 : 0),
    files: file === undefined || files.includes(file) ? files : [...files, file].slice(-MOST_FILES),
    commands:
      use.command === undefined
        ? commands
        : [...commands, use.command.slice(0, LONGEST)].slice(-MOST_COMMANDS),
  };
  return { ...metrics, tools: { ...tools, [tool]: after } };
}

export function countRequirement(
  metrics: JsonObject,
  name: string,
  what: 'triggered' | 'blocked',
  now: number,
): JsonObject {
  const requirements = objectIn(metrics, 'requirements');
  const before = objectIn(requirements, name);
  const after = {
    ...before,
    triggered_at: before['triggered_at'] ?? now,
    blocked_count: numberIn(before, 'blocked_count') + (what === 'blocked' ? 1 : 0),
  };
  return { ...metrics, requirements: { ...requirements, [name]: after } };
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

/** Subagents work for their parent: what they did counts for it, and they are named. */
export function noteAgent(metrics: JsonObject, agent: { readonly id: string } | undefined): JsonObject {
  if (agent === undefined) return metrics;
  const known = textsIn(metrics['agents']);
  if (known.includes(agent.id.slice(0, LONGEST))) return metrics;
  return { ...metrics, agents: [...known, agent.id.slice(0, LONGEST)].slice(-MOST_SKILLS) };
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
