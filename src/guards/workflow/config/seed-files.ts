import * as v from 'valibot';
import { pointerOf } from '../../../config/pointer';
import type { CompileContext, SeedFile } from '../../../config/section';
import type { JsonObject } from '../../../core/json';
import type { InputLayer } from './input-layer';
import * as say from './messages';
import type { WorkflowInput } from './schema';
import { fromManifest } from './seed-manifest';
import { type SeedMapping, seedMapping } from './seed-mapping';
import { fromMonorepo } from './seed-monorepo';
import { fromProviders } from './seed-providers';
import { fromRequirements } from './seed-requirements';
import { fromWorkflows } from './seed-workflows';

/** The key of the model that holds the files of the older program, each by its name and its directory. */
export const SEEDS = '.isdlc';

const anything = v.optional(v.unknown());

/** The keys of each file that are read; it may have any others. Their values are judged one by one. */
const KEYS = {
  workflows: v.looseObject({ workflows: anything, rules: anything }),
  'iteration-requirements': v.looseObject({ phase_requirements: anything, workflow_overrides: anything }),
  'skills-manifest': v.looseObject({ ownership: anything }),
  monorepo: v.looseObject({ projects: anything, default_project: anything }),
  providers: v.looseObject({
    providers: anything,
    agent_overrides: anything,
    phase_routing: anything,
    active_mode: anything,
    modes: anything,
    defaults: anything,
  }),
};

export type SeedName = keyof typeof KEYS;

const byDirectory = <S extends v.GenericSchema>(file: S) => v.optional(v.record(v.string(), file));

export const seedKeys = v.strictObject({
  workflows: byDirectory(KEYS.workflows),
  'iteration-requirements': byDirectory(KEYS['iteration-requirements']),
  'skills-manifest': byDirectory(KEYS['skills-manifest']),
  monorepo: byDirectory(KEYS.monorepo),
  providers: byDirectory(KEYS.providers),
});

const HOOKS = '.claude/hooks/config';
const CONFIG = '.isdlc/config';

interface Source {
  /** Where it may lie: the first that is there is the one that counts. */
  readonly directories: readonly string[];
  readonly ending: string;
  /** Where our words for its parts are found in it. */
  readonly words: Readonly<Partial<Record<keyof WorkflowInput, string>>>;
  convert(file: SeedMapping): WorkflowInput;
}

const SOURCES: Readonly<Record<SeedName, Source>> = {
  workflows: {
    directories: [CONFIG, HOOKS],
    ending: 'json',
    words: { workflows: 'workflows', overrides: 'workflows', discipline: 'rules' },
    convert: fromWorkflows,
  },
  'iteration-requirements': {
    directories: [HOOKS, CONFIG],
    ending: 'json',
    words: { requirements: 'phase_requirements', overrides: 'workflow_overrides' },
    convert: fromRequirements,
  },
  'skills-manifest': {
    directories: [HOOKS, CONFIG],
    ending: 'json',
    words: { agents: 'ownership' },
    convert: fromManifest,
  },
  monorepo: {
    directories: ['.isdlc'],
    ending: 'json',
    words: { projects: 'projects' },
    convert: fromMonorepo,
  },
  providers: {
    directories: ['.isdlc'],
    ending: 'yaml',
    words: {},
    convert: fromProviders,
  },
};

const SEED_NAMES = Object.keys(SOURCES) as readonly SeedName[];

/** Every place in which a file of the older program may lie. */
export const SEED_FILES: readonly SeedFile[] = SEED_NAMES.flatMap((name) =>
  SOURCES[name].directories.map((directory) => ({
    layer: 'project',
    base: 'project',
    path: `${directory}/${name}.${SOURCES[name].ending}`,
    yaml: '1.2',
    mount: (key: string) => [SEEDS, name, directory, key],
    whole: () => [SEEDS, name, directory],
  })),
);

type Given = v.InferOutput<typeof seedKeys>;

/** A file of the older program as a layer. */
export interface SeedLayer extends InputLayer {
  readonly name: SeedName;
}

/** The layers of those files that are there and can be read. */
export function seedLayers(given: Given, context: CompileContext): readonly SeedLayer[] {
  return SEED_NAMES.flatMap((name) => {
    const source = SOURCES[name];
    const byPlace = new Map(Object.entries(given[name] ?? {}));
    const directory = source.directories.find((place) => byPlace.has(place));
    if (directory === undefined) return [];
    const report = (path: readonly string[], message: string, hint?: string): void => {
      const pointer = pointerOf([SEEDS, name, directory, ...path]);
      const finding = { code: 'config.invalid-value', severity: 'error', message } as const;
      context.report(pointer, hint === undefined ? finding : { ...finding, hint });
    };
    // A value may be looked at more than once.
    const told = new Set<string>();
    const wrong = (path: readonly string[], expected: string): void => {
      if (!told.has(pointerOf(path))) report(path, say.wrongInFile(path.at(-1) ?? '', expected));
      told.add(pointerOf(path));
    };
    const input = source.convert(seedMapping(byPlace.get(directory) as JsonObject, [], wrong));
    return [{ name, input, written: false, report: inFile(source, report) }];
  });
}

/** Paths of ours as paths of the file. */
function inFile({ words }: Source, report: InputLayer['report']): InputLayer['report'] {
  const renamed = new Map<string, string>(Object.entries(words));
  return ([first = '', ...rest], message, hint) => {
    const word = renamed.get(first);
    report(word === undefined ? [] : [word, ...rest], message, hint);
  };
}

/** Whether a file of this name is there, though nothing of it could be read. */
export function isBroken(name: SeedName, given: Given, context: CompileContext): boolean {
  return SOURCES[name].directories.some((directory) => {
    const isThere = context.place(pointerOf([SEEDS, name, directory])) !== undefined;
    return isThere && !Object.hasOwn(given[name] ?? {}, directory);
  });
}
