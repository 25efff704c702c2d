import { sentenceOf } from '../../core/messages';
import type { Layout } from '../../state/layout';
import { projectLockFile } from '../../state/layout';
import { holderOf, isAbandoned } from '../../state/lock';
import type { OpenProject } from '../project';
import { layoutOfHome, readRegistry } from '../req/find-session';
import { readStateFiles } from '../req/state-files';
import { degradedSessions } from '../status/gather';
import { advice, type Check, failed, passed, warned } from './check';

/** Whether what was recorded can be read and written. */
export function stateChecks(project: OpenProject | undefined, home: string, now: number): Check[] {
  const registry = registryCheck(project?.layout ?? layoutOfHome(home), now);
  if (project === undefined) return [registry];
  return [filesCheck(project.layout), lockCheck(project.layout, now), registry, degradedCheck(project)];
}

function filesCheck(layout: Layout): Check {
  const subject = { id: 'state.files', category: 'state' } as const;
  const files = readStateFiles(layout);
  const bad = files.flatMap((file) => (file.kind === 'unreadable' ? [file] : []));
  const [first] = bad;
  if (first === undefined) return passed(subject, `${files.length} state file(s) can be read`);
  const failure = { code: 'state.unreadable', file: first.file, detail: first.why } as const;
  return failed(
    subject,
    sentenceOf(failure),
    advice('Satisfy again what it held, or put a copy in its place'),
  );
}

function lockCheck(layout: Layout, now: number): Check {
  const subject = { id: 'state.lock', category: 'state' } as const;
  const file = projectLockFile(layout);
  const holder = holderAt(file);
  if (holder === undefined) return passed(subject, 'free');
  const owner = holder.stamp === undefined ? 'somebody without a name' : `process ${holder.stamp.pid}`;
  return isAbandoned(holder, now)
    ? passed(subject, `left by ${owner}, which has ended; the next who needs it takes it`)
    : warned(
        subject,
        `held by ${owner}`,
        advice(`Look again; if it stays, see what that process does (${file})`),
      );
}

/** Where nothing can be kept nobody holds anything; that itself is another check's finding. */
function holderAt(file: string): ReturnType<typeof holderOf> {
  try {
    return holderOf(file);
  } catch {
    return undefined;
  }
}

function registryCheck(layout: Layout, now: number): Check {
  const subject = { id: 'state.registry', category: 'state' } as const;
  const registry = readRegistry(layout, now);
  switch (registry.kind) {
    case 'missing':
      return passed(subject, 'no session was registered yet');
    case 'read':
      return passed(subject, `${registry.sessions.filter(({ alive }) => alive).length} live session(s)`);
    case 'unreadable':
      return warned(
        subject,
        `${registry.file} ${registry.why}`,
        advice('It is kept aside and begun anew when the next session starts'),
      );
  }
}

function degradedCheck(project: OpenProject): Check {
  const subject = { id: 'state.degraded', category: 'state' } as const;
  const marks = degradedSessions(project);
  const last = marks.at(-1);
  if (last === undefined) return passed(subject, 'no session went unchecked');
  const when = new Date(last.at).toISOString();
  return warned(
    subject,
    `${marks.length} event(s) went unchecked, the last at ${when}: ${last.code} ${last.detail}`,
    {
      description: 'Shows what failed',
      safe: true,
      command: 'holdpoint log',
    },
  );
}
