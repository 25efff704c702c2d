import type { Envelope, Event, EventOf, StartSource, ToolCall, ToolOutcome } from '../../../src/core/event';
import type { Failure } from '../../../src/core/failure';
import type { ClientFacts, Context, EffectRequest, LiveSession } from '../../../src/core/guard';
import type { Json, JsonObject } from '../../../src/core/json';
import type { Verdict } from '../../../src/core/verdict';
import type { HeadPosition } from '../../../src/git/head';
import { guard } from '../../../src/guards/requirements';
import type {
  DynamicRequirement,
  Requirement,
  RequirementsConfig,
} from '../../../src/guards/requirements/section';
import { commandLines } from '../../../src/shell';
import { type Change, type Document, documentKey } from '../../../src/state/documents';
import { partsWith } from '../../core/rig';

export const ROOT = '/work-tree';
export const HOME = '/home/someone';
export const SESSION_ID = 'cad0ac4d-3933-45ad-9a1c-14aec05bb940';
export const SESSION = 'cad0ac4d';
export const BRANCH = 'feature/auth';
export const FILE = 'requirements/feature-auth.json';
export const PROJECT = 'requirements/_project.json';
export const METRICS = `requirements/sessions/${SESSION}.json`;
/** Seconds since the epoch, as state files have them. */
export const NOW = 1_700_000_000;

type Blocking = Extract<Requirement, { type: 'blocking' }>;
type Condition = Extract<Requirement, { type: 'condition' }>;

/** A requirement that edits set off. */
export function blocking(name: string, over: Partial<Blocking> = {}): Blocking {
  return {
    type: 'blocking',
    name,
    mode: 'hold',
    place: '.holdpoint/config.yaml:2:3',
    legacy: true,
    scope: 'session',
    perBranch: true,
    triggers: ['Edit', 'Write'].map((tool) => ({ kind: 'tool', tool })),
    effects: [],
    paths: [],
    excludePaths: [],
    message: undefined,
    shortMessage: undefined,
    description: undefined,
    skill: undefined,
    stopOnly: false,
    agentMaySatisfy: true,
    approval: undefined,
    approvalTtl: undefined,
    replanTtl: undefined,
    evidence: undefined,
    ...over,
  };
}

export function protectedBranch(branches: string[], over: Partial<Blocking> = {}): Condition {
  return { ...blocking('protected', over), type: 'condition', condition: 'protected_branch', branches };
}

export function singleSession(over: Partial<Blocking> = {}): Condition {
  return { ...blocking('alone', over), type: 'condition', condition: 'single_session' };
}

/** A requirement that holds from the value 10 on. */
export function dynamic(name: string, over: Partial<DynamicRequirement> = {}): DynamicRequirement {
  const limits = { calculator: 'branch_size', block: 10, warn: undefined, cacheTtl: 60, approvalTtl: 300 };
  return { ...blocking(name), type: 'dynamic', blockingMessage: undefined, ...limits, ...over };
}

type Config = RequirementsConfig;

export function configOf(requirements: Config['requirements'], over: Partial<Config> = {}): Config {
  return {
    enabled: true,
    reach: 'project',
    isSilent: false,
    isApart: false,
    isEmpty: false,
    requirements,
    stop: { verify: true, scopes: ['session'] },
    briefing: { inject: true, format: 'compact', header: undefined },
    carryOver: { sources: ['clear'], windowSeconds: 300, scopes: ['session'] },
    clearSessionState: false,
    denyDangerous: true,
    thinkFirst: { onPlan: false, onPrompt: false },
    skills: {},
    hubKey: undefined,
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
  at: NOW * 1000,
};

/** An edit of a source file, unless said otherwise. */
export function call(over: Partial<ToolCall> = {}): ToolCall {
  return { nativeName: 'Edit', names: ['Edit'], op: 'edit', input: {}, paths: [`${ROOT}/src/a.ts`], ...over };
}

export function named(name: string, over: Partial<ToolCall> = {}): ToolCall {
  return call({ nativeName: name, names: [name], op: 'other', paths: [], ...over });
}

export function bash(command: string): ToolCall {
  return named('Bash', { op: 'shell', command });
}

export function calling(made: ToolCall = call(), sessionId = SESSION_ID): EventOf<'tool.before'> {
  return { ...ENVELOPE, kind: 'tool.before', sessionId, call: made };
}

export function called(made: ToolCall, outcome: ToolOutcome = 'success'): EventOf<'tool.after'> {
  return { ...ENVELOPE, kind: 'tool.after', call: made, outcome, response: { raw: {} } };
}

export function stop(over: Partial<Envelope> = {}): Event {
  const rest = { continuing: false, status: 'completed', backgroundTasks: [], crons: [] } as const;
  return { ...ENVELOPE, kind: 'turn.stop', ...rest, ...over };
}

export function start(source: StartSource = 'startup'): Event {
  return { ...ENVELOPE, kind: 'session.start', source };
}

export function end(): Event {
  return { ...ENVELOPE, kind: 'session.end', reason: 'clear' };
}

export function prompt(text: string): Event {
  return { ...ENVELOPE, kind: 'prompt.submit', text, origin: 'human' };
}

export function permission(command: string): Event {
  return { ...ENVELOPE, kind: 'permission.request', call: bash(command), suggestions: [] };
}

/** A branch's state in which the given requirements have the given entries. */
export function state(requirements: Readonly<Record<string, JsonObject>>, branch = BRANCH): JsonObject {
  return { version: '1.0', branch, project: ROOT, requirements: { ...requirements } };
}

/** What the guard finds, as far as a test says. */
export interface Given {
  /** Documents by path; a text is the name of one that cannot be read. */
  readonly files?: Readonly<Record<string, Json>>;
  readonly branch?: string;
  readonly position?: HeadPosition;
  readonly sessions?: readonly Partial<LiveSession>[];
  readonly heldBefore?: number;
  readonly client?: ClientFacts;
  /** What the effect brings; to ask for one without it is an error. */
  readonly brought?: Json;
  /** Laid over the rest of the context. */
  readonly over?: Partial<Context>;
}

/** What a guard does to the world. */
interface Done {
  readonly changes: Change[];
  readonly troubles: Failure[];
  readonly asked: EffectRequest[];
}

export function contextOf(given: Given = {}, done: Done = { changes: [], troubles: [], asked: [] }): Context {
  const gitDir = `${ROOT}/.git`;
  const { heldBefore = 0, position = { kind: 'branch', branch: given.branch ?? BRANCH } } = given;
  const known = {
    id: 'other',
    projectDir: ROOT,
    branch: BRANCH,
    startedAt: NOW,
    lastActive: NOW,
    alive: true,
    began: true,
  };
  const context: Partial<Context> = {
    now: NOW * 1000 + 500,
    decisionId: 'd-test',
    projectRoot: ROOT,
    home: HOME,
    git: { root: ROOT, gitDir, commonDir: gitDir, position },
    pid: 1,
    refusedStops: { byGuard: { requirements: heldBefore }, inRow: heldBefore },
    document: ({ path }) => found(given.files?.[path]),
    sessions: () =>
      (given.sessions ?? []).map((one) => ({ ...known, sessionId: one.id ?? known.id, ...one })),
    realPath: (path) => path,
    // Of the registry only that it is there, and too long to be looked into.
    file: () => ({ kind: 'file', size: 1e9, mtimeMs: 0 }),
    hostProcess: () => ({ pid: 0 }),
    client: () => given.client ?? { args: [], isAttended: false, isSender: false },
    ancestors: () => [],
    answeringHooks: () => [],
    env: () => '',
    commandLines: (text, asWritten) => commandLines(text, ROOT, asWritten),
    part: partsWith({}),
    run: async (effect) => {
      done.asked.push(effect);
      if (given.brought === undefined) throw new Error('an effect is asked for');
      return given.brought;
    },
    change: (change) => done.changes.push(change),
    trouble: (failure) => done.troubles.push(failure),
    armed: () => undefined,
    asked: () => undefined,
    ...given.over,
  };
  return context as Context;
}

function found(value: Json | undefined): Document {
  if (value === undefined) return { kind: 'missing' };
  if (typeof value === 'string') return { kind: 'unreadable', file: value, why: 'is not JSON' };
  return { kind: 'present', value, version: '1' };
}

/** Everything that one event leads to. */
export interface Outcome extends Done {
  readonly verdict: Verdict;
  readonly kind: Verdict['kind'];
  /** Of a denied call or a held turn. */
  readonly reason: string;
  /** A document after the changes to it. */
  written(path: string): JsonObject | undefined;
}

export async function decide(
  event: Event,
  requirements: Config['requirements'],
  given: Given = {},
  over: Partial<Config> = {},
): Promise<Outcome> {
  const done: Done = { changes: [], troubles: [], asked: [] };
  const verdict = await guard.decide(event, configOf(requirements, over), contextOf(given, done));
  const written = (path: string): Json | undefined =>
    done.changes
      .filter(({ document }) => document.path === path)
      .reduce<Json | undefined>((value, change) => change.apply(value), given.files?.[path]);
  return {
    ...done,
    verdict,
    kind: verdict.kind,
    reason: 'reason' in verdict ? verdict.reason : '',
    written: (path) => written(path) as JsonObject | undefined,
  };
}

/** The documents that are changed. */
export function changed({ changes }: Outcome): string[] {
  return changes.map(({ document }) => documentKey(document).replace(/^\w+:/, ''));
}
