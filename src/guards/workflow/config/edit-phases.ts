import type { PlaceInput, WorkflowEntry } from './schema';

export type PhaseEdits = Exclude<NonNullable<WorkflowEntry['phases']>, readonly string[]>;

/** Told what cannot be done, with its path below `phases`; the rest is done all the same. */
export interface EditTroubles {
  unknown(path: readonly string[], phase: string): void;
  repeated(path: readonly string[], phase: string): void;
}

/** A list of phases after phases were removed, added and moved, in this order. */
export function editPhases(
  base: readonly string[],
  { remove = [], add = [], move = [] }: PhaseEdits,
  troubles: EditTroubles,
): readonly string[] {
  for (const [index, phase] of remove.entries()) {
    if (!base.includes(phase)) troubles.unknown(['remove', String(index)], phase);
  }
  let phases: readonly string[] = base.filter((phase) => !remove.includes(phase));
  for (const [index, place] of add.entries()) {
    const path = ['add', String(index)];
    if (phases.includes(place.phase)) troubles.repeated([...path, 'phase'], place.phase);
    else phases = putAt(phases, place, path, troubles);
  }
  for (const [index, place] of move.entries()) {
    const path = ['move', String(index)];
    if (!phases.includes(place.phase)) troubles.unknown([...path, 'phase'], place.phase);
    else phases = putAt(phases, place, path, troubles);
  }
  return phases;
}

/** A list without what stands in it a second time. */
export function withoutRepeats(
  phases: readonly string[],
  repeated: (index: number, phase: string) => void,
): readonly string[] {
  return phases.filter((phase, index) => {
    const isFirst = phases.indexOf(phase) === index;
    if (!isFirst) repeated(index, phase);
    return isFirst;
  });
}

function putAt(
  phases: readonly string[],
  { phase, before, after }: PlaceInput,
  path: readonly string[],
  troubles: EditTroubles,
): readonly string[] {
  const others = phases.filter((one) => one !== phase);
  const neighbour = before ?? after;
  if (neighbour === undefined) return [...others, phase];
  const at = others.indexOf(neighbour);
  if (at < 0) {
    troubles.unknown([...path, before === undefined ? 'after' : 'before'], neighbour);
    return phases;
  }
  return others.toSpliced(before === undefined ? at + 1 : at, 0, phase);
}
