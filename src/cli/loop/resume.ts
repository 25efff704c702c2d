import { parseArgs } from 'node:util';
import type { Change } from '../../core/document';
import { succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { abortedState, resumedState, unpausedFallback } from '../../guards/loop/new-state';
import { beat } from '../../guards/loop/store';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { addStates, changeLoops } from './change-loops';
import type { Loop } from './loops';
import * as say from './messages';
import { noteChange } from './note-change';
import { openLoopPlace } from './place';
import { resumableLoop } from './resumable';
import { askedSession } from './session';
import { stateJson } from './status-json';

export const verb: Verb = {
  usage: 'holdpoint loop resume [--session ID] [--from SESSION|RUN] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        session: { type: 'string', short: 's' },
        from: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    if (values.session?.trim() === '') return refuse(context, say.emptySession('resume'), 2);
    const place = openLoopPlace(context);
    if (place === undefined) return refuse(context, say.NO_PLACE, 2);
    const session = await askedSession(values.session, place, context.env);
    const now = Date.now();
    const done = changeLoops(place, now, (loops) => {
      const found = resumableLoop(loops, { session, from: values.from, place, now });
      if (!found.ok) return found;
      const { loop, owner } = found.value;
      const next = resumedState(loop.state.envelope, owner, now);
      return succeed({
        changes: [changeFor(loop, next, now)],
        also: [beat(owner, now, false)],
        result: { next, owner, before: loop.state.sessionId },
      });
    });
    if (!done.ok) return refuse(context, done.failure, 1);
    const { next, owner, before } = done.value.result;
    noteChange(place, 'resume', owner, done.value.written);
    if (values.json) context.out.json(stateJson(next, 'active'));
    else for (const line of say.resumedLines(next, owner, before)) context.out.line(line);
    return 0;
  },
};

/** The session that had the loop is told in the same write that it has it no more. */
function changeFor({ ref, state }: Loop, next: JsonObject, now: number): Change {
  const what = 'resumed a loop';
  if (ref.format === 'text') {
    const apply: Change['apply'] = (text) => (typeof text === 'string' ? unpausedFallback(text) : text);
    return { document: ref, what, apply };
  }
  const isOwn = state.sessionId === next['session_id'];
  const left = isOwn ? [] : [abortedState(state.envelope, 'RESUMED_ELSEWHERE', now)];
  return addStates(ref, [...left, next], what);
}
