import { glanceAtFlow } from '../flow/flow';
import { openProject } from '../project';
import { actorIn, reservedForPeople } from '../req/actor';
import type { Context } from '../verb';
import * as say from './messages';

/**
 * Why an agent may not take us out of the settings: what it may not satisfy, suspend or cancel, it must not be
 * able to switch off either. Nothing where a person runs the command, or where nothing is kept from agents.
 */
export function keptByPeople(context: Context): string | undefined {
  if (actorIn(context.env) === 'person') return undefined;
  const project = openProject(context);
  if (project === undefined) return undefined;
  const reserved = reservedForPeople(project, context);
  if (reserved.length > 0) return say.agentMayNot(`${reserved.join(', ')}: agent_may_satisfy is false`);
  return glanceAtFlow(project, context).standing === undefined
    ? undefined
    : say.agentMayNot('a workflow is going on');
}
