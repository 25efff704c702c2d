import type { Change, DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { abortedState, newFrame, pushedState, startedState } from '../../guards/loop/new-state';
import { beat } from '../../guards/loop/store';
import { unvouch, vouch } from '../../guards/loop/verification';
import { refuse } from '../req/refuse';
import type { Context, ExitCode, Verb } from '../verb';
import { addStates, changeLoops, type Plan } from './change-loops';
import { type Asked, askFor } from './frame-ask';
import { type Loop, type Loops, loopOf, type ReadableLoops, wholeId } from './loops';
import * as say from './messages';
import { noteChange } from './note-change';
import { leftoversOf, liveIds, oldTasks } from './old-tasks';
import { hasRoom, type LoopPlace, openLoopPlace } from './place';
import { readPrompt } from './prompt';
import { askedSession, type MeantSession } from './session';
import { type StartOptions, startOptions } from './start-options';
import { stateJson } from './status-json';

export const verb: Verb = {
  usage: [
    'holdpoint loop start [--session ID] [--mode loop|issue|grind] [--max N] [--issue ID]',
    '         [--worktree PATH [--branch B]] [--include-prompt] [--verify CMD]',
    '         [--max-minutes M] [--max-tokens T] [--force | --push] [--json] [PROMPT | -]',
  ].join('\n'),
  async run(args, context): Promise<ExitCode> {
    const options = startOptions(args);
    if (!options.ok) return refuse(context, options.failure, 2);
    const place = openLoopPlace(context);
    if (place === undefined || !hasRoom(place)) return refuse(context, say.NO_PLACE, 2);
    if (options.value.verify !== undefined && !place.hasGit)
      return refuse(context, say.VERIFY_WITHOUT_GIT, 2);
    const session = await askedSession(options.value.session, place, context.env);
    if (session.kind === 'none') return refuse(context, say.noSession(session, place.root), 1);
    const prompt = readPrompt(options.value.prompt);
    if (!prompt.ok) return refuse(context, prompt.failure, 2);
    const ask = askFor(options.value, prompt.value, place, context);
    if (!ask.ok) return refuse(context, ask.failure, 1);
    return start(ask.value, options.value, session, place, context);
  },
};

function start(
  { frame, prompt }: Asked,
  { onLive, json }: StartOptions,
  session: MeantSession,
  place: LoopPlace,
  context: Context,
): ExitCode {
  const { out } = context;
  const now = Date.now();
  const done = changeLoops(place, now, (loops) => {
    const sessionId = wholeId(loops, session.id);
    const states = statesFor(loops, newFrame(frame, now), onLive, sessionId, now);
    if (!states.ok) return states;
    const asked = { frame, ...(prompt && { prompt }) };
    const { also, ...plan } = planOf(states.value, asked, loops, place, now);
    const old = oldTasks(place, loops, now);
    return succeed({ ...plan, also: [...also, beat(sessionId, now, false), ...old] });
  });
  if (!done.ok) return refuse(context, done.failure, 1);
  const { result: state, written } = done.value;
  noteChange(place, 'start', session.id, written);
  if (json) out.json(stateJson(state, 'active'));
  else for (const line of say.startedLines(state, session)) out.line(line);
  return 0;
}

/** What is to be written where; the last state is the one that was asked for. */
interface Written {
  readonly states: readonly JsonObject[];
  readonly state: JsonObject;
  readonly ref: DocumentRef;
  /** The loop that is replaced. */
  readonly over?: Loop;
}

function statesFor(
  loops: ReadableLoops,
  frame: JsonObject,
  onLive: StartOptions['onLive'],
  sessionId: string,
  now: number,
): Result<Written, string> {
  const { home } = loops;
  const live = liveLoop(loops, sessionId);
  const fresh = startedState(frame, sessionId, now);
  if (live === undefined) return succeed({ states: [fresh], state: fresh, ref: home });
  if (onLive === 'refuse') return fail(say.alreadyLive(live));
  if (onLive === 'push') {
    if (live.ref.format === 'text' || live.standing === 'paused') return fail(say.cannotPush(live));
    const pushed = pushedState(live.state.envelope, frame, now);
    return succeed({ states: [pushed], state: pushed, ref: live.ref });
  }
  // A state of nobody's would go on in every other session, so it is ended and not only overtaken.
  const ownerless = live.state.sessionId === undefined && live.ref.format === 'topic';
  const over = ownerless ? [abortedState(live.state.envelope, 'USER_CANCELLED', now)] : [];
  return succeed({ states: [...over, fresh], state: fresh, ref: home, over: live });
}

function liveLoop(loops: Loops, sessionId: string): Loop | undefined {
  const loop = loopOf(loops, sessionId);
  return loop?.standing === 'active' || loop?.standing === 'paused' ? loop : undefined;
}

function planOf(
  { states, state, ref, over }: Written,
  { frame, prompt }: Asked,
  loops: Loops,
  place: LoopPlace,
  now: number,
): Plan<JsonObject> & { readonly also: readonly Change[] } {
  const { id, verify: command, worktree: cwd } = frame;
  const set = command === undefined ? [] : [vouch(id, { command, ...(cwd && { cwd }) }, now, liveIds(loops))];
  return {
    changes: [...(prompt ? [prompt.write] : []), ...set, addStates(ref, states, 'started a loop')],
    undo: [...(prompt ? [prompt.undo] : []), ...(set.length === 0 ? [] : [unvouch([id])])],
    also: over === undefined ? [] : leftoversOf(over, place, state),
    result: state,
  };
}
