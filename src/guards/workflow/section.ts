import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { showPlace } from '../../config/diagnostics';
import { pointerOf } from '../../config/pointer';
import { byName, type CompileContext, type SeedFile, section } from '../../config/section';
import type { JsonObject } from '../../core/json';
import { builtinModel, compileModel } from './config/compile';
import { ISDLC } from './config/preset';
import { type WorkflowInput, workflow } from './config/schema';
import * as seed from './config/seed-convert';
import { type InputLayer, reporterAt } from './config/workflows';
import { own, type WorkflowModel } from './model';

/** The key of the model that holds the files of the older program, each by its name and its directory. */
const SEEDS = '.isdlc';

const HOOKS = '.claude/hooks/config';
const CONFIG = '.isdlc/config';

interface Source {
  /** Where the file may be: the first that is there counts. */
  readonly directories: readonly string[];
  /** `json` unless given. */
  readonly ending?: string;
  /** The keys that are read; the file may have any others. Their values are judged one by one. */
  readonly keys: readonly string[];
  /** Which of them holds what our key of a name holds. */
  readonly words?: Readonly<Record<string, string>>;
  convert(file: seed.SeedMapping): WorkflowInput;
}

const SOURCES = {
  workflows: {
    directories: [CONFIG, HOOKS],
    keys: ['workflows', 'rules'],
    words: { workflows: 'workflows', overrides: 'workflows', discipline: 'rules' },
    convert: seed.fromWorkflows,
  },
  'iteration-requirements': {
    directories: [HOOKS, CONFIG],
    keys: ['phase_requirements', 'workflow_overrides'],
    words: { requirements: 'phase_requirements', overrides: 'workflow_overrides' },
    convert: seed.fromRequirements,
  },
  'skills-manifest': {
    directories: [HOOKS, CONFIG],
    keys: ['ownership'],
    words: { agents: 'ownership' },
    convert: seed.fromManifest,
  },
  monorepo: {
    directories: ['.isdlc'],
    keys: ['projects', 'default_project'],
    words: { projects: 'projects' },
    convert: seed.fromMonorepo,
  },
  providers: {
    directories: ['.isdlc'],
    ending: 'yaml',
    keys: ['providers', 'agent_overrides', 'phase_routing', 'active_mode', 'modes', 'defaults'],
    convert: seed.fromProviders,
  },
} satisfies Readonly<Record<string, Source>>;

type SeedName = keyof typeof SOURCES;

const ALL = Object.entries(SOURCES) as readonly (readonly [SeedName, Source])[];

const seedKeys = v.strictObject(
  Object.fromEntries(
    ALL.map(([name, { keys }]) => {
      const file = v.looseObject(v.entriesFromList(keys, v.optional(v.unknown())));
      return [name, v.optional(byName(file))];
    }),
  ),
);

/** Every place in which a file of the older program may be. */
const SEED_FILES: readonly SeedFile[] = ALL.flatMap(([name, { directories, ending = 'json' }]) =>
  directories.map((directory) => ({
    layer: 'project',
    base: 'project',
    path: `${directory}/${name}.${ending}`,
    yaml: '1.2',
    mount: (key: string) => [SEEDS, name, directory, key],
    whole: () => [SEEDS, name, directory],
  })),
);

/** What the files say, by name and directory. */
type SeedInput = v.InferOutput<typeof seedKeys>;

type SeedLayer = InputLayer & { readonly name: SeedName };

/** The layers of those files that are there and can be read. */
function seedLayers(given: SeedInput, context: CompileContext): readonly SeedLayer[] {
  return ALL.flatMap(([name, { directories, words = {}, convert }]) => {
    const byPlace = new Map(Object.entries(given[name] ?? {}));
    const directory = directories.find((place) => byPlace.has(place));
    if (directory === undefined) return [];
    const reportAt = reporterAt([SEEDS, name, directory], context);
    // A value may be looked at more than once.
    const told = new Set<string>();
    const wrong = (path: readonly string[], expected: string): void => {
      if (!told.has(pointerOf(path)))
        reportAt(path, `\`${path.at(-1)}\` must be ${expected}; it is left out`);
      told.add(pointerOf(path));
    };
    const report: InputLayer['report'] = ([first = '', ...rest], message, hint) => {
      const word = own(words, first);
      reportAt(word === undefined ? [] : [word, ...rest], message, hint);
    };
    const found = convert(new seed.SeedMapping(byPlace.get(directory) as JsonObject, wrong));
    // As JSON, so that what a file does not say is absent.
    const input = JSON.parse(JSON.stringify(found)) as WorkflowInput;
    return [{ name, input, written: false, report }];
  });
}

/** Whether there is a manifest of agents, though nothing of it could be read. */
function isManifestBroken(given: SeedInput, context: CompileContext): boolean {
  const name = 'skills-manifest';
  return SOURCES[name].directories.some((directory) => {
    const isThere = context.place(pointerOf([SEEDS, name, directory])) !== undefined;
    return isThere && !Object.hasOwn(given[name] ?? {}, directory);
  });
}

const SENTENCE = 'Workflows: their phases, the agents of each phase, and what each gate needs.';

/**
 * The workflows' part of the config: our own key and the files of the older program. It is never absent: where
 * there is none, a workflow can still be started by hand.
 */
export const workflowSection = section({
  guard: 'workflow',
  keys: { workflow: v.pipe(workflow, v.description(SENTENCE)), [SEEDS]: seedKeys },
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
    const otherwise = isManifestBroken(files, context) ? 'unreadable' : 'builtin';
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
  const seedOf = (name: SeedName): SeedLayer | undefined => seeds.find((one) => one.name === name);
  const named = seedOf('workflows')?.input.workflows ?? workflows;
  const kept = Object.entries(workflows).filter(([name]) => Object.hasOwn(named, name));
  const asked = seedOf('iteration-requirements') === undefined && { requirements, overrides };
  const culprit = top.input.agents === undefined ? (seedOf('skills-manifest') ?? top) : top;
  return {
    input: { ...others, workflows: Object.fromEntries(kept), ...asked },
    written: false,
    report: (_, message, hint) => culprit.report([], message, hint),
  };
}
