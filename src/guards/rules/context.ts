import { basename, resolve } from 'node:path';
import type { CallEffect, Command, Outcome, PastCall, RuleContext } from '../../api';
import { EFFECTS, type Effect, mayHaveEffect, WRITING_OPERATIONS } from '../../core/effect-kinds';
import type { Event, Operation } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type JsonObject, objectIn, objectsIn, textIn, textsIn } from '../../core/json';
import { type CallEffects, fileToolEffects } from '../../core/project-paths';
import { ownJson, sessionRecordRef } from '../../core/text';
import type { DocumentRef } from '../../state/documents';
import type { RuleEntry } from './config';

/* The context of a rule. Everything in it is computed only when the rule reads it. */

/** Larger files are not read: no rule would look into them. */
const LARGEST_TEXT = 1024 * 1024;

/** The state of one rule, which it changes in place. */
export interface RuleState {
  readonly session: Record<string, unknown>;
  readonly project: Record<string, unknown>;
}

export interface RuleInput {
  readonly event: Event;
  readonly ctx: Context;
  /** What the call is about to do; computed only if a rule needs it. */
  callEffects(): CallEffects | undefined;
  readonly history: () => readonly PastCall[];
}

/** `state` is called when the rule reads its state; the caller keeps the object and saves it. */
export function ruleContext(given: RuleInput, state: () => RuleState): RuleContext {
  const { event, ctx } = given;
  const command = 'call' in event ? event.call.command : undefined;
  return {
    get commands() {
      return command === undefined ? [] : (ctx.commands(command) ?? []);
    },
    get effects() {
      return effectsOf(given.callEffects());
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

function writtenBy({ event, ctx, callEffects }: RuleInput): string[] {
  const named = 'call' in event && WRITING_OPERATIONS.includes(event.call.op) ? event.call.paths : [];
  return [...new Set([...named, ...(callEffects()?.paths.edit ?? [])].map((path) => ctx.realPath(path)))];
}

export function isEffect(moment: string): moment is Effect {
  return (EFFECTS as readonly string[]).includes(moment);
}

/** What the call is about to do, computed once and only if a rule needs it. */
export function effectsOnce(event: Event, ctx: Context): () => CallEffects | undefined {
  let known: { readonly callEffects: CallEffects | undefined } | undefined;
  return () => {
    if (!('call' in event) || !mayHaveEffect(event.call)) return undefined;
    known ??= {
      callEffects:
        fileToolEffects(event.call, ctx) ?? ctx.part('effect-rules').callEffects(event, ctx, EFFECTS),
    };
    return known.callEffects;
  };
}

/** Whether a rule applies to an event. */
export function isAsked(
  { on }: Pick<RuleEntry, 'on'>,
  event: Event,
  callEffects: () => CallEffects | undefined,
): boolean {
  if (on.includes(event.kind)) return true;
  const effects = event.kind === 'tool.before' ? on.filter(isEffect) : [];
  return effects.length > 0 && effects.some((effect) => callEffects()?.kinds.has(effect));
}

function effectsOf(callEffects: CallEffects | undefined): CallEffect[] {
  if (callEffects === undefined) return [];
  const certainty = callEffects.isClear ? 'certain' : 'likely';
  return EFFECTS.filter((kind) => callEffects.kinds.has(kind)).flatMap((kind): CallEffect[] => {
    if (kind === 'edit' || kind === 'delete' || kind === 'config')
      return [{ kind, paths: [...new Set(callEffects.paths[kind])], certainty }];
    if (callEffects.branches.length === 0 || !['commit', 'push', 'merge'].includes(kind))
      return [{ kind, certainty }];
    return [...new Set(callEffects.branches)].map((ref) => ({ kind, ref, certainty }));
  });
}

/* Stored for rules: one document per session, one per project. */

export function sessionRef(sessionId: string): DocumentRef {
  return ownJson(`rules/${basename(sessionRecordRef(sessionId).path)}`);
}

export const PROJECT_REF = ownJson('rules/project.json');

export function documentIn(ctx: Context, ref: DocumentRef): JsonObject {
  const found = ctx.document(ref);
  return found.kind === 'present' && isJsonObject(found.value) ? found.value : {};
}

/** A copy, since the rule may change it. */
export function stateIn(document: JsonObject, rule: string): Record<string, unknown> {
  return structuredClone(objectIn(objectIn(document, 'state'), rule)) as Record<string, unknown>;
}

/** How many calls are kept; rules seldom look further back. */
const MOST_CALLS = 500;
const LONGEST_COMMAND = 4096;

/** Adds a call to the history, unless it is there already. */
export function withCall(document: JsonObject, call: JsonObject): JsonObject {
  const calls = objectsIn(document, 'history');
  const isKnown = call['id'] !== undefined && calls.some((one) => one['id'] === call['id']);
  return isKnown ? document : { ...document, history: [...calls, call].slice(-MOST_CALLS) };
}

/** A call as it is stored in the history. */
export function toStoredCall(
  event: Extract<Event, { kind: 'tool.after' }>,
  written: readonly string[],
): JsonObject {
  const { call, outcome, at, cwd, changedPaths = [] } = event;
  const paths = [...new Set([...call.paths, ...changedPaths, ...written])];
  return {
    ...(call.callId !== undefined && { id: call.callId }),
    tool: call.nativeName,
    op: call.op,
    paths,
    ...(call.command !== undefined && { command: call.command.slice(0, LONGEST_COMMAND), cwd }),
    outcome,
    at,
  };
}

/** The session's calls so far; their commands are parsed when a rule reads them. */
export function pastCalls(document: JsonObject, ctx: Pick<Context, 'commands'>): PastCall[] {
  return objectsIn(document, 'history').map((one): PastCall => {
    const command = textIn(one, 'command');
    const outcome = textIn(one, 'outcome');
    return {
      tool: textIn(one, 'tool') ?? '',
      op: (textIn(one, 'op') ?? 'other') as Operation,
      paths: textsIn(one, 'paths'),
      get commands(): readonly Command[] {
        return command === undefined ? [] : (ctx.commands(command, textIn(one, 'cwd')) ?? []);
      },
      outcome: outcome === 'success' || outcome === 'failure' ? outcome : 'unknown',
      at: Number(one['at'] ?? 0),
    };
  });
}

/** Validates what a rule returned; `undefined` if a rule must not return that. */
export function outcomeOf(value: unknown): Outcome | { readonly kind: 'nothing' } | undefined {
  if (value === undefined || value === null || value === false) return { kind: 'nothing' };
  if (typeof value !== 'object') return undefined;
  const { kind, reason } = value as { readonly kind?: unknown; readonly reason?: unknown };
  const isKind = kind === 'hold' || kind === 'ask' || kind === 'advise';
  return isKind && typeof reason === 'string' && reason.trim() !== '' ? { kind, reason } : undefined;
}

/** Which rules failed when they last ran. */
export const FAILED_REF = ownJson('rules/failed.json', 'bookkeeping');
