import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { type Missing, type Standing, standingOf } from '../../guards/workflow/gate';
import { gateOf, samePhase, type WorkflowModel } from '../../guards/workflow/model';
import { approved } from '../../guards/workflow/moves';
import { NO_PROJECT } from '../messages';
import { confirm } from '../output/confirm';
import { refuse } from '../req/refuse';
import type { Context, ExitCode, Verb } from '../verb';
import { type Active, requireActive } from './active';
import { changeFlow } from './change-flow';
import * as say from './messages';
import { noteChange } from './note-change';
import { peopleOnly } from './people-only';
import { type FlowPlace, openFlow, readState } from './place';
import { flowJson } from './status-json';
import { treeNow } from './tree';

export const verb: Verb = {
  usage: 'holdpoint flow approve GATE [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [gate] = positionals;
    if (gate === undefined || positionals.length > 1)
      return refuse(context, say.oneArgument('approve', 'GATE'), 2);
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const denied = peopleOnly('approve', context);
    if (denied !== undefined) return refuse(context, denied, 1);
    const state = readState(place);
    if (!state.ok) return refuse(context, state.failure, 1);
    const { tree } = await treeNow(place, state.value, context);
    const active = gateNow(place.model, standingOf(place.model, state.value, tree), gate);
    if (!active.ok) return refuse(context, active.failure, 1);
    if (!(await agrees(active.value, context))) return refuse(context, say.NOT_APPROVED, 1);
    return approve(place, gate, tree, values.json, context);
  },
};

function approve(
  place: FlowPlace,
  gate: string,
  tree: string | undefined,
  json: boolean,
  context: Context,
): ExitCode {
  const { out } = context;
  const plan = (standing: Standing | undefined): ReturnType<Parameters<typeof changeFlow>[1]> => {
    const active = gateNow(place.model, standing, gate);
    if (!active.ok) return active;
    const { phase } = active.value;
    const waived = waivedBy(active.value).map(({ what }) => what);
    const now = Date.now();
    return succeed({
      what: `approved ${gateOf(phase)}`,
      apply: (current) => approved(current, phase, waived, now),
      lines: say.approvedLines(phase, waived),
    });
  };
  const moved = changeFlow(place, ({ standing }) => plan(standing), tree);
  if (!moved.ok) return refuse(context, moved.failure, 1);
  noteChange(place, 'approve', gate, moved.value.written, context);
  if (json) out.json(flowJson(place.model, moved.value.state, tree));
  else for (const line of moved.value.lines) out.line(line);
  return 0;
}

/** The current phase, if its gate is the one that was named. A gate that has not been reached has nothing to show. */
function gateNow(
  model: WorkflowModel,
  standing: Standing | undefined,
  named: string,
): Result<Active, string> {
  const active = requireActive(standing);
  if (!active.ok) return active;
  const { phase, missing } = active.value;
  const wanted = named.toLowerCase();
  const isIt = [gateOf(phase), gateOf(phase).slice('GATE-'.length), phase].some(
    (name) => name.toLowerCase() === wanted,
  );
  if (!isIt && !samePhase(model, phase, named)) return fail(say.otherGate(named, phase));
  const astray = missing.find(({ what }) => what === 'workflow_state');
  return astray === undefined ? active : fail(say.gateClosed(active.value));
}

/** What the person lets pass. That the phase has been begun is not evidence, and the approval itself is given. */
function waivedBy({ missing }: Active): readonly Missing[] {
  return missing.filter(({ what, action }) => action !== undefined && what !== 'gate_approval');
}

/** A person at a terminal sees what they let pass, and is asked; elsewhere the command itself is their word. */
async function agrees(active: Active, { out }: Context): Promise<boolean> {
  const waived = waivedBy(active);
  if (waived.length === 0) return true;
  for (const line of say.wouldWaive(active.phase, waived)) out.error(line);
  const answer = await confirm(say.askToWaive(active.phase));
  return answer.kind === 'nobody' || (answer.kind === 'chosen' && answer.value);
}
