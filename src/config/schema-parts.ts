import * as v from 'valibot';

/** The small schemas that every section is made of. Messages are read after the key's name. */
export const text = v.optional(v.string());
export const flag = v.optional(v.boolean());
export const words = v.optional(v.array(v.string()));
export const name = v.pipe(v.string(), v.nonEmpty('must not be empty'));
export const amount = v.pipe(v.number(), v.minValue(0, 'must not be negative'));
export const seconds = v.optional(amount);
