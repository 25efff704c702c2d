import type { JsonObject } from '../../core/json';
import { requirementJson } from './requirement-json';
import { sessionJson } from './session-json';
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
    requirements: requirements.map((one) => requirementJson(one, session)),
    sessions: sessions.map(sessionJson),
    broken,
    problems: [...problems],
    unreadable: [...status.unreadable],
  };
}
