import { switchedOffLine } from '../../config/diagnostics';
import type { CompiledConfig } from '../../core/config-cache';
import type { Failure } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import { GUARD_NAMES, type GuardName, isDisabled, selectGuards } from '../../core/selection';
import { sessionKey } from '../../core/text';
import { type GatesConfig, withEnvironment } from '../../guards/gates/config';
import type { Context } from '../context';
import type { FlowGlance } from '../flow/flow';
import type { Loop } from '../loop/loops';
import { guardConfig, requirementsConfig } from '../project';
import type { Reason, Wiring } from './wiring';

type Environment = Context['env'];

/** Whether agents are held here, and where they are not or not by all: why, and what to do about it. */
export interface Protection {
  readonly state: 'armed' | 'partly armed' | 'paused' | 'degraded' | 'off';
  readonly reasons: readonly Reason[];
}

/** What the protection of a project depends on. */
export interface Facts {
  readonly config: CompiledConfig | undefined;
  readonly flow: FlowGlance;
  /** Those that did not end. */
  readonly loops: readonly Loop[];
  /** Why requirements or a workflow are paused. */
  readonly paused: readonly Reason[];
  readonly degraded: readonly { readonly session: string; readonly code: string }[];
  /** Why nothing can be recorded here. */
  readonly unwritable: Failure | undefined;
  /** The live sessions of the project. */
  readonly sessions: readonly { readonly id: string }[];
  readonly session: string | undefined;
  /** Whether that session itself asks. */
  readonly asksForItself: boolean;
  readonly wiring: Wiring;
}

/** How far agents are held now, in this environment. */
export function protectionOf(facts: Facts, env: Environment): Protection {
  const coverage = coverageOf(facts, env);
  if (coverage.state === 'off') return coverage;
  const { paused } = facts;
  const failures = failureReasons(facts);
  const reasons = [...paused, ...failures, ...coverage.reasons];
  if (paused.length > 0) return { state: 'paused', reasons };
  return failures.length > 0 ? { state: 'degraded', reasons } : coverage;
}

/** The same for sessions that did call: each has its own environment, and settings that we may not see. */
export function coverageInSessions(facts: Facts): Protection['state'] {
  const wiring: Wiring = facts.wiring.kind === 'none' ? { kind: 'called', reasons: [] } : facts.wiring;
  return coverageOf({ ...facts, asksForItself: false, wiring }, {}).state;
}

const UNSET = 'unset it where the agent is started';

export const DISABLED: Reason = {
  text: `HOLDPOINT_DISABLE is set in this environment; ${UNSET}`,
  brief: 'HOLDPOINT_DISABLE is set',
};

/** How much of what is configured holds, apart from pauses and failures. */
function coverageOf(facts: Facts, env: Environment): Protection {
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
  return mistakes.length > 0 ? mistakes : [{ text: nothing, brief: nothing }];
}

function unreadConfig({ config }: Facts): Reason[] | undefined {
  const [place] = config?.head.unread ?? [];
  if (place === undefined) return undefined;
  return [{ text: `the config cannot be read: ${place}; mend it there`, brief: 'config unreadable' }];
}

/** Only what is called holds: the session that asks, or for a person any host. */
function whoCalls({ sessions, session, asksForItself, wiring }: Facts): Wiring {
  if (wiring.kind === 'broken') return wiring;
  if (asksForItself) {
    // A session may call us by settings that we do not see.
    if (sessions.some(({ id }) => id === session)) return { ...wiring, kind: 'called' };
    const text = 'this session has not called the hook; start it anew at the root of the project';
    return { kind: 'none', reasons: [{ text, brief: 'this session has not called the hook' }] };
  }
  if (wiring.kind !== 'none') return wiring;
  if (sessions.length > 0) {
    const text =
      'a live session calls it, but no settings of a host that are known here, so a new one may not; `holdpoint install` changes that';
    return { kind: 'partly', reasons: [{ text, brief: 'in no settings' }] };
  }
  const text = 'no host calls it; `holdpoint install` changes that';
  return { kind: 'none', reasons: [{ text, brief: 'no host calls it' }] };
}

function failureReasons({ degraded, session, unwritable }: Facts): Reason[] {
  const reasons: Reason[] = [];
  if (unwritable !== undefined) {
    const text = `its state cannot be written. ${sentenceOf(unwritable).replace(/\.$/, '')}`;
    reasons.push({ text, brief: 'state cannot be written' });
  }
  const mine = degraded.filter((mark) => session === undefined || sessionKey(mark.session) === session);
  const code = mine.at(-1)?.code;
  if (code !== undefined)
    reasons.push({
      text: `${mine.length} event(s) went unchecked (${code}); see \`holdpoint log\``,
      brief: '',
    });
  return reasons;
}

/** A part of the config that is without effect until a mistake in it is corrected. */
interface Mistake {
  readonly what: string;
  /** `file:line:column`. */
  readonly place: string;
}

/** Finds the mistakes in the text of the config's problems, which is all that a compiled config has of them. */
function mistakesIn({ config }: Facts): Mistake[] {
  const ending = switchedOffLine('');
  return (config?.head.problems ?? []).flatMap((problem) => {
    const [place = '', isError] = problem.split(': error: ', 2);
    const last = problem.split('\n').at(-1) ?? '';
    if (isError === undefined || !last.endsWith(ending)) return [];
    return [{ what: last.slice(0, -ending.length), place }];
  });
}

function mistaken([first, ...more]: readonly Mistake[]): Reason[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const text = `${first.what} is switched off by a mistake in the config${others}; mend it at ${first.place}`;
  return [{ text, brief: 'config mistake' }];
}

/**
 * A guard, and whether it would hold anything now. `idle`: there is nothing for it to hold, which is nobody's
 * fault. `off`: somebody has switched it off, or a mistake has.
 */
export type GuardState =
  | { readonly guard: GuardName; readonly kind: 'holding' }
  | { readonly guard: GuardName; readonly kind: 'idle' | 'off'; readonly reason: Reason };

/** The reasons of all guards in a state. */
export function reasonsOf(guards: readonly GuardState[], wanted: 'idle' | 'off'): Reason[] {
  return guards.flatMap((state) => (state.kind === wanted ? [state.reason] : []));
}

/** The variables by which each discipline's own program was switched off. */
const VARIABLES: Partial<Record<GuardName, string>> = {
  requirements: 'CLAUDE_SKIP_REQUIREMENTS',
  gates: 'GAUNTLET_STOP_HOOK_ACTIVE',
  loop: 'IDLE_LOOP_DISABLE',
};

/** The guards of a project. Those that need no config are listed only while something is going on. */
export function guardStates(facts: Facts, env: Environment): GuardState[] {
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
  return { kind, reason: { text, brief } };
}

function offBy(guard: GuardName, variable: string): Inactive {
  const text = `${guard} switched off by ${variable} in this environment; ${UNSET}`;
  return inactive('off', `${guard} off by ${variable}`, text);
}

function whyInactive(guard: GuardName, facts: Facts, env: Environment): Inactive {
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

function gatesInactive(facts: Facts, env: Environment): Inactive {
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
