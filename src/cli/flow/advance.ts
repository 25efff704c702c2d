import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { gateForce, type Missing, type Standing, triggersOf } from '../../guards/workflow/gate';
import type { WorkflowModel } from '../../guards/workflow/model';
import { entered, finished, passed } from '../../guards/workflow/moves';
import { gateBlocked, type StateNote, trigger } from '../../guards/workflow/state-notes';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { Context, ExitCode, Verb } from '../verb';
import { type Active, requireActive } from './active';
import { changeFlow, type Here, type Move, type Moved } from './change-flow';
import * as say from './messages';
import { noteChange } from './note-change';
import { type FlowPlace, openFlow, readState } from './place';
import { flowJson } from './status-json';
import { treeNow } from './tree';

export const verb: Verb = {
  usage: 'holdpoint flow advance [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const state = readState(place);
    if (!state.ok) return refuse(context, state.failure, 1);
    const { tree, trouble } = await treeNow(place, state.value, context);
    if (trouble !== undefined) context.out.error(say.treeUnknown(trouble));
    return advance(place, tree, values.json, context);
  },
};

/** What the gate said; a refusal is noted in the state too, so it is a move of its own. */
interface Answer {
  isOpen: boolean;
  from: string;
}

function advance(place: FlowPlace, tree: string | undefined, json: boolean, context: Context): ExitCode {
  const { out } = context;
  const answer: Answer = { isOpen: false, from: '' };
  const moved = changeFlow(place, (here) => judge(place.model, here, answer), tree);
  if (!moved.ok) return refuse(context, moved.failure, 1);
  if (answer.isOpen) noteChange(place, 'advance', answer.from, moved.value.written, context);
  if (json) out.json({ advanced: answer.isOpen, ...flowJson(place.model, moved.value.state, tree) });
  else tell(moved.value, answer, context);
  return answer.isOpen ? 0 : 1;
}

function tell({ lines }: Moved, { isOpen }: Answer, { out }: Context): void {
  for (const line of lines) {
    if (isOpen) out.line(line);
    else out.error(line);
  }
}

function judge(model: WorkflowModel, { state, standing }: Here, answer: Answer): Result<Move, string> {
  const active = requireActive(standing);
  if (!active.ok) return active;
  const { phase, missing, workflow, index } = active.value;
  const isAstray = index < 0 || missing.some(({ what }) => what === 'workflow_state');
  if (isAstray) return fail(say.gateClosed(active.value));
  const force = gateForce(model, workflow.type);
  const isRefused = missing.length > 0 && (force === 'refuse' || !hasBegun(missing));
  if (isRefused) return succeed(refusal(active.value));
  answer.isOpen = true;
  answer.from = phase;
  return succeed(passage(model, state, active.value, force === 'warn' ? missing : []));
}

/** A phase that nobody has begun is not passed by leaving it, however mild its gate. */
function hasBegun(missing: readonly Missing[]): boolean {
  return missing.every(({ what }) => what !== 'phase_started');
}

function refusal(active: Active): Move {
  const { phase, missing } = active;
  const details = missing.map(({ what, why, action }) => ({
    requirement: what,
    satisfied: false,
    reason: why,
    ...(action !== undefined && { action_required: action }),
  }));
  const note = gateBlocked(phase, details, Date.now());
  return { what: note.what, apply: (state) => note.apply(state), lines: [say.gateClosed(active)] };
}

function passage(model: WorkflowModel, state: JsonObject, active: Active, unmet: Standing['missing']): Move {
  const { phase, phases, index } = active;
  const now = Date.now();
  const next = phases[index + 1];
  const notes: readonly StateNote[] = triggersOf({ model, state, phase }).map((one) =>
    trigger(one.trigger, phase, now),
  );
  return {
    what: next === undefined ? `finished after ${phase}` : `advanced to ${next}`,
    apply: (current) => {
      const done = notes.reduce((after, note) => note.apply(after), passed(current, phase, now));
      return next === undefined ? finished(done, now) : entered(done, next, index + 1);
    },
    lines: [
      ...say.passageLines(model, active, next, unmet),
      ...(next === undefined ? say.waitingLines(state) : []),
    ],
  };
}
