import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, parseDocument } from 'yaml';
import { type Result, succeed } from '../core/failure';
import type { JsonObject } from '../core/json';
import { parseConfig } from './parse';
import { type EditTrouble, lineAfter, setValue } from './set-value';
import { asBlock } from './write-yaml';

type Yaml = '1.1' | '1.2';

/** Sets all that stands below a top-level key, in lines of its own; every byte outside of them stays as it is. */
export function setSection(
  text: string,
  key: string,
  value: JsonObject,
  yaml: Yaml,
): Result<string, EditTrouble> {
  const before = parseConfig(text, yaml);
  const after = before.ok ? blockInstead(text, key, value, yaml) : undefined;
  const wanted = { ...before.value, [key]: value };
  // A file in another form shows when the result is read again; then the value alone is exchanged.
  const right = after !== undefined && isDeepStrictEqual(parseConfig(after, yaml).value, wanted);
  return right ? succeed(after) : setValue(text, [key], value, yaml);
}

function blockInstead(text: string, key: string, value: JsonObject, yaml: Yaml): string | undefined {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const root = parseDocument(body, { uniqueKeys: false, merge: false }).contents;
  if (!isMap(root) || root.flow === true) return undefined;
  const pair = root.items.findLast((item) => isScalar(item.key) && String(item.key.value) === key);
  const at = isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  if (at === undefined) return undefined;
  const start = body.lastIndexOf('\n', at - 1) + 1;
  const indent = body.slice(start, at);
  const lineEnd = body.includes('\r\n') ? '\r\n' : '\n';
  const lines = asBlock({ [key]: value }, yaml).map((line) => `${indent}${line}${lineEnd}`);
  return indent.trim() === ''
    ? `${mark}${body.slice(0, start)}${lines.join('')}${body.slice(endOfSection(body, at, indent.length))}`
    : undefined;
}

/** Behind the last line that is indented more than its key; blank lines and comments in between belong to what follows. */
function endOfSection(text: string, at: number, column: number): number {
  let end = lineAfter(text, at);
  for (let from = end; from < text.length; ) {
    const next = lineAfter(text, from);
    const line = text.slice(from, next);
    const isBlank = line.trim() === '';
    if (!isBlank && line.search(/\S/) <= column) break;
    if (!isBlank) end = next;
    from = next;
  }
  return end;
}
