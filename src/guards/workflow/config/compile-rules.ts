import { plainAgentName } from '../agents';
import { type Routes, RULE_NAMES, type RuleName, type RuleSetting } from '../model';
import { type PhaseAliases, standsFor } from './compile-aliases';
import type { InputLayer } from './input-layer';
import { ROUTING, RULE_DEFAULTS } from './preset/rules';

/** How strict each rule is, and whom it tells. */
export function compileRules(
  layers: readonly InputLayer[],
  routes: Routes | undefined,
): Readonly<Record<RuleName, RuleSetting>> {
  const settings = RULE_NAMES.map((name) => {
    const usual = name === 'model-provider-router' && routes !== undefined ? ROUTING : RULE_DEFAULTS[name];
    const said = layers.map(({ input }) => input.rules?.[name]);
    return [name, Object.assign({}, usual, ...said) as RuleSetting] as const;
  });
  return Object.fromEntries(settings) as Record<RuleName, RuleSetting>;
}

/** Which model delegations get; nothing where nobody has set any. */
export function compileRoutes(layers: readonly InputLayer[], aliases: PhaseAliases): Routes | undefined {
  const said = layers.flatMap(({ input }) => input.models ?? []);
  const byAgent = Object.assign({}, ...said.map(({ agents }) => agents)) as Record<string, string>;
  const byPhase = Object.assign({}, ...said.map(({ phases }) => phases)) as Record<string, string>;
  const otherwise = said.findLast((models) => models.default !== undefined)?.default;
  const isEmpty = Object.keys({ ...byAgent, ...byPhase }).length === 0 && otherwise === undefined;
  if (isEmpty) return undefined;
  const agents = Object.entries(byAgent).map(([name, model]) => [plainAgentName(name), model] as const);
  // Under every name that the phase goes by: the state may have another than the one written here.
  const phases = Object.entries(byPhase).flatMap(([name, model]) =>
    namesFor(name, aliases).map((phase) => [phase, model] as const),
  );
  return {
    byAgent: Object.fromEntries(agents),
    byPhase: { ...Object.fromEntries(phases), ...byPhase },
    ...(otherwise !== undefined && { otherwise }),
  };
}

function namesFor(phase: string, aliases: PhaseAliases): readonly string[] {
  const meant = standsFor(aliases, phase);
  const others = Object.keys(aliases).filter((alias) =>
    standsFor(aliases, alias).some((name) => meant.includes(name)),
  );
  return [...others, ...meant];
}
