import { findHostProcess } from '../exec/processes';
import { readHead } from '../git/head';
import { registerSession } from '../state/sessions';
import { updateDocuments } from '../state/update';
import type { Beginning } from './first-look';
import { branchLabel } from './git-head';
import { sessionKey } from './session-key';
import type { Surroundings } from './surroundings';

const WAIT_MS = 500;

/**
 * Notes a session that begins where nothing is armed, on a host that does not tell the agent's shell its
 * session: a loop can be started by hand there, and has to find it. Where this cannot be written the
 * commands say that they need `--session`.
 */
export function registerNameless({ glance, project }: Beginning, surroundings: Surroundings): void {
  const { chunks, env, now, parentPid = process.ppid } = surroundings;
  const key = sessionKey(glance.sessionId);
  if (key === undefined || glance.host === 'claude-code') return;
  if (chunks.host(glance.host).namelessShell !== true) return;
  const registration = registerSession({
    key,
    sessionId: glance.sessionId,
    projectDir: project.root,
    branch: branchLabel(project.git && readHead(project.git, chunks.askGit)),
    host: findHostProcess(env, parentPid),
    pid: process.pid,
    now,
  });
  updateDocuments(project.layout, [registration], WAIT_MS);
}
