import type { JsonObject } from '../../domain/json';
import { standingJson } from '../flow/status-json';
import { gatesJson } from '../gates/glance';
import { loopJson } from '../loop/status-json';
import { requirementJson } from '../req/requirement-json';
import { sessionJson } from '../req/session-json';
import { type ServerGlance, serverJson } from '../resident/glance';
import type { Status } from './gather';
import { sessionState } from './seen-sessions';

/** The status for programs. */
export function statusJson(status: Status, server: ServerGlance | undefined): JsonObject {
  const { root, branch, configured, guards, problems, switchedOff, session } = status;
  return {
    project: root,
    branch,
    configured,
    guards: [...guards],
    problems: [...problems],
    switched_off: [...switchedOff],
    session: session ?? null,
    state: status.standing.state,
    state_reason: status.standing.why,
    requirements: status.requirements.map((one) => requirementJson(one, session ?? '')),
    workflow: {
      ...standingJson(status.flow.standing, status.flow.state),
      ...(status.flow.trouble !== undefined && { trouble: status.flow.trouble }),
    },
    gates: gatesJson(status.gates),
    server: serverJson(server),
    loops: status.loops.map(loopJson),
    sessions: status.sessions.map(sessionJson),
    session_states: status.sessions.map((one) => ({
      id: one.id,
      state: sessionState(one, status.guards),
      last_seen: new Date(one.seenAt).toISOString(),
    })),
    degraded: status.degraded.map((mark) => ({ ...mark, at: new Date(mark.at).toISOString() })),
    recent: [...status.recent],
  };
}
