import type { JsonObject } from '../../core/json';
import { gateForce, type Missing, standingOf, triggersOf } from '../../guards/workflow/gate';
import { gateOf, samePhase, type WorkflowModel } from '../../guards/workflow/model';
import { approved, entered, finished, passed } from '../../guards/workflow/moves';
import { gateBlocked, trigger } from '../../guards/workflow/state';
import type { Context, ExitCode } from '../context';
import { printable } from '../ui/output';
import { confirm } from '../ui/prompts';
import { Refusal } from '../ui/refusal';
import {
  type Active,
  type Here,
  type Move,
  oneArgument,
  readState,
  requireActive,
  requireFlow,
  requirePerson,
  runMove,
  treeNow,
} from './flow';
import { missingLines, ownerOf, waitingLines } from './status';

/** `holdpoint flow advance`. */
export async function advance(context: Context, values: { readonly json: boolean }): Promise<ExitCode> {
  const place = requireFlow(context);
  const { tree, trouble } = await treeNow(place, readState(place), context);
  if (trouble !== undefined)
    context.out.error(`git could not tell the tree, so no test run counts for it: ${trouble}`);
  return runMove('advance', values.json, place, context, (here) => advanceFrom(place.model, here), tree);
}

function advanceFrom(model: WorkflowModel, here: Here): Move {
  const active = requireActive(here);
  const { missing, workflow, index } = active;
  if (index < 0 || isAstray(missing)) throw new Refusal(gateClosed(active));
  const force = gateForce(model, workflow.type);
  // However mild its gate, a phase that nobody has begun is not passed by leaving it.
  const isBegun = missing.every(({ what }) => what !== 'phase_started');
  const isHeld = missing.length > 0 && (force === 'refuse' || !isBegun);
  return isHeld ? refusal(active) : passage(model, here.state, active, force === 'warn' ? missing : []);
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
export async function approve(
  context: Context,
  values: { readonly json: boolean },
  positionals: readonly string[],
): Promise<ExitCode> {
  const [gate] = positionals;
  if (gate === undefined || positionals.length > 1) throw oneArgument('approve', 'GATE');
  const place = requireFlow(context);
  requirePerson('approve', context);
  const state = readState(place);
  const { tree } = await treeNow(place, state, context);
  const asked = { state, standing: standingOf(place.model, state, tree) };
  if (!(await agrees(requireActive(asked), waivedBy(place.model, asked, gate), context)))
    throw new Refusal('Nothing was approved.');
  const plan = (here: Here): Move => {
    const waived = waivedBy(place.model, here, gate).map(({ what }) => what);
    const { phase } = requireActive(here);
    const but = waived.length === 0 ? '' : ` Waived: ${waived.join(', ')}.`;
    const now = Date.now();
    return {
      what: `approved ${gateOf(phase)}`,
      about: gate,
      apply: (current) => approved(current, phase, waived, now),
      lines: [`Approved ${gateOf(phase)} of ${phase}.${but} Next: \`holdpoint flow advance\`.`],
    };
  };
  return runMove('approve', values.json, place, context, plan, tree);
}

/**
 * What the person lets pass: neither that the phase has been begun, nor the approval itself. Only the gate of the
 * current phase can be approved, since one that has not been reached has nothing to show.
 */
function waivedBy(model: WorkflowModel, here: Here, named: string): readonly Missing[] {
  const active = requireActive(here);
  const { phase, missing } = active;
  const gate = gateOf(phase);
  const names = [gate, gate.slice('GATE-'.length), phase].map((name) => name.toLowerCase());
  if (!names.includes(named.toLowerCase()) && !samePhase(model, phase, named))
    throw new Refusal(
      `'${printable(named)}' is not the gate of the current phase: that is ${gate} of ${phase}. Nothing was approved.`,
    );
  if (isAstray(missing)) throw new Refusal(gateClosed(active));
  return missing.filter(({ what, action }) => action !== undefined && what !== 'gate_approval');
}

/** A person at a terminal sees what they let pass, and is asked; elsewhere the command itself is their word. */
async function agrees({ phase }: Active, waived: readonly Missing[], { out }: Context): Promise<boolean> {
  if (waived.length === 0) return true;
  for (const line of [`${gateOf(phase)} would open although ${phase} lacks:`, ...missingLines(waived)])
    out.error(line);
  const answer = await confirm(`Let ${phase} pass as it stands?`);
  return answer.kind === 'nobody' || (answer.kind === 'chosen' && answer.value);
}
