import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { switchedOffLine } from '../../config/diagnostics';
import { isSettings, unacceptedChanges } from '../../core/accepted-config';
import { attempt, detailOf, type Failure } from '../../core/failure';
import { type Discipline, GUARD_NAMES, isDisabled, selectGuards } from '../../core/guard';
import type { ProjectWithState } from '../../core/hook';
import { repairOf } from '../../core/messages';
import { type CompiledGuard, type Disabled, guardConfig, loadConfig } from '../../core/project';
import { distinct, type Protection, type Reason } from '../../core/protection';
import type { DegradedMark } from '../../core/refused-stops';
import { degradedRecords } from '../../core/session-watch';
import { isGlob, isSameSessionName } from '../../core/text';
import {
  type GatesConfig,
  gatesHere,
  gatesInMode as gatesOfMode,
  hasGates,
  hasMode as hasGatesOf,
  withEnvironment,
} from '../../guards/gates/config';
import { hasMode, rulesInMode } from '../../guards/requirements/view';
import type { RulesConfig } from '../../guards/rules/config';
import { containerOf, type DocumentRef, type Layout, placeOf, readDocument } from '../../state/documents';
import { type Pause, pauseOf, pauseText, SESSION_FILES } from '../../state/sessions';
import type { Context } from '../context';
import { flowSummary } from '../flow/flow';
import { placeIn, readLoops } from '../loop/loops';
import { nearestExisting, type ProjectContext, requirementsConfig, stateDirectories } from '../project';
import { findSession, type RegisteredSession, readRegistry } from '../req/find-session';
import { rulesOf } from '../rules/catalogue';
import { plural } from '../ui/output';
import { type HookCalls, hookCallsIn } from './hook-calls';

/** What the protection of a project depends on. */
export type Facts = ReturnType<typeof gatherFacts>;

/**
 * `own` is the session if a host asks about one of its own. With `begins`, that session is just starting; then the
 * other sessions do not matter and are not read, since there may be thousands.
 */
export function gatherFacts(project: ProjectContext, own?: string, begins = false) {
  const now = Date.now();
  const { layout, root, env } = project;
  const registered = begins ? [] : readRegistry(layout, now).sessions;
  const sessions = registered.filter((one) => one.alive && one.projectDir === root);
  const found = begins ? undefined : findSession(own, project);
  const isFound = found?.kind === 'found';
  const sessionId = isFound ? found.id : begins ? (own ?? '') : '';
  const config = loadConfig(project, project.chunks);
  const { known: loops } = readLoops(placeIn(project, config), now);
  return {
    ...project,
    now,
    config,
    flow: flowSummary(project, config),
    loops: loops.filter(({ status }) => status !== 'ended'),
    pause: isFound || begins ? pauseIn(layout, sessionId, now) : commonPause(layout, sessions, now),
    // The start of a session reports these itself, once.
    degraded: begins ? [] : degradedSessions(layout),
    unwritable: unwritableState(layout),
    /** The live ones of this project. */
    sessions,
    session: isFound ? found.key : undefined,
    sessionId,
    asksForItself: own !== undefined && !begins,
    begins,
    wiring: hookCallsIn(project, env),
  };
}

export function pauseIn(layout: Layout, sessionId: string, now: number): Pause | undefined {
  return pauseOf(sessionId, (ref: DocumentRef) => readDocument(layout, ref), now);
}

/** If no session is known: a pause, if every live session is paused. */
function commonPause(layout: Layout, live: readonly RegisteredSession[], now: number): Pause | undefined {
  if (live.some(({ sessionId }) => pauseIn(layout, sessionId, now) === undefined)) return undefined;
  const names = attempt(() => readdirSync(join(layout.git, SESSION_FILES))) ?? [];
  const keys = names.filter((name) => name.endsWith('.paused')).map((name) => basename(name, '.paused'));
  return keys.map((key) => pauseIn(layout, key, now)).find((pause) => pause !== undefined);
}

type Degraded = DegradedMark & { readonly session: string };

export function degradedSessions(layout: Layout): Degraded[] {
  return degradedRecords(layout).flatMap(({ record: { session_id: session, degraded } }) =>
    degraded.map((mark) => ({ ...mark, session })),
  );
}

/** Why the next write of state would fail, if it would; checked without writing. */
function unwritableState(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    try {
      const place = placeOf(containerOf(layout, 'own'), directory);
      if (place.kind === 'outward') return { code: 'state.outside', file: directory, target: place.target };
      if (place.kind === 'found' && !place.stats.isDirectory()) throw new Error('ENOTDIR: not a directory');
      const nearest = place.kind === 'found' ? place.path : nearestExisting(dirname(place.path));
      accessSync(nearest, constants.W_OK | constants.X_OK);
    } catch (error) {
      return { code: 'state.write-failed', file: directory, detail: detailOf(error) };
    }
  }
  return undefined;
}

/** Whether agents are held here now. Session starts, `status`, the status line and `doctor` all use this. */
export function protectionOf(facts: Facts): Protection {
  const coverage = coverageOf(facts);
  if (coverage.state === 'off') return { ...coverage, holding: [] };
  if (facts.pause !== undefined) {
    const what = pauseText(facts.pause, facts.now).trim();
    return { state: 'paused', reasons: [{ what, fix: '`holdpoint resume` ends it' }], holding: [] };
  }
  const failures = failureReasons(facts);
  const reasons = [...failures, ...coverage.reasons];
  const holding = guardStates(facts).flatMap(({ guard, kind }) => (kind === 'holding' ? [guard] : []));
  return { state: failures.length > 0 ? 'on in part' : coverage.state, reasons, holding };
}

/** Whether agents are held in a session that is just starting. */
export function protectionAtStart(
  project: ProjectWithState,
  sessionId: string,
  { env, chunks }: Pick<Context, 'env' | 'chunks'>,
): Protection {
  // A partial context is enough: `gatherFacts` prints nothing and does not ask who the caller is.
  const context = { cwd: project.root, env, chunks } as Context;
  return protectionOf(gatherFacts({ ...context, ...project, head: undefined }, sessionId, true));
}

/** Coverage in sessions that have called us: each has its own environment, and settings we may not see. */
export function coverageInSessions(facts: Facts): Protection['state'] {
  const wiring = facts.wiring.kind === 'none' ? CALLED : facts.wiring;
  return coverageOf({ ...facts, asksForItself: false, env: {}, wiring }).state;
}

const UNSET = 'Unset it where the agent is started';

/** How much of the config is in effect, apart from pauses and failures. */
function coverageOf(facts: Facts): Omit<Protection, 'holding'> {
  const off = (reasons: readonly Reason[]) => ({ state: 'off', reasons }) as const;
  const { kind, reasons } = whoCalls(facts);
  if (isDisabled(facts.env))
    return off(kind === 'broken' ? reasons : [{ what: 'HOLDPOINT_DISABLE is set', fix: UNSET }]);
  const guards = guardStates(facts);
  const isCalled = kind !== 'none' && kind !== 'broken';
  if (!guards.some(({ kind }) => kind === 'holding')) {
    const why = whyNothingHolds(guards, facts);
    if (why.length > 0) return off(why);
    return isCalled ? { ...off([shadowReason(facts)]), onlyRecords: true } : off(reasons);
  }
  if (!isCalled) return off(reasons);
  // A guard that is off as a whole already has a reason of its own.
  const offGuards = guards.filter(({ kind }) => kind === 'off').map(({ guard }) => guard);
  const mistakes = mistakesIn(facts).filter((one) => !offGuards.some((guard) => isMistakeIn(guard, one)));
  const missing = distinct([
    ...reasonsOf(guards, 'off'),
    ...(unreadConfig(facts) ?? mistakeReasons(mistakes)),
    ...disabledLocally(facts),
    ...reasons,
  ]);
  const state = missing.length > 0 ? 'on in part' : 'on';
  return { state, reasons: [...missing, ...pendingChange(facts)] };
}

function shadowReason(facts: Facts): Reason {
  const rules = rulesOf(facts).filter(({ mode, state }) => mode === 'shadow' && state === 'on');
  return {
    what: `only recording: ${plural(rules.length, 'rule')} in shadow mode`,
    fix: '`holdpoint stats` shows what they would have held, `holdpoint rules promote NAME` makes one warn, then hold',
  };
}

/** Empty if all rules are in shadow mode. A session that begins is not told of those. */
function whyNothingHolds(guards: readonly GuardState[], facts: Facts): readonly Reason[] {
  const unread = unreadConfig(facts);
  if (unread !== undefined) return unread;
  const reasons = [...reasonsOf(guards, 'off'), ...reasonsOf(guards, 'idle')];
  if (reasons.length > 0) return reasons;
  const mistakes = mistakeReasons(mistakesIn(facts));
  if (mistakes.length > 0) return mistakes;
  const misnamed = misnamedConfig(facts.root);
  if (misnamed !== undefined) return [misnamed];
  if (!facts.begins && facts.config?.head.guards.some(({ silent }) => silent)) return [];
  // Stamps include directories, which may exist without a config in them, and the records of `install`.
  const isConfig = ([file = '']: readonly string[]): boolean =>
    /\.(?:ya?ml|md)$|(?<!\/installed)\.json$/.test(file) && !isSettings(file) && existsSync(file);
  const { guards: all = [], stamps = [] } = facts.config?.head ?? {};
  return stamps.some(isConfig) || all.some(({ name }) => name === 'rules')
    ? [{ what: 'the config has no rules that hold', fix: 'Add one to it' }]
    : [{ what: 'this project has no config', fix: 'Run `holdpoint init` to write one' }];
}

/** A config file that nothing reads because of its extension. */
export function misnamedConfig(root: string): Reason | undefined {
  const name = ['.holdpoint/config', '.claude/requirements'].find(
    (one) => existsSync(join(root, `${one}.yml`)) && !existsSync(join(root, `${one}.yaml`)),
  );
  if (name === undefined) return undefined;
  return { what: `${name}.yml is not read`, fix: `Rename it to ${name}.yaml` };
}

function unreadConfig({ config }: Facts): Reason[] | undefined {
  const [place] = config?.head.unread ?? [];
  return place === undefined
    ? undefined
    : [{ what: `the config cannot be read (${place})`, fix: 'Fix it there' }];
}

/** Without calls nothing holds. Checks the session that asks or, for a person, any host. */
function whoCalls({
  config,
  sessions,
  sessionId: own,
  asksForItself,
  begins,
  wiring,
  git,
}: Facts): HookCalls {
  if (wiring.kind === 'broken') return wiring;
  // Sessions are registered only if something is configured.
  const isNoted = config?.head.guards.some(isConfigured) ?? false;
  if (asksForItself && isNoted && !sessions.some(({ sessionId }) => isSameSessionName(own, sessionId))) {
    const fix = 'Restart it at the root of the project';
    return { kind: 'none', reasons: [{ what: 'this session has not called the hook', fix }] };
  }
  // A session may call us through settings that we do not see.
  if (wiring.kind !== 'none' || begins || sessions.length > 0)
    return wiring.kind === 'none' ? CALLED : wiring;
  return { kind: 'none', reasons: [{ what: 'no settings file calls the hook', fix: installHint(git) }] };
}

/** Project settings can be written in a repository only. */
export function installHint(git: Facts['git']): string {
  if (git !== undefined) return 'Run `holdpoint install`';
  return 'Run `holdpoint install --user`, or `git init` and `holdpoint install`';
}

const CALLED: HookCalls = { kind: 'called', reasons: [] };

function failureReasons({ root, degraded, sessionId, unwritable }: Facts): Reason[] {
  const mine = degraded.filter(
    (mark) => !mark.told && (sessionId === '' || isSameSessionName(mark.session, sessionId)),
  );
  const [first] = mine.slice(-1);
  const reasons = [
    unwritable && {
      what: `state cannot be written (${placeInWords(unwritable, root)})`,
      fix: repairOf(unwritable).replace(/\.$/, ''),
    },
    first && { what: `${uncheckedText(mine)} (${first.code})`, fix: '`holdpoint log` shows what failed' },
  ];
  return reasons.filter((reason) => reason !== undefined);
}

/** A failed rule leaves the others of its event checked, and a damaged state file all of them. */
export function uncheckedText(marks: readonly Degraded[]): string {
  const isAll = (failure: string): boolean => marks.every(({ code }) => code === failure);
  const was = marks.length === 1 ? 'was' : 'were';
  if (isAll('state.set-aside')) return `${plural(marks.length, 'damaged state file')} ${was} set aside`;
  return `${plural(marks.length, isAll('rule.failed') ? 'rule' : 'event')} ${was} not checked`;
}

function placeInWords(failure: Failure, root: string): string {
  const file = 'file' in failure ? failure.file.replace(`${root}/`, '') : '';
  if (failure.code === 'state.outside') return `${file} leads to ${failure.target}`;
  return 'detail' in failure ? `${file}: ${failure.detail}` : file;
}

/**
 * The parts of the config that a mistake disables, and where it is. Parsed from the texts of the problems, which are all
 * that a compiled config has. While a change waits for a person it has no effect, so its mistakes do not count.
 */
function mistakesIn({ config }: Facts) {
  if (config?.head.agreed !== undefined) return [];
  const label = switchedOffLine('');
  const mistakes = (config?.head.problems ?? []).flatMap((problem) => {
    const [place = '', isError] = problem.split(': error: ', 2);
    const last = problem.split('\n').at(-1) ?? '';
    if (isError === undefined || !last.startsWith(label)) return [];
    return [{ what: last.slice(label.length), place }];
  });
  // An entry may have several mistakes.
  return mistakes.filter(({ what }, at) => mistakes.findIndex((one) => one.what === what) === at);
}

type Mistake = ReturnType<typeof mistakesIn>[number];

function isMistakeIn(guard: Discipline, { what }: Mistake): boolean {
  return what.startsWith(guard === 'rules' ? 'the rule ' : guard);
}

function mistakeReasons([first, ...more]: readonly Mistake[]): Reason[] {
  if (first === undefined) return [];
  const what =
    more.length === 0 ? `${first.what} is invalid` : `${first.what} and ${more.length} more are invalid`;
  return [{ what: `${what} (${first.place})`, fix: 'Fix it there' }];
}

/** A change that no person has accepted yet: rules hold as before. Missing hooks are reported separately. */
function pendingChange({ config }: Facts): Reason[] {
  if (unacceptedChanges(config).every(({ file }) => isSettings(file))) return [];
  const fix = '`holdpoint trust` shows it, `holdpoint trust --accept` accepts it';
  return [{ what: 'a change waits for a person', fix }];
}

/** Rules of the committed config that a local config file disables. */
function disabledLocally({ config }: Facts): Reason[] {
  return (config?.head.disabled ?? []).flatMap((one) =>
    one.locally && one.name !== '' ? disabledReason([one]) : [],
  );
}

function disabledReason([first, ...more]: readonly Disabled[]): Reason[] {
  if (first === undefined) return [];
  const { kind, name, place, missing } = first;
  const isOff = missing ? 'is off: `enabled: true` is missing' : 'is disabled';
  const what = more.length === 0 ? `rule ${name} ${isOff}` : `all ${more.length + 1} rules are disabled`;
  const fix = kind === 'rule' ? `Run \`req enable ${name}\`` : 'Remove `enabled: false` there';
  return [{ what: `${what} (${place})`, fix }];
}

/**
 * Whether a guard would hold anything now. `idle`: it has nothing to hold, which is fine. `off`: a person or a mistake
 * has disabled it.
 */
export type GuardState =
  | { readonly guard: Discipline; readonly kind: 'holding' }
  | { readonly guard: Discipline; readonly kind: 'idle' | 'off'; readonly reason: Reason };

export function reasonsOf(guards: readonly GuardState[], wanted: 'idle' | 'off'): Reason[] {
  return guards.flatMap((state) => (state.kind === wanted ? [state.reason] : []));
}

/** The environment variables that disabled the older program of each discipline. */
const VARIABLES: Partial<Record<Discipline, string>> = {
  requirements: 'CLAUDE_SKIP_REQUIREMENTS',
  gates: 'GAUNTLET_STOP_HOOK_ACTIVE',
  loop: 'IDLE_LOOP_DISABLE',
};

/** Rules that are all in shadow mode count as none. */
function isConfigured({ byHand, silent }: CompiledGuard): boolean {
  return byHand !== true && silent !== true;
}

/** The guards of a project. An unconfigured workflow or loop is listed only while one is under way. */
export function guardStates(facts: Facts): GuardState[] {
  const { config, env, flow, loops } = facts;
  const configured = (config?.head.guards ?? []).filter(isConfigured);
  const names = new Set<string>(configured.map(({ name }) => name));
  if (flow.workflowStatus !== undefined) names.add('workflow');
  if (loops.length > 0) names.add('loop');
  const { guards: selected } = selectGuards([], env);
  return GUARD_NAMES.filter((name) => names.has(name)).map((guard) => {
    const variable = selected.includes(guard) ? undefined : VARIABLES[guard];
    const inactive = variable === undefined ? whyInactive(guard, facts) : offBy(guard, variable);
    return inactive === undefined ? { guard, kind: 'holding' } : { guard, ...inactive };
  });
}

type Inactive = { readonly kind: 'idle' | 'off'; readonly reason: Reason } | undefined;

function inactive(kind: 'idle' | 'off', what: string, fix: string): Inactive {
  return { kind, reason: { what, fix } };
}

function offBy(guard: Discipline, variable: string): Inactive {
  return inactive('off', `${guard} ${guard.endsWith('s') ? 'are' : 'is'} off: ${variable} is set`, UNSET);
}

function whyInactive(guard: Discipline, facts: Facts): Inactive {
  const { flow, loops } = facts;
  switch (guard) {
    case 'requirements':
      return requirementsInactive(facts);
    case 'gates':
      return gatesInactive(facts);
    case 'rules':
      return rulesInactive(facts);
    case 'workflow':
      if (flow.workflowStatus?.workflow.suspended)
        return inactive('off', 'the workflow is suspended', 'Run `holdpoint flow resume`');
      return flow.workflowStatus === undefined && flow.trouble === undefined
        ? inactive('idle', 'no workflow is active', '`holdpoint flow start` starts one')
        : undefined;
    case 'loop': {
      const [first] = loops;
      if (first === undefined || loops.some(({ status }) => status === 'active')) return undefined;
      return inactive('idle', `the loop is ${first.status}`, 'Run `holdpoint loop resume`');
    }
  }
}

function requirementsInactive(facts: Facts): Inactive {
  const config = requirementsConfig(facts.config);
  if (config === undefined) return undefined;
  const { disabled = [] } = facts.config?.head ?? {};
  if (!config.enabled) {
    const place = disabled.find(({ kind }) => kind === 'requirements')?.place;
    return inactive('off', `requirements are disabled${place ? ` (${place})` : ''}`, 'Run `req enable`');
  }
  if (config.reach === 'global-only')
    return inactive(
      'idle',
      'requirements are only in the global config, which does not apply here',
      'Set `enforce_everywhere: true` there, or run `req init` here',
    );
  if (rulesInMode(config, 'hold').requirements.length > 0) return undefined;
  if (hasMode(config, 'warn')) return inactive('idle', 'the requirements only warn', SEE_MODES);
  return (
    allOff('requirements', 'rule', facts) ??
    inactive('idle', 'the config has no requirements', 'Add one under `requirements`')
  );
}

const SEE_MODES = 'Run `holdpoint rules` to see their modes';

/** The rules of a guard that are off by mistake or, if there are none, those that are disabled. */
function allOff(guard: Discipline, kind: Disabled['kind'], facts: Facts): Inactive {
  const disabled = facts.config?.head.disabled?.filter((one) => one.kind === kind) ?? [];
  const mistakes = mistakesIn(facts).filter((one) => isMistakeIn(guard, one));
  const [reason] = [...mistakeReasons(mistakes), ...disabledReason(disabled)];
  return reason && { kind: 'off', reason };
}

function rulesInactive(facts: Facts): Inactive {
  const { rules = [] } = (guardConfig(facts.config, 'rules') ?? {}) as Partial<RulesConfig>;
  const modes = rules.flatMap(({ state, mode }) => (state === 'on' ? [mode] : []));
  if (modes.includes('hold')) return undefined;
  return modes.includes('warn')
    ? inactive('idle', 'the rules only warn', SEE_MODES)
    : allOff('rules', 'own rule', facts);
}

function gatesInactive({ root, config: compiled, env, git }: Facts): Inactive {
  const config = guardConfig(compiled, 'gates') as GatesConfig | undefined;
  if (config === undefined) return undefined;
  const { stopHook, problems } = config;
  const held = gatesOfMode(config, 'hold');
  const here = gatesHere(held);
  if (!withEnvironment(stopHook, (name) => env[name] ?? '').enabled) {
    if (stopHook.enabled) return offBy('gates', 'GAUNTLET_STOP_HOOK_ENABLED');
    const place = compiled?.head.disabled?.find(({ kind }) => kind === 'gates')?.place;
    const at = place === undefined ? '' : ` (${place})`;
    return inactive('off', `gates are disabled by \`stop_hook.enabled\`${at}`, 'Set it to true');
  }
  if (git === undefined)
    return inactive('off', 'gates need a git repository, and this is none', 'Run `git init`');
  if (problems.length > 0 && !hasGates(config))
    return inactive('off', 'gates are off: their config is invalid', 'Run `holdpoint gates validate`');
  if (here.checks.length + here.reviews.length > 0) return gatesWithoutPaths(config, root);
  if (held.checks.length + held.reviews.length > 0)
    return inactive('idle', 'no gate runs on this machine', NAME_ONE);
  return hasGatesOf(config, 'warn')
    ? inactive('idle', 'the gates only warn', SEE_MODES)
    : inactive('idle', 'no gate is configured', 'Run `holdpoint gates init`');
}

const NAME_ONE = 'Name one in an entry point, without `run_locally: false`';

/** Gates run for changes below their entry points, so they never run if those paths do not exist. */
function gatesWithoutPaths({ entryPoints }: GatesConfig, root: string): Inactive {
  const isThere = ({ path }: { readonly path: string }): boolean =>
    existsSync(join(root, isGlob(path) ? path.replace(/(?:^|\/)[^/]*[*?[{].*$/, '') : path));
  const [first] = entryPoints;
  if (first === undefined || entryPoints.some(isThere)) return undefined;
  const what = `gates are off while there is no ${first.path} (${first.place})`;
  return inactive('off', what, 'Correct `entry_points` if it is misspelled');
}
