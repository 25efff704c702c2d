import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isNode, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { fail, type Result, succeed } from '../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { parseConfig } from './parse';
import { asBlock, asInline } from './write-yaml';

type Yaml = '1.1' | '1.2';
type Path = readonly string[];

export type EditTrouble =
  /** The text is no config that could be read. */
  | { readonly kind: 'broken'; readonly line: number; readonly why: string }
  /** Something other than a mapping stands where the value has to go in. */
  | { readonly kind: 'not-a-mapping'; readonly path: Path }
  /** Its form leaves no place for the value, as with a key that comes through an alias. */
  | { readonly kind: 'no-place'; readonly path: Path };

/** Sets one value in a config text as a cut into it: comments and every other byte stay as they are. */
export function setValue(text: string, path: Path, value: Json, yaml: Yaml): Result<string, EditTrouble> {
  const before = parseConfig(text, yaml);
  const [trouble] = before.findings;
  if (!before.ok) {
    return fail({ kind: 'broken', line: trouble?.span.line ?? 1, why: trouble?.finding.message ?? '' });
  }
  const wanted = withValue(before.value, path, value);
  if (!wanted.ok) return wanted;
  const after = cutIn(text, path, value, yaml);
  // A cut that went wrong shows when the result is read again, and then it is not made.
  const right = after !== undefined && isDeepStrictEqual(parseConfig(after, yaml).value, wanted.value);
  return right ? succeed(after) : fail({ kind: 'no-place', path });
}

function withValue(root: JsonObject, path: Path, value: Json, at = 0): Result<JsonObject, EditTrouble> {
  const key = path[at] ?? '';
  if (at === path.length - 1) return succeed({ ...root, [key]: value });
  const inner = root[key] ?? {};
  if (!isJsonObject(inner)) return fail({ kind: 'not-a-mapping', path: path.slice(0, at + 1) });
  const changed = withValue(inner, path, value, at + 1);
  return changed.ok ? succeed({ ...root, [key]: changed.value }) : changed;
}

function cutIn(text: string, path: Path, value: Json, yaml: Yaml): string | undefined {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const root = parseDocument(body, { uniqueKeys: false, merge: false }).contents;
  if (isNothing(root)) return mark + append(body, nested(path, value), yaml, 0);
  const after = isMap(root) ? cutInto(body, root, path, value, yaml) : undefined;
  return after === undefined ? undefined : mark + after;
}

function cutInto(text: string, map: YAMLMap, path: Path, value: Json, yaml: Yaml): string | undefined {
  const [key = '', ...rest] = path;
  const pair = map.items.findLast((item) => isScalar(item.key) && String(item.key.value) === key);
  if (pair === undefined) return insertKey(text, map, nested(path, value), yaml);
  if (rest.length === 0) return replaceValue(text, pair, value, yaml);
  if (isMap(pair.value)) return cutInto(text, pair.value, rest, value, yaml);
  const inner = nested(rest, value);
  const start = isNode(pair.key) ? pair.key.range?.[0] : undefined;
  if (map.flow || start === undefined || !isNothing(pair.value)) return replaceValue(text, pair, inner, yaml);
  const end = lineAfter(text, start);
  return append(text.slice(0, end), inner, yaml, columnOf(text, start) + 2) + text.slice(end);
}

function isNothing(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function replaceValue(text: string, { value: node }: Pair, value: Json, yaml: Yaml): string | undefined {
  if (!isScalar(node) && !isCollection(node)) return undefined;
  const [start, end] = node.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const gap = start === end && text[start - 1] === ':' ? ' ' : '';
  const lineEnd = text.slice(start, end).endsWith('\n') ? endOfLine(text) : '';
  return `${text.slice(0, start)}${gap}${asInline(value, yaml)}${lineEnd}${text.slice(end)}`;
}

function insertKey(text: string, map: YAMLMap, addition: JsonObject, yaml: Yaml): string | undefined {
  const [start, end] = map.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  if (map.flow) {
    const at = text[start + 1] === ' ' ? start + 2 : start + 1;
    const comma = map.items.length > 0 ? ', ' : '';
    return `${text.slice(0, at)}${asInline(addition, yaml).slice(1, -1)}${comma}${text.slice(at)}`;
  }
  const after = text[end - 1] === '\n' ? end : lineAfter(text, end);
  return append(text.slice(0, after), addition, yaml, columnOf(text, start)) + text.slice(after);
}

function append(text: string, addition: JsonObject, yaml: Yaml, column: number): string {
  const lineEnd = endOfLine(text);
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  const lines = asBlock(addition, yaml).map((line) => (line === '' ? '' : ' '.repeat(column) + line));
  return `${text}${gap}${lines.join(lineEnd)}${lineEnd}`;
}

function nested(path: Path, value: Json): JsonObject {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Where the line after this one starts. */
export function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
