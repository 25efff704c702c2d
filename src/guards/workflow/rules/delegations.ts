import type { Context } from '../../../core/guard';
import type { Facts, Rule } from '../facts';
import { gateOf, needsPlan, own, ownersOf, samePhase } from '../model';
import { projectPath } from '../place';
import { phaseStatus, skillEnforcement } from '../state';

/** Names a model for the delegation tool; wins over every route. */
const MODEL_VARIABLE = 'ISDLC_MODEL_OVERRIDE';

/** Enough to see whether anything is written in the plan. */
const PLAN_BYTES = 4096;

/** Files are written a moment before the state that tells of them, and clocks of file systems are coarse. */
const PLAN_LEEWAY_MS = 60_000;

/** A delegation of phase work while a workflow is active. */
function phaseDelegation({ delegation, workflow, event, model }: Facts) {
  const current = workflow?.phase;
  if (event.kind !== 'tool.before' || delegation.kind !== 'phase' || current === undefined) return undefined;
  const isCurrent = delegation.phases.some((phase) => samePhase(model, phase, current));
  return {
    agent: delegation.agent?.name ?? 'the delegation',
    /** The phase that is meant: the current one, where the agent works in it too. */
    phase: isCurrent ? current : (delegation.phases[0] ?? current),
    current,
    isCurrent,
  };
}

/** Only watches, unless the project wants agents held when nobody can tell which agent owns what. */
export const skillValidator: Rule = ({ call, event, model, state }) => {
  if (event.kind !== 'tool.before' || call?.op !== 'agent' || state === undefined) return undefined;
  const { enabled, failBehavior } = skillEnforcement(state);
  if (model.manifest !== 'unreadable' || !enabled || failBehavior !== 'block') return undefined;
  const text = [
    'SKILL ENFORCEMENT ERROR: the skills manifest cannot be read, and `fail_behavior` is `block`.',
    'Next: repair the manifest; `holdpoint config` names the file.',
  ].join('\n');
  return { weight: 'deny', text, fact: 'the skills manifest cannot be read' };
};

/** Work on a phase begins only after the phase itself has been begun. */
export const phaseLoopController: Rule = (facts) => {
  const target = phaseDelegation(facts);
  if (target === undefined) return undefined;
  const { agent, phase, current } = target;
  const status = phaseStatus(facts.state, current) ?? 'not set';
  if (status === 'in_progress' || status === 'completed') return undefined;
  return {
    weight: 'deny',
    text: [
      `PHASE DELEGATION WITHOUT PROGRESS TRACKING: ${agent} is to work on '${phase}', but the current phase '${current}' has not been begun.`,
      `Current phase status: ${status}`,
      'Next: `holdpoint flow begin`, then delegate again.',
    ].join('\n'),
    fact: `${current} is ${status}, not in progress`,
    clear: 'holdpoint flow begin',
  };
};

/** Work goes to the agents of the current phase, and to those of no other. */
export const phaseSequenceGuard: Rule = (facts) => {
  const target = phaseDelegation(facts);
  if (target === undefined || target.isCurrent) return undefined;
  const { model, phases } = facts;
  const { agent, current, phase } = target;
  const indexOf = (name: string): number => phases.findIndex((one) => samePhase(model, one, name));
  const isBehind = indexOf(phase) >= 0 && indexOf(phase) < indexOf(current);
  const owner = ownersOf(model, current)[0]?.name;
  const now = owner === undefined ? 'finish the current phase' : `delegate the current phase to ${owner}`;
  const leave = isBehind
    ? `to go back, \`holdpoint flow rollback ${phase}\``
    : 'when it is done, `holdpoint flow advance`';
  return {
    weight: 'deny',
    text: [
      `OUT-OF-ORDER PHASE DELEGATION: ${agent} belongs to another phase, and ${gateOf(current)} has not been passed.`,
      `Current phase: ${current}`,
      `Target phase:  ${phase}`,
      `Next: ${now}; ${leave}.`,
    ].join('\n'),
    fact: `${agent} works on ${phase}, the current phase is ${current}`,
    clear: isBehind ? `holdpoint flow rollback ${phase}` : 'holdpoint flow advance',
  };
};

const PLAN_TROUBLE = {
  missing: 'and there is none',
  empty: 'and the one that is there is empty',
  stale: 'and the one that is there is older than this workflow',
};

/** What is built is planned first, in workflows that make a plan. Who may work on it is up to other rules. */
export const planSurfacer: Rule = (facts) => {
  const current = phaseDelegation(facts)?.current;
  const { model, workflow, ctx, place } = facts;
  if (current === undefined || !needsPlan(model, workflow?.type, current)) return undefined;
  const plans = model.planPaths.map((template) => {
    const path = projectPath(template, place.project);
    return { path: `${ctx.projectRoot}/${path}`, fact: ctx.file({ path, maxTextBytes: PLAN_BYTES }) };
  });
  // The first place that has a plan decides.
  const plan = plans.find(({ fact }) => fact.kind === 'file') ?? plans[0];
  const trouble = planTrouble(plan?.fact, workflow?.startedAt, ctx.now);
  if (trouble === undefined) return undefined;
  return {
    weight: 'deny',
    text: [
      `TASK PLAN NOT GENERATED: phase '${current}' needs a plan, ${PLAN_TROUBLE[trouble]}.`,
      `Expected path: ${plan?.path}`,
      'Next: write the plan to that file, then delegate again.',
    ].join('\n'),
    fact: `the plan of ${current} is ${trouble}`,
    clear: `write ${plan?.path}`,
  };
};

/** A plan that is older than the workflow belongs to another one. */
function planTrouble(
  fact: ReturnType<Context['file']> | undefined,
  startedAt: number | undefined,
  now: number,
): keyof typeof PLAN_TROUBLE | undefined {
  if (fact?.kind !== 'file') return 'missing';
  if (fact.size === 0 || fact.text?.trim() === '') return 'empty';
  const isOld = startedAt !== undefined && startedAt <= now && fact.mtimeMs < startedAt - PLAN_LEEWAY_MS;
  return isOld ? 'stale' : undefined;
}

/** Gives a delegation the model that its agent or phase is routed to. A model that was asked for stays. */
export const modelProviderRouter: Rule = ({ event, call, model, delegation, phase, ctx }) => {
  if (event.kind !== 'tool.before' || call?.op !== 'agent' || call.input['model'] !== undefined)
    return undefined;
  const agent = 'agent' in delegation ? delegation.agent?.name : undefined;
  const { byAgent = {}, byPhase = {}, otherwise } = model.routes ?? {};
  const chosen =
    ctx.env(MODEL_VARIABLE) || own(byAgent, agent ?? '') || own(byPhase, phase ?? '') || otherwise;
  if (chosen === undefined) return undefined;
  return {
    weight: 'warn',
    text: '',
    fact: `${agent ?? 'the delegation'} goes to ${chosen}`,
    input: { ...call.input, model: chosen },
  };
};
