import { parseArgs } from 'node:util';
import { HOST_NAMES } from '../../core/host-name';
import { glanceAtFlow } from '../flow/flow';
import { uninstall } from '../install/apply';
import { launchState } from '../install/launch';
import { planRemoval } from '../install/plan-removal';
import { planJson, showDiff, showLeft, showRemoved } from '../install/report';
import { installPlace, namedHosts } from '../install/targets';
import { openProject } from '../project';
import { actorIn, reservedForPeople } from '../req/actor';
import { refuse } from '../req/refuse';
import { endFormerServer, showEnded } from '../resident/server';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint uninstall [--host NAME…] [--user | --local] [--dry-run] [--json]

  --host NAME  only for this host; may be given again
  --user       from your own settings
  --local      from the settings of this project that are yours alone
  --dry-run    shows a diff and writes nothing`,
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        host: { type: 'string', multiple: true, default: [] },
        user: { type: 'boolean', default: false },
        local: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const { 'dry-run': dryRun, json } = values;
    const place = installPlace(values, context);
    if (!place.ok) return refuse(context, place.failure, 2);
    const named = namedHosts(values.host);
    if (!named.ok) return refuse(context, named.failure, 2);
    const request = { ...place.value, hosts: named.value.length > 0 ? named.value : HOST_NAMES };
    const reserved = dryRun ? undefined : reservedReason(context);
    if (reserved !== undefined) return refuse(context, agentMayNot(reserved), 1);
    const before = launchState(request.ground.home);
    const plan = dryRun ? planRemoval(request) : uninstall(request);
    if (!plan.ok) return refuse(context, plan.failure, 2);
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
  },
};

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
