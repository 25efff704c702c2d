import { accessSync, constants, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { switchedOffLine } from '../../config/diagnostics';
import { detailOf, type Failure } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import { loadConfig } from '../../core/project';
import { type DegradedMark, recordFrom } from '../../core/refused-stops';
import { GUARD_NAMES, type GuardName, isDisabled, selectGuards } from '../../core/selection';
import { isNamed, SESSION_RECORDS, sessionRecordRef } from '../../core/text';
import { branchLabel } from '../../git/head';
import { type GatesConfig, withEnvironment } from '../../guards/gates/config';
import { requirementStatuses } from '../../guards/requirements/status';
import { pauseFile, sessionFileKey } from '../../guards/requirements/view';
import {
  containerOf,
  type Document,
  type DocumentRef,
  type Layout,
  placeOf,
  readDocument,
} from '../../state/documents';
import { tailJournal } from '../../state/journal';
import type { Context } from '../context';
import { glanceAtFlow } from '../flow/flow';
import { glanceAtGates } from '../gates/project';
import { attempt } from '../install/files';
import { inOrder, isWorthShowing } from '../log/entries';
import { placeIn, readLoops } from '../loop/loops';
import {
  guardConfig,
  nearestThere,
  type OpenProject,
  requirementsConfig,
  stateDirectories,
} from '../project';
import { findSession, readHeartbeats, readRegistry } from '../req/find-session';
import { type Reason, reason, type Wiring } from './wiring';

export type Status = ReturnType<typeof gatherStatus>;

const RECENT = 5;

/** Collects the status. `own` is set where a host asks for one of its own sessions. */
export function gatherStatus(project: OpenProject, context: Context, wiring: Wiring, own?: string) {
  const now = Date.now();
  const { env } = context;
  const { root, layout, configured } = project;
  const { sessions: registered } = readRegistry(layout, now);
  const sessions = registered.filter((one) => one.alive && one.projectDir === root);
  const facts = gatherFacts(project, context, sessions, wiring, own, now);
  const { config, session, sessionId, unwritable } = facts;
  const guards = guardStates(facts, env);
  const branch = branchLabel(project.head);
  const compiled = requirementsConfig(config);
  const from = { projectRoot: root, branch, session: session ?? '', sessionId, sessions: registered, now };
  const read = (ref: DocumentRef): Document => readDocument(layout, ref);
  return {
    root,
    branch,
    configured,
    guards,
    protection: protectionOf(facts, env),
    problems: config?.head.problems ?? [],
    switchedOff: [...(isDisabled(env) ? [DISABLED] : []), ...reasonsOf(guards, 'off'), ...facts.paused].map(
      ({ text }) => text,
    ),
    session,
    requirements: compiled === undefined ? [] : requirementStatuses(compiled, from, read),
    flow: facts.flow,
    gates: glanceAtGates(config, root, env, now),
    loops: facts.loops,
    sessions: sessionStates(facts, layout),
    degraded: facts.degraded,
    // Where there is nothing to hold there is nothing to record either.
    unwritable: guards.length === 0 ? undefined : unwritable,
    recent: inOrder(tailJournal(layout, RECENT, isWorthShowing)),
    now,
  };
}

type Facts = ReturnType<typeof gatherFacts>;

/** What the protection of a project depends on. `sessions` are its live ones. */
function gatherFacts(
  project: OpenProject,
  context: Context,
  sessions: ReturnType<typeof readRegistry>['sessions'],
  wiring: Wiring,
  own: string | undefined,
  now: number,
) {
  const { layout } = project;
  const found = findSession(own, project, context.env);
  const session = found.kind === 'found' ? found.key : undefined;
  const sessionId = found.kind === 'found' ? found.id : '';
  const flow = glanceAtFlow(project, context);
  const { known: loops } = readLoops(placeIn(project, layout, context), now);
  return {
    config: loadConfig(project, context.chunks),
    flow,
    loops: loops.filter(({ standing }) => standing !== 'ended'),
    paused: [
      ...(session !== undefined && isPaused(layout, session) ? [pausedReason(session)] : []),
      ...(flow.standing?.workflow.suspended ? [SUSPENDED] : []),
    ],
    degraded: degradedSessions(project),
    unwritable: unwritableState(layout),
    sessions,
    session,
    sessionId,
    asksForItself: own !== undefined,
    wiring,
  };
}

function isPaused(layout: Layout, session: string): boolean {
  return readDocument(layout, pauseFile(session)).kind === 'present';
}

function pausedReason(session: string): Reason {
  return reason(
    'requirements',
    `requirements for session ${session}, by \`req pause\`; \`req resume\` ends it`,
  );
}

const SUSPENDED = reason(
  'workflow',
  'workflow, by `holdpoint flow suspend`; `holdpoint flow resume` ends it',
);

/** The live sessions of the project, with what holds in each and its last sign of life. */
function sessionStates(facts: Facts, layout: Layout) {
  const coverage = coverageInSessions(facts);
  const beats = readHeartbeats(layout);
  return facts.sessions.map((one) => {
    const isDegraded =
      facts.unwritable !== undefined || facts.degraded.some(({ session }) => isNamed(session, one.sessionId));
    const key = sessionFileKey(one.sessionId, (ref) => readDocument(layout, ref));
    const trouble = [...(isPaused(layout, key) ? ['paused'] : []), ...(isDegraded ? ['degraded'] : [])];
    const beat = beats.find(({ sessionId }) => isNamed(sessionId, one.sessionId));
    return {
      ...one,
      // Where nothing holds, a session is free whatever else is noted of it.
      state: coverage === 'off' || trouble.length === 0 ? coverage : trouble.join(', '),
      seenAt: Math.max(one.lastActive * 1000, beat?.at ?? 0),
    };
  });
}

type Degraded = DegradedMark & { readonly session: string };

export function degradedSessions({ layout }: OpenProject): Degraded[] {
  const fileNames = attempt(() => readdirSync(join(layout.own, SESSION_RECORDS))) ?? [];
  return fileNames.flatMap((file) => {
    if (!file.endsWith('.json')) return [];
    const name = basename(file, '.json');
    const document = readDocument(layout, sessionRecordRef(name));
    if (document.kind !== 'present') return [];
    const record = recordFrom(document.value, name);
    return record.degraded.map((mark) => ({ ...mark, session: record.sessionId }));
  });
}

/** Why the next write of state would fail, if it would; found out without one. */
function unwritableState(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    try {
      const place = placeOf(containerOf(layout, 'own'), directory);
      if (place.kind === 'outward') return { code: 'state.outside', file: directory, target: place.target };
      if (place.kind === 'found' && !place.stats.isDirectory()) throw new Error('ENOTDIR: not a directory');
      const nearest = place.kind === 'found' ? place.path : nearestThere(dirname(place.path));
      accessSync(nearest, constants.W_OK | constants.X_OK);
    } catch (error) {
      return { code: 'state.write-failed', file: directory, detail: detailOf(error) };
    }
  }
  return undefined;
}

/** Whether agents are held here, and where they are not or not by all: why, and what to do about it. */
interface Protection {
  readonly state: 'armed' | 'partly armed' | 'paused' | 'degraded' | 'off';
  readonly reasons: readonly Reason[];
}

/** How far agents are held now, in this environment. */
function protectionOf(facts: Facts, env: Context['env']): Protection {
  const coverage = coverageOf(facts, env);
  if (coverage.state === 'off') return coverage;
  const { paused } = facts;
  const failures = failureReasons(facts);
  const reasons = [...paused, ...failures, ...coverage.reasons];
  if (paused.length > 0) return { state: 'paused', reasons };
  return failures.length > 0 ? { state: 'degraded', reasons } : coverage;
}

/** The same for sessions that did call: each has its own environment, and settings that we may not see. */
function coverageInSessions(facts: Facts): Protection['state'] {
  const wiring: Wiring = facts.wiring.kind === 'none' ? { kind: 'called', reasons: [] } : facts.wiring;
  return coverageOf({ ...facts, asksForItself: false, wiring }, {}).state;
}

const UNSET = 'unset it where the agent is started';

const DISABLED = reason('HOLDPOINT_DISABLE is set', `HOLDPOINT_DISABLE is set in this environment; ${UNSET}`);

/** How much of what is configured holds, apart from pauses and failures. */
function coverageOf(facts: Facts, env: Context['env']): Protection {
  const off = (reasons: readonly Reason[]): Protection => ({ state: 'off', reasons });
  if (isDisabled(env)) return off([DISABLED]);
  const guards = guardStates(facts, env);
  if (!guards.some(({ kind }) => kind === 'holding')) return off(whyNothingHolds(guards, facts));
  const { kind, reasons } = whoCalls(facts);
  if (kind === 'none' || kind === 'broken') return off(reasons);
  // A guard that is off as a whole has said so.
  const told = guards.filter(({ kind }) => kind === 'off').map(({ guard }) => guard);
  const mistakes = mistakesIn(facts).filter(({ what }) => !told.some((guard) => what.startsWith(guard)));
  const missing = [...reasonsOf(guards, 'off'), ...(unreadConfig(facts) ?? mistaken(mistakes)), ...reasons];
  return { state: missing.length > 0 ? 'partly armed' : 'armed', reasons: missing };
}

function whyNothingHolds(guards: readonly GuardState[], facts: Facts): readonly Reason[] {
  const unread = unreadConfig(facts);
  if (unread !== undefined) return unread;
  const reasons = [...reasonsOf(guards, 'off'), ...reasonsOf(guards, 'idle')];
  if (reasons.length > 0) return reasons;
  const mistakes = mistaken(mistakesIn(facts));
  const nothing = 'nothing is configured here';
  return mistakes.length > 0 ? mistakes : [reason(nothing, nothing)];
}

function unreadConfig({ config }: Facts): Reason[] | undefined {
  const [place] = config?.head.unread ?? [];
  if (place === undefined) return undefined;
  return [reason('config unreadable', `the config cannot be read: ${place}; mend it there`)];
}

/** Only what is called holds: the session that asks, or for a person any host. */
function whoCalls({ sessions, sessionId: own, asksForItself, wiring }: Facts): Wiring {
  if (wiring.kind === 'broken') return wiring;
  if (asksForItself) {
    // A session may call us by settings that we do not see.
    if (sessions.some(({ sessionId }) => isNamed(own, sessionId))) return { ...wiring, kind: 'called' };
    const text = 'this session has not called the hook; start it anew at the root of the project';
    return { kind: 'none', reasons: [reason('this session has not called the hook', text)] };
  }
  if (wiring.kind !== 'none') return wiring;
  if (sessions.length > 0) {
    const text =
      'a live session calls it, but no settings of a host that are known here, so a new one may not; `holdpoint install` changes that';
    return { kind: 'partly', reasons: [reason('in no settings', text)] };
  }
  const text = 'no host calls it; `holdpoint install` changes that';
  return { kind: 'none', reasons: [reason('no host calls it', text)] };
}

function failureReasons({ degraded, sessionId, unwritable }: Facts): Reason[] {
  const mine = degraded.filter((mark) => sessionId === '' || isNamed(mark.session, sessionId));
  const unchecked = `${mine.length} event(s) went unchecked (${mine.at(-1)?.code}); see \`holdpoint log\``;
  const unwritten = unwritable && sentenceOf(unwritable).replace(/\.$/, '');
  return [
    ...(unwritten === undefined
      ? []
      : [reason('state cannot be written', `its state cannot be written. ${unwritten}`)]),
    ...(mine.length === 0 ? [] : [reason('', unchecked)]),
  ];
}

/**
 * The parts of the config that are without effect until a mistake in them is corrected, and where it is. Found in the
 * text of the problems, which is all that a compiled config has of them.
 */
function mistakesIn({ config }: Facts) {
  const ending = switchedOffLine('');
  return (config?.head.problems ?? []).flatMap((problem) => {
    const [place = '', isError] = problem.split(': error: ', 2);
    const last = problem.split('\n').at(-1) ?? '';
    if (isError === undefined || !last.endsWith(ending)) return [];
    return [{ what: last.slice(0, -ending.length), place }];
  });
}

function mistaken([first, ...more]: ReturnType<typeof mistakesIn>): Reason[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const text = `${first.what} is switched off by a mistake in the config${others}; mend it at ${first.place}`;
  return [reason('config mistake', text)];
}

/**
 * A guard, and whether it would hold anything now. `idle`: there is nothing for it to hold, which is nobody's
 * fault. `off`: somebody has switched it off, or a mistake has.
 */
type GuardState =
  | { readonly guard: GuardName; readonly kind: 'holding' }
  | { readonly guard: GuardName; readonly kind: 'idle' | 'off'; readonly reason: Reason };

function reasonsOf(guards: readonly GuardState[], wanted: 'idle' | 'off'): Reason[] {
  return guards.flatMap((state) => (state.kind === wanted ? [state.reason] : []));
}

/** The variables by which each discipline's own program was switched off. */
const VARIABLES: Partial<Record<GuardName, string>> = {
  requirements: 'CLAUDE_SKIP_REQUIREMENTS',
  gates: 'GAUNTLET_STOP_HOOK_ACTIVE',
  loop: 'IDLE_LOOP_DISABLE',
};

/** The guards of a project. Those that need no config are listed only while something is going on. */
function guardStates(facts: Facts, env: Context['env']): GuardState[] {
  const { config, flow, loops } = facts;
  const configured = (config?.head.guards ?? []).filter(({ byHand }) => byHand !== true);
  const names = new Set<string>(configured.map(({ name }) => name));
  if (flow.standing !== undefined) names.add('workflow');
  if (loops.length > 0) names.add('loop');
  const { guards: selected } = selectGuards([], env);
  return GUARD_NAMES.filter((name) => names.has(name)).map((guard) => {
    const variable = selected.includes(guard) ? undefined : VARIABLES[guard];
    const inactive = variable === undefined ? whyInactive(guard, facts, env) : offBy(guard, variable);
    return inactive === undefined ? { guard, kind: 'holding' } : { guard, ...inactive };
  });
}

type Inactive = { readonly kind: 'idle' | 'off'; readonly reason: Reason } | undefined;

function inactive(kind: 'idle' | 'off', brief: string, text: string): Inactive {
  return { kind, reason: reason(brief, text) };
}

function offBy(guard: GuardName, variable: string): Inactive {
  const text = `${guard} switched off by ${variable} in this environment; ${UNSET}`;
  return inactive('off', `${guard} off by ${variable}`, text);
}

function whyInactive(guard: GuardName, facts: Facts, env: Context['env']): Inactive {
  const { flow, loops } = facts;
  switch (guard) {
    case 'requirements':
      return requirementsInactive(facts);
    case 'gates':
      return gatesInactive(facts, env);
    case 'workflow': {
      const text = 'no workflow is under way; `holdpoint flow start` begins one';
      const isIdle = flow.standing === undefined && flow.trouble === undefined;
      return isIdle ? inactive('idle', 'no workflow under way', text) : undefined;
    }
    case 'loop': {
      const [first] = loops;
      if (first === undefined || loops.some(({ standing }) => standing === 'active')) return undefined;
      const text = `the loop is ${first.standing}; \`holdpoint loop resume\` goes on with it`;
      return inactive('idle', `loop ${first.standing}`, text);
    }
  }
}

function requirementsInactive(facts: Facts): Inactive {
  const config = requirementsConfig(facts.config);
  if (config === undefined) return undefined;
  if (!config.enabled) {
    const text =
      'requirements are switched off by `enabled: false` in the config; `req enable` switches them on';
    return inactive('off', 'requirements disabled', text);
  }
  if (config.reach === 'global-only') {
    const text =
      'only the global config names requirements, which does not hold here; `enforce_everywhere: true` there or `req init` here changes that';
    return inactive('idle', 'requirements only in the global config', text);
  }
  if (config.requirements.length > 0) return undefined;
  const [mistake] = mistaken(mistakesIn(facts).filter(({ what }) => what.startsWith('requirements')));
  if (mistake !== undefined) return { kind: 'off', reason: mistake };
  const text = 'no requirement is enabled; `req enable NAME` enables one';
  return inactive('off', 'no requirement enabled', text);
}

function gatesInactive(facts: Facts, env: Context['env']): Inactive {
  const config = guardConfig(facts.config, 'gates') as GatesConfig | undefined;
  if (config === undefined) return undefined;
  const { stopHook, problems, checks, reviews } = config;
  if (!withEnvironment(stopHook, (name) => env[name] ?? '').enabled) {
    const text = 'no gates at the end of turns, by `stop_hook.enabled`; `true` there changes that';
    return stopHook.enabled
      ? offBy('gates', 'GAUNTLET_STOP_HOOK_ENABLED')
      : inactive('off', 'gates disabled', text);
  }
  if (problems.length > 0) {
    const text =
      'gates hold nothing while there is a mistake in their config; `holdpoint gates validate` shows it';
    return inactive('off', 'gates: config mistake', text);
  }
  if (checks.length + reviews.length > 0) return undefined;
  const text = 'there is no gate; `holdpoint gates init` or a check in the config changes that';
  return inactive('idle', 'no gate', text);
}
