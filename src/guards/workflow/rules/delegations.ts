import { objectAt, textAt, timeAt } from '../../../config/pointer';
import type { Event } from '../../../core/event';
import type { Context } from '../../../core/guard';
import { isoTime } from '../../../core/text';
import { agentNamed, isSetupCommand, notedName, plainSkillName, skillVerb } from '../delegation';
import { type Facts, holdFinding, holdHeading, noteFinding, type Rule } from '../facts';
import { gateOf, isSamePhase, needsPlan, ownersOf, ownValue } from '../model';
import { absentIn, agentsFor } from '../phase-requirements';
import { usesIsdlcDir, workflowFile } from '../place';
import {
  OBLIGATION_MET,
  obligation,
  obligationReminded,
  phaseStatus,
  skillEnforcement,
  usageLog,
} from '../state';

/** The environment variable that names a model for delegations; it overrides every route. */
const MODEL_VARIABLE = 'ISDLC_MODEL_OVERRIDE';

/** Enough to see whether the plan has any content. */
const PLAN_BYTES = 4096;

/** The plan may be written just before the state, and file system clocks are coarse. */
const PLAN_LEEWAY_MS = 60_000;

/** A delegation of phase work while a workflow is active. */
function phaseDelegation({ delegation, workflow, event, model }: Facts) {
  const current = workflow?.phase;
  if (event.kind !== 'tool.before' || delegation.kind !== 'phase' || current === undefined) return undefined;
  const isCurrent = delegation.phases.some((phase) => isSamePhase(model, phase, current));
  return {
    agent: delegation.agent?.name ?? 'the delegation',
    /** The phase that is meant: the current one, if the agent works in it too. */
    phase: isCurrent ? current : (delegation.phases[0] ?? current),
    current,
    isCurrent,
  };
}

/** Holds delegations if the agent manifest is unreadable and the project's `fail_behavior` is `block`. */
export const skillValidator: Rule = ({ call, event, model, state }) => {
  if (event.kind !== 'tool.before' || call?.op !== 'agent' || state === undefined) return undefined;
  const { enabled, failBehavior } = skillEnforcement(state);
  if (model.manifest !== 'unreadable' || !enabled || failBehavior !== 'block') return undefined;
  const text = [
    'SKILL ENFORCEMENT ERROR: the skills manifest cannot be read, and `fail_behavior` is `block`.',
    'Next: fix the manifest; `holdpoint config` names the file.',
  ].join('\n');
  return { weight: 'deny', text, fact: 'the skills manifest cannot be read' };
};

/** Work on a phase is delegated only after the phase has begun. */
export const phaseLoopController: Rule = (facts) => {
  const target = phaseDelegation(facts);
  if (target === undefined) return undefined;
  const { agent, phase, current } = target;
  const status = phaseStatus(facts.state, current) ?? 'not set';
  if (status === 'in_progress' || status === 'completed') return undefined;
  return holdFinding(
    `${current} is ${status}, not in progress`,
    'holdpoint flow begin',
    `${holdHeading(facts, 'phase-loop-controller', 'PHASE DELEGATION WITHOUT PROGRESS TRACKING')} ${agent} cannot work on '${phase}' yet, because the current phase '${current}' has not begun.`,
    `Current phase status: ${status}`,
    'Next: run `holdpoint flow begin`, then delegate again.',
  );
};

/** Work is delegated only to agents of the current phase. */
export const phaseSequenceGuard: Rule = (facts) => {
  const target = phaseDelegation(facts);
  if (target === undefined || target.isCurrent || isStandIn(facts, target.current)) return undefined;
  const { model, phases, state } = facts;
  const { agent, current, phase } = target;
  const indexOf = (name: string): number => phases.findIndex((one) => isSamePhase(model, one, name));
  const isBehind = indexOf(phase) >= 0 && indexOf(phase) < indexOf(current);
  const owner = agentsFor(model, state, current)[0]?.name;
  const now = owner === undefined ? `finish ${current} first` : `delegate ${current} to ${owner} first`;
  const command = isBehind ? `holdpoint flow rollback ${phase}` : 'holdpoint flow advance';
  return holdFinding(
    `${agent} works on ${phase}, the current phase is ${current}`,
    command,
    `${holdHeading(facts, 'phase-sequence-guard', 'OUT-OF-ORDER PHASE DELEGATION')} ${agent} works in another phase, and ${gateOf(current)} has not been passed.`,
    `Current phase: ${current}`,
    `Target phase:  ${phase}`,
    `Next: ${now}. ${isBehind ? 'To go back' : 'When it is done'}, run \`${command}\`.`,
  );
};

/** Whether the call goes to an agent of another phase because the project has none for the current one. */
function isStandIn({ model, state, delegation }: Facts, current: string): boolean {
  if (ownersOf(model, current).length === 0 || agentsFor(model, state, current).length > 0) return false;
  const agent = 'agent' in delegation ? delegation.agent : undefined;
  return agent !== undefined && !absentIn(state).agents.includes(agent.name);
}

const PLAN_TROUBLE = {
  missing: 'there is none',
  empty: 'the file is empty',
  stale: 'the file is older than this workflow',
};

/** In workflows that make a plan, building waits for it. Other rules decide which agent may do it. */
export const planSurfacer: Rule = (facts) => {
  const current = phaseDelegation(facts)?.current;
  const { model, workflow, ctx, place } = facts;
  if (current === undefined || !needsPlan(model, workflow?.type, current)) return undefined;
  const path = workflowFile('plan', model, place, (one) => ctx.file({ path: one }).kind);
  const trouble = planTrouble(ctx.file({ path, maxTextBytes: PLAN_BYTES }), ctx.now, workflow?.startedAt);
  if (trouble === undefined) return undefined;
  const file = `${ctx.projectRoot}/${path}`;
  return holdFinding(
    `the plan of ${current} is ${trouble}`,
    `write ${file}`,
    `${holdHeading(facts, 'plan-surfacer', 'TASK PLAN NOT GENERATED')} phase '${current}' needs a task plan, and ${PLAN_TROUBLE[trouble]}.`,
    `Expected path: ${file}`,
    'Next: write the plan to that file, then delegate again.',
  );
};

/** A plan that is older than the workflow belongs to another one. */
function planTrouble(fact: ReturnType<Context['file']>, now: number, startedAt = 0) {
  if (fact.kind !== 'file') return 'missing';
  if (fact.size === 0 || fact.text?.trim() === '') return 'empty';
  return startedAt <= now && fact.mtimeMs < startedAt - PLAN_LEEWAY_MS ? 'stale' : undefined;
}

/** Sets the model that the agent or phase is routed to, unless the call already names a model. */
export const modelProviderRouter: Rule = ({ event, call, model, delegation, phase, ctx }) => {
  if (event.kind !== 'tool.before' || call?.op !== 'agent' || call.input['model'] !== undefined)
    return undefined;
  const agent = 'agent' in delegation ? delegation.agent?.name : undefined;
  const { byAgent = {}, byPhase = {}, otherwise } = model.routes ?? {};
  const isHere = ([name]: readonly [string, string]): boolean => isSamePhase(model, name, phase ?? '');
  const here = Object.entries(byPhase).find(isHere)?.[1];
  const chosen = ctx.env(MODEL_VARIABLE) || ownValue(byAgent, agent ?? '') || here || otherwise;
  const fact = `${agent ?? 'the delegation'} goes to ${chosen}`;
  return chosen ? { weight: 'warn', text: '', fact, input: { ...call.input, model: chosen } } : undefined;
};

/** Some skills only name the agent that does the work. Loading one is recorded until that agent is called. */
export const skillDelegationEnforcer: Rule = ({ event, state, model, ctx, workflow, place }) => {
  const loaded = state === undefined ? undefined : loadedSkill(event);
  const owed = loaded && model.obligations.find(({ skill }) => skill === loaded.skill);
  if (loaded === undefined || owed === undefined) return undefined;
  // Outside of iSDLC projects, a skill of the same name may be anything.
  const hasAgent = workflow !== undefined && !absentIn(state).agents.includes(owed.agent);
  if (!usesIsdlcDir(place) && !hasAgent) return undefined;
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
      `MANDATORY DELEGATION REQUIRED: the work of /${skill} belongs to the "${owed.agent}" agent.`,
      `Call the Task tool with subagent_type "${owed.agent}" now${args === '' ? '' : `, for: ${args}`}.`,
    ].join('\n'),
    fact: `/${skill} has to delegate to ${owed.agent}`,
    records: [obligation(entry)],
  };
};

/** The skill that the agent has called, or that the user has typed. */
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
 * Holds the end of a turn between a skill and the delegation that it requires. Held once: an agent that
 * cannot delegate must be able to say so and end.
 */
export const delegationGate: Rule = (facts) => {
  const { event, state, ctx } = facts;
  const pending = objectAt(state, ['pending_delegation']);
  if (event.kind !== 'turn.stop' || pending === undefined) return undefined;
  const [skill = '', agent] = [textAt(pending, 'skill'), textAt(pending, 'required_agent')];
  const session = textAt(pending, 'session_id');
  if (session !== undefined && event.sessionId !== '' && session !== event.sessionId) return undefined;
  if (agent === undefined || isMet(facts, agent, timeAt(pending, 'invoked_at'))) {
    return noteFinding(`/${skill} needs no delegation any more`, OBLIGATION_MET);
  }
  const fact = `/${skill} was loaded and ${agent} was not called`;
  if (textAt(pending, 'reminded_at') !== undefined) {
    const text = `/${skill} was loaded, but the turn ended without its agent ${agent}.`;
    return { weight: 'warn', text, fact, records: [OBLIGATION_MET] };
  }
  const text = `You loaded /${skill} but did not delegate to the "${agent}" agent. Call the Task tool with subagent_type "${agent}", or say why the work is not needed and stop again.`;
  return { weight: 'hold', text, fact, records: [obligationReminded(ctx.now)] };
};

/** Met by the delegation, by a workflow that was started since, or by the passing of time. */
function isMet({ state, model, ctx, workflow }: Facts, required: string, invokedAt?: number): boolean {
  if (invokedAt === undefined) return false;
  const name = agentNamed(model, required)?.name ?? required;
  const isDone = usageLog(state).some(
    ({ agent, at }) =>
      agent !== undefined && at !== undefined && at >= invokedAt && notedName(model, agent) === name,
  );
  return isDone || ctx.now - invokedAt > STALE_MS || (workflow?.startedAt ?? 0) >= invokedAt;
}
