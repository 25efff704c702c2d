import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { NO_PROJECT } from '../messages';
import { actorIn } from '../req/actor';
import { refuse } from '../req/refuse';
import type { Context, ExitCode } from '../verb';
import { type Active, requireActive } from './active';
import type { Move } from './change-flow';
import * as say from './messages';
import { type FlowPlace, openFlow } from './place';
import { runMove } from './run-move';
import { isEscalated, type Target, targetIn } from './target';

/** One way of going back: to do a phase again, or everything from it on. */
interface WayBack {
  readonly command: 'redo' | 'rollback';
  apply(state: JsonObject, target: Target, phases: readonly string[], now: number): JsonObject;
}

/** Goes back to a phase that has been reached. */
export function goBack(args: readonly string[], way: WayBack, context: Context): ExitCode {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [word] = positionals;
  if (positionals.length > 1) return refuse(context, say.oneArgument(way.command, 'PHASE'), 2);
  if (way.command === 'rollback' && word === undefined)
    return refuse(context, say.oneArgument(way.command, 'PHASE'), 2);
  const place = openFlow(context);
  if (place === undefined) return refuse(context, NO_PROJECT, 2);
  const call = { command: way.command, about: word ?? '', json: values.json };
  return runMove(place, call, context, ({ state, standing }) => {
    const active = requireActive(standing);
    return active.ok ? moveBack(way, word, state, active.value, place, context) : active;
  });
}

function moveBack(
  way: WayBack,
  word: string | undefined,
  state: JsonObject,
  active: Active,
  { model }: FlowPlace,
  { env }: Context,
): Result<Move, string> {
  const { phase, phases } = active;
  const actor = actorIn(env);
  if (actor === 'agent' && isEscalated(state, phase)) return fail(say.escalated(phase));
  const target = targetIn(model, active, word, actor);
  if (!target.ok) return target;
  const now = Date.now();
  return succeed({
    what: `${way.command} ${target.value.phase}`,
    apply: (current) => way.apply(current, target.value, phases, now),
    lines: say.backLines(way.command, target.value, phases),
  });
}
