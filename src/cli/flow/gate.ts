import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { gateForce, type Missing, standingOf } from '../../guards/workflow/advance';
import { triggersOf } from '../../guards/workflow/gate';
import { gateOf, samePhase } from '../../guards/workflow/look-up';
import type { WorkflowModel } from '../../guards/workflow/model';
import { approved } from '../../guards/workflow/moves/approval';
import { finished } from '../../guards/workflow/moves/end';
import { entered, passed } from '../../guards/workflow/moves/go';
import { gateBlocked, trigger } from '../../guards/workflow/state-notes';
import { refuse } from '../req/refuse';
import { printable } from '../ui/output';
import { confirm } from '../ui/prompts';
import type { Context, Verb } from '../verb';
import { readState, requireFlow, treeNow } from './flow';
import { type Active, ifActive, isAgentRefused, type Move, oneArgument, runMove } from './move';
import { missingLines, ownerOf, waitingLines } from './status';

/** `holdpoint flow advance`. */
export const advance: Verb = {
  usage: 'holdpoint flow advance [--json]',
  async run(args, context) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
    const place = requireFlow(context);
    if (place === undefined) return 2;
    const state = readState(place);
    if (!state.ok) return refuse(context, state.failure, 1);
    const { tree, trouble } = await treeNow(place, state.value, context);
    if (trouble !== undefined)
      context.out.error(`git could not tell the tree, so no test run counts for it: ${trouble}`);
    const call = { command: 'advance', json: values.json, tree };
    return runMove(
      call,
      place,
      context,
      ifActive((active, now) => advanceFrom(place.model, active, now)),
    );
  },
};

function advanceFrom(model: WorkflowModel, active: Active, state: JsonObject): Result<Move, string> {
  const { missing, workflow, index } = active;
  if (index < 0 || isAstray(missing)) return fail(gateClosed(active));
  const force = gateForce(model, workflow.type);
  // However mild its gate, a phase that nobody has begun is not passed by leaving it.
  const isBegun = missing.every(({ what }) => what !== 'phase_started');
  const isHeld = missing.length > 0 && (force === 'refuse' || !isBegun);
  return succeed(isHeld ? refusal(active) : passage(model, state, active, force === 'warn' ? missing : []));
}

/** Whether the state contradicts itself, so that no evidence helps. */
function isAstray(missing: readonly Missing[]): boolean {
  return missing.some(({ what }) => what === 'workflow_state');
}

function gateClosed({ phase, missing }: Active): string {
  const count = missing.length === 1 ? 'one thing' : `${missing.length} things`;
  return [`${gateOf(phase)} is closed: ${phase} lacks ${count}.`, ...missingLines(missing)].join('\n');
}

function refusal(active: Active): Move {
  const { phase, missing } = active;
  const details = missing.map(({ what, why, action }) => ({
    requirement: what,
    satisfied: false,
    reason: why,
    ...(action !== undefined && { action_required: action }),
  }));
  const { what, apply } = gateBlocked(phase, details, Date.now());
  return { what, about: phase, apply, lines: [gateClosed(active)], advanced: false };
}

function passage(
  model: WorkflowModel,
  state: JsonObject,
  { phase, phases, index, workflow }: Active,
  unmet: readonly Missing[],
): Move {
  const now = Date.now();
  const next = phases[index + 1];
  const notes = triggersOf({ model, state, phase }).map((one) => trigger(one.trigger, phase, now));
  const branch = workflow.branch?.name;
  return {
    what: next === undefined ? `finished after ${phase}` : `advanced to ${next}`,
    about: phase,
    apply: (current) => {
      const done = notes.reduce((after, note) => note.apply(after), passed(current, phase, now));
      return next === undefined ? finished(done, now) : entered(done, next, index + 1);
    },
    lines: [
      `${gateOf(phase)} passed.`,
      ...(unmet.length === 0 ? [] : ['It was not strict; it still missed:', ...missingLines(unmet)]),
      ...(next === undefined
        ? [
            `The workflow is finished${branch === undefined ? '.' : `, and ${branch} may be merged.`}`,
            ...waitingLines(state),
          ]
        : [`Now in ${next}${ownerOf(model, next)}. Next: \`holdpoint flow begin\`.`]),
    ],
    advanced: true,
  };
}

/** `holdpoint flow approve`. */
export const approve: Verb = {
  usage: 'holdpoint flow approve GATE [--json]',
  async run(args, context) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [gate] = positionals;
    if (gate === undefined || positionals.length > 1)
      return refuse(context, oneArgument('approve', 'GATE'), 2);
    const place = requireFlow(context);
    if (place === undefined) return 2;
    if (isAgentRefused('approve', context)) return 1;
    const state = readState(place);
    if (!state.ok) return refuse(context, state.failure, 1);
    const { tree } = await treeNow(place, state.value, context);
    const waivable = ifActive((active) => waivedBy(place.model, active, gate));
    const asked = waivable({ state: state.value, standing: standingOf(place.model, state.value, tree) });
    if (!asked.ok) return refuse(context, asked.failure, 1);
    if (!(await agrees(asked.value, context))) return refuse(context, 'Nothing was approved.', 1);
    return runMove({ command: 'approve', json: values.json, tree }, place, context, (here) => {
      const found = waivable(here);
      if (!found.ok) return found;
      const { phase, waived } = found.value;
      const names = waived.map(({ what }) => what);
      const but = names.length === 0 ? '' : ` Waived: ${names.join(', ')}.`;
      const now = Date.now();
      return succeed({
        what: `approved ${gateOf(phase)}`,
        about: gate,
        apply: (current) => approved(current, phase, names, now),
        lines: [`Approved ${gateOf(phase)} of ${phase}.${but} Next: \`holdpoint flow advance\`.`],
      });
    });
  },
};

interface Waived {
  readonly phase: string;
  /** What the person lets pass: neither that the phase has been begun, nor the approval itself. */
  readonly waived: readonly Missing[];
}

/** Only the gate of the current phase can be approved: one that has not been reached has nothing to show. */
function waivedBy(model: WorkflowModel, active: Active, named: string): Result<Waived, string> {
  const { phase, missing } = active;
  const gate = gateOf(phase);
  const names = [gate, gate.slice('GATE-'.length), phase].map((name) => name.toLowerCase());
  if (!names.includes(named.toLowerCase()) && !samePhase(model, phase, named))
    return fail(
      `'${printable(named)}' is not the gate of the current phase: that is ${gate} of ${phase}. Nothing was approved.`,
    );
  if (isAstray(missing)) return fail(gateClosed(active));
  const waived = missing.filter(({ what, action }) => action !== undefined && what !== 'gate_approval');
  return succeed({ phase, waived });
}

/** A person at a terminal sees what they let pass, and is asked; elsewhere the command itself is their word. */
async function agrees({ phase, waived }: Waived, { out }: Context): Promise<boolean> {
  if (waived.length === 0) return true;
  for (const line of [`${gateOf(phase)} would open although ${phase} lacks:`, ...missingLines(waived)])
    out.error(line);
  const answer = await confirm(`Let ${phase} pass as it stands?`);
  return answer.kind === 'nobody' || (answer.kind === 'chosen' && answer.value);
}
