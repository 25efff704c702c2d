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

/** The config key under which iSDLC's files are mounted, each by name and directory. */
const SEEDS = '.isdlc';

const HOOKS = '.claude/hooks/config';
const CONFIG = '.isdlc/config';

interface Source {
  /** Where the file may be; the first that exists counts. */
  readonly directories: readonly string[];
  /** The file extension; `json` by default. */
  readonly ending?: string;
  /** The keys that we read; the file may have any others. Their values are validated one by one. */
  readonly keys: readonly string[];
  /** For error reports: the file's key that corresponds to each of ours. */
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

/** Every path where a file of iSDLC may be. */
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

/** The contents of the files, by name and directory. */
type SeedInput = v.InferOutput<typeof seedKeys>;

type SeedLayer = InputLayer & { readonly name: SeedName };

/** The layers of the files that exist and can be read. */
function seedLayers(given: SeedInput, context: CompileContext): readonly SeedLayer[] {
  return ALL.flatMap(([name, { directories, words = {}, convert }]) => {
    const byPlace = new Map(Object.entries(given[name] ?? {}));
    const directory = directories.find((place) => byPlace.has(place));
    if (directory === undefined) return [];
    const reportAt = reporterAt([SEEDS, name, directory], context);
    // A value may be read more than once, but is reported once.
    const reported = new Set<string>();
    const wrong = (path: readonly string[], expected: string): void => {
      if (!reported.has(pointerOf(path)))
        reportAt(path, `\`${path.at(-1)}\` must be ${expected}; it is left out`);
      reported.add(pointerOf(path));
    };
    const report: InputLayer['report'] = ([first = '', ...rest], message, hint) => {
      const word = own(words, first);
      reportAt(word === undefined ? [] : [word, ...rest], message, hint);
    };
    const found = convert(new seed.SeedMapping(byPlace.get(directory) as JsonObject, wrong));
    // Through JSON, which drops undefined members.
    const input = JSON.parse(JSON.stringify(found)) as WorkflowInput;
    return [{ name, input, written: false, report }];
  });
}

/** Whether there is an agent manifest, but nothing in it could be read. */
function isManifestBroken(given: SeedInput, context: CompileContext): boolean {
  const name = 'skills-manifest';
  return SOURCES[name].directories.some((directory) => {
    const isThere = context.place(pointerOf([SEEDS, name, directory])) !== undefined;
    return isThere && !Object.hasOwn(given[name] ?? {}, directory);
  });
}

const SENTENCE = 'Workflows: their phases, the agents of each phase, and what each gate needs.';

/**
 * The workflow section: our own key and iSDLC's files. It is never absent: without config, a workflow can
 * still be started by hand.
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
    // Only its existence is checked: its timestamps change with every state that is written into it.
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
 * The preset, without what the project's own files replace. Errors in it are caused by a layer above it, and
 * reported there.
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
