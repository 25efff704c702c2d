import type { Event } from '../../../core/event';
import { isoTime } from '../../../core/text';
import { agentNamed, isSetupCommand, notedName, plainSkillName, skillVerb } from '../delegation';
import { type Facts, noting, type Rule } from '../facts';
import { pendingDelegation, usageLog } from '../state';
import { OBLIGATION_MET, obligation, obligationReminded } from '../state-notes';

/** Some skills only say whom to hand the work to; that they were loaded is recorded until it is done. */
export const skillDelegationEnforcer: Rule = ({ event, state, model, ctx }) => {
  const loaded = state === undefined ? undefined : loadedSkill(event);
  const owed = loaded && model.obligations.find(({ skill }) => skill === loaded.skill);
  if (loaded === undefined || owed === undefined) return undefined;
  const { skill, args, callId } = loaded;
  if (owed.exempt.includes(skillVerb(args) ?? '') || isSetupCommand(model, args)) return undefined;
  const entry = {
    skill,
    required_agent: owed.agent,
    invoked_at: isoTime(ctx.now),
    args,
    ...(event.sessionId !== '' && { session_id: event.sessionId }),
    ...(callId !== undefined && { tool_use_id: callId }),
  };
  return {
    weight: 'warn',
    text: [
      `MANDATORY DELEGATION REQUIRED: /${skill} hands its work to the "${owed.agent}" agent.`,
      `Call the Task tool with subagent_type "${owed.agent}" now${args === '' ? '' : `, for: ${args}`}.`,
    ].join('\n'),
    fact: `/${skill} has to delegate to ${owed.agent}`,
    records: [obligation(entry)],
  };
};

/** The skill that the agent has called, or that a person has typed. */
function loadedSkill(event: Event) {
  if (event.kind === 'tool.after') {
    const { skill, callId, input } = event.call;
    if (skill === undefined || event.outcome === 'failure') return undefined;
    return { skill: plainSkillName(skill), args: String(input['args'] ?? '').trim(), callId };
  }
  if (event.kind === 'prompt.expand') return { skill: plainSkillName(event.name), args: event.args.trim() };
  if (event.kind !== 'prompt.submit') return undefined;
  const [, name, args = ''] = /^\s*\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(event.text) ?? [];
  return name === undefined ? undefined : { skill: plainSkillName(name), args: args.trim() };
}

const STALE_MS = 30 * 60_000;

/**
 * A turn does not end between a skill and the delegation that it requires. Held once: an agent that cannot
 * delegate must be able to say so and end.
 */
export const delegationGate: Rule = (facts) => {
  const { event, state, ctx } = facts;
  const pending = event.kind === 'turn.stop' ? pendingDelegation(state) : undefined;
  if (pending === undefined) return undefined;
  const { skill, agent, session } = pending;
  const isOfAnother = session !== undefined && event.sessionId !== '' && session !== event.sessionId;
  if (isOfAnother) return undefined;
  if (agent === undefined || isMet(facts, agent, pending.invokedAt)) {
    return noting(`/${skill} owes no delegation any more`, OBLIGATION_MET);
  }
  const fact = `/${skill} was loaded and ${agent} was not called`;
  if (pending.reminded) {
    const text = `/${skill} was loaded, but the turn ended without its agent ${agent}.`;
    return { weight: 'warn', text, fact, records: [OBLIGATION_MET] };
  }
  const text = `You loaded /${skill} but did not delegate to the "${agent}" agent. Call the Task tool with subagent_type "${agent}", or say why the work is not needed and stop again.`;
  return { weight: 'hold', text, fact, records: [obligationReminded(ctx.now)] };
};

/** Met by the delegation, by a workflow that has begun since, or by time. */
function isMet({ state, model, ctx, workflow }: Facts, required: string, invokedAt?: number): boolean {
  if (invokedAt === undefined) return false;
  const name = agentNamed(model, required)?.name ?? required;
  const isDone = usageLog(state).some(
    ({ agent, at }) =>
      agent !== undefined && at !== undefined && at >= invokedAt && notedName(model, agent) === name,
  );
  return isDone || ctx.now - invokedAt > STALE_MS || (workflow?.startedAt ?? 0) >= invokedAt;
}
