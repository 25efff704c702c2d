import { HOST_NAMES } from '../../core/host-name';
import type { Context, ExitCode } from '../context';
import { glanceAtFlow } from '../flow/flow';
import { uninstall as applyRemoval } from '../install/apply';
import { launchState } from '../install/launch';
import { planRemoval } from '../install/plan-removal';
import { planJson, showDiff, showLeft, showRemoved } from '../install/report';
import { installPlace, namedHosts } from '../install/targets';
import { openProject } from '../project';
import { actorIn, reservedForPeople } from '../req/context';
import { endFormerServer, showEnded } from '../resident/server';
import { cannotRun, Refusal } from '../ui/refusal';

export async function uninstall(
  context: Context,
  values: {
    readonly host: readonly string[];
    readonly user: boolean;
    readonly local: boolean;
    readonly dryRun: boolean;
    readonly json: boolean;
  },
): Promise<ExitCode> {
  const { dryRun, json } = values;
  const place = installPlace(values, context);
  if (!place.ok) throw cannotRun(place.failure);
  const named = namedHosts(values.host);
  if (!named.ok) throw cannotRun(named.failure);
  const request = { ...place.value, hosts: named.value.length > 0 ? named.value : HOST_NAMES };
  const reserved = dryRun ? undefined : reservedReason(context);
  if (reserved !== undefined) throw new Refusal(agentMayNot(reserved));
  const before = launchState(request.ground.home);
  const plan = dryRun ? planRemoval(request) : applyRemoval(request);
  if (!plan.ok) throw cannotRun(plan.failure);
  const ended = dryRun ? undefined : await endFormerServer(before);
  if (json) {
    context.out.json(planJson(plan.value, request, dryRun));
    return 0;
  }
  if (dryRun) showDiff(plan.value, request, context);
  else showRemoved(plan.value, request, context);
  if (plan.value.changes.length === 0) context.out.line('Nothing of ours is installed here.');
  if (ended !== undefined) showEnded(ended, context);
  showLeft(plan.value, request, context);
  return 0;
}

/**
 * Why an agent may not uninstall: what it may not satisfy, suspend or cancel, it must not be able to switch off
 * either. Nothing where a person runs the command, or where nothing is reserved for people.
 */
function reservedReason(context: Context): string | undefined {
  if (actorIn(context.env) === 'person') return undefined;
  const project = openProject(context);
  if (project === undefined) return undefined;
  const reserved = reservedForPeople(project, context);
  if (reserved.length > 0) return `${reserved.join(', ')}: agent_may_satisfy is false`;
  return glanceAtFlow(project, context).standing === undefined ? undefined : 'a workflow is going on';
}

function agentMayNot(why: string): string {
  return `Only a person takes Holdpoint out here (${why}), and this shell is an agent's. Nothing was changed; a person runs 'holdpoint uninstall' in a terminal of their own.`;
}
