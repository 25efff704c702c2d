import type { EventOf } from '../../core/event';
import { outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import type { Operation } from '../../core/tool-call';
import { NOTHING } from '../../core/verdict';
import { BEAT_EVERY_MS, beat, lifeOf } from './live';

const WRITING: readonly Operation[] = ['shell', 'write', 'edit', 'patch', 'delete'];

/** A tool is a sign of life, noted once a minute; and the first one of an iteration that can write is noted too. */
export function afterTool(event: EventOf<'tool.after'>, snapshot: Snapshot): Step {
  const life = lifeOf(snapshot, event.sessionId);
  if (life === undefined) return outcome(NOTHING);
  const writes = WRITING.includes(event.call.op) && !life.wrote;
  if (!writes && snapshot.now - life.heartbeat < BEAT_EVERY_MS) return outcome(NOTHING);
  return outcome(NOTHING, [beat(event.sessionId, snapshot.now, writes ? true : undefined)]);
}
