import { isJsonObject, type Json, type JsonObject, jsonIn, jsonObjectIn } from '../../core/json';
import { type LoopState, pauseIn } from './state';

/** What a message's body turned out to be. */
export type ParsedState =
  | { readonly kind: 'state'; readonly state: LoopState }
  | { readonly kind: 'malformed'; readonly why: string };

const NEWEST_SCHEMA = 2;

/** A body that is no state is never guessed at: nothing is continued for it and nothing written over it. */
export function parseState(body: string): ParsedState {
  const value = jsonIn(body);
  if (value === undefined) return malformed('is not JSON');
  if (!isJsonObject(value)) return malformed('is not a JSON object');
  return stateFrom(value);
}

/** Whose state a body is: `undefined` for nobody's, or where it cannot be told. */
export function ownerIn(envelope: JsonObject): string | undefined {
  const id = envelope['session_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Of a state that this version does not understand one thing may still be plain: whose it is. */
export function ownerOf(body: string): string | undefined {
  const value = jsonObjectIn(body);
  return value && ownerIn(value);
}

export function stateFrom(envelope: JsonObject): ParsedState {
  const { schema, stack } = envelope as Record<string, Json | undefined>;
  if (schema === undefined && stack === undefined) return malformed('has neither schema nor stack');
  if (!isKnownSchema(schema)) {
    return malformed(`has the schema ${JSON.stringify(schema)}, which this version does not know`);
  }
  if (stack !== undefined && stack !== null && !Array.isArray(stack)) {
    return malformed('has a stack that is no list');
  }
  const config = envelope['config'];
  return {
    kind: 'state',
    state: {
      envelope,
      event: eventIn(envelope['event']),
      stack: stack ?? [],
      sessionId: ownerIn(envelope),
      paused: pauseIn(envelope['paused']),
      disabled: isJsonObject(config) && config['disabled'] === true,
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
