import { parseArgs } from 'node:util';
import { fail, succeed } from '../../core/failure';
import { pausedState } from '../../guards/loop/new-state';
import { keepState, silence } from '../../guards/loop/store';
import type { UnknownSession } from '../req/find-session';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { changeLoops } from './change-loops';
import { chooseLoop } from './choose-loop';
import { type Loop, type Loops, loopOf } from './loops';
import * as say from './messages';
import { noteChange } from './note-change';
import { openLoopPlace } from './place';
import { type MeantSession, meantSession } from './session';
import { stateJson } from './status-json';

export const verb: Verb = {
  usage: 'holdpoint loop pause [--session ID] [--json] [WHY]',
  run(args, context): ExitCode {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { session: { type: 'string', short: 's' }, json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    if (values.session?.trim() === '') return refuse(context, say.emptySession('pause'), 2);
    const place = openLoopPlace(context);
    if (place === undefined) return refuse(context, say.NO_PLACE, 2);
    const session = meantSession(values.session, place, context.env);
    const now = Date.now();
    const why = positionals.join(' ');
    const done = changeLoops(place, now, (loops) => {
      const resting = restingLoop(loops, session);
      if (resting !== undefined) return fail(say.pausedAlready(resting));
      const loop = chooseLoop(loops, { session, fits: isActive, verb: 'pause' });
      if (!loop.ok) return loop;
      const { state } = loop.value;
      const paused = pausedState(state.envelope, why, now);
      return succeed({
        changes: [keepState(loop.value, paused, 'paused a loop')],
        also: state.sessionId === undefined ? [] : [silence(state.sessionId)],
        result: { loop: loop.value, paused },
      });
    });
    if (!done.ok) return refuse(context, done.failure, 1);
    const { loop, paused } = done.value.result;
    noteChange(place, 'pause', loop.state.sessionId ?? '', done.value.written);
    if (values.json) context.out.json(stateJson(paused, 'paused'));
    else context.out.line(say.pausedLine(loop));
    return 0;
  },
};

/** The loop that would be meant if it were not paused already. */
function restingLoop(loops: Loops, session: MeantSession | UnknownSession): Loop | undefined {
  const own = session.kind === 'found' ? loopOf(loops, session.id) : undefined;
  const meant = session.kind === 'found' ? [own] : loops.known.filter(({ standing }) => standing !== 'ended');
  const [only] = meant;
  return meant.length === 1 && only?.standing === 'paused' ? only : undefined;
}

function isActive({ standing }: Loop): boolean {
  return standing === 'active';
}
