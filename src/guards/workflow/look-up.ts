import type { Agent, Phase, PhaseRequirements, Workflow, WorkflowModel } from './model';

const NOTHING_ASKED: PhaseRequirements = {};

/** The value that a mapping holds itself, never one that all objects inherit. */
export function own<T>(mapping: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

export function workflowNamed(model: WorkflowModel, name: string | undefined): Workflow | undefined {
  return model.workflows.find((workflow) => workflow.name === name);
}

/** The names that a phase's name stands for: itself, unless it is an alias. */
export function canonicalPhases(model: WorkflowModel, name: string): readonly string[] {
  return own(model.phaseAliases, name) ?? [name];
}

/** Whether two names mean one phase, or one of them stands for a group with the other in it. */
export function samePhase(model: WorkflowModel, a: string, b: string): boolean {
  if (a === b) return true;
  const names = canonicalPhases(model, a);
  return canonicalPhases(model, b).some((name) => names.includes(name));
}

export function phaseNamed(model: WorkflowModel, name: string): Phase | undefined {
  const [first] = canonicalPhases(model, name);
  return model.phases.find((phase) => phase.name === first);
}

/** What the gate of a phase asks for in a workflow; nothing where the phase is not known. */
export function requirementsOf(
  model: WorkflowModel,
  workflow: string | undefined,
  phase: string,
): PhaseRequirements {
  const known = workflowNamed(model, workflow);
  const [first = phase] = canonicalPhases(model, phase);
  const special = known && (own(known.requirements, phase) ?? own(known.requirements, first));
  return special ?? phaseNamed(model, phase)?.requirements ?? NOTHING_ASKED;
}

/** Whether delegations in a phase wait for the plan. A workflow that is not known is taken to have one. */
export function needsPlan(model: WorkflowModel, workflow: string | undefined, phase: string): boolean {
  const makesOne = workflowNamed(model, workflow)?.plan ?? true;
  return makesOne && phaseNamed(model, phase)?.needsPlan === true;
}

/** The agents that do a phase's work, the one to name first; helpers are not among them. */
export function ownersOf(model: WorkflowModel, phase: string): readonly Agent[] {
  return model.agents.filter((agent) => agent.kind !== 'sub' && ownsPhase(model, agent, phase));
}

export function ownsPhase(model: WorkflowModel, agent: Agent, phase: string): boolean {
  return agent.phases.some((owned) => samePhase(model, owned, phase));
}

/** The name of a phase's gate, such as `GATE-06`. */
export function gateOf(phase: string): string {
  return `GATE-${/^[0-9A-Za-z]+/.exec(phase)?.[0] ?? phase}`;
}
