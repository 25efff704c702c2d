/**
 * What the requirements section compiles to. It goes through JSON into the compiled config,
 * so these are type aliases of plain data, not interfaces: only those count as JSON.
 */
export type RequirementsConfig = {
  readonly enabled: boolean;
  /** `global-only`: nothing in this project asks for requirements, so none are enforced. */
  readonly reach: 'project' | 'global-only';
  /** Only enabled ones, in the order of the config. */
  readonly requirements: readonly Requirement[];
  readonly stop: { readonly verify: boolean; readonly scopes: readonly Scope[] };
  readonly briefing: Briefing;
  readonly carryOver: CarryOver;
  /** Whether a session that ends takes its own satisfactions with it. */
  readonly clearSessionState: boolean;
  /** Whether a permission request for a destructive command is answered with no. */
  readonly denyDangerous: boolean;
  /** A question after a turn that ended well, once a session has used this many tools. */
  readonly review: { readonly onStop: boolean; readonly minToolUses: number };
  /** When a session is told once to think the design through, while nobody has agreed to one. */
  readonly thinkFirst: { readonly onPlan: boolean; readonly onPrompt: boolean };
  /** Which requirements a skill satisfies, by the skill's full name and by the part after its last colon. */
  readonly skills: { readonly [skill: string]: readonly string[] };
};

/** How a new session inherits what another one has just satisfied. */
export type CarryOver = {
  /** The ways of starting for which it is on. */
  readonly sources: readonly ('startup' | 'clear')[];
  readonly windowSeconds: number;
  readonly scopes: readonly Scope[];
};

export type Briefing = {
  readonly inject: boolean;
  readonly format: 'compact' | 'standard';
  readonly header?: string | undefined;
};

export type Scope = 'session' | 'branch' | 'permanent' | 'single_use';

export type Requirement = BlockingRequirement | ConditionRequirement | DynamicRequirement;

type CommonRequirement = {
  readonly name: string;
  /** `file:line:column` of its name in the config. */
  readonly place: string;
  readonly scope: Scope;
  readonly triggers: readonly Trigger[];
  /** Globs relative to the project root (`**` crosses directories); empty means every path. */
  readonly paths: readonly string[];
  readonly excludePaths: readonly string[];
  readonly message?: string | undefined;
  /** Said instead when the same denial was given seconds ago. */
  readonly shortMessage?: string | undefined;
  readonly description?: string | undefined;
  /** The skill to name to the agent. */
  readonly skill?: string | undefined;
  /** Never denies a tool; armed by a trigger and held at the end of the turn. */
  readonly stopOnly: boolean;
  readonly agentMaySatisfy: boolean;
  /** Seconds after which a satisfaction by a skill expires. */
  readonly replanTtl?: number | undefined;
  readonly evidence?: Evidence | undefined;
};

/** What has to be there besides somebody saying that it is done. */
export type Evidence = {
  /** Directories below the project root in which a Markdown file must show it. */
  readonly dirs: readonly string[];
  readonly markers: readonly string[];
  /** A word in the file's section `## Verdict`. */
  readonly verdict?: string | undefined;
  readonly maxAgeSeconds?: number | undefined;
  /** A command that must end with exit code 0, instead of files. */
  readonly command?: string | undefined;
};

/** Holds until somebody says that it is done. */
export type BlockingRequirement = CommonRequirement & { readonly type: 'blocking' };

/** Holds while a fact about the project does. In the config this is `type: guard`. */
export type ConditionRequirement = CommonRequirement & { readonly type: 'condition' } & (
    | { readonly condition: 'protected_branch'; readonly branches: readonly string[] }
    | { readonly condition: 'single_session' }
  );

/** Holds while a computed value is too large and nobody has approved it. */
export type DynamicRequirement = CommonRequirement & {
  readonly type: 'dynamic';
  /** `branch_size`, or a command of the user's that prints a number. */
  readonly calculator: string;
  readonly block: number;
  readonly warn?: number | undefined;
  readonly cacheTtl: number;
  readonly approvalTtl: number;
  readonly blockingMessage?: string | undefined;
};

export type Trigger =
  /** A tool's name, or a glob with `*`. */
  | { readonly kind: 'tool'; readonly tool: string }
  /** The source of a regular expression that is searched anywhere in the command, ignoring case. */
  | { readonly kind: 'command'; readonly tool: string; readonly pattern: string };

/** The requirement for an agreed design. */
export const DESIGN_GATE = 'design_approved';
