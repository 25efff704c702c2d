import { existsSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf, type Failure } from '../../core/failure';
import { jsonObjectIn } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { sessionKey } from '../../core/text';
import { processState } from '../../exec/processes';
import { readDocument } from '../../state/documents';
import { discard, writeTemporary } from '../../state/files';
import { containerOf, type Layout, placeOf, projectLockFile } from '../../state/layout';
import { holderOf, isAbandoned } from '../../state/lock';
import { HEARTBEATS, heartbeatsIn } from '../../state/sessions';
import { lockProject } from '../../state/update';
import { attempt, textIn } from '../install/files';
import { nearestThere, type OpenProject, stateDirectories } from '../project';
import { layoutOfHome, readRegistry } from '../req/find-session';
import { readStateFiles } from '../req/state-files';
import { degradedSessions } from '../status/gather';
import { ago } from '../ui/output';
import { advice, type Check, failed, installWhole, type Means, passed, warned } from './report';

export function stateChecks(project: OpenProject | undefined, home: string, now: number): Check[] {
  const registry = registryCheck(project?.layout ?? layoutOfHome(home), now);
  if (project === undefined) return [registry];
  return [filesCheck(project.layout), lockCheck(project.layout, now), registry, degradedCheck(project)];
}

function filesCheck(layout: Layout): Check {
  const files = readStateFiles(layout);
  const first = files.find((file) => file.kind === 'unreadable');
  if (first === undefined) return passed('state.files', `${files.length} state file(s) can be read`);
  const why = sentenceOf({ code: 'state.unreadable', file: first.file, detail: first.why });
  return failed('state.files', why, advice('Satisfy again what it held, or put a copy in its place'));
}

function lockCheck(layout: Layout, now: number): Check {
  const file = projectLockFile(layout);
  // Where nothing can be kept nobody holds anything; that itself is another check's finding.
  const holder = attempt(() => holderOf(file));
  if (holder === undefined) return passed('state.lock', 'free');
  const owner = holder.stamp === undefined ? 'somebody without a name' : `process ${holder.stamp.pid}`;
  if (isAbandoned(holder, now))
    return passed('state.lock', `left by ${owner}, which has ended; the next who needs it takes it`);
  const fix = advice(`Look again; if it stays, see what that process does (${file})`);
  return warned('state.lock', `held by ${owner}`, fix);
}

function registryCheck(layout: Layout, now: number): Check {
  const registry = readRegistry(layout, now);
  switch (registry.kind) {
    case 'missing':
      return passed('state.registry', 'no session was registered yet');
    case 'read': {
      const live = registry.sessions.filter(({ alive }) => alive);
      return passed('state.registry', `${live.length} live session(s)`);
    }
    case 'unreadable': {
      const fix = advice('It is kept aside and begun anew when the next session starts');
      return warned('state.registry', `${registry.file} ${registry.why}`, fix);
    }
  }
}

function degradedCheck(project: OpenProject): Check {
  const marks = degradedSessions(project);
  const last = marks.at(-1);
  if (last === undefined) return passed('state.degraded', 'no session went unchecked');
  const when = new Date(last.at).toISOString();
  const what = `${marks.length} event(s) went unchecked, the last at ${when}: ${last.code} ${last.detail}`;
  const fix = { description: 'Shows what failed', safe: true, command: 'holdpoint log' };
  return warned('state.degraded', what, fix);
}

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
  const times = beats.map(({ at }) => at);
  const last = ago((now - Math.max(...times)) / 1000);
  return [
    times.length === 0
      ? passed('state.heartbeat', 'no session has called the hook yet')
      : passed('state.heartbeat', `${times.length} session(s) have called the hook, the last ${last}`),
    ...live
      .filter(({ id }) => isNoted && !heard.has(id))
      .map(({ id }) =>
        warned(
          'state.no-start',
          `session ${id} calls us at tools, but was not heard of at its start`,
          installWhole(means, 'Have SessionStart and UserPromptSubmit call us too'),
        ),
      ),
    ...hostSessions(project)
      .filter(({ key }) => !known.has(key))
      .map(({ key, cwd }) => unheard(key, cwd, project.root)),
  ];
}

function unheard(key: string, cwd: string, root: string): Check {
  const where = cwd === root ? '' : ` in ${cwd}, where it does not load the hooks of ${root}`;
  return warned(
    'state.unheard',
    `session ${key} of Claude Code runs here${where} and has never called the hook: it is not guarded`,
    advice('Start it again at the root of the project, then see /hooks in it'),
  );
}

/** Claude Code notes its running sessions in files of its own; of those only the ones of this project are asked for. */
function hostSessions({ home, root }: OpenProject): { readonly key: string; readonly cwd: string }[] {
  const directory = join(home, '.claude', 'sessions');
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.flatMap((name) => {
    if (!/^\d+\.json$/.test(name)) return [];
    const { pid, sessionId, cwd } = jsonObjectIn(textIn(join(directory, name)) ?? '') ?? {};
    if (typeof pid !== 'number' || typeof sessionId !== 'string' || typeof cwd !== 'string') return [];
    const isHere = cwd === root || cwd.startsWith(`${root}/`);
    const key = sessionKey(sessionId);
    return isHere && key !== undefined && processState(pid) === 'alive' ? [{ key, cwd }] : [];
  });
}

/** More than a file system keeps beside the name, so that a full disk shows. */
const TRIAL = `${'A trial of Holdpoint, to be removed at once. '.repeat(200)}\n`;

/**
 * Does once what keeping state takes: a lock, and in each directory a file that is written, renamed and removed. Leaves
 * nothing behind; of a directory that is not there yet, the one is tried in which it would be made.
 */
export function tryWriting(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    const failure = tryIn(layout, directory);
    if (failure !== undefined) return failure;
  }
  if (!existsSync(layout.own)) return undefined;
  const lock = lockProject(layout, 0);
  if (lock.ok) lock.value.release();
  // That somebody holds it just now is another check's finding.
  return lock.ok || lock.failure.code === 'lock.timeout' ? undefined : lock.failure;
}

function tryIn(layout: Layout, directory: string): Failure | undefined {
  let written: string | undefined;
  try {
    const place = placeOf(containerOf(layout, 'own'), `${directory}/trial`);
    if (place.kind === 'outward') return { code: 'state.outside', file: directory, target: place.target };
    const trial = `${nearestThere(directory)}/holdpoint-trial-${process.pid}`;
    written = writeTemporary(trial, TRIAL, true);
    renameSync(written, trial);
    written = trial;
    unlinkSync(trial);
    return undefined;
  } catch (error) {
    if (written !== undefined) discard(written);
    return { code: 'state.write-failed', file: directory, detail: detailOf(error) };
  }
}
