import type { JsonObject } from '../../domain/json';
import { clearingCommand } from './clearing';
import type { ReqStatus } from './status-facts';
import { openOf } from './status-text';

/** The status for programs. */
export function statusJson(status: ReqStatus): JsonObject {
  const { project, branch, session, reach, paused, requirements, sessions, problems, broken } = status;
  const open = openOf(status);
  return {
    project,
    branch,
    session: session === '' ? null : session,
    enforced: reach === 'enforced',
    reach,
    paused: paused === undefined ? null : { paused_at: paused.since, reason: paused.reason },
    satisfied: requirements.filter((one) => one.satisfied).length,
    total: requirements.length,
    needed: open.map(({ name }) => name),
    requirements: requirements.map((one) => ({
      name: one.name,
      type: one.type,
      scope: one.scope,
      satisfied: one.satisfied,
      applies: one.applies,
      triggered: one.triggered,
      place: one.place,
      ...(one.threshold !== undefined && { value: one.value ?? null, threshold: one.threshold }),
      expires_at: one.expiresAt ?? null,
      clear: one.satisfied ? null : clearingCommand(one, session),
    })),
    sessions: sessions.map(({ id, hostPid, lastActive }) => ({ id, pid: hostPid, last_active: lastActive })),
    broken,
    problems: [...problems],
    unreadable: [...status.unreadable],
  };
}
