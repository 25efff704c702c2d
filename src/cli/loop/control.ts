import { parseArgs } from 'node:util';
import type { Change } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { fallbackFiles } from '../../guards/loop/documents';
import { keepState } from '../../guards/loop/keep';
import { beat, silence } from '../../guards/loop/live';
import { abortedState, pausedState, resumedState, unpausedFallback } from '../../guards/loop/new-state';
import { readDocument } from '../../state/documents';
import type { FoundSession } from '../req/find-session';
import { readRegistry } from '../req/registry';
import { printable } from '../ui/output';
import type { Verb } from '../verb';
import { addStates, changeLoops, remove, removeLeftovers } from './change';
import {
  askForSession,
  isNamed,
  type Loop,
  type LoopPlace,
  type Loops,
  loopOf,
  requireLoopPlace,
  SESSION_OPTIONS,
  sessionFor,
  wholeId,
} from './loops';
import { loopList, loopName, noSession, progressOf, stateJson } from './text';

/** `holdpoint loop cancel`. */
export const cancel: Verb = {
  usage: 'holdpoint loop cancel [--session ID] [--all] [--json]',
  run(args, context) {
    const options = { ...SESSION_OPTIONS, all: { type: 'boolean', default: false } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const place = requireLoopPlace(context, 'cancel', values.session);
    if (place === undefined) return 2;
    const whose = values.all ? 'all' : sessionFor(values.session, place, context.env);
    return changeLoops({ command: 'cancel', json: values.json }, place, context, (loops, now) => {
      const ended = (envelope: JsonObject): JsonObject => abortedState(envelope, 'USER_CANCELLED', now);
      const files = fallbackFiles(place.root, place.cwd).filter(
        (ref) => readDocument(place.layout, ref).kind !== 'missing',
      );
      const unclear = loops.unclear.filter(({ ref }) => ref.format === 'topic');
      const chosen = loopsToCancel(loops, whose, files.length + unclear.length > 0);
      if (!chosen.ok) return chosen;
      const inTopic = chosen.value.filter(({ ref }) => ref.format === 'topic');
      const changes = [
        ...inTopic.map((loop) => keepState(loop, ended(loop.state.envelope), 'cancelled a loop')),
        // An unreadable message is warned of at every turn until a newer one follows it.
        ...unclear.map(({ ref, owner }) =>
          keepState(
            { ref },
            ended(owner === undefined ? {} : { session_id: owner }),
            'ended an unreadable loop',
          ),
        ),
        // A loop file would begin to count once no topic does.
        ...files.map((ref) => remove(ref, 'removed a loop file')),
      ];
      const nothing =
        changes.length > 0
          ? 'What was left of a loop is removed.'
          : 'No loop is live here; there was nothing to cancel.';
      return succeed({
        changes,
        also: inTopic.flatMap((loop) => [...silenceOf(loop), ...removeLeftovers(loop, place, {})]),
        session: chosen.value[0]?.state.sessionId ?? '',
        json: { cancelled: chosen.value.map(({ state }) => stateJson(ended(state.envelope), 'ended')) },
        lines:
          chosen.value.length === 0
            ? [nothing]
            : chosen.value.map((loop) => `${loopName(loop)} is cancelled.`),
      });
    });
  },
};

function loopsToCancel(
  loops: Loops,
  whose: FoundSession | 'all',
  hasOthers: boolean,
): Result<readonly Loop[], string> {
  const isOpen = ({ standing }: Loop): boolean => standing !== 'ended';
  const open = loops.known.filter(isOpen);
  if (whose === 'all' || open.length === 0) return succeed(open);
  const chosen = chooseLoop(loops, whose, isOpen, 'cancel');
  if (chosen.ok) return succeed([chosen.value]);
  return hasOthers ? succeed([]) : chosen;
}

/** `holdpoint loop pause`. */
export const pause: Verb = {
  usage: 'holdpoint loop pause [--session ID] [--json] [WHY]',
  run(args, context) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: SESSION_OPTIONS,
      allowPositionals: true,
    });
    const place = requireLoopPlace(context, 'pause', values.session);
    if (place === undefined) return 2;
    const session = sessionFor(values.session, place, context.env);
    return changeLoops({ command: 'pause', json: values.json }, place, context, (loops, now) => {
      const hint = '`holdpoint loop resume` goes on with it.';
      const already = pausedLoop(loops, session);
      if (already !== undefined)
        return fail(
          `${loopName(already)} is paused already, at ${progressOf(already.state.envelope)}. ${hint}`,
        );
      const loop = chooseLoop(loops, session, ({ standing }) => standing === 'active', 'pause');
      if (!loop.ok) return loop;
      const { envelope, sessionId } = loop.value.state;
      const paused = pausedState(envelope, positionals.join(' '), now);
      return succeed({
        changes: [keepState(loop.value, paused, 'paused a loop')],
        also: silenceOf(loop.value),
        session: sessionId ?? '',
        json: stateJson(paused, 'paused'),
        lines: [`${loopName(loop.value)} is paused at ${progressOf(envelope)}. ${hint}`],
      });
    });
  },
};

/** The loop that would be meant if it were not paused already. */
function pausedLoop(loops: Loops, session: FoundSession): Loop | undefined {
  const meant =
    session.kind === 'found'
      ? [loopOf(loops, session.id)]
      : loops.known.filter(({ standing }) => standing !== 'ended');
  return meant.length === 1 && meant[0]?.standing === 'paused' ? meant[0] : undefined;
}

function silenceOf({ state: { sessionId } }: Loop): Change[] {
  return sessionId === undefined ? [] : [silence(sessionId)];
}

/** The session's loop. A person at a terminal has no session, and means the only loop in question. */
function chooseLoop(
  loops: Loops,
  session: FoundSession,
  fits: (loop: Loop) => boolean,
  command: string,
): Result<Loop, string> {
  const fitting = loops.known.filter(fits);
  const which = 'Name the one that is meant: --session ID.';
  if (session.kind === 'found') {
    const own = loopOf(loops, session.id);
    if (own !== undefined && fits(own)) return succeed(own);
    const others = fitting.length === 0 ? [] : ['Others have:', ...loopList(fitting), which];
    return fail([noLoopOf(session.id, command), ...others].join('\n'));
  }
  const [only] = fitting;
  if (only === undefined) return fail(`There is no loop to ${command} here.`);
  if (fitting.length === 1) return succeed(only);
  return fail([`There are ${fitting.length} loops to ${command}:`, ...loopList(fitting), which].join('\n'));
}

function noLoopOf(session: string, command: string): string {
  return `Session ${printable(session)} has no loop to ${command}.`;
}

/** `holdpoint loop resume`. */
export const resume: Verb = {
  usage: 'holdpoint loop resume [--session ID] [--from SESSION|RUN] [--json]',
  async run(args, context) {
    const options = { ...SESSION_OPTIONS, from: { type: 'string' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const place = requireLoopPlace(context, 'resume', values.session);
    if (place === undefined) return 2;
    const session = await askForSession(values.session, place, context.env);
    return changeLoops({ command: 'resume', json: values.json }, place, context, (loops, now) => {
      const found = loopToResume(loops, session, values.from, place, now);
      if (!found.ok) return found;
      const { state } = found.value;
      if (session.kind === 'none' && state.sessionId === undefined)
        return fail(noSession(session, place.root));
      const owner = session.kind === 'found' ? wholeId(loops, session.id) : (state.sessionId ?? '');
      const next = resumedState(state.envelope, owner, now);
      const before = state.sessionId === undefined ? 'nobody' : `session ${printable(state.sessionId)}`;
      const from = state.sessionId === owner ? '' : `, taken over from ${before}`;
      return succeed({
        changes: [resumeIn(found.value, next, now)],
        also: [beat(owner, now, false)],
        session: owner,
        json: stateJson(next, 'active'),
        lines: [`The loop of session ${printable(owner)} goes on${from}: ${progressOf(next)}.`],
      });
    });
  },
};

/**
 * The session's own resting loop, else the only one that a session has left behind. The loop of a session that
 * still lives is taken from it only by name.
 */
function loopToResume(
  loops: Loops,
  session: FoundSession,
  from: string | undefined,
  place: LoopPlace,
  now: number,
): Result<Loop, string> {
  const own = session.kind === 'found' ? loopOf(loops, session.id) : undefined;
  if (own?.standing === 'active')
    return fail(`${loopName(own)} is active already: ${progressOf(own.state.envelope)}.`);
  const candidates = from === undefined ? restingLoops(loops, own, place, now) : loopsNamed(loops, from);
  const [loop] = candidates;
  if (loop !== undefined && candidates.length === 1) return succeed(loop);
  const name = 'Name the one that shall go on in this session: --from SESSION, or --from RUN.';
  if (loop !== undefined)
    return fail(
      [`There are ${candidates.length} loops to resume:`, ...loopList(candidates), name].join('\n'),
    );
  if (from !== undefined) return fail(noLoopOf(from, 'resume'));
  // Nobody can tell for sure that a session is gone, so its loop is offered and not taken.
  const active = loops.known.filter(({ standing }) => standing === 'active');
  if (active.length === 0) return fail('There is no loop to resume here.');
  return fail(['No loop rests here. Other sessions have:', ...loopList(active), name].join('\n'));
}

function restingLoops(loops: Loops, own: Loop | undefined, { layout }: LoopPlace, now: number): Loop[] {
  if (own !== undefined && isResumable(own)) return [own];
  const alive = readRegistry(layout, now).sessions.filter((one) => one.alive);
  return loops.known.filter((loop) => {
    const { sessionId } = loop.state;
    const isLeft = sessionId === undefined || !alive.some(({ id }) => isNamed(sessionId, id));
    return isLeft && isResumable(loop);
  });
}

/** By name even a running loop is taken: a session that was resumed by its host has a new id. */
function loopsNamed({ known }: Loops, from: string): Loop[] {
  return known.filter((loop) => {
    const { envelope, sessionId } = loop.state;
    const isMeant = envelope['run_id'] === from || (sessionId !== undefined && isNamed(sessionId, from));
    return isMeant && (loop.standing === 'active' || isResumable(loop));
  });
}

/** A run that ended before it was done has kept its stack. */
function isResumable({ state: { envelope }, standing }: Loop): boolean {
  const { archived_stack: archived } = envelope;
  const hasStack = Array.isArray(archived) && archived.length > 0;
  return standing === 'paused' || standing === 'stale' || (standing === 'ended' && hasStack);
}

/** The session that had the loop is told in the same write that it has it no more. */
function resumeIn({ ref, state }: Loop, next: JsonObject, now: number): Change {
  const what = 'resumed a loop';
  if (ref.format === 'text')
    return {
      document: ref,
      what,
      apply: (text) => (typeof text === 'string' ? unpausedFallback(text) : text),
    };
  const isOwn = state.sessionId === next['session_id'];
  const left = isOwn ? [] : [abortedState(state.envelope, 'RESUMED_ELSEWHERE', now)];
  return addStates(ref, [...left, next], what);
}
