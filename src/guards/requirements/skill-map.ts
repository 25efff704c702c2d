import type { RequirementsConfig } from './config';

const PLUGIN = 'requirements-framework';

const PLAN_REVIEW = ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed'];
const CHANGE_REVIEW = ['pre_pr_review'];

/** What the skills of the older program's plugin satisfy, former names included. */
const KNOWN_SKILLS: Readonly<Record<string, readonly string[]>> = {
  'pre-commit': ['pre_commit_review'],
  'requesting-code-review': ['pre_commit_review'],
  'codex-review': ['codex_reviewer'],
  'deep-review': CHANGE_REVIEW,
  'v3-review': CHANGE_REVIEW,
  'quality-check': CHANGE_REVIEW,
  'arch-review': PLAN_REVIEW,
  'plan-review': PLAN_REVIEW,
  brainstorming: ['design_approved'],
  'writing-plans': ['plan_written', 'commit_plan'],
  'test-driven-development': ['tdd_planned'],
  'systematic-debugging': ['debugging_systematic'],
  'verification-before-completion': ['verification_evidence'],
};

/** An enabled requirement and the skill that its config names. */
export interface SkilledRequirement {
  readonly name: string;
  readonly satisfiedBy: string | undefined;
}

/** Which enabled requirements a skill satisfies: what is known of old and what the config adds. */
export function skillMap(enabled: readonly SkilledRequirement[]): RequirementsConfig['skills'] {
  const map = new Map<string, Set<string>>();
  const note = (skill: string, requirement: string): void => {
    for (const key of [skill, shortSkill(skill)]) map.set(key, (map.get(key) ?? new Set()).add(requirement));
  };
  for (const { name, satisfiedBy } of enabled) {
    for (const [skill, satisfies] of Object.entries(KNOWN_SKILLS))
      if (satisfies.includes(name)) note(`${PLUGIN}:${skill}`, name);
    if (satisfiedBy !== undefined) note(satisfiedBy, name);
  }
  return Object.fromEntries([...map].map(([skill, names]) => [skill, [...names]]));
}

/** A skill's name without its plugin, as a person types it. */
function shortSkill(skill: string): string {
  return skill.slice(skill.lastIndexOf(':') + 1);
}
