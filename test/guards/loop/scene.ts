import {
  type Change,
  type Document,
  type DocumentRef,
  documentKey,
  type Topic,
} from '../../../src/core/document';
import type { Envelope, Event, EventOf, StartSource } from '../../../src/core/event';
import type { Failure } from '../../../src/core/failure';
import type { GitHead } from '../../../src/core/git-head';
import type { Json, JsonObject } from '../../../src/core/json';
import type { Deliberation, Step } from '../../../src/core/old-guard';
import type { FileFact, LiveSession, Snapshot, TranscriptFacts } from '../../../src/core/snapshot';
import type { Operation } from '../../../src/core/tool-call';
import type { Verdict } from '../../../src/core/verdict';
import { LOOP_DEFAULTS, type LoopConfig } from '../../../src/guards/loop/config';
import { FALLBACK_PATH, LIVE_FILE, ownTopic, sharedTopic } from '../../../src/guards/loop/store';
import { VOUCHED_FILE } from '../../../src/guards/loop/verification';
import { decide } from '../../../src/guards/workflow/decide';

export const ROOT = '/work-tree';
export const S1 = 'aaaaaaaa-0000-4000-8000-000000000001';
export const S2 = 'bbbbbbbb-0000-4000-8000-000000000002';
export const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);
export const S = '<loop-done>COMPLETE</loop-done>';
export const ISSUE_DONE = '<issue-complete>DONE</issue-complete>';
export const GRIND_DONE = '<grind-done>NO_MORE_ISSUES</grind-done>';

/** The one sentence that scripts compare. */
export function sentence(n: number, max: number): string {
  return `[ITERATION ${n}/${max}] Continue working on the task. Check your progress and either complete the task or keep iterating.`;
}

export function frame(iter: Json, max: Json, more: JsonObject = {}): JsonObject {
  return { id: 'loop-1', mode: 'loop', iter, max, ...more };
}

/** A frame as `loop start` writes it. */
export function ours(iter: number, max: number, more: JsonObject = {}): JsonObject {
  return frame(iter, max, { origin: 'holdpoint', ...more });
}

export function grind(iter: number, max = 100, more: JsonObject = {}): JsonObject {
  return { id: 'grind-1', mode: 'grind', iter, max, ...more };
}

export function issue(iter: number, max = 10, more: JsonObject = {}): JsonObject {
  return { id: 'issue-1', mode: 'issue', iter, max, issue_id: 'auth-7', ...more };
}

export function state(stack: Json, more: JsonObject = {}): JsonObject {
  return {
    schema: 1,
    event: 'STATE',
    run_id: 'loop-1767268740-4711',
    updated_at: '2026-01-01T11:59:00Z',
    stack,
    ...more,
  };
}

const ENVELOPE: Envelope = {
  v: 1,
  host: 'claude-code',
  hostEvent: '',
  raw: {},
  sessionId: S1,
  cwd: ROOT,
  roots: [],
  at: NOW,
};

export function stop(over: Partial<EventOf<'turn.stop'>> = {}): EventOf<'turn.stop'> {
  return {
    ...ENVELOPE,
    kind: 'turn.stop',
    hostEvent: 'Stop',
    continuing: false,
    lastMessage: 'working',
    status: 'completed',
    backgroundTasks: [],
    crons: [],
    ...over,
  };
}

/** A stop after which the agent has said this. */
export function saying(lastMessage: string, over: Partial<EventOf<'turn.stop'>> = {}): EventOf<'turn.stop'> {
  return stop({ lastMessage, ...over });
}

/** A stop of a host that does not tell the agent's words. */
export function silent(over: Partial<EventOf<'turn.stop'>> = {}): EventOf<'turn.stop'> {
  return stop({ lastMessage: '', ...over });
}

export function prompt(text: string, over: Partial<EventOf<'prompt.submit'>> = {}): EventOf<'prompt.submit'> {
  return {
    ...ENVELOPE,
    kind: 'prompt.submit',
    hostEvent: 'UserPromptSubmit',
    text,
    origin: 'human',
    ...over,
  };
}

export function start(source: StartSource): EventOf<'session.start'> {
  return { ...ENVELOPE, kind: 'session.start', hostEvent: 'SessionStart', source };
}

export function failure(error: string): EventOf<'turn.error'> {
  return { ...ENVELOPE, kind: 'turn.error', hostEvent: 'StopFailure', error };
}

export function tool(op: Operation, over: Partial<EventOf<'tool.after'>> = {}): EventOf<'tool.after'> {
  const call = { nativeName: op, names: [op], op, input: {}, paths: [] };
  return {
    ...ENVELOPE,
    kind: 'tool.after',
    hostEvent: 'PostToolUse',
    call,
    outcome: 'success',
    response: { raw: {} },
    ...over,
  };
}

export interface World {
  /** The bodies on the topic, oldest first; what is no text is made one. */
  readonly messages?: readonly Json[];
  /** Where the topic is; our own log unless said otherwise. */
  readonly store?: 'shared' | 'own';
  /** Documents by their key, for what cannot be read. */
  readonly documents?: Readonly<Record<string, Document>>;
  /** The fallback file. */
  readonly file?: string;
  readonly live?: JsonObject;
  /** The commands that `loop start` has set, by frame. */
  readonly vouched?: JsonObject;
  readonly files?: Readonly<Record<string, FileFact>>;
  readonly transcript?: TranscriptFacts;
  readonly sessions?: readonly Partial<LiveSession>[];
  readonly inRow?: number;
  readonly stopLimit?: number;
  readonly now?: number;
  readonly git?: GitHead | undefined;
}

export const SHARED_DIR = `${ROOT}/.jwz`;
export const OWN_DIR = `${ROOT}/.git/holdpoint`;

const GIT: GitHead = {
  root: ROOT,
  gitDir: `${ROOT}/.git`,
  commonDir: `${ROOT}/.git`,
  position: { kind: 'branch', branch: 'main' },
};

export function snapshotOf(world: World = {}): Snapshot {
  return {
    now: world.now ?? NOW,
    projectRoot: ROOT,
    home: '/home/someone',
    git: 'git' in world ? world.git : GIT,
    env: {},
    documents: documentsOf(world),
    files: new Map(Object.entries(world.files ?? {})),
    sessions: (world.sessions ?? []).map((one) => ({
      id: S2,
      projectDir: ROOT,
      branch: 'main',
      startedAt: 0,
      lastActive: 0,
      alive: true,
      ...one,
    })),
    hostProcess: { pid: 0 },
    pid: 1,
    refusedStops: { byGuard: {}, inRow: world.inRow ?? 0 },
    stopLimit: world.stopLimit ?? 7,
    ...(world.transcript && { transcript: world.transcript }),
  };
}

/** The reference by which the world's topic is known. */
export function topicRef({ store }: World, session = S1): DocumentRef {
  return store === 'shared' ? sharedTopic(session) : ownTopic(session);
}

export function fileRef(path = FALLBACK_PATH): DocumentRef {
  return { base: 'project', path, format: 'text', keeping: 'durable' };
}

function documentsOf(world: World): Map<string, Document> {
  const { messages, file, live, vouched, documents = {} } = world;
  const entries: [string, Document][] = [];
  if (messages !== undefined) {
    const bodies = messages.map((body, index) => ({
      id: `id-${index}`,
      at: index,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }));
    const dir = world.store === 'shared' ? SHARED_DIR : OWN_DIR;
    const value: Topic = { dir, known: true, messages: bodies };
    entries.push([documentKey(topicRef(world)), present(value)]);
  }
  if (file !== undefined) entries.push([documentKey(fileRef()), present(file)]);
  if (live !== undefined) entries.push([documentKey(LIVE_FILE), present(live)]);
  if (vouched !== undefined) entries.push([documentKey(VOUCHED_FILE), present({ commands: vouched })]);
  return new Map([...entries, ...Object.entries(documents)]);
}

export function present(value: Json): Document {
  return { kind: 'present', value, version: '1' };
}

/** Everything that one event leads to. */
export interface Outcome {
  readonly verdict: Verdict;
  /** The reason of a refused stop; empty where it passes. */
  readonly reason: string;
  /** The state that was written, if one was. */
  readonly next: JsonObject | undefined;
  /** The fallback file afterwards. */
  readonly file: string | undefined;
  readonly live: Json | undefined;
  readonly odd: readonly string[];
  readonly changes: readonly Change[];
  readonly writes: number;
}

export const CONFIG = LOOP_DEFAULTS;

export function stepOf(
  event: Event,
  world: World,
  config: LoopConfig = CONFIG,
  deliberation: Partial<Deliberation> = {},
): Step {
  return decide(event, config, snapshotOf(world), { earlier: [], rules: [], ...deliberation });
}

export function outcomeOf(
  event: Event,
  world: World,
  config: LoopConfig = CONFIG,
  deliberation: Partial<Deliberation> = {},
): Outcome {
  const step = stepOf(event, world, config, deliberation);
  if (step.kind !== 'outcome') throw new Error(`an effect is asked for: ${step.name}`);
  const { verdict, changes } = step;
  const documents = documentsOf(world);
  const after = (ref: DocumentRef): Json | undefined => {
    const document = documents.get(documentKey(ref));
    const current = document?.kind === 'present' ? document.value : undefined;
    return changes
      .filter((change) => documentKey(change.document) === documentKey(ref))
      .reduce<Json | undefined>((value, change) => change.apply(value), current);
  };
  const topic = after(topicRef(world)) as Topic | undefined;
  const added = (topic?.messages ?? []).filter((message) => message.id === undefined);
  const file = after(fileRef());
  return {
    verdict,
    reason: 'reason' in verdict ? verdict.reason : '',
    next: added[0] && JSON.parse(added[0].body),
    file: typeof file === 'string' ? file : undefined,
    live: after(LIVE_FILE),
    odd: (step.troubles ?? []).map((one: Failure) => ('detail' in one ? one.detail : one.code)),
    changes,
    writes: added.length,
  };
}

/** One loop in the shared store, as another program would have left it. */
export function looping(stack: Json, more: JsonObject = {}, world: World = {}): World {
  return { store: 'shared', messages: [state(stack, more)], ...world };
}

export function toPerson({ verdict }: Outcome): string {
  return verdict.kind === 'advise' ? (verdict.toPerson ?? '') : '';
}
