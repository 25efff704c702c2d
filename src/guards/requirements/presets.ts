import type { Effect } from '../../core/effect-kinds';
import type { JsonObject } from '../../core/json';

export const PRESET_NAMES = ['relaxed', 'strict', 'advanced', 'inherit', 'minimal'] as const;

const VERSION = { version: '1.0' };

const beforeEdit = (description: string) => ({ enabled: true, scope: 'session', description });
const beforeCommand = (enabled: boolean, pattern: string, description: string) => ({
  enabled,
  scope: 'single_use',
  trigger_tools: [{ tool: 'Bash', command_pattern: pattern }],
  description,
});

/**
 * Requirements to pick one by one. None names a skill to run, since the plugins decide which skills exist; known
 * skills satisfy their requirement anyway.
 */
export const CATALOGUE = {
  commit_plan: beforeEdit('Say which commits the work will consist of before the first edit.'),
  adr_reviewed: beforeEdit('Read the architecture decisions that concern the change.'),
  tdd_planned: beforeEdit('Say which tests will show that the change works.'),
  protected_branch: {
    enabled: true,
    type: 'guard',
    guard_type: 'protected_branch',
    protected_branches: ['main', 'master'],
    // Written out, because in a file of the old framework the default is editing tools only.
    on: ['edit', 'commit', 'merge', 'push'],
    description: 'Work on a branch of your own, not on a protected one.',
  },
  branch_size_limit: {
    enabled: true,
    type: 'dynamic',
    calculator: 'branch_size_calculator',
    thresholds: { warn: 250, block: 400 },
    approval_ttl: 3600,
    description: 'Split the branch before its diff gets too large to review.',
  },
  pre_commit_review: beforeCommand(
    false,
    'git\\s+commit',
    'Review what you are about to commit, before every commit.',
  ),
  pre_pr_review: beforeCommand(
    true,
    'gh\\s+pr\\s+create',
    'Review the whole branch before every pull request.',
  ),
  codex_reviewer: beforeCommand(
    true,
    'gh\\s+pr\\s+create',
    'Have a second model review the branch before every pull request.',
  ),
  github_ticket: {
    enabled: false,
    scope: 'branch',
    description: 'Name the ticket that this branch works on.',
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

const EFFECTS: Readonly<Record<string, Effect>> = {
  commit_plan: 'edit',
  adr_reviewed: 'edit',
  tdd_planned: 'edit',
  github_ticket: 'edit',
  pre_commit_review: 'commit',
  pre_pr_review: 'pr',
  codex_reviewer: 'pr',
};

/** The same requirement for our own config, triggered by any tool; the old framework knows only tool names. */
export function withEffect(name: string, requirement: JsonObject): JsonObject {
  const effect = EFFECTS[name];
  if (effect === undefined) return requirement;
  const { trigger_tools: _tools, description, ...rest } = requirement;
  return { ...rest, on: effect, ...(description !== undefined && { description }) };
}

/** In the strict preset a person approves what the agent has done. */
const byPerson = <T extends JsonObject>(requirement: T) => ({ ...requirement, agent_may_satisfy: false });

/** What `req init` can write. A file without `inherit` inherits too. */
export const PRESETS: Readonly<
  Record<(typeof PRESET_NAMES)[number], { readonly summary: string; readonly config: JsonObject }>
> = {
  relaxed: {
    summary: 'a commit plan before the first edit',
    config: { ...VERSION, requirements: { commit_plan: CATALOGUE.commit_plan } },
  },
  strict: {
    summary: 'a commit plan that a person approves, no edits on main, checked at the end of a turn',
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
    summary:
      'plans before the first edit, no edits on main, a branch size limit, reviews before a pull request',
    config: { ...VERSION, requirements: CATALOGUE },
  },
  inherit: {
    summary: 'only the rules in your home directory',
    config: { ...VERSION, inherit: true },
  },
  minimal: {
    summary: 'no rules yet: an empty config to fill in',
    config: { ...VERSION, inherit: true, requirements: {} },
  },
};

/** A config with the picked requirements, all of them enabled. */
export function pickedConfig(names: readonly string[]): JsonObject {
  const picked = Object.entries(CATALOGUE).filter(([name]) => names.includes(name));
  return {
    ...VERSION,
    requirements: Object.fromEntries(picked.map(([name, one]) => [name, { ...one, enabled: true }])),
  };
}
