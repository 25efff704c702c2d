import { leftUndelegated, notDelegated } from '../advice-messages';
import { agentNamed, notedName } from '../agents';
import type { Facts } from '../facts';
import { noting, type Rule } from '../finding';
import { type PendingDelegation, pendingDelegation, usageLog } from '../state';
import { OBLIGATION_MET, obligationReminded } from '../state-notes';

const STALE_MS = 30 * 60_000;

/**
 * A turn does not end between a skill and the delegation that it owes. Held once: whoever cannot delegate
 * must be able to say so and end.
 */
export const delegationGate: Rule = (facts) => {
  const { event, state } = facts;
  if (event.kind !== 'turn.stop') return undefined;
  const pending = pendingDelegation(state);
  if (pending === undefined || isOfAnother(pending, event.sessionId)) return undefined;
  const { skill, agent } = pending;
  if (agent === undefined || isMet(facts, pending, agent)) {
    return noting(`/${skill} owes no delegation any more`, OBLIGATION_MET);
  }
  const fact = `/${skill} was loaded and ${agent} was not called`;
  if (pending.reminded) {
    return { weight: 'warn', text: leftUndelegated(skill, agent), fact, records: [OBLIGATION_MET] };
  }
  return { weight: 'hold', text: notDelegated(skill, agent), fact, records: [obligationReminded(facts.now)] };
};

function isOfAnother({ session }: PendingDelegation, current: string): boolean {
  return session !== undefined && current !== '' && session !== current;
}

/** Met by the delegation, by a workflow that has begun since, or by time. */
function isMet(
  { state, model, now, workflow }: Facts,
  pending: PendingDelegation,
  required: string,
): boolean {
  const { invokedAt } = pending;
  if (invokedAt === undefined) return false;
  const name = agentNamed(model, required)?.name ?? required;
  const isDone = usageLog(state).some(
    ({ agent, at }) =>
      agent !== undefined && at !== undefined && at >= invokedAt && notedName(model, agent) === name,
  );
  return isDone || now - invokedAt > STALE_MS || (workflow?.startedAt ?? 0) >= invokedAt;
}
