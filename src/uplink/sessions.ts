import { join } from 'node:path';
import type { Chunks } from '../core/chunks';
import { type Json, type JsonObject, nameIn, objectIn, present } from '../core/json';
import { findMessageStore, loadConfig } from '../core/project';
import { isNamed } from '../core/text';
import type { GatesConfig } from '../guards/gates/config';
import { livingLease } from '../guards/gates/run/lease';
import { LOCK_NAME, logDirOf } from '../guards/gates/run/logs';
import { readState } from '../guards/gates/run/state';
import { frameOf, isLive, LOOP_DEFAULTS, parseState } from '../guards/loop/state';
import { ownTopic, sharedTopic, topicIn } from '../guards/loop/store';
import { APPROVALS, presentValue } from '../guards/requirements/view';
import { OWN_STATE, seedState } from '../guards/workflow/place';
import { currentPhase } from '../guards/workflow/state';
import { type DocumentRef, readDocument } from '../state/documents';
import type { HubProject } from '../state/hub';
import { HEARTBEATS, heartbeatsIn } from '../state/sessions';
import { type Followed, guardConfig, type liveSessions } from './projects';
import { lastWords } from './requests';

type Live = ReturnType<typeof liveSessions>[number];

/** What the hub shows of a session beside its decisions: its loop, its phase, the gates, the model. */
export function sessionReport(
  session: Live,
  { ground }: Followed,
  { id, name }: HubProject,
  chunks: Chunks,
  now: number,
): JsonObject {
  const { layout } = ground;
  const read = (ref: DocumentRef): Json | undefined => presentValue(readDocument(layout, ref));
  const beat = heartbeatsIn(read(HEARTBEATS)).find((one) => isNamed(one.sessionId, session.sessionId));
  const client = objectIn(objectIn(read(APPROVALS), 'clients'), session.id);
  const transcript = nameIn(client, 'transcript');
  const phase = currentPhase(read(seedState(undefined))) ?? currentPhase(read(OWN_STATE));
  return present({
    id: session.sessionId,
    project: { id, name },
    branch: session.branch,
    host: beat?.host,
    model: transcript === undefined ? undefined : lastWords(transcript).model,
    loop: loopOf(session.sessionId, ground),
    phase,
    gates: gatesOf(ground, chunks, now),
    at: new Date(Math.max(session.lastActive * 1000, beat?.at ?? 0)).toISOString(),
  }) as JsonObject;
}

function loopOf(sessionId: string, { layout, root }: Followed['ground']): JsonObject | undefined {
  const messages = findMessageStore(root, {});
  const places = messages === undefined ? layout : { ...layout, messages };
  for (const ref of [sharedTopic(sessionId, OTHERS), ownTopic(sessionId, OTHERS)]) {
    const body = topicIn(presentValue(readDocument(places, ref)))?.messages.at(-1)?.body;
    const parsed = body === undefined ? undefined : parseState(body);
    if (parsed?.kind !== 'state' || !isLive(parsed.state)) continue;
    const frame = frameOf(parsed.state.stack.at(-1), LOOP_DEFAULTS.maxIterations);
    if (frame !== undefined) return { iteration: frame.iter, max: frame.max, mode: frame.mode };
  }
  return undefined;
}

const OTHERS = { others: 'unwanted' } as const;

function gatesOf(ground: Followed['ground'], chunks: Chunks, now: number): JsonObject | undefined {
  const config = guardConfig(loadConfig(ground, chunks), 'gates') as GatesConfig | undefined;
  if (config === undefined) return undefined;
  const logDir = logDirOf(ground.root, config);
  const { last_status: status, last_run_completed_at: ranAt, failing } = readState(logDir) ?? {};
  const running = livingLease(join(logDir, LOCK_NAME), now) !== undefined;
  return present({ running, status, at: ranAt, failing: failing && [...failing] }) as JsonObject;
}
