import type { Change, DocumentRef, Topic } from '../core/document';
import type { Failure } from '../core/failure';
import { detailOf } from '../core/failure';
import type { Json } from '../core/json';
import { isJsonObject } from '../core/json';
import type { Found } from './documents';
import type { Lock } from './lock';
import { appendToTopic } from './topic-append';
import type { Outcome } from './write';

/**
 * Appends what the changes add to a topic. Unlike other documents the file is not ours alone: one that
 * cannot be read is left where it is.
 */
export function changeTopic(lock: Lock, ref: DocumentRef, found: Found, changes: readonly Change[]): Outcome {
  const { path } = found;
  if (found.kind === 'unreadable') return { failure: hindranceOf(found) };
  const value = found.kind === 'present' ? found.value : undefined;
  let next: Json | undefined = value;
  for (const change of changes) next = change.apply(next);
  const bodies = freshBodies(next);
  if (bodies.length === 0) return {};
  if (!lock.stillMine()) return { failure: { code: 'lock.lost', file: lock.file } };
  try {
    const ending = found.kind === 'present' && found.plain === true ? found.version : undefined;
    appendToTopic(ref, path, bodies, value as Topic | undefined, ending);
    return { written: path };
  } catch (error) {
    return { failure: { code: 'state.write-failed', file: path, detail: detailOf(error) } };
  }
}

function hindranceOf({ path: file, why, outward }: Extract<Found, { kind: 'unreadable' }>): Failure {
  return outward
    ? { code: 'state.outside', file, target: outward.target }
    : { code: 'state.write-failed', file, detail: why };
}

/** The messages that no file has yet. */
function freshBodies(topic: Json | undefined): string[] {
  const messages = isJsonObject(topic) && Array.isArray(topic['messages']) ? topic['messages'] : [];
  const bodies: string[] = [];
  for (const message of messages as readonly Json[]) {
    const { id, body } = isJsonObject(message) ? message : {};
    if (id === undefined && typeof body === 'string') bodies.push(body);
  }
  return bodies;
}
