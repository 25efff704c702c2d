import type { Result } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import type { Scope } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { type Context, type ExitCode, type Options, Refusal } from '../context';
import { endFormerServer, showEnded, tryClient, unusedRuntimeDirectory } from '../event-server';
import { flowSummary } from '../flow/flow';
import { install as applyInstall, uninstall as applyRemoval } from '../install/apply';
import {
  hostsInUse,
  installedState,
  isOurs,
  namedHosts,
  resolveInstallPlace,
} from '../install/installed-state';
import { launchState, type ResidentStart } from '../install/launch';
import { type InstallRequest, type Plan, planInstall, planRemoval } from '../install/plan';
import type { RecordsPlace } from '../install/records';
import { findRemains, otherWorktrees, projectsWithHooks, projectsWithoutHooks } from '../install/remains';
import {
  planJson,
  showDiff,
  showDone,
  showDuplicates,
  showInstalled,
  showLeft,
  showPurged,
  showRemains,
  showRemoved,
  showWarning,
} from '../install/report';
import { openProject } from '../project';
import { isWorkedIn, reservedForPeople } from '../req/context';
import { table } from '../ui/output';
import { confirm, isAtTerminal } from '../ui/prompts';

type RemovalOptions = Options<'user' | 'local' | 'dryRun'> & { readonly host: readonly string[] };
type UninstallOptions = RemovalOptions & Options<'purge' | 'yes'>;
type InstallOptions = RemovalOptions & Options<'replace' | 'failClosed' | 'resident'>;

export async function install(context: Context, options: InstallOptions): Promise<ExitCode> {
  const { replace, failClosed, resident } = options;
  const named = namedHosts(options.host);
  const place = resolveInstallPlace(options, context);
  const inUse = named.length > 0 ? named : hostsInUse(place.target, place.scope);
  const hosts: readonly HostName[] = inUse.length > 0 ? inUse : ['claude-code'];
  const asked: InstallRequest = { ...place, replace, failClosed, hosts, start: 'one-shot' };
  return options.dryRun
    ? preview({ ...asked, start: resident ? 'as-before' : 'one-shot' }, resident, context)
    : installNow(asked, resident, context);
}

function preview(request: InstallRequest, resident: boolean, context: Context): ExitCode {
  const plan = planInstall(request);
  const addsServer = resident && launchState(request.target.home).resident === undefined;
  if (context.json) context.out.json(planJson(plan, request, true));
  else {
    showDiff(plan, request, context);
    if (addsServer) context.out.line('~/.config/holdpoint/launch would have a server answer events.');
    else showNothing(plan, context);
    showDuplicates(plan, request, context);
  }
  return 0;
}

async function installNow(asked: InstallRequest, resident: boolean, context: Context): Promise<ExitCode> {
  const { json, out } = context;
  const tried = resident ? await tryClient(context.env) : undefined;
  const request = tried?.ok === true ? { ...asked, start: tried.value } : asked;
  const before = launchState(request.target.home);
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
  showDuplicates(plan, request, context);
  const afterwards = request.hosts.flatMap((host) => setupOf(host).afterwards(request.scope));
  for (const text of plan.changes.length > 0 ? afterwards : []) out.line(text);
  return 0;
}

const ONE_SHOT = 'Installed without it: every event starts its own process, as before.';
const ONE_SHOT_AGAIN =
  'Every event starts its own process again; `holdpoint install --resident` uses a server.';

function showTried(tried: Result<ResidentStart, string>, { env, out }: Context): void {
  const how = 'the first event starts it, and without it each event starts its own process';
  if (tried.ok) showDone(`A server answers events, reached by ${tried.value.client}; ${how}.`, out);
  else showWarning(`${tried.failure} ${ONE_SHOT}`, out);
  // Or the user would look for the server in a directory that is ignored.
  const unused = unusedRuntimeDirectory(env);
  if (unused !== undefined) showWarning(unused, out);
}

function showNothing({ changes, startFiles }: Plan, { out }: Context): void {
  if (changes.length + startFiles.length === 0) out.line('Already installed. Nothing to do.');
}

export async function uninstall(context: Context, options: UninstallOptions): Promise<ExitCode> {
  const { dryRun, purge } = options;
  const { json } = context;
  const named = namedHosts(options.host);
  const place = resolveInstallPlace(options, context);
  const request = { ...place, hosts: named.length > 0 ? named : HOST_NAMES };
  if (!dryRun) refuseAgents(context, purge);
  const affected = othersAffected(place, options);
  if (!dryRun) await confirmRemoval(place, affected, options, context);
  const before = launchState(request.target.home);
  const plans = scopesOf(place, purge).map((scope) => {
    const one = { ...request, scope };
    return dryRun ? planRemoval(one) : applyRemoval(one);
  });
  const plan = joined(plans);
  const ended = dryRun ? undefined : await endFormerServer(before);
  const doomed = purge ? findRemains(place).filter(({ of }) => of === 'project' || options.user) : [];
  if (!dryRun) for (const one of doomed) one.remove();
  const left = findRemains(place).filter(({ path }) => !dryRun || !doomed.some((one) => one.path === path));
  if (json) {
    const listed = (all: typeof left) => all.map(({ path, what }) => ({ path, what }));
    context.out.json({ ...planJson(plan, request, dryRun), purged: listed(doomed), left: listed(left) });
    return 0;
  }
  if (dryRun) showDiff(plan, request, context);
  else showRemoved(plan, request, context);
  showPurged(doomed, dryRun, context);
  if (plan.changes.length === 0) {
    const of = named.length === 0 ? '' : ` for ${named.map((host) => setupOf(host).title).join(', ')}`;
    context.out.line(`No hooks of Holdpoint${of} are installed here.`);
  }
  if (ended !== undefined) showEnded(ended, context);
  showLeft(plan, request, context);
  showDisarmed(affected, dryRun, context);
  showOthers(place, context);
  showRemains(left, context);
  return 0;
}

function showDisarmed(roots: readonly string[], dryRun: boolean, { out }: Context): void {
  const verb = dryRun ? 'would no longer hold' : 'no longer holds';
  for (const root of roots) showWarning(`Holdpoint ${verb} agents in ${root}`, out);
}

/** With --purge nothing of ours stays in any settings of the project. */
function scopesOf({ scope, commonDir }: RecordsPlace, purge: boolean): readonly Scope[] {
  if (!purge || commonDir === undefined) return [scope];
  return scope === 'user' ? ['project', 'local', 'user'] : ['project', 'local'];
}

function joined(plans: readonly Plan[]): Plan {
  return {
    changes: plans.flatMap(({ changes }) => changes),
    unchanged: plans.flatMap(({ unchanged }) => unchanged),
    duplicates: plans.flatMap(({ duplicates }) => duplicates),
    startFiles: [],
  };
}

/** Asks before removing what cannot be restored, or what other projects need. */
async function confirmRemoval(
  place: RecordsPlace,
  affected: readonly string[],
  { purge, user, yes }: UninstallOptions,
  context: Context,
): Promise<void> {
  const doomed = purge ? findRemains(place).filter(({ of }) => of === 'project' || user) : [];
  if (yes || doomed.length + affected.length === 0) return;
  const lines = [
    ...(affected.length === 0
      ? []
      : ['Holdpoint would no longer hold agents in these projects:', ...affected.map((root) => `  ${root}`)]),
    ...(doomed.length === 0
      ? []
      : ['These would be removed for good:', ...table(doomed.map(({ path, what }) => [`  ${path}`, what]))]),
  ];
  if (!isAtTerminal())
    throw new Refusal([...lines, 'Nothing was changed. To go on, run it again with --yes.'].join('\n'));
  for (const line of lines) context.out.line(line);
  const answer = await confirm('Go on?');
  if (answer.kind !== 'chosen' || !answer.value) throw new Refusal('Cancelled. Nothing was changed.');
}

/** Other projects and work trees that would lose their hooks or their state. */
function othersAffected({ target, commonDir, scope }: RecordsPlace, { purge, user }: UninstallOptions) {
  const trees = purge && commonDir !== undefined ? otherWorktrees(target, commonDir) : [];
  const hasUserHooks = installedState(target, undefined).some(isOurs);
  const bare = scope === 'user' && hasUserHooks ? projectsWithoutHooks(target) : [];
  const started = purge && user ? projectsWithHooks(target) : [];
  return [...new Set([...trees, ...bare, ...started])];
}

/** What still calls Holdpoint here, or needs the launcher. */
function showOthers({ target, scope }: RecordsPlace, { out }: Context): void {
  const user = installedState(target, undefined).filter(isOurs);
  for (const { file } of scope === 'user' ? [] : user)
    showWarning(
      `${file} still calls Holdpoint in all projects; 'holdpoint uninstall --user' removes that.`,
      out,
    );
  const others = launchState(target.home).present ? projectsWithHooks(target) : [];
  if (others.length > 0)
    out.line(`~/.config/holdpoint stays, since these projects use it: ${others.join(', ')}`);
}

/**
 * An agent must not be able to turn off what it may not satisfy, suspend or cancel. If nothing is reserved for
 * people, it may uninstall, but not remove recorded state.
 */
function refuseAgents(context: Context, purge: boolean): void {
  const { actor } = context.caller();
  const project = openProject(context);
  if (actor === 'person' || (actor === 'system' && !(project && isWorkedIn(project)))) return;
  const reserved = project === undefined ? [] : reservedForPeople(project);
  const flow = project === undefined ? undefined : flowSummary(project).workflowStatus;
  if (reserved.length === 0 && flow === undefined && !purge) return;
  const why =
    reserved.length > 0
      ? `${reserved.join(', ')}: agent_may_satisfy is false`
      : flow === undefined
        ? 'it removes what was recorded'
        : 'a workflow is active';
  throw new Refusal(
    `Only a person can uninstall Holdpoint here (${why}), and this shell is an agent's. Nothing was changed.\nA person runs 'holdpoint uninstall${purge ? ' --purge' : ''}' in their own terminal.`,
  );
}
