import type { Change } from '../../core/document';
import type { Json } from '../../core/json';
import { PROJECT_FILE } from './branch-file';
import { metricsChange, stateChange } from './change';
import type { Requirement, RequirementsConfig } from './config';
import { noteSkill } from './metrics';
import { type Satisfaction, satisfyRoot, satisfySession } from './state';
import type { View } from './view';

/**
 * What a skill satisfies, called by the agent or typed by the person, with or without its plugin's
 * name in front. Each requirement in its own scope.
 */
export function satisfiedBySkill(
  skill: string,
  how: 'called' | 'typed',
  { requirements, skills }: RequirementsConfig,
  view: View,
): Change[] {
  const short = skill.slice(skill.lastIndexOf(':') + 1);
  const names = namesIn(skills, skill) ?? namesIn(skills, short) ?? [];
  const meant = requirements.filter(({ name }) => names.includes(name));
  if (meant.length === 0) return [];
  const satisfying = (state: Json | undefined, list: readonly Requirement[]): Json | undefined =>
    list.reduce((value, requirement) => satisfied(value, requirement, skill, how, view), state);
  const permanent = meant.filter(({ scope }) => scope === 'permanent');
  const others = meant.filter(({ scope }) => scope !== 'permanent');
  const what = `satisfied ${meant.map(({ name }) => name).join(', ')} by /${skill}`;
  return [
    ...(others.length > 0 ? [stateChange(view, what, (state) => satisfying(state, others))] : []),
    ...(permanent.length > 0
      ? [{ document: PROJECT_FILE, what, apply: (state: Json | undefined) => satisfying(state, permanent) }]
      : []),
    metricsChange(view, (metrics) =>
      noteSkill(
        metrics,
        skill,
        meant.map(({ name }) => name),
        view.owner.now,
      ),
    ),
  ];
}

function namesIn(skills: RequirementsConfig['skills'], skill: string): readonly string[] | undefined {
  return Object.hasOwn(skills, skill) ? skills[skill] : undefined;
}

function satisfied(
  state: Json | undefined,
  { name, scope, replanTtl }: Requirement,
  skill: string,
  how: 'called' | 'typed',
  { owner, session }: View,
): Json | undefined {
  const expires = replanTtl !== undefined && scope !== 'permanent';
  const satisfaction: Satisfaction = {
    by: 'skill',
    at: owner.now,
    ...(expires && { expiresAt: owner.now + replanTtl }),
    metadata: how === 'typed' ? { skill, typed: true } : { skill },
    actor: how === 'typed' ? 'person' : 'agent',
  };
  return scope === 'session' || scope === 'single_use'
    ? satisfySession(state, owner, name, scope, session, satisfaction)
    : satisfyRoot(state, owner, name, scope, satisfaction);
}
