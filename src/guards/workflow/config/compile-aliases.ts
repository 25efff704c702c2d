import type { InputLayer } from './input-layer';
import * as say from './messages';

export type PhaseAliases = Readonly<Record<string, readonly string[]>>;

/** Every alias with the phases that it finally stands for. */
export function compileAliases(layers: readonly InputLayer[]): PhaseAliases {
  const direct = new Map<string, readonly string[]>();
  for (const { input } of layers) {
    for (const [alias, names] of Object.entries(input.phase_aliases ?? {})) {
      direct.set(alias, Array.isArray(names) ? names : [names]);
    }
  }
  const found = [...direct.keys()].map((alias) => [alias, targetsOf(alias, direct, [])] as const);
  const circular = found.filter(([, targets]) => targets === undefined);
  for (const [alias] of circular) {
    const layer = layers.findLast(({ input }) => Object.hasOwn(input.phase_aliases ?? {}, alias));
    layer?.report(['phase_aliases', alias], say.aliasCircle(alias));
  }
  return Object.fromEntries(found.flatMap(([alias, targets]) => (targets ? [[alias, targets]] : [])));
}

function targetsOf(
  name: string,
  direct: ReadonlyMap<string, readonly string[]>,
  passed: readonly string[],
): readonly string[] | undefined {
  if (passed.includes(name)) return undefined;
  const names = direct.get(name);
  if (names === undefined) return [name];
  const all = names.map((next) => targetsOf(next, direct, [...passed, name]));
  return all.some((targets) => targets === undefined)
    ? undefined
    : [...new Set(all.flatMap((targets) => targets ?? []))];
}

/** The names that a phase's name stands for. */
export function standsFor(aliases: PhaseAliases, name: string): readonly string[] {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? [name];
}
