import * as v from 'valibot';

export type Keys<Entries extends v.ObjectEntries> = {
  readonly [Key in keyof Entries]: readonly [schema: Entries[Key], sentence: string];
};

/** A mapping of these keys, each with its schema and a sentence that editors show beside it. */
export function mapping<Entries extends v.ObjectEntries>(keys: Keys<Entries>) {
  const pairs = Object.entries<readonly [v.GenericSchema, string]>(keys);
  const entries = pairs.map(([key, [schema, text]]) => [key, v.pipe(schema, v.description(text))]);
  return v.strictObject(Object.fromEntries(entries) as Entries);
}
