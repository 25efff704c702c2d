import { stringify } from 'yaml';
import type { Json, JsonObject } from '../core/json';

/** A mapping as the lines of a YAML block. With 1.1 the words that such a reader takes for booleans are quoted. */
export function asBlock(value: JsonObject, yaml: '1.1' | '1.2'): string[] {
  return stringify(value, { version: yaml, lineWidth: 0 }).trimEnd().split('\n');
}

/** A value as YAML on one line. */
export function asInline(value: Json, yaml: '1.1' | '1.2'): string {
  const style = { collectionStyle: 'flow', flowCollectionPadding: false } as const;
  const text = stringify(value, { version: yaml, lineWidth: 0, ...style }).trimEnd();
  // Text of several lines and long lists are laid out in lines; JSON is YAML as well, and is not.
  return text.includes('\n') ? JSON.stringify(value) : text;
}
