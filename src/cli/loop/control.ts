import type { Who } from '../../core/actor';
import type { JsonObject } from '../../core/json';
import { isSameSessionName } from '../../core/text';
import { endedState, pausedState, resumedState } from '../../guards/loop/new-state';
import {
  addStates,
  fallbackFiles,
  recordHeartbeat,
  removeHeartbeat,
  unpausedFallback,
  writeLoopState,
} from '../../guards/loop/store';
import { removeLeftFiles } from '../../guards/loop/task-files';
import { type Change, readDocument } from '../../state/documents';
import { whoOf } from '../caller';
import { type Context, type ExitCode, type Options, Refusal } from '../context';
import { refuseAgent } from '../req/context';
import { type FoundSession, findOrAskSession, findSession, readRegistry } from '../req/find-session';
import {
  changeLoops,
  fullSessionId,
  isOpen,
  type Loop,
  type LoopPlace,
  type Loops,
  loopOf,
  requireLoopPlace,
} from './loops';
import { loopList, loopName, noSession, progressOf, stateJson } from './status';

export function cancel(context: Context, values: Options<'all', 'session'>): ExitCode {
  const place = requireLoopPlace(context, 'cancel', values.session);
  refuseAgent('cancel a loop', place);
  const whose = values.all ? 'all' : findSession(values.session, place);
  return changeLoops('cancel', place, (loops, now) => {
    const by = whoOf(place.caller());
    const ended = (envelope: JsonObject): JsonObject => endedState(envelope, 'ABORT', 'USER_CANCELLED', now);
    const files = fallbackFiles(place.root, place.cwd).filter(
      (ref) => readDocument(place.layout, ref).kind !== 'missing',
    );
    const unclear = loops.unclear.filter(({ ref }) => ref.format === 'topic');
    const chosen = loopsToCancel(loops, whose, files.length + unclear.length > 0);
    const inTopic = chosen.filter(({ ref }) => ref.format === 'topic');
    const changes = [
      ...inTopic.map((loop) => writeLoopState(loop, ended(loop.state.envelope), 'cancelled a loop', by)),
      // An unreadable message causes a warning at every turn until a newer message follows it.
      ...unclear.map(({ ref, owner }) => {
        const state = ended(owner === undefined ? {} : { session_id: owner });
        return writeLoopState({ ref }, state, 'ended an unreadable loop', by);
      }),
      // A loop file would take effect as soon as no topic does.
      ...files.map((document) => ({ document, what: 'removed a loop file', apply: () => undefined })),
    ];
    const nothing =
      changes.length > 0
        ? 'Removed what was left of a loop.'
        : 'No loop is active here, so there is nothing to cancel.';
    return {
      changes,
      also: inTopic.flatMap((loop) => [
        ...(loop.state.sessionId === undefined ? [] : [removeHeartbeat(loop.state.sessionId)]),
        ...removeLeftFiles(loop.state.stack, {}, place.layout.own),
      ]),
      session: chosen[0]?.state.sessionId ?? '',
      json: { cancelled: chosen.map(({ state }) => stateJson(ended(state.envelope), 'ended')) },
      lines: chosen.length === 0 ? [nothing] : chosen.map((loop) => `${loopName(loop)} is cancelled.`),
    };
  });
}

function loopsToCancel(loops: Loops, whose: FoundSession | 'all', hasOthers: boolean): readonly Loop[] {
  const open = loops.known.filter(isOpen);
  if (whose === 'all' || open.length === 0) return open;
  if (hasOthers && meantLoops(loops, whose, isOpen).length === 0) return [];
  return [chooseLoop(loops, whose, isOpen, 'cancel')];
}

export function pause(context: Context, values: Options<never, 'session'>, words: readonly string[]) {
  const place = requireLoopPlace(context, 'pause', values.session);
  refuseAgent('pause a loop', place);
  const session = findSession(values.session, place);
  return changeLoops('pause', place, (loops, now) => {
    const hint = '`holdpoint loop resume` continues it.';
    const [open, ...others] = meantLoops(loops, session, isOpen);
    if (open?.status === 'paused' && others.length === 0)
      throw new Refusal(
        `${loopName(open)} is already paused, at ${progressOf(open.state.envelope)}. ${hint}`,
      );
    const loop = chooseLoop(loops, session, isActive, 'pause');
    const { envelope, sessionId } = loop.state;
    const paused = pausedState(envelope, words.join(' '), now);
    return {
      changes: [writeLoopState(loop, paused, 'paused a loop', whoOf(place.caller()))],
      also: sessionId === undefined ? [] : [recordHeartbeat(sessionId, now)],
      session: sessionId ?? '',
      json: stateJson(paused, 'paused'),
      lines: [`${loopName(loop)} is paused at ${progressOf(envelope)}. ${hint}`],
    };
  });
}

function isActive({ status }: Loop): boolean {
  return status === 'active';
}

type LoopFilter = (loop: Loop) => boolean;

/** The session's loop. A person at a terminal has no session and may mean any loop. */
function meantLoops(loops: Loops, session: FoundSession, fits: LoopFilter): readonly Loop[] {
  if (session.kind === 'none') return loops.known.filter(fits);
  const own = loopOf(loops, session.id);
  return own !== undefined && fits(own) ? [own] : [];
}

/** Refuses unless exactly one loop fits. */
function chooseLoop(loops: Loops, session: FoundSession, fits: LoopFilter, command: string): Loop {
  const [loop, ...more] = meantLoops(loops, session, fits);
  if (loop !== undefined && more.length === 0) return loop;
  const fitting = loops.known.filter(fits);
  const list = [...loopList(fitting), 'Choose one with --session ID.'];
  if (session.kind === 'found') {
    const others = fitting.length === 0 ? [] : ['Other sessions have:', ...list];
    throw new Refusal([noLoopOf(session.id, command), ...others].join('\n'));
  }
  if (loop === undefined) throw new Refusal(`There is no loop to ${command} here.`);
  throw new Refusal([`There are ${fitting.length} loops to ${command}:`, ...list].join('\n'));
}

function noLoopOf(session: string, command: string): string {
  return `Session ${session} has no loop to ${command}.`;
}

export async function resume(context: Context, values: Options<never, 'session' | 'from'>) {
  const place = requireLoopPlace(context, 'resume', values.session);
  const session = await findOrAskSession(values.session, place);
  return changeLoops('resume', place, (loops, now) => {
    const own = session.kind === 'found' ? loopOf(loops, session.id) : undefined;
    const loop = loopToResume(loops, own, values.from, () => resumableLoops(loops, own, place, now));
    const { envelope, sessionId } = loop.state;
    if (session.kind === 'none' && sessionId === undefined) throw new Refusal(noSession(session, place.root));
    const owner = session.kind === 'found' ? fullSessionId(loops, session.id) : (sessionId ?? '');
    // Otherwise an agent could get rid of its loop by handing it to another session.
    if (isActive(loop) && sessionId !== owner) refuseAgent('take over a live loop', place);
    const next = resumedState(envelope, owner, now);
    const before = sessionId === undefined ? 'no session' : `session ${sessionId}`;
    const from = sessionId === owner ? '' : `, taken over from ${before}`;
    return {
      changes: [resumeIn(loop, next, now, whoOf(place.caller()))],
      also: [recordHeartbeat(owner, now, false)],
      session: owner,
      json: stateJson(next, 'active'),
      lines: [`The loop of session ${owner} continues${from}: ${progressOf(next)}.`],
    };
  });
}

/**
 * The session's own resumable loop, else the only one whose session is gone. The loop of a live session is taken
 * over only if --from names it.
 */
function loopToResume(
  loops: Loops,
  own: Loop | undefined,
  from: string | undefined,
  resting: () => readonly Loop[],
): Loop {
  if (own?.status === 'active')
    throw new Refusal(`${loopName(own)} is already active: ${progressOf(own.state.envelope)}.`);
  const candidates = from === undefined ? resting() : loopsNamed(loops, from);
  const [loop] = candidates;
  if (loop !== undefined && candidates.length === 1) return loop;
  if (loop === undefined && from !== undefined) throw new Refusal(noLoopOf(from, 'resume'));
  // Its session may still be alive, so an active loop is only offered.
  const offered = loop === undefined ? loops.known.filter(isActive) : candidates;
  if (offered.length === 0) throw new Refusal('There is no loop to resume here.');
  const several = `There are ${candidates.length} loops to resume:`;
  const title = loop === undefined ? 'No loop is paused or left over here. Other sessions have:' : several;
  const advice = 'Choose the one to continue in this session with --from SESSION or --from RUN.';
  throw new Refusal([title, ...loopList(offered), advice].join('\n'));
}

function resumableLoops(loops: Loops, own: Loop | undefined, { layout }: LoopPlace, now: number): Loop[] {
  if (own !== undefined && isResumable(own)) return [own];
  const alive = readRegistry(layout, now).sessions.filter((one) => one.alive);
  return loops.known.filter((loop) => {
    const { sessionId } = loop.state;
    const isLeft =
      sessionId === undefined || !alive.some((one) => isSameSessionName(sessionId, one.sessionId));
    return isLeft && isResumable(loop);
  });
}

/** Includes active loops: a session that its host has resumed has a new id. */
function loopsNamed({ known }: Loops, from: string): Loop[] {
  return known.filter((loop) => {
    const { envelope, sessionId } = loop.state;
    const isMeant =
      envelope['run_id'] === from || (sessionId !== undefined && isSameSessionName(sessionId, from));
    return isMeant && (loop.status === 'active' || isResumable(loop));
  });
}

/** A run that ended before it was done has kept its stack and can continue. */
function isResumable({ state: { envelope }, status }: Loop): boolean {
  const { archived_stack: archived } = envelope;
  const hasStack = Array.isArray(archived) && archived.length > 0;
  return status === 'paused' || status === 'stale' || (status === 'ended' && hasStack);
}

/** Also ends the loop in its previous session, in the same write. */
function resumeIn({ ref, state }: Loop, next: JsonObject, now: number, by: Who): Change {
  const what = 'resumed a loop';
  const apply: Change['apply'] = (text) => (typeof text === 'string' ? unpausedFallback(text) : text);
  if (ref.format === 'text') return { document: ref, what, apply };
  const isOwn = state.sessionId === next['session_id'];
  const left = isOwn ? [] : [endedState(state.envelope, 'ABORT', 'RESUMED_ELSEWHERE', now)];
  return addStates(ref, [...left, next], what, by);
}
