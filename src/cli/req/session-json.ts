import type { JsonObject } from '../../core/json';
import type { RegisteredSession } from './registry';

/** A session for programs, the same wherever one is listed. Times are seconds since the epoch. */
export function sessionJson(session: RegisteredSession): JsonObject {
  const { id, projectDir, branch, hostPid, startedAt, lastActive, alive } = session;
  return {
    id,
    project_dir: projectDir,
    branch,
    pid: hostPid,
    started_at: startedAt,
    last_active: lastActive,
    alive,
  };
}
