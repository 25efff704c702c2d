import { isJsonObject, type JsonObject } from '../core/json';

export type Test = (value: unknown) => boolean;
/** What each field may hold; `false` where the event does not honour it. */
export type Fields = Readonly<Record<string, Test | false>>;

export const text: Test = (value) => typeof value === 'string';
export const oneOf = (words: readonly unknown[]): Test => words.includes.bind(words);

/** Whether a member of the answer is an object with that field and no unknown or wrong one. */
export function isMade(value: unknown, required: string, fields: Fields): boolean {
  return isJsonObject(value) && required in value && !wrongField(value, fields);
}

/** The first field that has no place there or a wrong value, as a sentence. */
export function wrongField(found: JsonObject, fields: Fields): string | undefined {
  for (const key of Object.keys(found)) {
    const test = Object.hasOwn(fields, key) && fields[key];
    if (test ? !test(found[key]) : true) return `${key} has no place here or a wrong value`;
  }
  return undefined;
}
