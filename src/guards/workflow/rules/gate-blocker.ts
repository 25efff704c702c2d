import { advanceAttempt } from '../attempts';
import type { Facts } from '../facts';
import { type Finding, noting, type Rule } from '../finding';
import { type GateCase, lacksOf, treeToCompare, triggersOf } from '../gate';
import { samePhase, workflowNamed } from '../look-up';
import * as say from '../messages';
import { isEnforced } from '../state';
import { escalation, gateBlocked, trigger } from '../state-notes';

/** A phase is left only when everything that its gate asks for has been shown. */
export const gateBlocker: Rule = (facts) => {
  const gate = attemptedGate(facts);
  if (gate === undefined) return undefined;
  const mismatch = mismatchOf(facts, gate.phase);
  if (mismatch !== undefined) return mismatch;
  const lacks = lacksOf(gate);
  const { now, model, workflow } = facts;
  if (lacks.length === 0) {
    const records = triggersOf(gate).map((one) => trigger(one.trigger, gate.phase, now));
    return records.length === 0 ? undefined : noting(`the gate of ${gate.phase} is open`, ...records);
  }
  const details = lacks.map(({ requirement, reason, action }) => {
    return { requirement, satisfied: false, reason, action_required: action };
  });
  const text = say.gateBlocked(gate.phase, lacks);
  const isStrict = workflowNamed(model, workflow?.type)?.gateMode !== 'permissive';
  return {
    weight: isStrict ? 'deny' : 'warn',
    text,
    fact: `${gate.phase} lacks ${lacks.map(({ requirement }) => requirement).join(', ')}`,
    clear: lacks[0]?.how ?? '',
    waive: say.waiver(gate.phase),
    onRefusal: [
      gateBlocked(gate.phase, details, now),
      escalation('gate_blocked', 'gate-blocker', gate.phase, text, now),
    ],
  };
};

/** Whether the tree has to be known before the gate can be judged. */
export function wantsTree(facts: Facts): boolean {
  const gate = attemptedGate(facts);
  return gate !== undefined && treeToCompare(gate) !== undefined;
}

function attemptedGate(facts: Facts): GateCase | undefined {
  const { state, phase, model, tree } = facts;
  if (state === undefined || phase === undefined || !isEnforced(state)) return undefined;
  if (advanceAttempt(facts, false) === undefined) return undefined;
  return { model, state, phase, ...(tree !== undefined && { tree }) };
}

function mismatchOf({ model, workflow, phases }: Facts, phase: string): Finding | undefined {
  const index = workflow?.index;
  if (index === undefined || phases.length === 0) return undefined;
  const expected = phases[index];
  if (expected !== undefined && samePhase(model, expected, phase)) return undefined;
  return {
    weight: 'deny',
    text: say.gateMismatch(expected ?? 'none', index, phase),
    fact: `phase ${index} of the workflow is ${expected ?? 'none'}, the state says ${phase}`,
    clear: 'holdpoint flow status',
  };
}
