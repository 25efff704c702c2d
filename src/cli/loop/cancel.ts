import { parseArgs } from 'node:util';
import type { Change } from '../../core/document';
import { type Result, succeed } from '../../core/failure';
import { abortedState } from '../../guards/loop/new-state';
import { fallbackFiles, keepState, silence } from '../../guards/loop/store';
import { readDocument } from '../../state/documents';
import type { UnknownSession } from '../req/find-session';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { changeLoops, type Plan, remove } from './change-loops';
import { chooseLoop } from './choose-loop';
import type { Loop, Loops, Unclear } from './loops';
import * as say from './messages';
import { noteChange } from './note-change';
import { leftoversOf } from './old-tasks';
import { type LoopPlace, openLoopPlace } from './place';
import { type MeantSession, meantSession } from './session';
import { stateJson } from './status-json';

export const verb: Verb = {
  usage: 'holdpoint loop cancel [--session ID] [--all] [--json]',
  run(args, context): ExitCode {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: {
        session: { type: 'string', short: 's' },
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    if (values.session?.trim() === '') return refuse(context, say.emptySession('cancel'), 2);
    const place = openLoopPlace(context);
    if (place === undefined) return refuse(context, say.NO_PLACE, 2);
    const now = Date.now();
    const session = values.all ? 'all' : meantSession(values.session, place, context.env);
    const done = changeLoops(place, now, (loops) => planFor(loops, session, place, now));
    if (!done.ok) return refuse(context, done.failure, 1);
    const { result, written } = done.value;
    if (written.length > 0) noteChange(place, 'cancel', result[0]?.state.sessionId ?? '', written);
    if (values.json)
      out.json({
        cancelled: result.map(({ state }) =>
          stateJson(abortedState(state.envelope, 'USER_CANCELLED', now), 'ended'),
        ),
      });
    else for (const line of say.cancelledLines(result, written.length > 0)) out.line(line);
    return 0;
  },
};

type Whose = MeantSession | UnknownSession | 'all';

/** What ends, with the files of the older program: one of them would begin to count once no topic does. */
function planFor(
  loops: Loops,
  whose: Whose,
  place: LoopPlace,
  now: number,
): Result<Plan<readonly Loop[]>, string> {
  const files = fallbackFiles(place.root, place.cwd).filter(
    (ref) => readDocument(place.layout, ref).kind !== 'missing',
  );
  const odd = loops.unclear.filter(({ ref }) => ref.format === 'topic');
  const chosen = chosenLoops(loops, whose, files.length + odd.length > 0);
  if (!chosen.ok) return chosen;
  const inTopic = chosen.value.filter(({ ref }) => ref.format === 'topic');
  return succeed({
    changes: [
      ...inTopic.map((loop) => endOf(loop, now)),
      ...odd.map((one) => overwrite(one, now)),
      ...files.map((ref) => remove(ref, 'removed a loop file')),
    ],
    also: inTopic.flatMap((loop) => [
      ...(loop.state.sessionId === undefined ? [] : [silence(loop.state.sessionId)]),
      ...leftoversOf(loop, place, {}),
    ]),
    result: chosen.value,
  });
}

function chosenLoops(loops: Loops, whose: Whose, isMore: boolean): Result<readonly Loop[], string> {
  const open = loops.known.filter(isOpen);
  if (whose === 'all' || open.length === 0) return succeed(open);
  const chosen = chooseLoop(loops, { session: whose, fits: isOpen, verb: 'cancel' });
  if (chosen.ok) return succeed([chosen.value]);
  return isMore ? succeed([]) : chosen;
}

function isOpen({ standing }: Loop): boolean {
  return standing !== 'ended';
}

function endOf(loop: Loop, now: number): Change {
  const next = abortedState(loop.state.envelope, 'USER_CANCELLED', now);
  return keepState(loop, next, 'cancelled a loop');
}

/** A message that nobody understands is warned of at every turn until a newer one stands after it. */
function overwrite({ ref, owner }: Unclear, now: number): Change {
  const envelope = owner === undefined ? {} : { session_id: owner };
  return keepState({ ref }, abortedState(envelope, 'USER_CANCELLED', now), 'ended an unreadable loop');
}
