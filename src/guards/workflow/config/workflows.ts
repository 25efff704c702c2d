import { errorFinding, nearest } from '../../../config/diagnostics';
import { pointerOf } from '../../../config/pointer';
import type { CompileContext } from '../../../config/section';
import { ownValue } from '../model';
import type { WorkflowEntry, WorkflowInput } from './schema';

/** One source of the section: the preset, a file of iSDLC, or the user's config. */
export interface InputLayer {
  readonly input: WorkflowInput;
  /** Whether it is the user's Holdpoint config: only there is an unknown name reported as a typo. */
  readonly written: boolean;
  /** Reports an error at a path below the section. */
  report(path: readonly string[], message: string, hint?: string): void;
}

/** Reports errors of a layer whose keys are mounted at a path of the config. */
export function reporterAt(mount: readonly string[], context: CompileContext): InputLayer['report'] {
  return (path, message, hint) => {
    const finding = errorFinding('config.invalid-value', message);
    context.report(pointerOf([...mount, ...path]), hint === undefined ? finding : { ...finding, hint });
  };
}

/** Reports an unknown name, and suggests the one that was probably meant. */
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

/** A workflow without its requirements, which are compiled later. */
export interface Draft {
  readonly name: string;
  readonly label: string;
  /** In the order of work, which is not that of their numbers. */
  readonly phases: readonly string[];
  /** `permissive`: a gate that lacks something warns instead of holding. */
  readonly gateMode: 'strict' | 'permissive';
  /** The name of its branch, with `{artifact}`; undefined if it needs none. */
  readonly branch: string | undefined;
  readonly artifactPrefix: string;
  /** Phases that are skipped if a flag such as `no-scan` is given at the start. */
  readonly skips: Readonly<Record<string, string>>;
  /** The workflow and those it extends, base first: the overrides of all of them apply. */
  readonly lineage: readonly string[];
  /** The layer that changed it last. */
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

/** A layer, the workflows of the layers below, and those of this one that are resolved so far. */
type Resolving = { readonly layer: InputLayer; readonly lower: Drafts; readonly done: Drafts };

/** Resolves a workflow of this layer or below; `chain` are the workflows that led here by `extends`. */
function resolve(name: string, chain: readonly string[], resolving: Resolving): Draft | undefined {
  const { layer, lower, done } = resolving;
  const entries = layer.input.workflows ?? {};
  const entry = done.has(name) ? undefined : ownValue(entries, name);
  if (entry === undefined) return done.get(name) ?? lower.get(name);
  const at = ['workflows', name, 'extends'];
  if (chain.includes(name)) {
    layer.report(at, `these workflows extend each other: ${chain.join(', ')}`);
    return undefined;
  }
  const { extends: other = name } = entry;
  const base = other === name ? lower.get(name) : resolve(other, [...chain, name], resolving);
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

type Place = {
  readonly phase: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
};

function placeTrouble({ phase, before, after }: Place): string | undefined {
  if (before !== undefined && after !== undefined)
    return `phase \`${phase}\` needs either \`before\` or \`after\`, not both`;
  const isBesideItself = before === phase || after === phase;
  return isBesideItself ? `phase \`${phase}\` cannot be moved relative to itself` : undefined;
}

/** The phases of a workflow. Edits that do not fit the phases of its base are reported and ignored. */
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
  ].filter(({ place, path }) => {
    const trouble = placeTrouble(place);
    if (trouble !== undefined) layer.report([...at, ...path], trouble);
    return trouble === undefined;
  });
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
