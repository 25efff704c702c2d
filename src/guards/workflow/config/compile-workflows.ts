import type { Workflow } from '../model';
import { editPhases, withoutRepeats } from './edit-phases';
import { type InputLayer, reportUnknown } from './input-layer';
import * as say from './messages';
import type { WorkflowEntry } from './schema';

/** A workflow before its requirements are known. */
export interface Draft extends Pick<Workflow, 'name' | 'label' | 'phases' | 'gateMode' | 'artifactPrefix'> {
  readonly branch: string | undefined;
  readonly skips: Readonly<Record<string, string>>;
  /** Itself and what it extends, the furthest first: whose overrides it has. */
  readonly lineage: readonly string[];
  /** Who said last what it is. */
  readonly layer: InputLayer;
}

type Drafts = Map<string, Draft>;

/** All workflows with what they extend worked in. */
export function compileWorkflows(layers: readonly InputLayer[]): readonly Draft[] {
  const drafts: Drafts = new Map();
  for (const layer of layers) {
    const lower: Drafts = new Map(drafts);
    const names = Object.keys(layer.input.workflows ?? {});
    const done: Drafts = new Map();
    for (const name of names) resolve(name, { layer, lower, done, passed: [] });
    for (const [name, draft] of done) drafts.set(name, draft);
  }
  return [...drafts.values()];
}

interface Resolving {
  readonly layer: InputLayer;
  readonly lower: ReadonlyMap<string, Draft>;
  readonly done: Drafts;
  readonly passed: readonly string[];
}

function resolve(name: string, resolving: Resolving): Draft | undefined {
  const { layer, lower, done, passed } = resolving;
  const entries = layer.input.workflows ?? {};
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  const ready = done.get(name);
  if (ready !== undefined || entry === undefined) return ready ?? lower.get(name);
  if (passed.includes(name)) {
    layer.report(['workflows', name, 'extends'], say.workflowCircle(passed));
    return undefined;
  }
  const base = baseOf(name, entry, { ...resolving, passed: [...passed, name] });
  if (base === 'unknown') return lower.get(name);
  const draft = draftOf(name, entry, base, layer);
  if (draft !== undefined) done.set(name, draft);
  return draft ?? lower.get(name);
}

/** What an entry builds on: what it extends, else what is already called so. */
function baseOf(name: string, entry: WorkflowEntry, resolving: Resolving): Draft | undefined | 'unknown' {
  const { layer, lower, passed } = resolving;
  const { extends: other = name } = entry;
  if (other === name) return lower.get(name);
  const base = resolve(other, resolving);
  if (base !== undefined) return base;
  const known = [...lower.keys(), ...Object.keys(layer.input.workflows ?? {})];
  if (!known.includes(other) && !passed.includes(other)) {
    const trouble = { name: other, message: say.noSuchWorkflow(other) };
    reportUnknown(layer, ['workflows', name, 'extends'], trouble, known);
  }
  return 'unknown';
}

function draftOf(
  name: string,
  entry: WorkflowEntry,
  base: Draft | undefined,
  layer: InputLayer,
): Draft | undefined {
  const phases = phasesOf(name, entry, base, layer);
  if (phases.length === 0) {
    layer.report(['workflows', name], say.noPhases(name));
    return undefined;
  }
  const skips = { ...base?.skips, ...entry.skip };
  for (const phase of Object.keys(entry.skip ?? {}).filter((skipped) => !phases.includes(skipped))) {
    const trouble = { name: phase, message: say.notInWorkflow(name, phase) };
    reportUnknown(layer, ['workflows', name, 'skip', phase], trouble, phases);
  }
  return {
    name,
    label: entry.label ?? base?.label ?? name,
    phases,
    gateMode: entry.gate_mode ?? base?.gateMode ?? 'strict',
    branch: entry.branch === false ? undefined : (entry.branch ?? base?.branch),
    artifactPrefix: entry.artifact_prefix ?? base?.artifactPrefix ?? 'REQ',
    skips: Object.fromEntries(Object.entries(skips).filter(([phase]) => phases.includes(phase))),
    lineage: [...(base?.lineage ?? []).filter((ancestor) => ancestor !== name), name],
    layer,
  };
}

function phasesOf(
  name: string,
  { phases }: WorkflowEntry,
  base: Draft | undefined,
  layer: InputLayer,
): readonly string[] {
  const at = ['workflows', name, 'phases'];
  if (phases === undefined) return base?.phases ?? [];
  if (Array.isArray(phases)) {
    return withoutRepeats(phases, (index, phase) => {
      layer.report([...at, String(index)], say.twice(name, phase));
    });
  }
  if (base === undefined) {
    layer.report(at, say.nothingToEdit(name));
    return [];
  }
  return editPhases(base.phases, phases, {
    unknown: (path, phase) => layer.report([...at, ...path], say.notInWorkflow(name, phase)),
    repeated: (path, phase) => layer.report([...at, ...path], say.twice(name, phase)),
  });
}
