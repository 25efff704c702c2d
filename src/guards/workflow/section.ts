import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { showPlace } from '../../config/diagnostics';
import { section } from '../../config/section';
import { builtinModel, compileModel } from './config/compile';
import { ISDLC } from './config/preset';
import { workflow } from './config/schema';
import { isBroken, SEED_FILES, SEEDS, type SeedLayer, seedKeys, seedLayers } from './config/seed-files';
import { type InputLayer, reporterAt } from './config/workflows';
import type { WorkflowModel } from './model';

const SENTENCE =
  'In which phases work is done, by which agents, and what each phase has to prove before the next begins.';

/**
 * The workflows' part of the config: our own key and the files of the older program. It is never absent: where
 * nobody has written any, a workflow can still be started by hand.
 */
export const workflowSection = section({
  guard: 'workflow',
  keys: {
    workflow: v.pipe(workflow, v.description(SENTENCE)),
    [SEEDS]: seedKeys,
  },
  seedOnly: [SEEDS],
  files: SEED_FILES,
  units: [],
  tolerated: [],
  compile(valid, context): WorkflowModel {
    const files = valid[SEEDS] ?? {};
    // The directory's own times change with every state that is kept in it, so only its presence is looked at.
    const inUse = existsSync(join(context.root, '.isdlc'));
    const isOfProject = context.layers.some((layer) => layer !== 'global');
    if (!inUse && !(isOfProject && valid.workflow !== undefined)) return { ...builtinModel(), byHand: true };
    const written = valid.workflow ?? {};
    const seeds = seedLayers(files, context);
    const top = { input: written, written: true, report: reporterAt(['workflow'], context) };
    const extended = written.extends ?? (inUse || written.workflows === undefined ? 'preset:isdlc' : 'none');
    const layers = [...(extended === 'none' ? [] : [presetLayer(seeds, top)]), ...seeds, top];
    const hasManifest = seeds.some(({ name }) => name === 'skills-manifest');
    const otherwise = isBroken('skills-manifest', files, context) ? 'unreadable' : 'builtin';
    const model = compileModel(layers, hasManifest ? 'file' : otherwise);
    const problems = context.errors().map(({ place, message, hint }) => {
      return `${showPlace(place)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
    });
    return { ...model, problems };
  },
});

/**
 * The preset, without what the project's own files replace. What is wrong with it is due to a layer above it,
 * and reported there.
 */
function presetLayer(seeds: readonly SeedLayer[], top: InputLayer): InputLayer {
  const { requirements, overrides, workflows = {}, ...others } = ISDLC;
  const seedOf = (name: SeedLayer['name']): InputLayer | undefined =>
    seeds.find((seed) => seed.name === name);
  const named = seedOf('workflows')?.input.workflows;
  const kept = Object.entries(workflows).filter(
    ([name]) => named === undefined || Object.hasOwn(named, name),
  );
  const isReplaced = seedOf('iteration-requirements') !== undefined;
  const culprit = top.input.agents === undefined ? (seedOf('skills-manifest') ?? top) : top;
  return {
    input: {
      ...others,
      workflows: Object.fromEntries(kept),
      ...(!isReplaced && { requirements, overrides }),
    },
    written: false,
    report: (_, message, hint) => culprit.report([], message, hint),
  };
}
