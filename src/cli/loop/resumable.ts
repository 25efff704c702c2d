import { fail, type Result, succeed } from '../../core/failure';
import { readRegistry, type UnknownSession } from '../req/find-session';
import { isNamed, type Loop, type Loops, loopOf, wholeId } from './loops';
import * as say from './messages';
import type { LoopPlace } from './place';
import type { MeantSession } from './session';
import { isResumable } from './standing';

interface Wish {
  readonly session: MeantSession | UnknownSession;
  /** A session or a run whose loop is to be taken over. */
  readonly from: string | undefined;
  readonly place: LoopPlace;
  readonly now: number;
}

/** A loop that can go on, and the session that it goes on for. */
export interface Resumable {
  readonly loop: Loop;
  readonly owner: string;
}

/**
 * The session's own loop that rests, else the only one that its session left behind. What a session that
 * still lives is about is taken from it only by name.
 */
export function resumableLoop(loops: Loops, wish: Wish): Result<Resumable, string> {
  const { session, from } = wish;
  const own = session.kind === 'found' ? loopOf(loops, session.id) : undefined;
  if (own?.standing === 'active') return fail(say.runsAlready(own));
  const candidates = from === undefined ? resting(loops, own, wish) : named(loops, from);
  const [loop] = candidates;
  if (loop === undefined)
    return fail(from === undefined ? nothingRests(loops) : say.noLoopOf(from, 'resume', []));
  if (candidates.length > 1) return fail(say.severalToResume(candidates));
  const owner = session.kind === 'found' ? wholeId(loops, session.id) : loop.state.sessionId;
  if (owner === undefined) return fail(say.noSession(session as UnknownSession, wish.place.root));
  return succeed({ loop, owner });
}

function resting(loops: Loops, own: Loop | undefined, { place, now }: Wish): Loop[] {
  if (own !== undefined && isResumable(own.state, own.standing)) return [own];
  const alive = readRegistry(place.layout, now)
    .sessions.filter((one) => one.alive)
    .map(({ id }) => id);
  return loops.known.filter(({ state, standing }) => {
    const { sessionId } = state;
    const isLeft = sessionId === undefined || !alive.some((id) => isNamed(sessionId, id));
    return isLeft && isResumable(state, standing);
  });
}

/** Who names a loop may take it even while it runs: a session that was resumed by its host has a new id. */
function named({ known }: Loops, from: string): Loop[] {
  return known.filter(({ state, standing }) => {
    const isMeant =
      state.envelope['run_id'] === from || (state.sessionId !== undefined && isNamed(state.sessionId, from));
    return isMeant && (standing === 'active' || isResumable(state, standing));
  });
}

/** Nobody can tell for sure that a session is gone, so its loop is offered and not taken. */
function nothingRests({ known }: Loops): string {
  const active = known.filter(({ standing }) => standing === 'active');
  return active.length === 0 ? say.noLoop('resume') : say.onlyByName(active);
}
