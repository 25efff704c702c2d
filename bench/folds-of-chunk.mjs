// From what events of the bench ran to what they have a use for: variables are not seen to be run, and a function that
// is handed on is wanted before it is called.
import { dirname } from 'node:path/posix';
import { chooseFolds } from './choose-folds.mjs';

/** The fold of each of a chunk's functions and variables, as the build has noted them, by its id. */
export function foldsOfChunk(notes, events) {
  const byShort = new Map(notes.map((note) => [note.short, note]));
  const others = (note, names) =>
    names.flatMap((name) => byShort.get(name) ?? []).filter((other) => other !== note);
  const wants = new Map(notes.map((note) => [note.id, wantedBy(note, others)]));
  const loading = events.filter(({ kept }) => notes.some(({ id }) => kept.has(id)));
  const used = loading.map(({ last }) => closed(last, wants));
  const ever = loading.map(({ kept }) => closed(kept, wants));
  const seen = loading.map((event, index) => {
    const kept = ever.filter((_, other) => sharesKeptCode(event, loading[other], notes[0].chunk));
    return { weight: event.weight, used: used[index], kept: new Set(kept.flatMap((ids) => [...ids])) };
  });
  if (seen.length === 0) return new Map();
  const units = unitsOf(notes, others);
  const folds = chooseFolds(
    units,
    seen.map((event) => inUnits(event, units)),
  );
  return new Map(
    units.flatMap(({ id, ids }) => (folds.has(id) ? ids.map((each) => [each, folds.get(id)]) : [])),
  );
}

/** Code is kept for each kind of event, that of the first chunk for all of them. */
function sharesKeptCode(one, other, chunk) {
  return one.home === other.home && (chunk.startsWith('run-') || one.kind === other.kind);
}

function wantedBy(note, others) {
  const variables = others(note, note.mentions).filter(({ isVariable }) => isVariable);
  return [...variables, ...others(note, note.handedOn)].map(({ id }) => id);
}

function closed(ids, wants) {
  const all = new Set(ids);
  for (const id of all) for (const wanted of wants.get(id) ?? []) all.add(wanted);
  return all;
}

/** What has to stand together: a variable with what is needed to make its value. What cannot be moved is left out. */
function unitsOf(notes, others) {
  const unitOf = new Map(notes.map((note) => [note, new Set([note])]));
  const stays = new Set(notes.filter(({ isMovable }) => !isMovable));
  for (const note of notes.filter(({ isVariable }) => isVariable)) {
    const needed = others(note, note.isMovable ? note.atOnce : note.mentions);
    for (const other of needed) {
      if (!note.isMovable) stays.add(other);
      else join(unitOf, note, other);
    }
  }
  const units = [...new Set(unitOf.values())].filter((unit) => ![...unit].some((note) => stays.has(note)));
  return units.map((unit) => {
    const [{ id, file }] = unit;
    const sizes = [...unit].map(({ size }) => Math.max(size, 0.5));
    return {
      ...{ id, directory: dirname(file), ids: [...unit].map((note) => note.id) },
      size: sizes.reduce((sum, size) => sum + size, 0),
    };
  });
}

function join(unitOf, one, other) {
  const both = new Set([...unitOf.get(one), ...unitOf.get(other)]);
  for (const note of both) unitOf.set(note, both);
}

function inUnits({ weight, used, kept }, units) {
  const among = (ids) =>
    new Set(units.filter((unit) => unit.ids.some((id) => ids.has(id))).map(({ id }) => id));
  return { weight, used: among(used), kept: among(kept) };
}
