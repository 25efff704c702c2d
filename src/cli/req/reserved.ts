import { loadConfig } from '../../core/load-config';
import type { OpenProject } from '../project';
import type { Context } from '../verb';
import { actorIn } from './actor';
import { requirementsConfig } from './requirements-config';

/**
 * The requirements that keep an agent from changing the config: an agent that may not satisfy them
 * must not be able to switch them off either. None where a person runs the command.
 */
export function reservedForPeople(project: OpenProject, { env, chunks }: Context): string[] {
  if (actorIn(env) === 'person') return [];
  const config = requirementsConfig(loadConfig(project, chunks));
  return (config?.requirements ?? [])
    .filter(({ agentMaySatisfy }) => !agentMaySatisfy)
    .map(({ name }) => name);
}
