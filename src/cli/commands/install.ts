import type { Result } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { setupOf } from '../../hosts/setup-table';
import type { Context, ExitCode } from '../context';
import { glanceAtFlow } from '../flow/flow';
import { install as applyInstall, uninstall as applyRemoval } from '../install/apply';
import { launchState, type ResidentStart } from '../install/launch';
import { type InstallRequest, type Plan, planInstall, planRemoval } from '../install/plan';
import {
  planJson,
  showDiff,
  showDone,
  showInstalled,
  showLeft,
  showRemoved,
  showRivals,
  showWarning,
} from '../install/report';
import { hostsInUse, installPlace, namedHosts } from '../install/targets';
import { openProject } from '../project';
import { actorIn, reservedForPeople } from '../req/context';
import { endFormerServer, showEnded, tryClient, unusedRuntimeDirectory } from '../resident';
import { Refusal } from '../ui/refusal';

interface RemovalOptions {
  readonly host: readonly string[];
  readonly user: boolean;
  readonly local: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

interface InstallOptions extends RemovalOptions {
  readonly replace: boolean;
  readonly failClosed: boolean;
  readonly resident: boolean;
}

export async function install(context: Context, options: InstallOptions): Promise<ExitCode> {
  const { json, replace, failClosed, resident } = options;
  const place = installPlace(options, context);
  const named = namedHosts(options.host);
  const inUse = named.length > 0 ? named : hostsInUse(place.ground, place.scope);
  const hosts: readonly HostName[] = inUse.length > 0 ? inUse : ['claude-code'];
  const asked: InstallRequest = { ...place, replace, failClosed, hosts, start: 'one-shot' };
  return options.dryRun
    ? preview({ ...asked, start: resident ? 'as-before' : 'one-shot' }, json, context)
    : installNow(asked, resident, json, context);
}

function preview(request: InstallRequest, json: boolean, context: Context): ExitCode {
  const plan = planInstall(request);
  if (json) context.out.json(planJson(plan, request, true));
  else {
    showDiff(plan, request, context);
    showNothing(plan, context);
    showRivals(plan, request, context);
  }
  return 0;
}

async function installNow(
  asked: InstallRequest,
  resident: boolean,
  json: boolean,
  context: Context,
): Promise<ExitCode> {
  const { out } = context;
  const tried = resident ? await tryClient(context.env) : undefined;
  const request = tried?.ok === true ? { ...asked, start: tried.value } : asked;
  const before = launchState(request.ground.home);
  const plan = applyInstall(request);
  const ended = await endFormerServer(before);
  if (json) {
    out.json({
      ...planJson(plan, request, false),
      resident: tried?.ok === true ? { client: tried.value.client, socket: tried.value.socket } : null,
      ...(tried?.ok === false && { residentTrouble: tried.failure }),
    });
    return 0;
  }
  showInstalled(plan, request, context);
  showNothing(plan, context);
  showEnded(ended, context);
  if (tried !== undefined) showTried(tried, context);
  else if (before.resident !== undefined) showWarning(ONE_SHOT_AGAIN, out);
  showRivals(plan, request, context);
  const afterwards = request.hosts.flatMap((host) => setupOf(host)?.afterwards(request.scope) ?? []);
  for (const text of plan.changes.length > 0 ? afterwards : []) out.line(text);
  return 0;
}

const ONE_SHOT = 'Installed without: every event starts a process of its own, as before.';
const ONE_SHOT_AGAIN =
  'Every event starts a process of its own again; `holdpoint install --resident` has a server answer them.';

function showTried(tried: Result<ResidentStart, string>, { env, out }: Context): void {
  const how = 'the first event starts it, and without it each event is decided as before';
  if (tried.ok) showDone(`A server answers events, reached by ${tried.value.client}; ${how}.`, out);
  else showWarning(`${tried.failure} ${ONE_SHOT}`, out);
  // Whoever named a directory that is not used looks for the server there.
  const unused = unusedRuntimeDirectory(env);
  if (unused !== undefined) showWarning(unused, out);
}

function showNothing({ changes, startFiles }: Plan, { out }: Context): void {
  if (changes.length + startFiles.length === 0) out.line('Everything is in place already.');
}

export async function uninstall(context: Context, options: RemovalOptions): Promise<ExitCode> {
  const { dryRun, json } = options;
  const place = installPlace(options, context);
  const named = namedHosts(options.host);
  const request = { ...place, hosts: named.length > 0 ? named : HOST_NAMES };
  if (!dryRun) refuseAgents(context);
  const before = launchState(request.ground.home);
  const plan = dryRun ? planRemoval(request) : applyRemoval(request);
  const ended = dryRun ? undefined : await endFormerServer(before);
  if (json) {
    context.out.json(planJson(plan, request, dryRun));
    return 0;
  }
  if (dryRun) showDiff(plan, request, context);
  else showRemoved(plan, request, context);
  if (plan.changes.length === 0) context.out.line('Nothing of ours is installed here.');
  if (ended !== undefined) showEnded(ended, context);
  showLeft(plan, request, context);
  return 0;
}

/**
 * What an agent may not satisfy, suspend or cancel, it must not be able to switch off either. Where nothing is reserved
 * for people, it may uninstall.
 */
function refuseAgents(context: Context): void {
  const project = actorIn(context.env) === 'person' ? undefined : openProject(context);
  if (project === undefined) return;
  const reserved = reservedForPeople(project, context);
  if (reserved.length === 0 && glanceAtFlow(project, context).standing === undefined) return;
  const why =
    reserved.length > 0 ? `${reserved.join(', ')}: agent_may_satisfy is false` : 'a workflow is going on';
  throw new Refusal(
    `Only a person takes Holdpoint out here (${why}), and this shell is an agent's. Nothing was changed; a person runs 'holdpoint uninstall' in a terminal of their own.`,
  );
}
