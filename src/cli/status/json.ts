import { cannotWrite } from '../../core/hold-messages';
import type { JsonObject } from '../../core/json';
import { standingJson } from '../flow/status-json';
import { gatesJson } from '../gates/glance';
import { loopJson } from '../loop/status-json';
import { requirementJson } from '../req/requirement-json';
import { sessionJson } from '../req/session-json';
import { type ServerGlance, serverJson } from '../resident/server';
import type { Status } from './gather';
import { sessionState } from './seen-sessions';

/** The status for programs. */
export function statusJson(status: Status, server: ServerGlance | undefined): JsonObject {
  const { root, branch, configured, posts, problems, switchedOff, session, standing, unwritable } = status;
  return {
    project: root,
    branch,
    configured,
    guards: posts.map(({ guard }) => guard),
    guards_holding: posts.filter(({ kind }) => kind === 'holding').map(({ guard }) => guard),
    problems: [...problems],
    switched_off: [...switchedOff],
    session: session ?? null,
    state: standing.state,
    state_reason: standing.reasons.map(({ text }) => text).join('; '),
    state_trouble: unwritable === undefined ? null : cannotWrite(unwritable),
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
      state: sessionState(one, status.inSessions),
      last_seen: new Date(one.seenAt).toISOString(),
    })),
    degraded: status.degraded.map((mark) => ({ ...mark, at: new Date(mark.at).toISOString() })),
    recent: [...status.recent],
  };
}
