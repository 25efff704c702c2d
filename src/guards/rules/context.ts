import { basename, resolve } from 'node:path';
import type { CallEffect, Command, Outcome, PastCall, RuleContext } from '../../api';
import type { Event, Operation } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type JsonObject, objectIn, objectsIn, textIn, textsIn } from '../../core/json';
import { EFFECTS, type Effect, mayAct } from '../../core/moments';
import { type Doing, ofFileTool, WRITING } from '../../core/places';
import { ownJson, sessionRecordRef } from '../../core/text';
import type { DocumentRef } from '../../state/documents';
import type { RuleEntry } from './config';

/* What a rule sees of the world. Everything is looked at only when the rule asks for it. */

/** A larger file is no text that a rule would look into. */
const LARGEST_TEXT = 1024 * 1024;

/** What one rule has changed of its own state. */
export interface RuleState {
  readonly session: Record<string, unknown>;
  readonly project: Record<string, unknown>;
}

export interface Given {
  readonly event: Event;
  readonly ctx: Context;
  /** What the call is about to do; asked only where a rule wants it. */
  doing(): Doing | undefined;
  readonly history: () => readonly PastCall[];
}

/** The context of one rule. `state` is read when the rule first asks for it, and then kept by whoever runs the rule. */
export function ruleContext(given: Given, state: () => RuleState): RuleContext {
  const { event, ctx } = given;
  const command = 'call' in event ? event.call.command : undefined;
  return {
    get commands() {
      return command === undefined ? [] : (ctx.commands(command) ?? []);
    },
    get effects() {
      return effectsOf(given.doing());
    },
    get paths() {
      return writtenBy(given);
    },
    get branch() {
      const position = ctx.git?.position;
      return position?.kind === 'branch' ? position.branch : '';
    },
    root: ctx.projectRoot,
    get history() {
      return given.history();
    },
    read: (path) => {
      const fact = ctx.file({ path: resolve(ctx.projectRoot, path), maxTextBytes: LARGEST_TEXT + 1 });
      return fact.kind === 'file' && fact.size <= LARGEST_TEXT ? fact.text : undefined;
    },
    get state() {
      return state().session;
    },
    get projectState() {
      return state().project;
    },
  };
}

function writtenBy({ event, ctx, doing }: Given): string[] {
  const named = 'call' in event && WRITING.includes(event.call.op) ? event.call.paths : [];
  return [...new Set([...named, ...(doing()?.paths.edit ?? [])].map((path) => ctx.realPath(path)))];
}

export function isEffect(moment: string): moment is Effect {
  return (EFFECTS as readonly string[]).includes(moment);
}

/** What the call is about to do, found out once and only where a rule asks for it. */
export function doingOnce(event: Event, ctx: Context): () => Doing | undefined {
  let known: { readonly doing: Doing | undefined } | undefined;
  return () => {
    if (!('call' in event) || !mayAct(event.call)) return undefined;
    known ??= { doing: ofFileTool(event.call, ctx) ?? ctx.part('deeds').doingOf(event, ctx, EFFECTS) };
    return known.doing;
  };
}

/** Whether a rule applies to an event. */
export function isAsked(
  { on }: Pick<RuleEntry, 'on'>,
  event: Event,
  doing: () => Doing | undefined,
): boolean {
  if (on.includes(event.kind)) return true;
  const effects = event.kind === 'tool.before' ? on.filter(isEffect) : [];
  return effects.length > 0 && effects.some((effect) => doing()?.kinds.has(effect));
}

function effectsOf(doing: Doing | undefined): CallEffect[] {
  if (doing === undefined) return [];
  const certainty = doing.isClear ? 'certain' : 'likely';
  return EFFECTS.filter((kind) => doing.kinds.has(kind)).flatMap((kind): CallEffect[] => {
    if (kind === 'edit' || kind === 'delete' || kind === 'config')
      return [{ kind, paths: doing.paths[kind], certainty }];
    if (doing.branches.length === 0 || !['commit', 'push', 'merge'].includes(kind))
      return [{ kind, certainty }];
    return doing.branches.map((ref) => ({ kind, ref, certainty }));
  });
}

/* What is kept for rules: one document for a session, one for the project. */

export function sessionRef(sessionId: string): DocumentRef {
  return ownJson(`rules/${basename(sessionRecordRef(sessionId).path)}`);
}

export const PROJECT_REF = ownJson('rules/project.json');

export function documentIn(ctx: Context, ref: DocumentRef): JsonObject {
  const found = ctx.document(ref);
  return found.kind === 'present' && isJsonObject(found.value) ? found.value : {};
}

/** A copy of a rule's own state: the rule may do with it what it likes. */
export function stateIn(document: JsonObject, rule: string): Record<string, unknown> {
  return structuredClone(objectIn(objectIn(document, 'state'), rule)) as Record<string, unknown>;
}

/** So many calls are kept; what a rule looks for is seldom further back. */
const MOST_CALLS = 500;
const LONGEST_COMMAND = 4096;

/** The document with one more call, once. */
export function withCall(document: JsonObject, call: JsonObject): JsonObject {
  const calls = objectsIn(document, 'history');
  const isKnown = call['id'] !== undefined && calls.some((one) => one['id'] === call['id']);
  return isKnown ? document : { ...document, history: [...calls, call].slice(-MOST_CALLS) };
}

/** An event's call as it is kept. */
export function keptCall(
  event: Extract<Event, { kind: 'tool.after' }>,
  written: readonly string[],
): JsonObject {
  const { call, outcome, at, changedPaths = [] } = event;
  const paths = [...new Set([...call.paths, ...changedPaths, ...written])];
  return {
    ...(call.callId !== undefined && { id: call.callId }),
    tool: call.nativeName,
    op: call.op,
    paths,
    ...(call.command !== undefined && { command: call.command.slice(0, LONGEST_COMMAND) }),
    outcome,
    at,
  };
}

/** The calls of a session so far, with their commands parsed when they are asked for. */
export function pastCalls(document: JsonObject, ctx: Pick<Context, 'commands'>): PastCall[] {
  return objectsIn(document, 'history').map((one): PastCall => {
    const command = textIn(one, 'command');
    const outcome = textIn(one, 'outcome');
    return {
      tool: textIn(one, 'tool') ?? '',
      op: (textIn(one, 'op') ?? 'other') as Operation,
      paths: textsIn(one, 'paths'),
      get commands(): readonly Command[] {
        return command === undefined ? [] : (ctx.commands(command) ?? []);
      },
      outcome: outcome === 'success' || outcome === 'failure' ? outcome : 'unknown',
      at: Number(one['at'] ?? 0),
    };
  });
}

/** What a rule returned; `undefined` where it is nothing that a rule can return. */
export function outcomeOf(value: unknown): Outcome | { readonly kind: 'nothing' } | undefined {
  if (value === undefined || value === null || value === false) return { kind: 'nothing' };
  if (typeof value !== 'object') return undefined;
  const { kind, reason } = value as { readonly kind?: unknown; readonly reason?: unknown };
  const isKind = kind === 'hold' || kind === 'ask' || kind === 'advise';
  return isKind && typeof reason === 'string' && reason.trim() !== '' ? { kind, reason } : undefined;
}

/** Which rules failed when they were last asked. */
export const FAILED_REF = ownJson('rules/failed.json', 'bookkeeping');
