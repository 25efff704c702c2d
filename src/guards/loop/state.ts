import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonIn,
  nameIn,
  numberIn,
  objectIn,
} from '../../core/json';
import { isoTime } from '../../core/text';

/** The config of a project that does not configure loops; section.ts describes the keys. */
export const LOOP_DEFAULTS = {
  maxIterations: 10,
  grindMax: 100,
  maxMinutes: undefined as number | undefined,
  maxTokens: undefined as number | undefined,
  stall: true,
  nearMiss: true,
  includePrompt: false,
  ttlSeconds: 7200,
  output: 'exit2' as 'exit2' | 'exit0-json',
};

export type LoopConfig = typeof LOOP_DEFAULTS;

/** The phases of a loop. On disk it is IDLE, ACTIVE or ABORTED; the others are transient. */
export type Phase = 'IDLE' | 'ACTIVE' | 'COMPLETING' | 'STUCK' | 'ABORTED';

export type EndReason =
  | 'COMPLETE'
  | 'MAX_ITERATIONS'
  | 'STUCK'
  | 'NO_MORE_ISSUES'
  | 'MAX_ISSUES'
  | 'STALE'
  | 'NO_PROGRESS'
  | 'MAX_MINUTES'
  | 'MAX_TOKENS';

/** Why a loop is over. */
export type Ending = EndReason | 'USER_CANCELLED' | 'CORRUPT';

/** A parsed state. `envelope` is the state as it was written, with unknown fields. */
export interface LoopState {
  readonly envelope: JsonObject;
  readonly event: 'STATE' | 'DONE' | 'ABORT' | 'unknown';
  /** The last frame is the current loop. */
  readonly stack: readonly Json[];
  /** Absent if any session of the project may drive the loop. */
  readonly sessionId?: string | undefined;
  /** Why it is paused, if it is. */
  readonly paused?: string | undefined;
  readonly disabled: boolean;
}

export function phaseOf(state: LoopState | undefined): 'IDLE' | 'ACTIVE' | 'ABORTED' {
  if (state === undefined || state.stack.length === 0) return 'IDLE';
  if (state.event === 'ABORT') return 'ABORTED';
  return state.event === 'STATE' ? 'ACTIVE' : 'IDLE';
}

/** Whether this loop is active or paused, as opposed to ended. */
export function isLive(state: LoopState | undefined): state is LoopState {
  return phaseOf(state) === 'ACTIVE';
}

/** A pause may have been written as a flag, a reason, or an object with a reason. */
export function pauseIn(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  return typeof value === 'string' ? value : (nameIn(value, 'reason') ?? '');
}

export type Mode = 'loop' | 'issue' | 'grind' | 'unknown';

/** One loop of the stack; `raw` is the frame as it was written. */
export interface Frame {
  readonly raw: JsonObject;
  readonly mode: Mode;
  readonly iter: number;
  readonly max: number;
}

const MODES: Readonly<Record<string, Mode>> = { loop: 'loop', task: 'loop', issue: 'issue', grind: 'grind' };

/** Parses a frame; `undefined` if its counts are invalid, because then it must not continue. */
export function frameOf(value: Json | undefined, defaultMax: number): Frame | undefined {
  if (!isJsonObject(value)) return undefined;
  const iter = countIn(value['iter'], 0);
  const max = countIn(value['max'], defaultMax);
  if (iter === undefined || max === undefined) return undefined;
  return { raw: value, mode: modeIn(value['mode']), iter, max };
}

export function modeName({ raw, mode }: Frame): string {
  return typeof raw['mode'] === 'string' ? raw['mode'] : mode;
}

/** Whether `loop start` wrote it: only such a frame is ended for making no progress. */
export function isOurs({ raw }: Frame): boolean {
  return raw['origin'] === 'holdpoint';
}

/** A non-negative integer. A string of digits counts too, always in base ten. */
function countIn(value: Json | undefined, absent: number): number | undefined {
  if (value === undefined || value === null) return absent;
  if (typeof value === 'string') return /^[0-9]+$/.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Keeps some entries of the object `key` in a document, and adds others. Returns the same value if nothing changes,
 * and `undefined` if no entry is left.
 */
export function withEntries(
  current: Json | undefined,
  key: string,
  isKept: (id: string, entry: Json | undefined) => boolean,
  added: JsonObject = {},
): Json | undefined {
  const before = Object.entries(objectIn(current, key));
  const kept = before.filter(([id, entry]) => isKept(id, entry));
  const entries = { ...Object.fromEntries(kept), ...added };
  const isSame = kept.length === before.length && Object.keys(added).length === 0;
  if (isSame || Object.keys(entries).length === 0) return isSame ? current : undefined;
  return { ...(isJsonObject(current) && current), [key]: entries };
}

export function timeIn(holder: Json | undefined, key: string): number | undefined {
  return parseTime(nameIn(holder, key) ?? '');
}

function modeIn(value: Json | undefined): Mode {
  if (value === undefined || value === null) return 'loop';
  return (typeof value === 'string' && Object.hasOwn(MODES, value) && MODES[value]) || 'unknown';
}

/** Milliseconds since the epoch; `undefined` if the text is not a time. Without a zone it is UTC. */
export function parseTime(text: string): number | undefined {
  const rfc3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/i;
  const [, day = '', time = '', fraction = '0', zone = 'Z'] = rfc3339.exec(text.trim()) ?? [];
  const at = Date.parse(`${day}T${time}.${fraction}${zone.toUpperCase()}`);
  // JavaScript takes the 30th of February for the first days of March.
  const isDay = new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(8));
  return Number.isNaN(at) || !isDay ? undefined : at;
}

/** A time as states store it: UTC, whole seconds. */
export function stampOf(ms: number): string {
  return `${isoTime(ms).slice(0, 19)}Z`;
}

export type ParsedState =
  | { readonly kind: 'state'; readonly state: LoopState }
  | { readonly kind: 'malformed'; readonly why: string };

const NEWEST_SCHEMA = 2;

/** A body that is not a state is left alone: no loop continues, and nothing overwrites it. */
export function parseState(body: string): ParsedState {
  const value = jsonIn(body);
  if (value === undefined) return malformed('is not JSON');
  if (!isJsonObject(value)) return malformed('is not a JSON object');
  return stateFrom(value);
}

/** The session that a body belongs to, even if this version does not understand the rest of it. */
export function ownerOf(body: string): string | undefined {
  return nameIn(jsonIn(body), 'session_id');
}

export function stateFrom(envelope: JsonObject): ParsedState {
  const { schema, stack } = envelope;
  if (schema === undefined && stack === undefined) return malformed('has neither schema nor stack');
  if (!isKnownSchema(schema)) {
    return malformed(`has the schema ${JSON.stringify(schema)}, which this version does not support`);
  }
  if (stack !== undefined && stack !== null && !Array.isArray(stack)) {
    return malformed('has a stack that is not a list');
  }
  return {
    kind: 'state',
    state: {
      envelope,
      event: eventIn(envelope['event']),
      stack: stack ?? [],
      sessionId: nameIn(envelope, 'session_id'),
      paused: pauseIn(envelope['paused']),
      disabled: objectIn(envelope, 'config')['disabled'] === true,
    },
  };
}

function isKnownSchema(schema: Json | undefined): boolean {
  if (schema === undefined || schema === null) return true;
  return Number.isInteger(schema) && Number(schema) >= 0 && Number(schema) <= NEWEST_SCHEMA;
}

function eventIn(value: Json | undefined): LoopState['event'] {
  if (value === undefined || value === null) return 'STATE';
  return value === 'STATE' || value === 'DONE' || value === 'ABORT' ? value : 'unknown';
}

function malformed(why: string): ParsedState {
  return { kind: 'malformed', why };
}

/** Clocks of machines that share a store may differ by this much. */
const SKEW_MS = 300_000;

export type Freshness = { readonly kind: 'fresh' } | { readonly kind: 'stale'; readonly why: string };

/**
 * Whether a state is recent enough to act on; `heartbeat` is the last one of the session's loop. A state without a
 * time is fresh. One whose time is invalid or in the future is stale, because it might never expire.
 */
export function freshnessOf({ envelope }: LoopState, ttl: number, now: number, heartbeat = 0): Freshness {
  const written = envelope['updated_at'];
  if (written === undefined || written === null) return { kind: 'fresh' };
  const at = typeof written === 'string' ? parseTime(written) : undefined;
  if (at === undefined)
    return stale(`its updated_at is not a time (${JSON.stringify(written).slice(0, 60)})`);
  if (at - now > SKEW_MS) return stale(`its updated_at is in the future (${String(written)})`);
  const seconds = Math.floor((now - Math.max(at, heartbeat)) / 1000);
  if (seconds <= ttl) return { kind: 'fresh' };
  return stale(`its last sign of life was ${seconds} s ago, more than ${ttl}`);
}

/** Seconds without a heartbeat after which a loop with this frame on top is stale. */
export function ttlOf(top: Frame | undefined, { ttlSeconds }: Pick<LoopConfig, 'ttlSeconds'>): number {
  const own = numberIn(top?.raw, 'ttl_s') ?? 0;
  return own > 0 ? own : ttlSeconds;
}

function stale(why: string): Freshness {
  return { kind: 'stale', why };
}
