import type { Envelope, Event, EventOf, Operation, StartSource } from '../../../src/core/event';
import type { Failure } from '../../../src/core/failure';
import type { Context, EffectRequest, FileFact, LiveSession, TranscriptFacts } from '../../../src/core/guard';
import type { Json, JsonObject } from '../../../src/core/json';
import type { GuardVerdict, Verdict } from '../../../src/core/verdict';
import type { GitHead } from '../../../src/git/head';
import { guard } from '../../../src/guards/loop';
import { linesOutsideCode } from '../../../src/guards/loop/markdown';
import { LOOP_DEFAULTS, type LoopConfig } from '../../../src/guards/loop/state';
import { FALLBACK_PATH, LIVE_FILE, sharedTopic } from '../../../src/guards/loop/store';
import { TRUSTED_COMMANDS } from '../../../src/guards/loop/verification';
import { type Change, type Document, type DocumentRef, documentKey } from '../../../src/state/documents';

export const ROOT = '/work-tree';
export const STORE_DIR = `${ROOT}/.jwz`;
export const OWN_DIR = `${ROOT}/.git/holdpoint`;
export const SESSION = 'aaaaaaaa-0000-4000-8000-000000000001';
export const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002';
export const NOW = Date.UTC(2026, 0, 1, 12);
export const DONE = '<loop-done>COMPLETE</loop-done>';

/** The sentence that scripts compare. */
export function sentence(n: number, max: number): string {
  return `[ITERATION ${n}/${max}] Continue working on the task. Check your progress and either complete the task or keep iterating.`;
}

/** A frame as another program writes it. */
export function frame(iter: Json, max: Json, more: JsonObject = {}): JsonObject {
  return { id: 'loop-1', mode: 'loop', iter, max, ...more };
}

/** A frame as `loop start` writes it. */
export function ours(iter: Json, max: Json, more: JsonObject = {}): JsonObject {
  return frame(iter, max, { origin: 'holdpoint', ...more });
}

export function grind(iter: number, more: JsonObject = {}): JsonObject {
  return { id: 'grind-1', mode: 'grind', iter, max: 100, ...more };
}

export function issue(iter: number, more: JsonObject = {}): JsonObject {
  return { id: 'issue-1', mode: 'issue', iter, max: 10, ...more };
}

export function state(stack: Json, more: JsonObject = {}): JsonObject {
  return { schema: 1, event: 'STATE', run_id: 'run-1', updated_at: '2026-01-01T11:59:00Z', stack, ...more };
}

/** A message store with this one state in it. */
export function looping(stack: Json, more: JsonObject = {}, given: Given = {}): Given {
  return { messages: [state(stack, more)], ...given };
}

/** The signs of life of the session's loop. */
export function life(heartbeat: number, wrote = false): JsonObject {
  return { sessions: { [SESSION]: { heartbeat, wrote, since: 1 } } };
}

const ENVELOPE: Envelope = {
  v: 1,
  host: 'claude-code',
  hostEvent: '',
  raw: {},
  sessionId: SESSION,
  cwd: ROOT,
  roots: [],
  at: NOW,
};

type Stop = EventOf<'turn.stop'>;

/** A stop after which the agent has said this; with no words, of a host that does not tell them. */
export function saying(lastMessage: string, over: Partial<Stop> = {}): Stop {
  const rest = { continuing: false, status: 'completed', backgroundTasks: [], crons: [] } as const;
  return { ...ENVELOPE, kind: 'turn.stop', lastMessage, ...rest, ...over };
}

export function stop(over: Partial<Stop> = {}): Stop {
  return saying('working', over);
}

export function prompt(text: string, origin: EventOf<'prompt.submit'>['origin'] = 'human'): Event {
  return { ...ENVELOPE, kind: 'prompt.submit', text, origin };
}

export function start(source: StartSource): Event {
  return { ...ENVELOPE, kind: 'session.start', source };
}

export function failure(error: string): Event {
  return { ...ENVELOPE, kind: 'turn.error', error };
}

export function tool(op: Operation, over: Partial<Envelope> = {}): Event {
  const call = { nativeName: op, names: [op], op, input: {}, paths: [] };
  return { ...ENVELOPE, kind: 'tool.after', call, outcome: 'success', response: { raw: {} }, ...over };
}

/** What the guard finds, as far as a test says. */
export interface Given {
  /** The bodies of the messages in the store, oldest first; what is no text is made one. */
  readonly messages?: readonly Json[];
  /** The fallback file. */
  readonly fallback?: string;
  readonly live?: JsonObject;
  /** The commands that `loop start` has set, by frame. */
  readonly vouched?: JsonObject;
  /** Other documents by their keys. */
  readonly documents?: Readonly<Record<string, Document>>;
  readonly files?: Readonly<Record<string, FileFact>>;
  readonly transcript?: TranscriptFacts;
  readonly sessions?: readonly Partial<LiveSession>[];
  readonly inRow?: number;
  readonly stopLimit?: number;
  readonly git?: GitHead | undefined;
  readonly earlier?: readonly GuardVerdict[];
  /** What the effect brings; to ask for one without it is an error. */
  readonly verified?: Json;
}

/** What a guard does to the world. */
interface Done {
  readonly changes: Change[];
  readonly troubles: Failure[];
  readonly asked: EffectRequest[];
}

const GIT: GitHead = {
  root: ROOT,
  gitDir: `${ROOT}/.git`,
  commonDir: `${ROOT}/.git`,
  position: { kind: 'branch', branch: 'main' },
};

export function contextOf(given: Given = {}, done: Done = { changes: [], troubles: [], asked: [] }): Context {
  const documents = documentsOf(given);
  const context: Partial<Context> = {
    now: NOW,
    decisionId: 'd-test',
    projectRoot: ROOT,
    git: 'git' in given ? given.git : GIT,
    refusedStops: { byGuard: {}, inRow: given.inRow ?? 0 },
    startedAt: () => undefined,
    stopLimit: given.stopLimit ?? 7,
    earlier: given.earlier ?? [],
    document: (ref) => documents[documentKey(ref)] ?? { kind: 'missing' },
    file: ({ path }) => given.files?.[path] ?? { kind: 'missing' },
    sessions: () => (given.sessions ?? []) as readonly LiveSession[],
    part: () => ({ linesOutsideCode }) as never,
    transcript: () => given.transcript ?? {},
    run: async (effect) => {
      done.asked.push(effect);
      if (given.verified === undefined) throw new Error('an effect is asked for');
      return given.verified;
    },
    change: (change) => done.changes.push(change),
    trouble: (trouble) => done.troubles.push(trouble),
  };
  return context as Context;
}

const STORE = documentKey(sharedTopic(SESSION));
const FALLBACK = `project:${FALLBACK_PATH}`;

function documentsOf({ messages, fallback, live, vouched, documents }: Given): Record<string, Document> {
  return {
    ...(messages && { [STORE]: topic(STORE_DIR, messages) }),
    ...(fallback !== undefined && { [FALLBACK]: present(fallback) }),
    ...(live && { [documentKey(LIVE_FILE)]: present(live) }),
    ...(vouched && { [documentKey(TRUSTED_COMMANDS)]: present({ commands: vouched }) }),
    ...documents,
  };
}

function present(value: Json): Document {
  return { kind: 'present', value, version: '1' };
}

/** A message file that knows the loop's topic. */
export function topic(dir: string, messages: readonly Json[]): Document {
  const texts = messages.map((body) => (typeof body === 'string' ? body : JSON.stringify(body)));
  return present({ dir, known: true, messages: texts.map((body, at) => ({ id: `id-${at}`, at, body })) });
}

/** Everything that one event leads to. */
export interface Outcome {
  readonly verdict: Verdict;
  /** The reason of a refused stop; empty where it passes. */
  readonly reason: string;
  readonly toPerson: string;
  /** The state that was added to the store, if one was. */
  readonly next: JsonObject | undefined;
  readonly fallback: Json | undefined;
  readonly live: Json | undefined;
  /** What is told to people who read along. */
  readonly odd: readonly string[];
  readonly changes: readonly Change[];
  readonly asked: readonly EffectRequest[];
}

export async function decide(
  event: Event,
  given: Given = {},
  config: Partial<LoopConfig> = {},
): Promise<Outcome> {
  const done: Done = { changes: [], troubles: [], asked: [] };
  const verdict = await guard.decide(event, { ...LOOP_DEFAULTS, ...config }, contextOf(given, done));
  const documents = documentsOf(given);
  const after = (key: string): Json | undefined => {
    const document = documents[key];
    const current = document?.kind === 'present' ? document.value : undefined;
    return done.changes
      .filter((change) => documentKey(change.document) === key)
      .reduce<Json | undefined>((value, change) => change.apply(value), current);
  };
  const messages = (after(STORE) as { messages?: { id?: string; body: string }[] } | undefined)?.messages;
  const added = messages?.find(({ id }) => id === undefined);
  return {
    verdict,
    reason: 'reason' in verdict ? verdict.reason : '',
    toPerson: verdict.kind === 'advise' ? (verdict.toPerson ?? '') : '',
    next: added && JSON.parse(added.body),
    fallback: after(FALLBACK),
    live: after(documentKey(LIVE_FILE)),
    odd: done.troubles.map((one) => ('detail' in one ? one.detail : one.code)),
    changes: done.changes,
    asked: done.asked,
  };
}

/** The change to one document, as far as there is one. */
export function changeOf({ changes }: Outcome, path: DocumentRef['path']): Change | undefined {
  return changes.find(({ document }) => document.path === path);
}
