import * as v from 'valibot';
import { pointerOf } from '../../../config/pointer';
import type { CompileContext, SeedFile } from '../../../config/section';
import type { JsonObject } from '../../../core/json';
import type { WorkflowInput } from './schema';
import {
  fromManifest,
  fromMonorepo,
  fromProviders,
  fromRequirements,
  fromWorkflows,
  SeedMapping,
} from './seed-convert';
import { type InputLayer, reporterAt } from './workflows';

/** The key of the model that holds the files of the older program, each by its name and its directory. */
export const SEEDS = '.isdlc';

const HOOKS = '.claude/hooks/config';
const CONFIG = '.isdlc/config';

interface Source {
  /** Where the file may be: the first that is there counts. */
  readonly directories: readonly string[];
  readonly ending: string;
  /** The keys that are read; the file may have any others. Their values are judged one by one. */
  readonly keys: readonly string[];
  /** Which of them holds what our key of a name holds. */
  readonly words: Readonly<Record<string, string>>;
  convert(file: SeedMapping): WorkflowInput;
}

const SOURCES = {
  workflows: {
    directories: [CONFIG, HOOKS],
    ending: 'json',
    keys: ['workflows', 'rules'],
    words: { workflows: 'workflows', overrides: 'workflows', discipline: 'rules' },
    convert: fromWorkflows,
  },
  'iteration-requirements': {
    directories: [HOOKS, CONFIG],
    ending: 'json',
    keys: ['phase_requirements', 'workflow_overrides'],
    words: { requirements: 'phase_requirements', overrides: 'workflow_overrides' },
    convert: fromRequirements,
  },
  'skills-manifest': {
    directories: [HOOKS, CONFIG],
    ending: 'json',
    keys: ['ownership'],
    words: { agents: 'ownership' },
    convert: fromManifest,
  },
  monorepo: {
    directories: ['.isdlc'],
    ending: 'json',
    keys: ['projects', 'default_project'],
    words: { projects: 'projects' },
    convert: fromMonorepo,
  },
  providers: {
    directories: ['.isdlc'],
    ending: 'yaml',
    keys: ['providers', 'agent_overrides', 'phase_routing', 'active_mode', 'modes', 'defaults'],
    words: {},
    convert: fromProviders,
  },
} satisfies Readonly<Record<string, Source>>;

type SeedName = keyof typeof SOURCES;

const ALL = Object.entries(SOURCES) as readonly (readonly [SeedName, Source])[];

/** The schema of the files' part of the model. */
export const seedKeys = v.strictObject(
  Object.fromEntries(
    ALL.map(([name, { keys }]) => {
      const file = v.looseObject(v.entriesFromList(keys, v.optional(v.unknown())));
      return [name, v.optional(v.record(v.string(), file))];
    }),
  ),
);

/** Every place in which a file of the older program may be. */
export const SEED_FILES: readonly SeedFile[] = ALL.flatMap(([name, { directories, ending }]) =>
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
export type SeedInput = v.InferOutput<typeof seedKeys>;

/** A file of the older program as a layer. */
export type SeedLayer = InputLayer & { readonly name: SeedName };

/** The layers of those files that are there and can be read. */
export function seedLayers(given: SeedInput, context: CompileContext): readonly SeedLayer[] {
  return ALL.flatMap(([name, { directories, words, convert }]) => {
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
      const word = Object.hasOwn(words, first) ? words[first] : undefined;
      reportAt(word === undefined ? [] : [word, ...rest], message, hint);
    };
    const input = convert(new SeedMapping(byPlace.get(directory) as JsonObject, wrong));
    return [{ name, input, written: false, report }];
  });
}

/** Whether a file of this name is there, though nothing of it could be read. */
export function isBroken(name: SeedName, given: SeedInput, context: CompileContext): boolean {
  return SOURCES[name].directories.some((directory) => {
    const isThere = context.place(pointerOf([SEEDS, name, directory])) !== undefined;
    return isThere && !Object.hasOwn(given[name] ?? {}, directory);
  });
}
