import type { JsonObject } from '../../core/json';
import { CATALOGUE, PRESETS as REQUIREMENT_PRESETS } from '../../guards/requirements/presets';
import type { DefaultBranch } from './plan';

export const PRESET_NAMES = ['standard', 'relaxed', 'strict', 'advanced', 'inherit', 'minimal'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What a preset writes to the config, besides the checks that were found. */
export interface Preset {
  readonly summary: string;
  /** Whether checks are enabled, or only written as comments. */
  readonly checks: boolean;
  /** Top-level keys other than `requirements`. */
  readonly others: JsonObject;
  requirements(branch: DefaultBranch | undefined): Readonly<Record<string, JsonObject>>;
}

/** The presets of `req init`, and the default `standard`, for those who do not know yet what they want. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  standard: {
    summary: 'a plan before the first edit, no edits on the default branch, if it has a remote',
    checks: true,
    others: {},
    requirements: (branch) => ({
      // First, so that the agent creates its branch before it plans. Off if no remote has the branch: someone who
      // works alone commits to it.
      ...(branch && {
        protected_branch: {
          ...CATALOGUE.protected_branch,
          enabled: branch.isShared,
          protected_branches: [branch.name],
        },
      }),
      commit_plan: CATALOGUE.commit_plan,
      pre_pr_review: { ...CATALOGUE.pre_pr_review, enabled: false },
    }),
  },
  relaxed: fromRequirements('relaxed'),
  strict: fromRequirements('strict'),
  advanced: fromRequirements('advanced'),
  inherit: fromRequirements('inherit'),
  minimal: { ...fromRequirements('minimal'), checks: false },
};

function fromRequirements(name: Exclude<PresetName, 'standard'>): Preset {
  const { summary, config } = REQUIREMENT_PRESETS[name];
  const { version: _version, requirements, ...others } = config;
  const all = Object.entries((requirements ?? {}) as Readonly<Record<string, JsonObject>>);
  const onBranch = (one: JsonObject, branch: DefaultBranch | undefined): JsonObject =>
    one['guard_type'] === 'protected_branch' && branch !== undefined
      ? { ...one, protected_branches: [branch.name] }
      : one;
  const of = (branch: DefaultBranch | undefined) =>
    Object.fromEntries(all.map(([key, one]) => [key, onBranch(one, branch)]));
  return { summary, checks: true, others, requirements: of };
}
