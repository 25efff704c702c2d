import { nearest } from '../../../config/nearest';
import { pointerOf } from '../../../config/pointer';
import type { CompileContext } from '../../../config/section';
import { own } from '../model';
import type { WorkflowEntry, WorkflowInput } from './schema';

/** One source of the section: the preset, a file of the older program, or what the user has written. */
export interface InputLayer {
  readonly input: WorkflowInput;
  /** Whether people wrote it for us: only there is an unknown name taken for a typo. */
  readonly written: boolean;
  /** Reports what is wrong at a path below the section. */
  report(path: readonly string[], message: string, hint?: string): void;
}

/** Reports what is wrong in a layer whose keys are mounted at a path of the config. */
export function reporterAt(mount: readonly string[], context: CompileContext): InputLayer['report'] {
  return (path, message, hint) => {
    const finding = { code: 'config.invalid-value', severity: 'error', message } as const;
    context.report(pointerOf([...mount, ...path]), hint === undefined ? finding : { ...finding, hint });
  };
}

/** Reports a name that means nothing, and which one was probably meant. */
export function reportUnknown(
  layer: InputLayer,
  path: readonly string[],
  name: string,
  message: string,
  known: Iterable<string>,
): void {
  const meant = nearest(name, known);
  layer.report(path, message, meant === undefined ? undefined : `did you mean \`${meant}\`?`);
}

/** A workflow before its requirements are known. */
export interface Draft {
  readonly name: string;
  readonly label: string;
  /** In the order of work, which is not that of the numbers. */
  readonly phases: readonly string[];
  /** `permissive`: a gate that lacks something warns instead of denying. */
  readonly gateMode: 'strict' | 'permissive';
  /** The name of its branch, with `{artifact}`; absent where it needs none. */
  readonly branch: string | undefined;
  readonly artifactPrefix: string;
  /** Phases that are left out when a flag such as `no-scan` is given at the start. */
  readonly skips: Readonly<Record<string, string>>;
  /** Itself and what it extends, the base first: the overrides of all of them apply. */
  readonly lineage: readonly string[];
  /** The layer that has changed it last. */
  readonly layer: InputLayer;
}

type Drafts = Map<string, Draft>;

export function compileWorkflows(layers: readonly InputLayer[]): readonly Draft[] {
  const drafts: Drafts = new Map();
  for (const layer of layers) {
    const resolving = { layer, lower: drafts, done: new Map() };
    for (const name of Object.keys(layer.input.workflows ?? {})) resolve(name, [], resolving);
    for (const [name, draft] of resolving.done) drafts.set(name, draft);
  }
  return [...drafts.values()];
}

/** A layer, what the layers below have, and what this one has, as far as it is worked out. */
type Resolving = { readonly layer: InputLayer; readonly lower: Drafts; readonly done: Drafts };

/** A workflow of a layer or below it; `passed` are those that led here by extending each other. */
function resolve(name: string, passed: readonly string[], resolving: Resolving): Draft | undefined {
  const { layer, lower, done } = resolving;
  const entries = layer.input.workflows ?? {};
  const entry = done.has(name) ? undefined : own(entries, name);
  if (entry === undefined) return done.get(name) ?? lower.get(name);
  const at = ['workflows', name, 'extends'];
  if (passed.includes(name)) {
    layer.report(at, `these workflows extend each other: ${passed.join(', ')}`);
    return undefined;
  }
  const { extends: other = name } = entry;
  const base = other === name ? lower.get(name) : resolve(other, [...passed, name], resolving);
  const isLost = other !== name && base === undefined;
  const known = [...lower.keys(), ...Object.keys(entries)];
  if (isLost && !known.includes(other))
    reportUnknown(layer, at, other, `unknown workflow \`${other}\``, known);
  const draft = isLost ? undefined : draftOf(name, entry, base, layer);
  if (draft !== undefined) done.set(name, draft);
  return draft ?? lower.get(name);
}

function draftOf(name: string, entry: WorkflowEntry, base: Draft | undefined, layer: InputLayer) {
  const phases = phasesOf(name, entry, base, layer);
  if (phases.length === 0) {
    layer.report(['workflows', name], `workflow \`${name}\` has no phases`);
    return undefined;
  }
  for (const phase of Object.keys(entry.skip ?? {}).filter((skipped) => !phases.includes(skipped))) {
    reportUnknown(layer, ['workflows', name, 'skip', phase], phase, notInWorkflow(name, phase), phases);
  }
  const skips = Object.entries({ ...base?.skips, ...entry.skip });
  return {
    name,
    label: entry.label ?? base?.label ?? name,
    phases,
    gateMode: entry.gate_mode ?? base?.gateMode ?? 'strict',
    branch: entry.branch === false ? undefined : (entry.branch ?? base?.branch),
    artifactPrefix: entry.artifact_prefix ?? base?.artifactPrefix ?? 'REQ',
    skips: Object.fromEntries(skips.filter(([phase]) => phases.includes(phase))),
    lineage: [...(base?.lineage ?? []).filter((ancestor) => ancestor !== name), name],
    layer,
  };
}

export function notInWorkflow(workflow: string, phase: string): string {
  return `workflow \`${workflow}\` has no phase \`${phase}\``;
}

/** The phases of a workflow. What cannot be done with those of its base is reported and left out. */
function phasesOf(name: string, entry: WorkflowEntry, base: Draft | undefined, layer: InputLayer) {
  const { phases: written } = entry;
  const at = ['workflows', name, 'phases'];
  const unknown = (path: string[], phase: string): void =>
    layer.report([...at, ...path], notInWorkflow(name, phase));
  const repeated = (path: string[], phase: string): void =>
    layer.report([...at, ...path], `workflow \`${name}\` has phase \`${phase}\` twice`);
  if (written === undefined) return base?.phases ?? [];
  if (Array.isArray(written)) {
    for (const [index, phase] of written.entries())
      if (written.indexOf(phase) !== index) repeated([String(index)], phase);
    return [...new Set(written)];
  }
  if (base === undefined) {
    layer.report(at, `workflow \`${name}\` changes phases, but extends no workflow`);
    return [];
  }
  const { remove = [], add = [], move = [] } = written;
  for (const [index, phase] of remove.entries())
    if (!base.phases.includes(phase)) unknown(['remove', String(index)], phase);
  const edits = [
    ...add.map((place, index) => ({ place, path: ['add', String(index)], isNew: true })),
    ...move.map((place, index) => ({ place, path: ['move', String(index)], isNew: false })),
  ];
  const kept = base.phases.filter((phase) => !remove.includes(phase));
  return edits.reduce((phases, { place: { phase, before, after }, path, isNew }) => {
    if (phases.includes(phase) === isNew) {
      (isNew ? repeated : unknown)([...path, 'phase'], phase);
      return phases;
    }
    const others = phases.filter((one) => one !== phase);
    const neighbour = before ?? after;
    if (neighbour === undefined) return [...others, phase];
    const found = others.indexOf(neighbour);
    if (found >= 0) return others.toSpliced(before === undefined ? found + 1 : found, 0, phase);
    unknown([...path, before === undefined ? 'after' : 'before'], neighbour);
    return phases;
  }, kept);
}
