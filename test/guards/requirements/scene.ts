import { type Change, type Document, type DocumentRef, documentKey } from '../../../src/core/document';
import type { Envelope, Event, EventOf, StartSource, ToolOutcome } from '../../../src/core/event';
import type { HeadPosition } from '../../../src/core/git-head';
import type { Json, JsonObject } from '../../../src/core/json';
import type { Step } from '../../../src/core/old-guard';
import type { LiveSession, Snapshot } from '../../../src/core/snapshot';
import type { ToolCall } from '../../../src/core/tool-call';
import type { Verdict } from '../../../src/core/verdict';
import type {
  BlockingRequirement,
  ConditionRequirement,
  DynamicRequirement,
  Requirement,
  RequirementsConfig,
} from '../../../src/guards/requirements/config';
import { decide } from '../../../src/guards/workflow/decide';

export const ROOT = '/work-tree';
export const HOME = '/home/someone';
export const SESSION_ID = 'cad0ac4d-3933-45ad-9a1c-14aec05bb940';
export const SESSION = 'cad0ac4d';
export const METRICS = `requirements/sessions/${SESSION}.json`;
export const FILE = 'requirements/feature-auth.json';
/** Milliseconds and seconds of the moment at which everything here happens. */
export const NOW_MS = 1_700_000_000_500;
export const NOW = 1_700_000_000;

export function blocking(name: string, over: Partial<BlockingRequirement> = {}): BlockingRequirement {
  return {
    type: 'blocking',
    name,
    place: `.holdpoint/config.yaml:2:3`,
    scope: 'session',
    triggers: [
      { kind: 'tool', tool: 'Edit' },
      { kind: 'tool', tool: 'Write' },
    ],
    paths: [],
    excludePaths: [],
    stopOnly: false,
    agentMaySatisfy: true,
    ...over,
  };
}

export function protectedBranch(
  branches: readonly string[],
  over: Partial<BlockingRequirement> = {},
): ConditionRequirement {
  return {
    ...blocking('protected', over),
    type: 'condition',
    condition: 'protected_branch',
    branches,
  };
}

export function singleSession(over: Partial<BlockingRequirement> = {}): ConditionRequirement {
  return { ...blocking('alone', over), type: 'condition', condition: 'single_session' };
}

export function dynamic(name: string, over: Partial<DynamicRequirement> = {}): DynamicRequirement {
  return {
    ...blocking(name),
    type: 'dynamic',
    calculator: 'branch_size',
    block: 10,
    cacheTtl: 60,
    approvalTtl: 300,
    ...over,
  };
}

export function configOf(
  requirements: readonly Requirement[],
  over: Partial<RequirementsConfig> = {},
): RequirementsConfig {
  return {
    enabled: true,
    reach: 'project',
    requirements,
    stop: { verify: true, scopes: ['session'] },
    briefing: { inject: true, format: 'compact' },
    carryOver: { sources: ['clear'], windowSeconds: 300, scopes: ['session'] },
    clearSessionState: false,
    denyDangerous: true,
    review: { onStop: false, minToolUses: 5 },
    thinkFirst: { onPlan: false, onPrompt: false },
    skills: {},
    ...over,
  };
}

const ENVELOPE: Envelope = {
  v: 1,
  host: 'claude-code',
  hostEvent: '',
  raw: {},
  sessionId: SESSION_ID,
  cwd: ROOT,
  roots: [],
  at: NOW_MS,
};

/** An edit of a source file, unless said otherwise. */
export function call(over: Partial<ToolCall> = {}): ToolCall {
  return { nativeName: 'Edit', names: ['Edit'], op: 'edit', input: {}, paths: [`${ROOT}/src/a.ts`], ...over };
}

export function writing(path: string): ToolCall {
  return call({ nativeName: 'Write', names: ['Write'], op: 'write', paths: [path] });
}

export function bash(command: string): ToolCall {
  return call({ nativeName: 'Bash', names: ['Bash'], op: 'shell', paths: [], command });
}

export function before(made: ToolCall = call(), sessionId = SESSION_ID): EventOf<'tool.before'> {
  return { ...ENVELOPE, kind: 'tool.before', hostEvent: 'PreToolUse', sessionId, call: made };
}

export function after(made: ToolCall, outcome: ToolOutcome = 'success'): EventOf<'tool.after'> {
  return {
    ...ENVELOPE,
    kind: 'tool.after',
    hostEvent: 'PostToolUse',
    call: made,
    outcome,
    response: { raw: {} },
  };
}

export function stop(): EventOf<'turn.stop'> {
  return {
    ...ENVELOPE,
    kind: 'turn.stop',
    hostEvent: 'Stop',
    continuing: false,
    status: 'completed',
    backgroundTasks: [],
    crons: [],
  };
}

export function start(source: StartSource = 'startup'): EventOf<'session.start'> {
  return { ...ENVELOPE, kind: 'session.start', hostEvent: 'SessionStart', source };
}

export function end(): EventOf<'session.end'> {
  return { ...ENVELOPE, kind: 'session.end', hostEvent: 'SessionEnd', reason: 'clear' };
}

export function compaction(): EventOf<'compact.before'> {
  return { ...ENVELOPE, kind: 'compact.before', hostEvent: 'PreCompact', trigger: 'auto' };
}

export function prompt(text: string): EventOf<'prompt.submit'> {
  return { ...ENVELOPE, kind: 'prompt.submit', hostEvent: 'UserPromptSubmit', text, origin: 'human' };
}

export function expansion(name: string): EventOf<'prompt.expand'> {
  return {
    ...ENVELOPE,
    kind: 'prompt.expand',
    hostEvent: 'UserPromptExpansion',
    name,
    args: '',
    source: 'plugin',
  };
}

export function permission(command: string): EventOf<'permission.request'> {
  return {
    ...ENVELOPE,
    kind: 'permission.request',
    hostEvent: 'PermissionRequest',
    call: bash(command),
    suggestions: [],
  };
}

/** A skill that the agent has called. */
export function skillUse(skill: string, outcome: ToolOutcome = 'success'): EventOf<'tool.after'> {
  return after(call({ nativeName: 'Skill', names: ['Skill'], op: 'skill', paths: [], skill }), outcome);
}

export interface World {
  /** Documents of the git directory by path: their content, or a document that could not be read. */
  readonly files?: Readonly<Record<string, Json | { readonly broken: string }>>;
  readonly branch?: string;
  readonly position?: HeadPosition;
  readonly sessions?: readonly Partial<LiveSession>[];
  readonly heldBefore?: number;
  /** The session's counts. */
  readonly metrics?: JsonObject;
  /** Values that were computed before. */
  readonly values?: JsonObject;
  readonly paused?: boolean;
  readonly commandLines?: readonly (readonly string[])[];
}

export function snapshotOf(world: World = {}): Snapshot {
  const gitDir = `${ROOT}/.git`;
  const position = world.position ?? { kind: 'branch', branch: world.branch ?? 'feature/auth' };
  return {
    now: NOW_MS,
    projectRoot: ROOT,
    home: HOME,
    git: { root: ROOT, gitDir, commonDir: gitDir, position },
    env: {},
    documents: documentsOf(world),
    files: new Map(),
    sessions: (world.sessions ?? []).map((one) => ({
      id: 'other',
      projectDir: ROOT,
      branch: 'feature/auth',
      startedAt: NOW,
      lastActive: NOW,
      alive: true,
      ...one,
    })),
    hostProcess: { pid: 0 },
    pid: 1,
    refusedStops: { byGuard: { requirements: world.heldBefore ?? 0 }, inRow: world.heldBefore ?? 0 },
    stopLimit: 7,
    ...(world.commandLines && { commandLines: world.commandLines }),
  };
}

function documentsOf({ files = {}, metrics, values, paused = false }: World): Map<string, Document> {
  const documents = Object.entries(files).map(([path, value]) => [`git:${path}`, found(value)] as const);
  return new Map<string, Document>([
    ...documents,
    ...(metrics ? [[`git:${METRICS}`, found(metrics)] as const] : []),
    ...(values ? [['own:values.json', found(values)] as const] : []),
    ...(paused ? [[`git:requirements/sessions/${SESSION}.paused`, found({ reason: null })] as const] : []),
  ]);
}

function found(value: Json | { readonly broken: string }): Document {
  if (typeof value === 'object' && value !== null && 'broken' in value && typeof value.broken === 'string') {
    return { kind: 'unreadable', file: value.broken, why: 'is not JSON' };
  }
  return { kind: 'present', value: value as Json, version: '1' };
}

/** A branch's state file in which the given requirements have the given entries. */
export function state(
  requirements: Readonly<Record<string, JsonObject>>,
  branch = 'feature/auth',
): JsonObject {
  return { version: '1.0', branch, project: ROOT, requirements: { ...requirements } };
}

/** What was decided; an effect would be a mistake here, unless what it brought is given. */
export function outcomeOf(
  event: Event,
  config: RequirementsConfig,
  snapshot: Snapshot,
  effectResult?: Json,
): Extract<Step, { kind: 'outcome' }> {
  const deliberation = { earlier: [], rules: [], ...(effectResult !== undefined && { effectResult }) };
  const step = decide(event, config, snapshot, deliberation);
  if (step.kind !== 'outcome') throw new Error(`an effect is asked for: ${step.name}`);
  return step;
}

export function reasonOf(verdict: Verdict): string {
  return 'reason' in verdict ? verdict.reason : '';
}

/** The changes to one document, applied to what is there. */
export function applied(changes: readonly Change[], ref: DocumentRef, current?: Json): Json | undefined {
  return changes
    .filter(({ document }) => documentKey(document) === documentKey(ref))
    .reduce<Json | undefined>((value, change) => change.apply(value), current);
}

/** The documents that these changes are about. */
export function changedPaths(changes: readonly Change[]): string[] {
  return changes.map(({ document }) => document.path);
}

export function fileRef(path: string): DocumentRef {
  return { base: 'git', path, format: 'json', keeping: 'durable' };
}
