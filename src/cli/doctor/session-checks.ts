import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { processState } from '../../exec/processes';
import { readDocument } from '../../state/documents';
import { HEARTBEATS, heartbeatsIn } from '../../state/sessions';
import type { OpenProject } from '../project';
import { readRegistry } from '../req/find-session';
import { ago } from '../ui/output';
import { advice, type Check, passed, warned } from './check';
import { installWhole, type Means } from './install-command';
import { tryWriting } from './try-writing';

/** Whether the sessions that run here have called us, as far as anybody notes that they run. */
export function sessionChecks(project: OpenProject | undefined, means: Means, now: number): Check[] {
  if (project === undefined) return [];
  const document = readDocument(project.layout, HEARTBEATS);
  const beats = heartbeatsIn(document.kind === 'present' ? document.value : undefined);
  const heard = new Set(beats.map(({ key }) => key));
  const live = readRegistry(project.layout, now).sessions.filter(
    ({ alive, projectDir }) => alive && projectDir === project.root,
  );
  const known = new Set([...heard, ...live.map(({ id }) => id)]);
  // Where nothing can be written a start leaves no trace, whether it was heard or not.
  const isNoted = tryWriting(project.layout) === undefined;
  return [
    heartbeatCheck(
      beats.map(({ at }) => at),
      now,
    ),
    ...live.filter(({ id }) => isNoted && !heard.has(id)).map(({ id }) => startUnheard(id, means)),
    ...hostSessions(project)
      .filter(({ key }) => !known.has(key))
      .map(({ key, cwd }) => unheard(key, cwd, project.root)),
  ];
}

function heartbeatCheck(times: readonly number[], now: number): Check {
  const subject = { id: 'state.heartbeat', category: 'state' } as const;
  if (times.length === 0) return passed(subject, 'no session has called the hook yet');
  const seconds = (now - Math.max(...times)) / 1000;
  return passed(subject, `${times.length} session(s) have called the hook, the last ${ago(seconds)}`);
}

function startUnheard(id: string, means: Means): Check {
  return warned(
    { id: 'state.no-start', category: 'state' },
    `session ${id} calls us at tools, but was not heard of at its start`,
    installWhole(means, 'Have SessionStart and UserPromptSubmit call us too'),
  );
}

function unheard(key: string, cwd: string, root: string): Check {
  const where = cwd === root ? '' : ` in ${cwd}, where it does not load the hooks of ${root}`;
  return warned(
    { id: 'state.unheard', category: 'state' },
    `session ${key} of Claude Code runs here${where || ''} and has never called the hook: it is not guarded`,
    advice('Start it again at the root of the project, then see /hooks in it'),
  );
}

interface HostSession {
  readonly key: string;
  readonly cwd: string;
}

/** Claude Code notes its running sessions in files of its own; of those only the ones of this project are asked for. */
function hostSessions({ home, root }: OpenProject): HostSession[] {
  return noteFiles(join(home, '.claude', 'sessions')).flatMap((file) => {
    const note = noteIn(file);
    const { pid, sessionId, cwd } = note;
    if (typeof pid !== 'number' || typeof sessionId !== 'string' || typeof cwd !== 'string') return [];
    const isHere = cwd === root || cwd.startsWith(`${root}/`);
    const key = sessionKey(sessionId);
    return isHere && key !== undefined && processState(pid) === 'alive' ? [{ key, cwd }] : [];
  });
}

function noteFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^\d+\.json$/.test(name))
      .map((name) => join(dir, name));
  } catch {
    return [];
  }
}

function noteIn(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
