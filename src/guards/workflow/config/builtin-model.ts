import type { WorkflowModel } from '../model';
import { compileModel } from './compile-model';
import type { InputLayer } from './input-layer';
import { ISDLC } from './preset/isdlc';
import type { SeedLayer } from './seed-files';

/** The model of a project that says nothing itself: the built-in workflows as they are. */
export function builtinModel(): WorkflowModel {
  const layer = { input: ISDLC, written: false, report: noTrouble };
  return { ...compileModel([layer], { manifest: 'builtin' }), problems: [] };
}

/**
 * The preset, without what the project's own files say in its place. What is wrong with it was made so by
 * what stands above it, and is told there.
 */
export function presetLayer(seeds: readonly SeedLayer[], top: InputLayer): InputLayer {
  const { requirements, overrides, workflows = {}, ...others } = ISDLC;
  const seedOf = (name: SeedLayer['name']): InputLayer | undefined =>
    seeds.find((seed) => seed.name === name);
  const named = seedOf('workflows')?.input.workflows;
  const culprit = top.input.agents === undefined ? (seedOf('skills-manifest') ?? top) : top;
  const kept = Object.entries(workflows).filter(
    ([name]) => named === undefined || Object.hasOwn(named, name),
  );
  const replaced = seedOf('iteration-requirements') !== undefined;
  return {
    input: {
      ...others,
      workflows: Object.fromEntries(kept),
      ...(!replaced && requirements && { requirements }),
      ...(!replaced && overrides && { overrides }),
    },
    written: false,
    report: (_, message, hint) => culprit.report([], message, hint),
  };
}

function noTrouble(path: readonly string[], message: string): never {
  throw new Error(`the built-in workflows are wrong at ${path.join('/')}: ${message}`);
}
