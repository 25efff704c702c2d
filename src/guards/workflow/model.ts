import type { compileModel } from './config/compile';

/*
 * The compiled workflow config. Names come from events and state files, so look them up with the functions
 * below: a plain index would also find inherited properties.
 */

/** The purpose of each rule, in the order of evaluation. */
export const RULE_PURPOSES = {
  'iteration-corridor': 'no next phase while tests fail or articles are unchecked.',
  'skill-validator': 'no delegation without a readable agent manifest, if the project demands one.',
  'phase-loop-controller': 'a phase has to begin before its work is delegated.',
  'plan-surfacer': 'no implementation without a task plan.',
  'phase-sequence-guard': 'work goes only to agents of the current phase.',
  'gate-blocker': 'a gate opens when the phase has everything it needs.',
  'constitution-validator': 'no phase is complete before its articles are checked.',
  'branch-guard': 'no commits to protected branches while a workflow has its own branch.',
  'state-write-validator': 'the agent does not edit the workflow state by hand.',
  'log-skill-usage': 'records delegations.',
  'menu-tracker': 'counts the answers of the user.',
  'walkthrough-tracker': 'discovery ends with a constitution walkthrough.',
  'discover-menu-guard': 'the discovery menu has the right options.',
  'skill-delegation-enforcer': 'a workflow skill has to delegate.',
  'test-watcher': 'records test runs, and escalates repeated failures.',
  'review-reminder': 'reminds a team of code review after a commit.',
  'delegation-gate': 'a turn does not end before a skill has delegated.',
  'model-provider-router': 'sets the model of delegations.',
} as const;

export type RuleName = keyof typeof RULE_PURPOSES;

export const RULE_NAMES = Object.keys(RULE_PURPOSES) as readonly RuleName[];

export const RULE_MODES = ['disabled', 'observe', 'warn', 'ask', 'deny'] as const;

/** Synonyms that the rules of all disciplines accept. */
export const MODE_WORDS = { shadow: 'observe', hold: 'deny' } as const;

/** What a rule's finding leads to. Records are kept in every mode but `disabled`. */
export type RuleMode = (typeof RULE_MODES)[number];

export const TELLS = ['agent', 'person', 'both', 'log'] as const;

export type Tell = (typeof TELLS)[number];

/** What `without` in the config switches off in all phases. */
export const SWITCHABLE_PARTS = ['agents', 'constitution', 'elicitation', 'plan'] as const;

export type RuleSetting = { readonly mode: RuleMode; readonly tell: Tell };

export type WorkflowModel = ReturnType<typeof compileModel> & {
  /** There is no workflow config: only a workflow that was started by hand counts. */
  readonly byHand?: boolean;
  /** Errors in the section, one line each. The entries concerned are ignored. */
  readonly problems: readonly string[];
};

export type Workflow = WorkflowModel['workflows'][number];
export type Agent = WorkflowModel['agents'][number];
export type Discipline = WorkflowModel['discipline'];
/** What the gate of a phase requires; absent means not required. */
export type PhaseRequirements = Partial<Workflow['requirements'][string]>;
export type Requirement<Part extends keyof PhaseRequirements> = NonNullable<PhaseRequirements[Part]>;

/** Looks up a mapping's own value, never an inherited one. */
export function ownValue<T>(mapping: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

export function workflowNamed(model: WorkflowModel, name: string | undefined): Workflow | undefined {
  return model.workflows.find((workflow) => workflow.name === name);
}

export type Aliases = { readonly phaseAliases: Readonly<Record<string, readonly string[]>> };

/** Resolves an alias to the phases it stands for; any other name to itself. */
export function canonicalPhases({ phaseAliases }: Aliases, name: string): readonly string[] {
  return ownValue(phaseAliases, name) ?? [name];
}

/** Whether two names mean the same phase, or one is an alias for a group that contains the other. */
export function isSamePhase(model: Aliases, a: string, b: string): boolean {
  const names = canonicalPhases(model, a);
  return a === b || canonicalPhases(model, b).some((name) => names.includes(name));
}

function phaseNamed(model: WorkflowModel, name: string) {
  const [first] = canonicalPhases(model, name);
  return model.phases.find((phase) => phase.name === first);
}

/** What the gate of a phase requires in a workflow; nothing if the phase is unknown. */
export function requirementsOf(
  model: WorkflowModel,
  workflow: string | undefined,
  phase: string,
): PhaseRequirements {
  const special = workflowNamed(model, workflow)?.requirements ?? {};
  const [first = phase] = canonicalPhases(model, phase);
  return ownValue(special, phase) ?? ownValue(special, first) ?? phaseNamed(model, phase)?.requirements ?? {};
}

/** Whether delegations in a phase wait for the plan. An unknown workflow is assumed to make one. */
export function needsPlan(model: WorkflowModel, workflow: string | undefined, phase: string): boolean {
  const makesOne = workflowNamed(model, workflow)?.plan ?? true;
  return makesOne && !model.without.includes('plan') && phaseNamed(model, phase)?.needsPlan === true;
}

/** The agents that do a phase's work, without helpers. Messages name the first. */
export function ownersOf(model: Aliases & { agents: readonly Agent[] }, phase: string): readonly Agent[] {
  return model.agents.filter((agent) => agent.kind !== 'sub' && ownsPhase(model, agent, phase));
}

export function ownsPhase(model: Aliases, agent: Agent, phase: string): boolean {
  return agent.phases.some((owned) => isSamePhase(model, owned, phase));
}

/** The name of a phase's gate, such as `GATE-06`. */
export function gateOf(phase: string): string {
  return `GATE-${/^[0-9A-Za-z]+/.exec(phase)?.[0] ?? phase}`;
}
