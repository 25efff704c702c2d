import { isJsonObject, type Json, type JsonObject, objectIn, textsIn } from './json';

/** Where a rule stands, and how it is told: it holds the same whatever these say. */
const WORDING = ['place', 'description', 'message', 'label'];
/** Lists of which each entry holds by itself, so that a new one only adds. */
const LISTS = ['requirements', 'entryPoints', 'checks', 'reviews', 'rules', 'own', 'shared'];

function meaningOf(value: Json | undefined): string | undefined {
  return JSON.stringify(value, (key, one) => (WORDING.includes(key) ? undefined : one));
}

/** Whether two compiled configs hold the same, however they are worded. */
export function holdsTheSame(one: Json, other: Json): boolean {
  return meaningOf(one) === meaningOf(other);
}

/** A guard's new config as far as it takes nothing from the old one: what it adds counts, what it changes does not. */
export function stricterOf(old: Json, fresh: Json): Json {
  if (holdsTheSame(old, fresh)) return fresh;
  if (!isJsonObject(old) || !isJsonObject(fresh)) return old;
  const entries = Object.keys({ ...fresh, ...old }).flatMap((key): [string, Json][] => {
    const [was, is] = [old[key], fresh[key]];
    if (was === undefined) return [];
    if (key === 'skills') return [[key, withNewSkills(old, fresh)]];
    // The code of rules is found by its digest: that of the old ones and of the new.
    if (key === 'sources') return [[key, { ...objectIn(fresh, key), ...objectIn(old, key) }]];
    const isList = LISTS.includes(key) && Array.isArray(was) && Array.isArray(is);
    if (isList) return [[key, joined(was, is)]];
    const isFree = is !== undefined && (WORDING.includes(key) || holdsTheSame(was, is));
    return [[key, isFree ? is : was]];
  });
  return Object.fromEntries(entries);
}

/** In the order of the new list, with what only the old one has at the end. */
function joined(old: readonly Json[], fresh: readonly Json[]): Json[] {
  const former = (one: Json): Json | undefined => old.find((other) => nameOf(other) === nameOf(one));
  const kept = fresh.map((one) => {
    const was = former(one);
    return was === undefined ? one : entryOf(was, one);
  });
  const names = fresh.map(nameOf);
  return [...kept, ...old.filter((one) => !names.includes(nameOf(one)))];
}

/** An entry point may ask for more checks; any other difference may loosen something. */
function entryOf(old: Json, fresh: Json): Json {
  if (!isJsonObject(old) || !isJsonObject(fresh)) return old;
  return Array.isArray(old['checks']) || holdsTheSame(old, fresh) ? stricterOf(old, fresh) : old;
}

function nameOf(one: Json): Json | undefined {
  return isJsonObject(one) ? (one['name'] ?? one['path']) : one;
}

/** A skill satisfies what it did, and rules that are new. */
function withNewSkills(old: JsonObject, fresh: JsonObject): JsonObject {
  const rules = Array.isArray(old['requirements']) ? old['requirements'].map(nameOf) : [];
  const [was, is] = [objectIn(old, 'skills'), objectIn(fresh, 'skills')];
  return Object.fromEntries(
    Object.keys({ ...is, ...was }).map((skill) => {
      const [before, now] = [textsIn(was, skill), textsIn(is, skill)];
      const counts = (name: string): boolean => before.includes(name) || !rules.includes(name);
      return [skill, [...now.filter(counts), ...before.filter((name) => !now.includes(name))]];
    }),
  );
}
