import { isJsonObject, type Json, type JsonObject, objectIn, textIn, textsIn } from './json';

/** Fields that do not affect what a rule holds: its place in the config and its wording. */
const WORDING = ['place', 'description', 'message', 'label', 'isSilent'];
/** Values that tighten, whatever was there before. */
const STRICTEST: JsonObject = { enabled: true, reach: 'project', verify: true, agentMaySatisfy: false };
/** Lists that only tighten as they get longer. */
const GROWING = ['branches', 'effects', 'scopes', 'triggers'];
/** Lists whose entries hold independently, so that a new entry only adds. */
const LISTS = ['requirements', 'entryPoints', 'checks', 'reviews', 'rules', 'own', 'shared'];

function meaningOf(value: Json | undefined): string | undefined {
  return JSON.stringify(value, (key, one) => (WORDING.includes(key) ? undefined : one));
}

/** Whether two compiled configs hold the same, apart from wording. */
export function holdsTheSame(one: Json, other: Json): boolean {
  return meaningOf(one) === meaningOf(other);
}

/** A guard's new config without anything that loosens the old one: additions count, changes do not. */
export function stricterOf(old: Json, fresh: Json): Json {
  if (holdsTheSame(old, fresh)) return fresh;
  if (!isJsonObject(old) || !isJsonObject(fresh)) return old;
  const entries = Object.keys({ ...fresh, ...old }).flatMap((key): [string, Json][] => {
    const was = old[key];
    return was === undefined ? [] : [[key, memberOf(key, was, old, fresh)]];
  });
  return Object.fromEntries(entries);
}

function memberOf(key: string, was: Json, old: JsonObject, fresh: JsonObject): Json {
  const is = fresh[key];
  if (key === 'skills') return withNewSkills(old, fresh);
  // Rules find their code by its digest: keep the old and the new.
  if (key === 'sources') return { ...objectIn(fresh, key), ...objectIn(old, key) };
  if (key === 'rules' && isJsonObject(was) && isJsonObject(is)) return strictestModes(was, is);
  if (LISTS.includes(key) && Array.isArray(was) && Array.isArray(is)) return joined(was, is);
  if (is === undefined) return was;
  if (key === 'stop' || key === 'stopHook') return stricterOf(was, is);
  const isTighter = is === STRICTEST[key] || (GROWING.includes(key) && hasAll(is, was));
  return isTighter || WORDING.includes(key) || holdsTheSame(was, is) ? is : was;
}

function hasAll(list: Json, wanted: Json): boolean {
  if (!Array.isArray(list) || !Array.isArray(wanted)) return false;
  return wanted.every((one) => list.some((other) => holdsTheSame(one, other)));
}

/** In the order of the new list, followed by entries that only the old list has. */
function joined(old: readonly Json[], fresh: readonly Json[]): Json[] {
  const former = (one: Json): Json | undefined => old.find((other) => nameOf(other) === nameOf(one));
  const kept = fresh.map((one) => {
    const was = former(one);
    return was === undefined ? one : entryOf(was, one);
  });
  const names = fresh.map(nameOf);
  const isHolding = (one: Json): boolean => !isJsonObject(one) || strictnessOf(one) > 1;
  return [...kept, ...old.filter((one) => !names.includes(nameOf(one)) && isHolding(one))];
}

/** Modes from the mildest to the strictest, in the words of all disciplines. */
const STRICTNESS: Readonly<Record<string, number>> = {
  disabled: 0,
  shadow: 1,
  observe: 1,
  warn: 2,
  ask: 3,
  hold: 4,
  deny: 4,
};

/** A rule without a mode holds. */
function strictnessOf(rule: JsonObject): number {
  return STRICTNESS[textIn(rule, 'mode') ?? 'hold'] ?? STRICTNESS['hold'] ?? 0;
}

/** Each rule with the stricter of its two modes. */
function strictestModes(old: JsonObject, fresh: JsonObject): JsonObject {
  const rules = Object.keys({ ...fresh, ...old }).flatMap((name): [string, Json][] => {
    const [was, is] = [old[name], fresh[name]];
    const isStricter = isJsonObject(was) && isJsonObject(is) && strictnessOf(is) > strictnessOf(was);
    const counts = was === undefined || isStricter ? is : was;
    return counts === undefined ? [] : [[name, counts]];
  });
  return Object.fromEntries(rules);
}

/**
 * An entry point may gain checks. A rule may get a stricter mode, and one that holds nothing may change freely; any
 * other difference may loosen something.
 */
function entryOf(old: Json, fresh: Json): Json {
  if (!isJsonObject(old) || !isJsonObject(fresh)) return old;
  const [was, is] = [strictnessOf(old), strictnessOf(fresh)];
  // A broken or disabled rule cannot be loosened.
  const isIdle = old['state'] === 'broken' || old['state'] === 'off';
  if (isIdle || (was === is && was <= 1)) return fresh;
  if (is > was) {
    // A rule's code stays as it was accepted, whatever its mode.
    const isFree =
      old['source'] === undefined && (was <= 1 || holdsTheSame(withoutMode(old), withoutMode(fresh)));
    return isFree ? fresh : { ...old, mode: fresh['mode'] ?? 'hold' };
  }
  return stricterOf(old, fresh);
}

function withoutMode({ mode: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function nameOf(one: Json): Json | undefined {
  return isJsonObject(one) ? (one['name'] ?? one['path']) : one;
}

/** A skill satisfies what it did before, and rules that are new. */
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
