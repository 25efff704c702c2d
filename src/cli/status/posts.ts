import type { CompiledConfig } from '../../core/config-cache';
import { GUARD_NAMES, type GuardName } from '../../core/guard-name';
import { selectGuards } from '../../core/selection';
import type { GatesConfig } from '../../guards/gates/config';
import { withEnvironment } from '../../guards/gates/stop-hook-environment';
import type { RequirementsConfig } from '../../guards/requirements/config';
import type { FlowGlance } from '../flow/flow';
import type { Loop } from '../loop/loops';
import { requirementsConfig } from '../req/requirements-config';
import type { Context } from '../verb';
import * as say from './messages';
import type { Mistake } from './mistakes';

/**
 * A guard, and whether it would hold anything now. `idle`: there is nothing for it to hold, which is nobody's
 * fault. `off`: somebody has switched it off, or a mistake has.
 */
export type Post =
  | { readonly guard: GuardName; readonly kind: 'holding' }
  | { readonly guard: GuardName; readonly kind: 'idle' | 'off'; readonly reason: say.Reason };

/** What the guards go by. */
export interface Grounds {
  readonly config: CompiledConfig | undefined;
  readonly mistakes: readonly Mistake[];
  readonly flow: FlowGlance;
  /** Those that did not end. */
  readonly loops: readonly Loop[];
}

/** The switch that each discipline keeps of the program that it comes from. */
const VARIABLES: Partial<Record<GuardName, string>> = {
  requirements: 'CLAUDE_SKIP_REQUIREMENTS',
  gates: 'GAUNTLET_STOP_HOOK_ACTIVE',
  loop: 'IDLE_LOOP_DISABLE',
};

/** The guards of a project. Some are there in every one, configured or not, and told only while something is going on. */
export function postsIn(grounds: Grounds, env: Context['env']): Post[] {
  const { config, flow, loops } = grounds;
  const configured = (config?.head.guards ?? []).filter(({ byHand }) => byHand !== true);
  const names = new Set<string>(configured.map(({ name }) => name));
  if (flow.standing !== undefined) names.add('workflow');
  if (loops.length > 0) names.add('loop');
  const { guards: selected } = selectGuards([], env);
  return GUARD_NAMES.filter((name) => names.has(name)).map((guard) => {
    const variable = VARIABLES[guard];
    return variable === undefined || selected.includes(guard)
      ? postOf(guard, grounds, env)
      : { guard, kind: 'off', reason: say.byVariable(guard, variable) };
  });
}

function postOf(guard: GuardName, grounds: Grounds, env: Context['env']): Post {
  const rest = restOf(guard, grounds, env);
  return rest === undefined ? { guard, kind: 'holding' } : { guard, ...rest };
}

type Rest = { readonly kind: 'idle' | 'off'; readonly reason: say.Reason } | undefined;

function restOf(guard: GuardName, { config, mistakes, flow, loops }: Grounds, env: Context['env']): Rest {
  switch (guard) {
    case 'requirements':
      return requirementsRest(requirementsConfig(config), mistakes);
    case 'gates':
      return gatesRest(config, env);
    case 'workflow': {
      const isUnderWay = flow.standing !== undefined || flow.trouble !== undefined;
      return isUnderWay ? undefined : { kind: 'idle', reason: say.NO_WORKFLOW };
    }
    case 'loop': {
      const [first] = loops;
      const isDriven = first === undefined || loops.some(({ standing }) => standing === 'active');
      return isDriven ? undefined : { kind: 'idle', reason: say.loopAtRest(first.standing) };
    }
  }
}

function requirementsRest(config: RequirementsConfig | undefined, mistakes: readonly Mistake[]): Rest {
  if (config === undefined) return undefined;
  if (!config.enabled) return { kind: 'off', reason: say.REQUIREMENTS_DISABLED };
  if (config.reach === 'global-only') return { kind: 'idle', reason: say.GLOBAL_ONLY };
  if (config.requirements.length > 0) return undefined;
  const [first, ...more] = mistakes.filter(({ what }) => what.startsWith('requirements'));
  const reason = first && say.mistaken(first.what, first.place, more.length);
  return { kind: 'off', reason: reason ?? say.NO_REQUIREMENT };
}

function gatesRest(compiled: CompiledConfig | undefined, env: Context['env']): Rest {
  const index = compiled?.head.guards.findIndex(({ name }) => name === 'gates') ?? -1;
  if (compiled === undefined || index < 0) return undefined;
  const { stopHook, problems, checks, reviews } = compiled.configOf(index) as GatesConfig;
  if (!withEnvironment(stopHook, env).enabled) {
    const byConfig = !stopHook.enabled;
    return {
      kind: 'off',
      reason: byConfig ? say.GATES_AT_REST : say.byVariable('gates', 'GAUNTLET_STOP_HOOK_ENABLED'),
    };
  }
  if (problems.length > 0) return { kind: 'off', reason: say.GATES_MISTAKEN };
  return checks.length + reviews.length === 0 ? { kind: 'idle', reason: say.NO_GATE } : undefined;
}
