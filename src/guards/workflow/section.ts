import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { type Diagnostic, showPlace } from '../../config/diagnostics';
import { pointerOf } from '../../config/pointer';
import { type CompileContext, section } from '../../config/section';
import { builtinModel, presetLayer } from './config/builtin-model';
import { compileModel } from './config/compile-model';
import type { InputLayer } from './config/input-layer';
import { WORKFLOW_SENTENCE } from './config/key-sentences';
import { type WorkflowInput, workflow } from './config/schema';
import { isBroken, SEED_FILES, SEEDS, seedKeys, seedLayers } from './config/seed-files';
import type { WorkflowModel } from './model';

/**
 * The workflows' part of the config: our own key and the files of the older program. It is never absent: where
 * nobody has written any, a workflow can still be started by hand.
 */
export const workflowSection = section({
  guard: 'workflow',
  keys: {
    workflow: v.pipe(workflow, v.description(WORKFLOW_SENTENCE)),
    [SEEDS]: seedKeys,
  },
  seedOnly: [SEEDS],
  files: SEED_FILES,
  units: [],
  tolerated: [],
  compile(valid, context): WorkflowModel {
    const files = valid[SEEDS] ?? {};
    // The directory's own times change with every state that is kept in it, so that only its presence is looked at.
    const inUse = existsSync(join(context.root, '.isdlc'));
    const isOfProject = context.layers.some((layer) => layer !== 'global');
    if (!inUse && !(isOfProject && valid.workflow !== undefined)) return { ...builtinModel(), byHand: true };
    const written = valid.workflow ?? {};
    const seeds = seedLayers(files, context);
    const top = writtenLayer(written, context);
    const extended = written.extends ?? (inUse || written.workflows === undefined ? 'preset:isdlc' : 'none');
    const layers = [...(extended === 'none' ? [] : [presetLayer(seeds, top)]), ...seeds, top];
    const manifest = manifestOf(seeds, isBroken('skills-manifest', files, context));
    const model = compileModel(layers, { manifest });
    return { ...model, problems: context.errors().map(problemLine) };
  },
});

function writtenLayer(input: WorkflowInput, context: CompileContext): InputLayer {
  return {
    input,
    written: true,
    report(path, message, hint) {
      const finding = { code: 'config.invalid-value', severity: 'error', message } as const;
      const pointer = pointerOf(['workflow', ...path]);
      context.report(pointer, hint === undefined ? finding : { ...finding, hint });
    },
  };
}

function manifestOf(seeds: readonly { readonly name: string }[], broken: boolean): WorkflowModel['manifest'] {
  if (seeds.some(({ name }) => name === 'skills-manifest')) return 'file';
  return broken ? 'unreadable' : 'builtin';
}

function problemLine({ place, message, hint }: Diagnostic): string {
  return `${showPlace(place)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}
