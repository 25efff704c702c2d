import { HOST_VARIABLES } from '../../../core/host-variables';
import type { Env } from '../run/request';

/** Of the session that we are called from: a reviewer that finds them takes itself for a part of it, or refuses. */
const OF_OUR_SESSION = [
  ...Object.values(HOST_VARIABLES).flatMap(({ session, agent }) => [...session, ...agent]),
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_PID',
];

/** A reviewer is an agent with hooks of its own; it must not be held by what we or older programs installed. */
const SWITCHED_OFF = {
  GAUNTLET_STOP_HOOK_ACTIVE: '1',
  HOLDPOINT_DISABLE: '1',
  CLAUDE_SKIP_REQUIREMENTS: '1',
  IDLE_LOOP_DISABLE: '1',
};

/** The environment of a reviewer. */
export function reviewerEnvironment(env: Env): Env {
  const rest = Object.entries(env).filter(([name]) => !OF_OUR_SESSION.includes(name));
  return { ...Object.fromEntries(rest), ...SWITCHED_OFF };
}
