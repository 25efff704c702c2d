import { fail, type Result, succeed } from '../../core/failure';
import type { UnknownSession } from '../req/find-session';
import { type Loop, type Loops, loopOf } from './loops';
import * as say from './messages';
import type { MeantSession } from './session';

/** Which of the loops a command is about. */
export interface Choice {
  readonly session: MeantSession | UnknownSession;
  /** What can be done with it. */
  readonly fits: (loop: Loop) => boolean;
  /** What is to be done, for the sentence that refuses. */
  readonly verb: string;
}

/**
 * The session's loop. Where no session can be told, the only one in question: a person at a terminal has
 * none, and means the loop that runs.
 */
export function chooseLoop(loops: Loops, { session, fits, verb }: Choice): Result<Loop, string> {
  const fitting = loops.known.filter(fits);
  if (session.kind === 'found') {
    const own = loopOf(loops, session.id);
    return own !== undefined && fits(own) ? succeed(own) : fail(say.noLoopOf(session.id, verb, fitting));
  }
  const [only] = fitting;
  if (only === undefined) return fail(say.noLoop(verb));
  return fitting.length === 1 ? succeed(only) : fail(say.severalLoops(verb, fitting));
}
