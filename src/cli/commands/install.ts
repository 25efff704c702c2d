import type { Result } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import type { Scope } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { mayBeRunByAgent } from '../caller';
import { type Context, type ExitCode, type Options, Refusal, report } from '../context';
import { endedLines, endFormerServer, tryClient, unusedRuntimeDirectory } from '../event-server';
import { flowSummary } from '../flow/flow';
import { install as applyInstall, uninstall as applyRemoval } from '../install/apply';
import {
  hostsInUse,
  installedState,
  isFailClosed,
  isOurs,
  namedHosts,
  resolveInstallPlace,
} from '../install/installed-state';
import { launchState, type ResidentStart } from '../install/launch';
import { type InstallRequest, type Plan, planInstall, planRemoval } from '../install/plan';
import type { RecordsPlace } from '../install/records';
import { findRemains, otherWorktrees, projectsWithHooks, projectsWithoutHooks } from '../install/remains';
import {
  diffLines,
  doneLine,
  duplicateLines,
  installedLines,
  leftLines,
  planJson,
  remainsLines,
  removedLines,
  warningLine,
} from '../install/report';
import { openProject } from '../project';
import { mayBeAgent, personOnlyText, reservedForPeople } from '../req/context';
import { printAll, table } from '../ui/output';
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
  return report(context, planJson(plan, request, true), [
    ...diffLines(plan, request),
    ...(addsServer ? ['~/.config/holdpoint/launch would have a server answer events.'] : nothingLines(plan)),
    ...duplicateLines(plan, request),
  ]);
}

async function installNow(asked: InstallRequest, resident: boolean, context: Context): Promise<ExitCode> {
  const tried = resident ? await tryClient(context.env) : undefined;
  const request = tried?.ok === true ? { ...asked, start: tried.value } : asked;
  const before = launchState(request.target.home);
  const opens = !request.failClosed && isFailClosed(request, request.hosts);
  const plan = applyInstall(request, context);
  const ended = await endFormerServer(before);
  const value = {
    ...planJson(plan, request, false),
    resident: tried?.ok === true ? { client: tried.value.client, socket: tried.value.socket } : null,
    ...(tried?.ok === false && { residentTrouble: tried.failure }),
  };
  const afterwards = request.hosts.flatMap((host) => setupOf(host).afterwards(request.scope));
  return report(context, value, [
    ...installedLines(plan, request),
    ...nothingLines(plan),
    ...endedLines(ended),
    ...(tried === undefined && before.resident !== undefined ? [warningLine(ONE_SHOT_AGAIN)] : []),
    ...(opens ? [warningLine(OPEN_AGAIN)] : []),
    ...(tried === undefined ? [] : triedLines(tried, context)),
    ...duplicateLines(plan, request),
    ...idleLines(request),
    ...(plan.changes.length > 0 ? [...afterwards, ...withoutConfig(request, context)] : []),
  ]);
}

/** What keeps the host from running the hooks. That Codex has to trust them is said anyway. */
function idleLines({ target, commonDir, hosts }: InstallRequest): string[] {
  return installedState(target, commonDir)
    .filter(({ host }) => hosts.includes(host))
    .flatMap(({ host, scope, settings }) => setupOf(host).examine?.(scope, target, settings) ?? [])
    .filter(({ id, level }) => level === 'error' && id !== 'codex-untrusted')
    .map(({ text, fix }) => warningLine(`${text}\n  ${fix}`));
}

function withoutConfig({ scope }: InstallRequest, context: Context): string[] {
  if (scope === 'user' || openProject(context)?.configured !== false) return [];
  return ['Nothing is held yet: this project has no config. `holdpoint init` writes one.'];
}

const ONE_SHOT = 'Installed without it: every event starts its own process, as before.';
const ONE_SHOT_AGAIN =
  'Every event starts its own process again; `holdpoint install --resident` uses a server.';
const OPEN_AGAIN =
  'If Holdpoint itself fails, events are allowed again; `holdpoint install --fail-closed` holds them.';

function triedLines(tried: Result<ResidentStart, string>, { env }: Context): string[] {
  const how = 'the first event starts it, and without it each event starts its own process';
  // Or the user would look for the server in a directory that is ignored.
  const unused = unusedRuntimeDirectory(env);
  return [
    tried.ok
      ? doneLine(`A server answers events, reached by ${tried.value.client}; ${how}.`)
      : warningLine(`${tried.failure} ${ONE_SHOT}`),
    ...(unused === undefined ? [] : [warningLine(unused)]),
  ];
}

function nothingLines({ changes, startFiles }: Plan): string[] {
  return changes.length + startFiles.length === 0 ? ['Already installed. Nothing to do.'] : [];
}

export async function uninstall(context: Context, options: UninstallOptions): Promise<ExitCode> {
  const { dryRun, purge } = options;
  const named = namedHosts(options.host);
  const place = resolveInstallPlace(options, context);
  const request = { ...place, hosts: named.length > 0 ? named : HOST_NAMES };
  if (!dryRun) refuseAgents(context, place, purge);
  const affected = othersAffected(place, options);
  if (!dryRun) await confirmRemoval(place, affected, options);
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
  const listed = (all: typeof left) => all.map(({ path, what }) => ({ path, what }));
  const value = { ...planJson(plan, request, dryRun), purged: listed(doomed), left: listed(left) };
  const of = named.length === 0 ? '' : ` for ${named.map((host) => setupOf(host).title).join(', ')}`;
  const [goes, holds] = dryRun
    ? ['would be removed', 'would no longer hold']
    : ['removed', 'no longer holds'];
  return report(context, value, [
    ...(dryRun ? diffLines : removedLines)(plan, request),
    ...doomed.map(({ path, what }) => doneLine(`${path}: ${what} (${goes})`)),
    ...(plan.changes.length === 0 ? [`No hooks of Holdpoint${of} are installed here.`] : []),
    ...(ended === undefined ? [] : endedLines(ended)),
    ...leftLines(plan, request),
    ...affected.map((root) => warningLine(`Holdpoint ${holds} agents in ${root}`)),
    ...(doomed.some(({ of }) => of === 'user') ? [] : otherLines(place)),
    ...remainsLines(left),
  ]);
}

/** With --purge nothing of ours stays in any settings of the project. */
function scopesOf({ scope, commonDir }: RecordsPlace, purge: boolean): readonly Scope[] {
  if (!purge) return [scope];
  if (commonDir === undefined) return scope === 'user' ? [scope] : [];
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
): Promise<void> {
  const doomed = purge ? findRemains(place).filter(({ of }) => of === 'project' || user) : [];
  if (yes || doomed.length + affected.length === 0) return;
  const under = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [title, ...lines]);
  const roots = affected.map((root) => `  ${root}`);
  const lines = [
    ...under('Holdpoint would no longer hold agents in these projects:', roots),
    ...under('These would be removed for good:', table(doomed.map(({ path, what }) => [`  ${path}`, what]))),
  ];
  if (!isAtTerminal())
    throw new Refusal([...lines, 'Nothing was changed. To go on, run it again with --yes.'].join('\n'));
  printAll(lines);
  if (!(await confirm('Go on?', false))) throw new Refusal('Cancelled. Nothing was changed.');
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
function otherLines({ target, scope }: RecordsPlace): string[] {
  const user = scope === 'user' ? [] : installedState(target, undefined).filter(isOurs);
  const others = launchState(target.home).present ? projectsWithHooks(target) : [];
  const remove = "'holdpoint uninstall --user' removes that.";
  return [
    ...user.map(({ file }) => warningLine(`${file} still calls Holdpoint in all projects; ${remove}`)),
    ...(others.length > 0
      ? [`~/.config/holdpoint stays, since these projects use it: ${others.join(', ')}`]
      : []),
  ];
}

/**
 * An agent never takes away what holds it, nor does a caller who may be one, since nobody sees it and a session runs.
 */
function refuseAgents(context: Context, { scope }: RecordsPlace, purge: boolean): void {
  const project = openProject(context);
  if (!mayBeRunByAgent(context) && !(project && mayBeAgent(project))) return;
  const reserved = project === undefined ? [] : reservedForPeople(project);
  const isReserved = reserved.length > 0 || (project && flowSummary(project).workflowStatus) !== undefined;
  const isHolding = scope === 'user' || project?.configured === true;
  if (isReserved || isHolding || purge)
    throw new Refusal(personOnlyText('uninstall Holdpoint here', context));
}
