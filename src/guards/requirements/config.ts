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
};

export type Briefing = {
  readonly inject: boolean;
  readonly format: 'compact' | 'standard';
  readonly header?: string;
};

export type Scope = 'session' | 'branch' | 'permanent' | 'single_use';

export type Requirement = BlockingRequirement | ConditionRequirement;

type CommonRequirement = {
  readonly name: string;
  /** `file:line:column` of its name in the config. */
  readonly place: string;
  readonly scope: Scope;
  readonly triggers: readonly Trigger[];
  readonly message?: string;
  readonly description?: string;
  /** The skill to name to the agent. */
  readonly skill?: string;
  /** Never denies a tool; armed by a trigger and held at the end of the turn. */
  readonly stopOnly: boolean;
  readonly agentMaySatisfy: boolean;
};

/** Holds until somebody says that it is done. */
export type BlockingRequirement = CommonRequirement & { readonly type: 'blocking' };

/** Holds while a fact about the project does. In the config this is `type: guard`. */
export type ConditionRequirement = CommonRequirement & { readonly type: 'condition' } & (
    | { readonly condition: 'protected_branch'; readonly branches: readonly string[] }
    | { readonly condition: 'single_session' }
  );

export type Trigger =
  /** A tool's name, or a glob with `*`. */
  | { readonly kind: 'tool'; readonly tool: string }
  /** The source of a regular expression that is searched anywhere in the command, ignoring case. */
  | { readonly kind: 'command'; readonly tool: string; readonly pattern: string };
