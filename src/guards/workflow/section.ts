import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { diagnosticLine } from '../../config/diagnostics';
import { pointerOf } from '../../config/pointer';
import { byName, type CompileContext, type LegacyFile, section } from '../../config/section';
import type { JsonObject } from '../../core/json';
import { builtinModel, compileModel } from './config/compile';
import * as isdlc from './config/isdlc-convert';
import { ISDLC } from './config/preset';
import { type WorkflowInput, workflow } from './config/schema';
import { type InputLayer, reporterAt } from './config/workflows';
import type { WorkflowModel } from './model';

/** The config key under which iSDLC's files are mounted, each by name and directory. */
const ISDLC_KEY = '.isdlc';

const HOOKS = '.claude/hooks/config';
const CONFIG = '.isdlc/config';

interface IsdlcFile {
  /** Where the file may be; the first that exists counts. */
  readonly directories: readonly string[];
  /** The file extension; `json` by default. */
  readonly ending?: string;
  /** The keys that we read; the file may have any others. Their values are validated one by one. */
  readonly keys: readonly string[];
  convert(file: isdlc.IsdlcMapping): WorkflowInput;
}

const ISDLC_SOURCES = {
  workflows: {
    directories: [CONFIG, HOOKS],
    keys: ['workflows', 'rules'],
    convert: isdlc.fromWorkflows,
  },
  'iteration-requirements': {
    directories: [HOOKS, CONFIG],
    keys: ['phase_requirements', 'workflow_overrides'],
    convert: isdlc.fromRequirements,
  },
  'skills-manifest': {
    directories: [HOOKS, CONFIG],
    keys: ['ownership'],
    convert: isdlc.fromManifest,
  },
  monorepo: {
    directories: ['.isdlc'],
    keys: ['projects', 'default_project'],
    convert: isdlc.fromMonorepo,
  },
  providers: {
    directories: ['.isdlc'],
    ending: 'yaml',
    keys: ['providers', 'agent_overrides', 'phase_routing', 'active_mode', 'modes', 'defaults'],
    convert: isdlc.fromProviders,
  },
} satisfies Readonly<Record<string, IsdlcFile>>;

type IsdlcFileName = keyof typeof ISDLC_SOURCES;

const ALL = Object.entries(ISDLC_SOURCES) as readonly (readonly [IsdlcFileName, IsdlcFile])[];

const isdlcKeys = v.strictObject(
  Object.fromEntries(
    ALL.map(([name, { keys }]) => {
      const file = v.looseObject(v.entriesFromList(keys, v.optional(v.unknown())));
      return [name, v.optional(byName(file))];
    }),
  ),
);

/** Every path where a file of iSDLC may be. */
const ISDLC_FILES: readonly LegacyFile[] = ALL.flatMap(([name, { directories, ending = 'json' }]) =>
  directories.map((directory) => ({
    layer: 'project',
    base: 'project',
    path: `${directory}/${name}.${ending}`,
    yaml: '1.2',
    mount: (key: string) => [ISDLC_KEY, name, directory, key],
    whole: () => [ISDLC_KEY, name, directory],
  })),
);

/** The contents of the files, by name and directory. */
type IsdlcInput = v.InferOutput<typeof isdlcKeys>;

type IsdlcLayer = InputLayer & { readonly name: IsdlcFileName };

/** The layers of the files that exist and can be read. */
function isdlcLayers(given: IsdlcInput, context: CompileContext): readonly IsdlcLayer[] {
  return ALL.flatMap(([name, { directories, keys, convert }]) => {
    const byPlace = new Map(Object.entries(given[name] ?? {}));
    const directory = directories.find((place) => byPlace.has(place));
    if (directory === undefined) return [];
    const reportAt = reporterAt([ISDLC_KEY, name, directory], context);
    // A value may be read more than once, but is reported once.
    const reported = new Set<string>();
    const wrong = (path: readonly string[], expected: string): void => {
      if (!reported.has(pointerOf(path)))
        reportAt(path, `\`${path.at(-1)}\` must be ${expected}; it is left out`);
      reported.add(pointerOf(path));
    };
    const report: InputLayer['report'] = (path, message, hint) =>
      reportAt(keys.includes(path[0] ?? '') ? path : [], message, hint);
    const found = convert(new isdlc.IsdlcMapping(byPlace.get(directory) as JsonObject, wrong));
    // Through JSON, which drops undefined members.
    const input = JSON.parse(JSON.stringify(found)) as WorkflowInput;
    return [{ name, input, written: false, report }];
  });
}

/** Whether there is an agent manifest, but nothing in it could be read. */
function isManifestBroken(given: IsdlcInput, context: CompileContext): boolean {
  const name = 'skills-manifest';
  return ISDLC_SOURCES[name].directories.some((directory) => {
    const isThere = context.place(pointerOf([ISDLC_KEY, name, directory])) !== undefined;
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
  keys: { workflow: v.pipe(workflow, v.description(SENTENCE)), [ISDLC_KEY]: isdlcKeys },
  legacyOnly: [ISDLC_KEY],
  files: ISDLC_FILES,
  compile(valid, context): WorkflowModel {
    const files = valid[ISDLC_KEY] ?? {};
    // Only its existence is checked: its timestamps change with every state that is written into it.
    const inUse = existsSync(join(context.root, '.isdlc'));
    const isOfProject = context.layers.some((layer) => layer !== 'global');
    if (!inUse && !(isOfProject && valid.workflow !== undefined)) return { ...builtinModel(), byHand: true };
    const written = valid.workflow ?? {};
    const legacyFiles = isdlcLayers(files, context);
    const top = { input: written, written: true, report: reporterAt(['workflow'], context) };
    const extended = written.extends ?? (inUse || written.workflows === undefined ? 'preset:isdlc' : 'none');
    const layers = [...(extended === 'none' ? [] : [presetLayer(legacyFiles, top)]), ...legacyFiles, top];
    const hasManifest = legacyFiles.some(({ name }) => name === 'skills-manifest');
    const otherwise = isManifestBroken(files, context) ? 'unreadable' : 'builtin';
    const model = compileModel(layers, hasManifest ? 'file' : otherwise);
    return { ...model, problems: context.errors().map(diagnosticLine) };
  },
});

/**
 * The preset, without what the project's own files replace. Errors in it are caused by a layer above it, and
 * reported there.
 */
function presetLayer(legacyFiles: readonly IsdlcLayer[], top: InputLayer): InputLayer {
  const { requirements, overrides, workflows = {}, ...others } = ISDLC;
  const isdlcLayerOf = (name: IsdlcFileName): IsdlcLayer | undefined =>
    legacyFiles.find((one) => one.name === name);
  const named = isdlcLayerOf('workflows')?.input.workflows ?? workflows;
  const kept = Object.entries(workflows).filter(([name]) => Object.hasOwn(named, name));
  const asked = isdlcLayerOf('iteration-requirements') === undefined && { requirements, overrides };
  const culprit = top.input.agents === undefined ? (isdlcLayerOf('skills-manifest') ?? top) : top;
  return {
    input: { ...others, workflows: Object.fromEntries(kept), ...asked },
    written: false,
    report: (_, message, hint) => culprit.report([], message, hint),
  };
}
