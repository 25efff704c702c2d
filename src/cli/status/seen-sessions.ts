import { sessionKey } from '../../core/session-key';
import { pauseFile } from '../../guards/requirements/session-files';
import { readDocument } from '../../state/documents';
import { HEARTBEATS, heartbeatsIn } from '../../state/sessions';
import type { OpenProject } from '../project';
import type { RegisteredSession } from '../req/registry';
import type { Cover } from './standing';

/** A live session of the project, with whether what is armed holds in it. */
export type SeenSession = RegisteredSession & {
  readonly paused: boolean;
  readonly degraded: boolean;
  /** Its last sign of life, in milliseconds since the epoch. */
  readonly seenAt: number;
};

export function seenSessions(
  { root, layout }: OpenProject,
  sessions: readonly RegisteredSession[],
  degraded: readonly { readonly session: string }[],
  allDegraded: boolean,
): SeenSession[] {
  const document = readDocument(layout, HEARTBEATS);
  const beats = heartbeatsIn(document.kind === 'present' ? document.value : undefined);
  return sessions
    .filter((one) => one.alive && one.projectDir === root)
    .map((one) => {
      const beat = beats.find(({ key }) => key === one.id);
      return {
        ...one,
        paused: readDocument(layout, pauseFile(one.id)).kind === 'present',
        degraded: allDegraded || degraded.some(({ session }) => sessionKey(session) === one.id),
        seenAt: Math.max(one.lastActive * 1000, beat?.at ?? 0),
      };
    });
}

/** In a word or two. Where nothing holds a session may be noted, but it is free. */
export function sessionState({ paused, degraded }: SeenSession, cover: Cover['state']): string {
  if (cover === 'off') return 'off';
  const trouble = [...(paused ? ['paused'] : []), ...(degraded ? ['degraded'] : [])];
  return trouble.length === 0 ? cover : trouble.join(', ');
}
