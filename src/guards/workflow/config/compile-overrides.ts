import type { Workflow } from '../model';
import { type PhaseAliases, standsFor } from './compile-aliases';
import { type ByPhase, compileRequirements, mergeByPhase, overlay } from './compile-requirements';
import type { Draft } from './compile-workflows';
import { type InputLayer, reportUnknown } from './input-layer';
import * as say from './messages';

/** By workflow, the phases that differ there, each with all that its gate asks for. */
export function compileOverrides(
  layers: readonly InputLayer[],
  drafts: readonly Draft[],
  aliases: PhaseAliases,
): ReadonlyMap<string, Workflow['requirements']> {
  for (const layer of layers.filter(({ written }) => written)) reportStrangers(layer, drafts, aliases);
  const base = mergeByPhase(
    layers.map(({ input }) => input.requirements ?? {}),
    aliases,
  );
  return new Map(
    drafts.map(({ name, phases, lineage }) => {
      const own = mergeByPhase(
        layers.flatMap((layer) => overridesOf(layer, lineage)),
        aliases,
      );
      const worked = new Set(phases.flatMap((phase) => standsFor(aliases, phase)));
      const differing = [...own].filter(([phase]) => worked.has(phase));
      const full = differing.map(([phase, input]) => {
        return [phase, compileRequirements(overlay(base.get(phase) ?? {}, input))] as const;
      });
      return [name, Object.fromEntries(full)] as const;
    }),
  );
}

function overridesOf({ input }: InputLayer, lineage: readonly string[]): ByPhase[] {
  const all = new Map(Object.entries(input.overrides ?? {}));
  return lineage.flatMap((name) => {
    const byPhase = all.get(name);
    return byPhase === undefined ? [] : [byPhase];
  });
}

function reportStrangers(layer: InputLayer, drafts: readonly Draft[], aliases: PhaseAliases): void {
  const names = drafts.map(({ name }) => name);
  for (const [name, byPhase] of Object.entries(layer.input.overrides ?? {})) {
    const draft = drafts.find((one) => one.name === name);
    if (draft === undefined) {
      reportUnknown(layer, ['overrides', name], { name, message: say.noSuchWorkflow(name) }, names);
      continue;
    }
    const worked = new Set(draft.phases.flatMap((phase) => standsFor(aliases, phase)));
    for (const phase of Object.keys(byPhase)) {
      if (standsFor(aliases, phase).some((one) => worked.has(one))) continue;
      const trouble = { name: phase, message: say.notInWorkflow(name, phase) };
      reportUnknown(layer, ['overrides', name, phase], trouble, worked);
    }
  }
}
