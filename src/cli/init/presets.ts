import type { JsonObject } from '../../core/json';
import { CATALOGUE, PRESETS as OF_REQUIREMENTS } from '../../guards/requirements/presets';
import type { DefaultBranch } from './plan';

export const PRESET_NAMES = ['standard', 'relaxed', 'strict', 'advanced', 'inherit', 'minimal'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** What a preset puts into the config, besides the checks that were found. */
export interface Preset {
  readonly summary: string;
  /** Whether checks hold the end of turns, or are only written down. */
  readonly checks: boolean;
  /** Top-level keys other than `requirements`. */
  readonly others: JsonObject;
  requirements(branch: DefaultBranch | undefined): Readonly<Record<string, JsonObject>>;
}

/** The presets of `req init` are the same here; `standard` is for who does not know yet what they want. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  standard: {
    summary: 'a plan before the first edit, no edits on a shared default branch, the checks that were found',
    checks: true,
    others: {},
    requirements: (branch) => ({
      // First, because a plan counts for the branch on which it was said: whoever is held makes the branch first.
      // Who works alone on a branch that nobody shares would only be in their own way.
      ...(branch && { protected_branch: protecting(branch, branch.isShared) }),
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
  const { summary, config } = OF_REQUIREMENTS[name];
  const { version: _version, requirements, ...others } = config;
  const all = (requirements ?? {}) as Readonly<Record<string, JsonObject>>;
  return {
    summary,
    checks: true,
    others,
    requirements: (branch) =>
      Object.fromEntries(
        Object.entries(all).map(([key, one]) => [
          key,
          one['guard_type'] === 'protected_branch' && branch !== undefined
            ? { ...one, protected_branches: [branch.name] }
            : one,
        ]),
      ),
  };
}

function protecting({ name }: DefaultBranch, enabled: boolean): JsonObject {
  return { ...CATALOGUE.protected_branch, enabled, protected_branches: [name] };
}
