import type { Failure } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import { isDisabled } from '../../core/selection';
import { sessionKey } from '../../core/session-key';
import type { Context } from '../verb';
import type { Calling } from './calling';
import * as say from './messages';
import type { Mistake } from './mistakes';
import { type Grounds, type Post, postsIn } from './posts';
import type { SeenSession } from './seen-sessions';

/** Whether agents are held here, and where they are not or not by all: why, and what to do about it. */
export interface Standing {
  readonly state: 'armed' | 'partly armed' | 'paused' | 'degraded' | 'off';
  readonly reasons: readonly say.Reason[];
}

/** What is looked at. */
export interface Outlook extends Grounds {
  /** Config files of which nothing could be read, with the place of the trouble. */
  readonly unread: readonly string[];
  readonly paused: readonly say.Reason[];
  readonly degraded: readonly { readonly session: string; readonly code: string }[];
  /** Why nothing can be recorded here. */
  readonly unwritable: Failure | undefined;
  readonly seen: readonly SeenSession[];
  readonly session: string | undefined;
  /** Whether it is that session itself which asks. */
  readonly asksForItself: boolean;
  readonly calling: () => Calling;
}

/** How much of what is configured holds, whoever may have paused it and whatever went wrong. */
export interface Cover {
  readonly state: 'armed' | 'partly armed' | 'off';
  readonly reasons: readonly say.Reason[];
}

export function standingOf(outlook: Outlook, cover: Cover): Standing {
  if (cover.state === 'off') return cover;
  const { paused } = outlook;
  const trouble = troubleFor(outlook);
  const reasons = [...paused, ...trouble, ...cover.reasons];
  if (paused.length > 0) return { state: 'paused', reasons };
  return trouble.length > 0 ? { state: 'degraded', reasons } : cover;
}

export function coverOf(outlook: Outlook, env: Context['env']): Cover {
  if (isDisabled(env)) return off([say.DISABLED]);
  const posts = postsIn(outlook, env);
  const idle = whyNothingHolds(posts, outlook);
  if (idle.length > 0) return off(idle);
  const heard = hearing(outlook);
  if (heard.kind === 'unheard') return off(heard.reasons);
  const missing = [...reasonsOf(posts, 'off'), ...brokenConfig(outlook, posts), ...heard.reasons];
  return { state: missing.length > 0 ? 'partly armed' : 'armed', reasons: missing };
}

/** The same for sessions that did call: each has an environment of its own, and settings that we may not see. */
export function coverInSessions(outlook: Outlook): Cover {
  const called = outlook.calling();
  const calling = (): Calling => (called.kind === 'uncalled' ? { kind: 'called' } : called);
  return coverOf({ ...outlook, asksForItself: false, calling }, {});
}

function off(reasons: readonly say.Reason[]): Cover {
  return { state: 'off', reasons };
}

/** None where some guard holds. */
function whyNothingHolds(posts: readonly Post[], { unread, mistakes }: Outlook): say.Reason[] {
  if (posts.some(({ kind }) => kind === 'holding')) return [];
  const [place] = unread;
  if (place !== undefined) return [say.unread(place)];
  const reasons = [...reasonsOf(posts, 'off'), ...reasonsOf(posts, 'idle')];
  if (reasons.length > 0) return reasons;
  return mistakes.length > 0 ? mistaken(mistakes) : [say.NOTHING_CONFIGURED];
}

function reasonsOf(posts: readonly Post[], wanted: 'idle' | 'off'): say.Reason[] {
  return posts.flatMap((post) => (post.kind === wanted ? [post.reason] : []));
}

function brokenConfig({ unread, mistakes }: Outlook, posts: readonly Post[]): say.Reason[] {
  const [place] = unread;
  if (place !== undefined) return [say.unread(place)];
  // What is off as a whole has said so.
  const told = posts.filter(({ kind }) => kind === 'off').map(({ guard }) => guard);
  return mistaken(mistakes.filter(({ what }) => !told.some((guard) => what.startsWith(guard))));
}

function mistaken([first, ...more]: readonly Mistake[]): say.Reason[] {
  return first === undefined ? [] : [say.mistaken(first.what, first.place, more.length)];
}

interface Heard {
  readonly kind: 'heard' | 'unheard';
  readonly reasons: readonly say.Reason[];
}

/** Only what is called holds: the session that asks, or for a person any host. A session may call us by settings that we do not see. */
function hearing({ seen, session, asksForItself, calling }: Outlook): Heard {
  const called = calling();
  const reasons = 'reasons' in called ? called.reasons : [];
  if (called.kind === 'deaf') return { kind: 'unheard', reasons };
  if (asksForItself) {
    const isSeen = seen.some(({ id }) => id === session);
    return isSeen ? { kind: 'heard', reasons } : { kind: 'unheard', reasons: [say.UNHEARD] };
  }
  if (called.kind !== 'uncalled') return { kind: 'heard', reasons };
  return seen.length > 0
    ? { kind: 'heard', reasons: [say.UNNAMED] }
    : { kind: 'unheard', reasons: [say.UNCALLED] };
}

function troubleFor({ degraded, session, unwritable }: Outlook): say.Reason[] {
  const mine = degraded.filter((mark) => session === undefined || sessionKey(mark.session) === session);
  const last = mine.at(-1);
  return [
    ...(unwritable === undefined ? [] : [say.unwritable(sentenceOf(unwritable))]),
    ...(last === undefined ? [] : [say.degraded(mine.length, last.code)]),
  ];
}
