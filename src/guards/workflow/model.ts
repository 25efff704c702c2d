/*
 * What the workflow section compiles to. It goes through JSON into the compiled config, so these are
 * type aliases of plain data, not interfaces: only those count as JSON. Look things up with `look-up.ts`:
 * the names come from events and state files, and a plain index would find what every object inherits.
 */

/** The rules in the order in which they are heard. */
export const RULE_NAMES = [
  'iteration-corridor',
  'skill-validator',
  'phase-loop-controller',
  'plan-surfacer',
  'phase-sequence-guard',
  'gate-blocker',
  'constitution-validator',
  'branch-guard',
  'state-write-validator',
  'log-skill-usage',
  'menu-tracker',
  'walkthrough-tracker',
  'discover-menu-guard',
  'skill-delegation-enforcer',
  'test-watcher',
  'review-reminder',
  'delegation-gate',
  'model-provider-router',
] as const;

export type RuleName = (typeof RULE_NAMES)[number];

export const RULE_MODES = ['disabled', 'observe', 'warn', 'ask', 'deny'] as const;

/** What a rule's finding leads to. A rule that only keeps records keeps them in every mode but `disabled`. */
export type RuleMode = (typeof RULE_MODES)[number];

export const TELLS = ['agent', 'person', 'both', 'log'] as const;

/** Whom a warning is for. */
export type Tell = (typeof TELLS)[number];

export type RuleSetting = { readonly mode: RuleMode; readonly tell: Tell };

export type WorkflowModel = {
  readonly workflows: readonly Workflow[];
  readonly phases: readonly Phase[];
  /** In the order of the manifest: where several own a phase, the first is the one to name. */
  readonly agents: readonly Agent[];
  /** Other names of phases, such as those of older numberings; one may stand for several. */
  readonly phaseAliases: Readonly<Record<string, readonly string[]>>;
  readonly rules: Readonly<Record<RuleName, RuleSetting>>;
  /** Branch names or patterns with `*`; `@default` is the remote's default branch. */
  readonly protectedBranches: readonly string[];
  /** Present in a monorepo. */
  readonly projects?: Projects;
  /** Where the plan may lie, the place to name first; `{project}` is `projects/<id>/` or nothing. */
  readonly planPaths: readonly string[];
  /** Where the constitution may lie, in the same way. */
  readonly constitutionPaths: readonly string[];
  /** Commands that run the project's tests besides the known runners, each as the user wrote it. */
  readonly testCommands: readonly string[];
  /** What may follow a workflow skill's name and then is not part of a workflow. */
  readonly setupCommands: readonly string[];
  /** Skills that oblige to delegate. */
  readonly obligations: readonly Obligation[];
  /** Model names for delegations; absent where nobody routes. */
  readonly routes?: Routes;
  /** Where the agents come from: built in, or from the project's manifest; `unreadable` where that is broken. */
  readonly manifest: 'builtin' | 'file' | 'unreadable';
  /** Rules of workflows as a whole. */
  readonly discipline: Discipline;
  /** Set where nobody has configured workflows: only one that was started by hand counts. */
  readonly byHand?: true;
  /** What is wrong with the section, a line each with its place. What it concerns is not in force. */
  readonly problems: readonly string[];
};

export type Workflow = {
  readonly name: string;
  readonly label: string;
  /** In the order of work, which is not that of the numbers. */
  readonly phases: readonly string[];
  /** `permissive`: a gate that lacks something warns instead of refusing. */
  readonly gateMode: 'strict' | 'permissive';
  /** Whether its phases may ask for a plan: one of them makes it. */
  readonly plan: boolean;
  /** How its branch is called, with `{artifact}`; absent where it needs none. */
  readonly branch?: string;
  /** Begins the names of its artifacts, such as `REQ`. */
  readonly artifactPrefix: string;
  /** Phases whose requirements differ in this workflow, with all their requirements. */
  readonly requirements: Readonly<Record<string, PhaseRequirements>>;
  /** Phases that are left out when the flag is given at the start, such as `no-scan`. */
  readonly skips: Readonly<Record<string, string>>;
};

export type Phase = {
  readonly name: string;
  /** Whether work in it waits for the plan, in workflows that have one. */
  readonly needsPlan: boolean;
  /** Whether the plan is made in it. */
  readonly makesPlan: boolean;
  readonly requirements: PhaseRequirements;
};

/** What the gate of a phase asks for. Absent means: not asked for. */
export type PhaseRequirements = {
  readonly tests?: TestRequirement;
  readonly constitution?: { readonly articles: readonly string[]; readonly maxIterations: number };
  readonly elicitation?: ElicitationRequirement;
  /** One of the phase's own agents must have been delegated to. */
  readonly delegation?: true;
  /** A person must approve the gate. */
  readonly approval?: true;
  /** What is noted when the gate is passed. */
  readonly onPass?: readonly PassTrigger[];
};

export type TestRequirement = {
  readonly maxIterations: number;
  /** After so many equal failures in a row the phase is escalated. */
  readonly breaker: number;
  /** A run is enough; it need not pass. */
  readonly reportOnly: boolean;
  /** Percent. */
  readonly minCoverage?: number;
};

export type ElicitationRequirement = {
  readonly minInteractions: number;
  /** The last choice must be one of these. */
  readonly finalSelections: readonly string[];
};

/** `unlessSet` is the path of a field in the state: where it holds a value other than `undecided`, nothing is noted. */
export type PassTrigger = { readonly trigger: string; readonly unlessSet?: readonly string[] };

/**
 * - `orchestrator`: runs whole workflows, belongs to no phase
 * - `setup`: prepares the project; its delegation is never part of a workflow, though it may own phases
 * - `phase`: does the work of its phases
 * - `sub`: helps in its phases, and alone is no proof that the phase was done
 */
export type AgentKind = 'orchestrator' | 'setup' | 'phase' | 'sub';

export type Agent = {
  readonly name: string;
  readonly kind: AgentKind;
  readonly phases: readonly string[];
  readonly aliases: readonly string[];
};

export type Projects = {
  readonly default?: string;
  readonly list: readonly Project[];
};

/** `path` is relative to the root, with forward slashes and without one at the end. */
export type Project = { readonly id: string; readonly path: string };

/** `exempt`: first words after the skill's name that oblige to nothing. */
export type Obligation = {
  readonly skill: string;
  readonly agent: string;
  readonly exempt: readonly string[];
};

/** An agent's own route goes before that of the phase. */
export type Routes = {
  readonly byAgent: Readonly<Record<string, string>>;
  readonly byPhase: Readonly<Record<string, string>>;
  readonly otherwise?: string;
};

export type Discipline = {
  readonly noHalfwayEntry: boolean;
  readonly noPhaseSkipping: boolean;
  readonly singleActiveWorkflow: boolean;
  readonly requireCancellationReason: boolean;
};
