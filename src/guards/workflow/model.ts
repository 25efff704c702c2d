/*
 * What the workflow section compiles to. It is stored as JSON in the compiled config, so these are type aliases:
 * interfaces do not count as JSON. Names come from events and state files, so look things up with the functions
 * below: a plain index would also find what every object inherits.
 */

/** What each rule sees to, in the order in which they are asked. */
export const RULE_PURPOSES = {
  'iteration-corridor': 'no way to the next phase while tests fail or articles are unchecked.',
  'skill-validator': 'an agent manifest that must be there is there.',
  'phase-loop-controller': 'a phase is begun before work in it is handed out.',
  'plan-surfacer': 'no implementation without a task plan.',
  'phase-sequence-guard': 'work goes to agents of the current phase only.',
  'gate-blocker': 'a gate opens once everything that it asks for is there.',
  'constitution-validator': 'no phase is called complete before its articles are checked.',
  'branch-guard': 'no commits to protected branches while a workflow has its own.',
  'state-write-validator': 'nobody writes claims into the state file.',
  'log-skill-usage': 'who was handed work is noted.',
  'menu-tracker': 'questions to the person are counted.',
  'walkthrough-tracker': 'discovery ends with a walk through the constitution.',
  'discover-menu-guard': 'the menu of discovery has its options.',
  'skill-delegation-enforcer': 'a workflow skill is followed by a delegation.',
  'test-watcher': 'test runs are noted, and the same failure again and again is escalated.',
  'review-reminder': 'a team is reminded of review after a commit.',
  'delegation-gate': 'a turn does not end before the delegation that a skill asks for.',
  'model-provider-router': 'delegations get the model that is set for them.',
} as const;

export type RuleName = keyof typeof RULE_PURPOSES;

export const RULE_NAMES = Object.keys(RULE_PURPOSES) as readonly RuleName[];

export const RULE_MODES = ['disabled', 'observe', 'warn', 'ask', 'deny'] as const;

/** What a rule's finding leads to. A rule that only keeps records keeps them in every mode but `disabled`. */
export type RuleMode = (typeof RULE_MODES)[number];

export const TELLS = ['agent', 'person', 'both', 'log'] as const;

/** Who reads a warning. */
export type Tell = (typeof TELLS)[number];

export type RuleSetting = { readonly mode: RuleMode; readonly tell: Tell };

export type WorkflowModel = {
  readonly workflows: readonly Workflow[];
  readonly phases: readonly Phase[];
  /** In the order of the manifest: where several own a phase, messages name the first. */
  readonly agents: readonly Agent[];
  /** Other names of phases, such as those of older numberings; one may stand for several. */
  readonly phaseAliases: Readonly<Record<string, readonly string[]>>;
  readonly rules: Readonly<Record<RuleName, RuleSetting>>;
  /** Branch names or patterns with `*`; `@default` is the remote's default branch. */
  readonly protectedBranches: readonly string[];
  /** Present in a monorepo. */
  readonly projects?: Projects | undefined;
  /** Where the plan may be, the usual place first; `{project}` is `projects/<id>/` or nothing. */
  readonly planPaths: readonly string[];
  /** Where the constitution may be, in the same form. */
  readonly constitutionPaths: readonly string[];
  /** Commands that run the project's tests besides the known runners, as the user wrote them. */
  readonly testCommands: readonly string[];
  /** Arguments of a workflow skill that do not belong to a workflow. */
  readonly setupCommands: readonly string[];
  /** Skills after which the agent has to delegate; `exempt`: first words after the skill that oblige to nothing. */
  readonly obligations: readonly {
    readonly skill: string;
    readonly agent: string;
    readonly exempt: readonly string[];
  }[];
  /** Model names for delegations, where any are configured. */
  readonly routes?: Routes | undefined;
  /** Where the agents come from; `unreadable` where the project's manifest is broken. */
  readonly manifest: 'builtin' | 'file' | 'unreadable';
  readonly discipline: Discipline;
  /** Set where nobody has configured workflows: only one that was started by hand counts. */
  readonly byHand?: true;
  /** What is wrong with the section, one line each. The entries concerned are not in force. */
  readonly problems: readonly string[];
};

export type Workflow = {
  readonly name: string;
  readonly label: string;
  /** In the order of work, which is not that of the numbers. */
  readonly phases: readonly string[];
  /** `permissive`: a gate that lacks something warns instead of denying. */
  readonly gateMode: 'strict' | 'permissive';
  /** Whether one of its phases makes a plan, so that later ones may require it. */
  readonly plan: boolean;
  /** The name of its branch, with `{artifact}`; absent where it needs none. */
  readonly branch?: string | undefined;
  /** The start of its artifacts' names, such as `REQ`. */
  readonly artifactPrefix: string;
  /** Phases whose requirements differ in this workflow, with all their requirements. */
  readonly requirements: Readonly<Record<string, PhaseRequirements>>;
  /** Phases that are left out when a flag such as `no-scan` is given at the start. */
  readonly skips: Readonly<Record<string, string>>;
};

export type Phase = {
  readonly name: string;
  /** Whether work in it waits for the plan, in workflows that have one. */
  readonly needsPlan: boolean;
  readonly makesPlan: boolean;
  readonly requirements: PhaseRequirements;
};

/** What the gate of a phase requires. Absent means: not required. */
export type PhaseRequirements = {
  readonly tests?: TestRequirement | undefined;
  readonly constitution?: ConstitutionRequirement | undefined;
  readonly elicitation?: ElicitationRequirement | undefined;
  /** One of the phase's own agents must have been delegated to. */
  readonly delegation?: true | undefined;
  /** A person must approve the gate. */
  readonly approval?: true | undefined;
  /** What is noted when the gate is passed. */
  readonly onPass?: readonly PassTrigger[] | undefined;
};

export type ConstitutionRequirement = {
  readonly articles: readonly string[];
  readonly maxIterations: number;
};

export type TestRequirement = {
  readonly maxIterations: number;
  /** After this many equal failures in a row the phase is escalated. */
  readonly breaker: number;
  /** A run is enough; it need not pass. */
  readonly reportOnly: boolean;
  /** Percent. */
  readonly minCoverage?: number | undefined;
};

export type ElicitationRequirement = {
  readonly minInteractions: number;
  /** The last choice must be one of these. */
  readonly finalSelections: readonly string[];
};

/** `unlessSet` is the path of a field in the state: where it holds a value other than `undecided`, nothing is noted. */
export type PassTrigger = { readonly trigger: string; readonly unlessSet?: readonly string[] | undefined };

export type Agent = {
  readonly name: string;
  /**
   * - `orchestrator`: runs whole workflows, belongs to no phase
   * - `setup`: prepares the project; its delegation is never part of a workflow, though it may own phases
   * - `phase`: does the work of its phases
   * - `sub`: helps in its phases, and alone is no proof that the phase was done
   */
  readonly kind: 'orchestrator' | 'setup' | 'phase' | 'sub';
  readonly phases: readonly string[];
  readonly aliases: readonly string[];
};

/** `path` is relative to the root, with forward slashes and without one at the end. */
export type Projects = {
  readonly default?: string;
  readonly list: readonly { readonly id: string; readonly path: string }[];
};

/** An agent's own route goes before that of the phase. */
export type Routes = {
  readonly byAgent: Readonly<Record<string, string>>;
  readonly byPhase: Readonly<Record<string, string>>;
  readonly otherwise?: string | undefined;
};

/** Rules of workflows as a whole. */
export type Discipline = {
  readonly noHalfwayEntry: boolean;
  readonly noPhaseSkipping: boolean;
  readonly singleActiveWorkflow: boolean;
  readonly requireCancellationReason: boolean;
};

/** The value that a mapping holds itself, never one that all objects inherit. */
export function own<T>(mapping: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

/** The workflow of a name. */
export function workflowNamed(model: WorkflowModel, name: string | undefined): Workflow | undefined {
  return model.workflows.find((workflow) => workflow.name === name);
}

type Aliases = Pick<WorkflowModel, 'phaseAliases'>;

/** The names that a phase's name stands for: itself, unless it is an alias. */
export function canonicalPhases({ phaseAliases }: Aliases, name: string): readonly string[] {
  return own(phaseAliases, name) ?? [name];
}

/** Whether two names mean one phase, or one of them stands for a group with the other in it. */
export function samePhase(model: Aliases, a: string, b: string): boolean {
  const names = canonicalPhases(model, a);
  return a === b || canonicalPhases(model, b).some((name) => names.includes(name));
}

/** The phase of a name or alias. */
function phaseNamed(model: WorkflowModel, name: string): Phase | undefined {
  const [first] = canonicalPhases(model, name);
  return model.phases.find((phase) => phase.name === first);
}

/** What the gate of a phase requires in a workflow; nothing where the phase is not known. */
export function requirementsOf(
  model: WorkflowModel,
  workflow: string | undefined,
  phase: string,
): PhaseRequirements {
  const special = workflowNamed(model, workflow)?.requirements ?? {};
  const [first = phase] = canonicalPhases(model, phase);
  return own(special, phase) ?? own(special, first) ?? phaseNamed(model, phase)?.requirements ?? {};
}

/** Whether delegations in a phase wait for the plan. An unknown workflow is taken to have one. */
export function needsPlan(model: WorkflowModel, workflow: string | undefined, phase: string): boolean {
  const makesOne = workflowNamed(model, workflow)?.plan ?? true;
  return makesOne && phaseNamed(model, phase)?.needsPlan === true;
}

/** The agents that do a phase's work, the one to name first; helpers are not among them. */
export function ownersOf(model: Aliases & Pick<WorkflowModel, 'agents'>, phase: string): readonly Agent[] {
  return model.agents.filter((agent) => agent.kind !== 'sub' && ownsPhase(model, agent, phase));
}

/** Whether a phase is one of the agent's. */
export function ownsPhase(model: Aliases, agent: Agent, phase: string): boolean {
  return agent.phases.some((owned) => samePhase(model, owned, phase));
}

/** The name of a phase's gate, such as `GATE-06`. */
export function gateOf(phase: string): string {
  return `GATE-${/^[0-9A-Za-z]+/.exec(phase)?.[0] ?? phase}`;
}
