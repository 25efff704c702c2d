import type { Possible } from '../core/command-effects';

/** The values something may have; `undefined` stands for one that cannot be told. */
export type Options = readonly (string | undefined)[];

const MOST_OPTIONS = 8;

function known<T>(value: T): Possible<T> {
  return { kind: 'known', value };
}

export const UNKNOWN: { readonly kind: 'unknown' } = { kind: 'unknown' };

export function possibleOf(options: Options): Possible<string> {
  const values: string[] = [];
  for (const option of options) {
    if (option === undefined) return UNKNOWN;
    if (!values.includes(option)) values.push(option);
  }
  const [first] = values;
  if (first === undefined || values.length > MOST_OPTIONS) return UNKNOWN;
  return values.length === 1 ? known(first) : { kind: 'oneOf', values };
}
