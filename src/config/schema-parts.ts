import * as v from 'valibot';

/** The small schemas that every section is made of. Messages are read after the key's name. */
export const text = v.optional(v.string());
export const flag = v.optional(v.boolean());
export const words = v.optional(v.array(v.string()));
export const name = v.pipe(v.string(), v.nonEmpty('must not be empty'));
export const amount = v.pipe(v.number(), v.minValue(0, 'must not be negative'));
export const seconds = v.optional(amount);

/** Entries of a mapping, each with a sentence for who writes the file in an editor. No key goes without. */
export function described<Entries extends v.ObjectEntries>(
  entries: Entries,
  sentences: { readonly [Key in keyof Entries]: string },
): Entries {
  const told = Object.entries(entries).map(([key, schema]) => {
    return [key, v.pipe(schema as v.GenericSchema, v.description(sentences[key] ?? ''))];
  });
  return Object.fromEntries(told) as Entries;
}
