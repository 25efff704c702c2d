import { parseArgs } from 'node:util';
import { refuse } from '../req/refuse';
import type { Context, ExitCode, Verb } from '../verb';
import { type Loop, type Loops, loopOf, readLoops } from './loops';
import * as say from './messages';
import { openLoopPlace } from './place';
import { meantSession } from './session';
import { loopJson } from './status-json';
import { endedLine, loopLines } from './status-text';

interface View {
  readonly loops: Loops;
  /** The session of whoever asks; empty where it cannot be told. */
  readonly session: string;
  readonly now: number;
}

export const verb: Verb = {
  usage: 'holdpoint loop status [--session ID] [--all] [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: {
        session: { type: 'string', short: 's' },
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    if (values.session?.trim() === '') return refuse(context, say.emptySession('status'), 2);
    const place = openLoopPlace(context);
    if (place === undefined) return refuse(context, say.NO_PLACE, 2);
    const found = meantSession(values.session, place, context.env);
    const now = Date.now();
    const loops = readLoops(place, now);
    const view = { loops, session: found.kind === 'found' ? found.id : '', now };
    for (const one of loops.unclear) context.out.error(say.unclearState(one));
    if (values.json) context.out.json(jsonOf(view, values.all));
    else for (const line of linesOf(view, values.session !== undefined, context)) context.out.line(line);
    return loops.home === undefined ? 1 : 0;
  },
};

function jsonOf({ loops, session }: View, all: boolean): object {
  const own = session === '' ? newestOf(loops) : loopOf(loops, session);
  return { ...loopJson(own), ...(all && { loops: loops.known.map(loopJson) }) };
}

/** Where nobody in particular asks, the loop that runs is meant, else the one that was last. */
function newestOf({ known }: Loops): Loop | undefined {
  return known.find(({ standing }) => standing !== 'ended') ?? known[0];
}

/** The loops that did not end, whoever's they are; where there is none, how the last one ended. */
function linesOf({ loops, session, now }: View, onlyThis: boolean, { out }: Context): string[] {
  const own = session === '' ? undefined : loopOf(loops, session);
  const asked = onlyThis ? (own === undefined ? [] : [own]) : loops.known;
  const open = asked.filter(({ standing }) => standing !== 'ended');
  if (open.length > 0)
    return open.flatMap((loop, index) => [
      ...(index === 0 ? [] : ['']),
      ...loopLines(loop, loop === own, now, out),
    ]);
  const last = own ?? asked[0];
  return ['No loop is live here.', ...(last === undefined ? [] : [endedLine(last, now, out)])];
}
