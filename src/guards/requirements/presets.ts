import type { JsonObject } from '../../core/json';

export const PRESET_NAMES = ['relaxed', 'strict', 'advanced', 'inherit', 'minimal'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** A config to begin with. */
export interface Preset {
  readonly summary: string;
  readonly config: JsonObject;
}

const VERSION = { version: '1.0' };
const onCommand = (pattern: string): JsonObject => ({
  scope: 'single_use',
  trigger_tools: [{ tool: 'Bash', command_pattern: pattern }],
});

/**
 * Requirements that a person can pick one by one. None names a skill to run: which skills there are
 * depends on the plugins; those that are known satisfy their requirement anyway.
 */
export const CATALOGUE = {
  commit_plan: {
    enabled: true,
    scope: 'session',
    description: 'Say which commits the work will consist of before the first edit.',
  },
  adr_reviewed: {
    enabled: true,
    scope: 'session',
    description: 'Read the architecture decisions that concern the change.',
  },
  tdd_planned: {
    enabled: true,
    scope: 'session',
    description: 'Say which tests will show that the change works.',
  },
  protected_branch: {
    enabled: true,
    type: 'guard',
    guard_type: 'protected_branch',
    protected_branches: ['main', 'master'],
    description: 'No edits on these branches.',
  },
  branch_size_limit: {
    enabled: true,
    type: 'dynamic',
    calculator: 'branch_size_calculator',
    thresholds: { warn: 250, block: 400 },
    approval_ttl: 3600,
    description: 'Split the branch before its diff gets too large to review.',
  },
  pre_commit_review: {
    enabled: false,
    ...onCommand('git\\s+commit'),
    description: 'Review what is about to be committed; each review serves for one commit.',
  },
  pre_pr_review: {
    enabled: true,
    ...onCommand('gh\\s+pr\\s+create'),
    description: 'Review the whole branch before a pull request; each review serves for one.',
  },
  codex_reviewer: {
    enabled: true,
    ...onCommand('gh\\s+pr\\s+create'),
    description: 'Have a second model review the branch before a pull request.',
  },
  github_ticket: {
    enabled: false,
    scope: 'branch',
    description: 'Name the ticket that this branch works on.',
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** In the strict preset only a person can say that something is done. */
const byPerson = <T extends JsonObject>(requirement: T) => ({ ...requirement, agent_may_satisfy: false });

/** What `req init` can write. A file that says nothing of `inherit` inherits too. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  relaxed: {
    summary: 'a commit plan before the first edit',
    config: { ...VERSION, requirements: { commit_plan: CATALOGUE.commit_plan } },
  },
  strict: {
    summary: 'a commit plan, no edits on main, both for a person to waive, checked at the end of a turn',
    config: {
      ...VERSION,
      requirements: {
        commit_plan: byPerson(CATALOGUE.commit_plan),
        protected_branch: byPerson(CATALOGUE.protected_branch),
      },
      hooks: { stop: { verify_requirements: true } },
    },
  },
  advanced: {
    summary: 'planning, branch size and reviews before a pull request',
    config: { ...VERSION, requirements: CATALOGUE },
  },
  inherit: {
    summary: 'only what ~/.claude/requirements.yaml says',
    config: { ...VERSION, inherit: true },
  },
  minimal: {
    summary: 'nothing yet, ready to be filled in',
    config: { ...VERSION, inherit: true, requirements: {} },
  },
};

/** The requirements that a person picked, switched on. */
export function pickedConfig(names: readonly string[]): JsonObject {
  const picked = Object.entries(CATALOGUE).filter(([name]) => names.includes(name));
  return {
    ...VERSION,
    requirements: Object.fromEntries(picked.map(([name, one]) => [name, { ...one, enabled: true }])),
  };
}
