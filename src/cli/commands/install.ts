import type { Result } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { setupOf } from '../../hosts/setup-table';
import type { Context, ExitCode } from '../context';
import { install as applyInstall } from '../install/apply';
import { launchState, type ResidentStart } from '../install/launch';
import type { InstallRequest, Plan } from '../install/plan';
import { planInstall } from '../install/plan-install';
import { planJson, showDiff, showDone, showInstalled, showRivals, showWarning } from '../install/report';
import { hostsInUse, installPlace, namedHosts } from '../install/targets';
import { endFormerServer, showEnded, unusedRuntimeDirectory } from '../resident/server';
import { tryClient } from '../resident/try-client';
import { cannotRun } from '../ui/refusal';

export async function install(
  context: Context,
  values: {
    readonly host: readonly string[];
    readonly user: boolean;
    readonly local: boolean;
    readonly dryRun: boolean;
    readonly json: boolean;
    readonly replace: boolean;
    readonly failClosed: boolean;
    readonly resident: boolean;
  },
): Promise<ExitCode> {
  const place = installPlace(values, context);
  if (!place.ok) throw cannotRun(place.failure);
  const named = namedHosts(values.host);
  if (!named.ok) throw cannotRun(named.failure);
  const { ground, scope } = place.value;
  const inUse = named.value.length > 0 ? named.value : hostsInUse(ground, scope);
  const hosts: readonly HostName[] = inUse.length > 0 ? inUse : ['claude-code'];
  const wishes = { replace: values.replace, failClosed: values.failClosed };
  const request: InstallRequest = { ...place.value, ...wishes, hosts, start: 'one-shot' };
  return values.dryRun
    ? preview({ ...request, start: values.resident ? 'as-before' : 'one-shot' }, values.json, context)
    : installNow(request, values.resident, values.json, context);
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
  if (!plan.ok) throw cannotRun(plan.failure);
  const ended = await endFormerServer(before);
  if (json) {
    out.json({
      ...planJson(plan.value, request, false),
      resident: tried?.ok === true ? { client: tried.value.client, socket: tried.value.socket } : null,
      ...(tried?.ok === false && { residentTrouble: tried.failure }),
    });
    return 0;
  }
  showInstalled(plan.value, request, context);
  showNothing(plan.value, context);
  showEnded(ended, context);
  if (tried !== undefined) showTried(tried, context);
  else if (before.resident !== undefined) showWarning(ONE_SHOT_AGAIN, out);
  showRivals(plan.value, request, context);
  const isChanged = plan.value.changes.length > 0;
  const afterwards = request.hosts.flatMap((host) => setupOf(host)?.afterwards(request.scope) ?? []);
  for (const text of isChanged ? afterwards : []) out.line(text);
  return 0;
}

const ONE_SHOT = 'Installed without: every event starts a process of its own, as before.';
const ONE_SHOT_AGAIN =
  'Every event starts a process of its own again; `holdpoint install --resident` has a server answer them.';

/** Says whether a server answers events from now on. */
function showTried(tried: Result<ResidentStart, string>, { env, out }: Context): void {
  const how = 'the first event starts it, and without it each event is decided as before';
  if (tried.ok) showDone(`A server answers events, reached by ${tried.value.client}; ${how}.`, out);
  else showWarning(`${tried.failure} ${ONE_SHOT}`, out);
  // Whoever named a directory that is not used looks for the server there.
  const unused = unusedRuntimeDirectory(env);
  if (unused !== undefined) showWarning(unused, out);
}

/** What would be written, and nothing else. */
function preview(request: InstallRequest, json: boolean, context: Context): ExitCode {
  const plan = planInstall(request);
  if (!plan.ok) throw cannotRun(plan.failure);
  if (json) context.out.json(planJson(plan.value, request, true));
  else {
    showDiff(plan.value, request, context);
    showNothing(plan.value, context);
    showRivals(plan.value, request, context);
  }
  return 0;
}

function showNothing({ changes, startFiles }: Plan, { out }: Context): void {
  if (changes.length + startFiles.length === 0) out.line('Everything is in place already.');
}
