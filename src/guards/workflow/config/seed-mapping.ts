import { isJsonObject, type Json, type JsonObject } from '../../../core/json';

/** Told of a value of the wrong kind, with its path in the file. */
export type Wrong = (path: readonly string[], expected: string) => void;

/**
 * A mapping in a file of the older program, read key by key. A value of the wrong kind is told and
 * counts as absent; keys that begin with `_` are remarks.
 */
export interface SeedMapping {
  names(): readonly string[];
  text(key: string): string | undefined;
  count(key: string, least?: number): number | undefined;
  flag(key: string): boolean | undefined;
  texts(key: string): string[] | undefined;
  mapping(key: string): SeedMapping | undefined;
  /** The mappings in a list. */
  mappings(key: string): readonly SeedMapping[];
}

export function seedMapping(value: JsonObject, path: readonly string[], wrong: Wrong): SeedMapping {
  const read = <T extends Json>(
    key: string,
    expected: string,
    fits: (found: Json) => found is T,
  ): T | undefined => {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    if (found === undefined || found === null) return undefined;
    if (fits(found)) return found;
    wrong([...path, key], expected);
    return undefined;
  };
  return {
    names: () => Object.keys(value).filter((key) => !key.startsWith('_')),
    text: (key) => read(key, 'text', isText),
    count: (key, least = 0) =>
      read(key, `a whole number, at least ${least}`, (found) => isCount(found, least)),
    flag: (key) => read(key, 'true or false', (found) => typeof found === 'boolean'),
    texts: (key) => read(key, 'a list of texts', isTexts)?.slice(),
    mapping(key) {
      const found = read(key, 'a mapping', isJsonObject);
      return found && seedMapping(found, [...path, key], wrong);
    },
    mappings(key) {
      const found = read(key, 'a list of mappings', isMappings) ?? [];
      return found.map((item, index) => seedMapping(item, [...path, key, String(index)], wrong));
    },
  };
}

function isText(found: Json): found is string {
  return typeof found === 'string' && found !== '';
}

function isCount(found: Json, least: number): found is number {
  return Number.isInteger(found) && Number(found) >= least;
}

function isTexts(found: Json): found is readonly string[] {
  return Array.isArray(found) && found.every((item) => isText(item));
}

function isMappings(found: Json): found is readonly JsonObject[] {
  return Array.isArray(found) && found.every((item) => isJsonObject(item));
}
