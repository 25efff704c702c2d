import { isDeepStrictEqual } from 'node:util';
import {
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';
import { fail, type Result, succeed } from '../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { parseConfig } from './parse';
import { childOf, nested } from './pointer';

type Yaml = '1.1' | '1.2';
type Path = readonly string[];

export type EditTrouble =
  /** The text is not a readable config. */
  | { readonly kind: 'broken'; readonly line: number; readonly why: string }
  /** A parent of the value is not a mapping. */
  | { readonly kind: 'not-a-mapping'; readonly path: Path }
  /** The value cannot be inserted, for example because its key comes from an alias. */
  | { readonly kind: 'no-place'; readonly path: Path };

/** A mapping as lines of block YAML. For 1.1, words that such a parser reads as booleans are quoted. */
export function asBlock(value: JsonObject, yaml: Yaml): string[] {
  return stringify(value, { version: yaml, lineWidth: 0 }).trimEnd().split('\n');
}

/** A value as YAML on one line. */
export function asInline(value: Json, yaml: Yaml): string {
  const style = { collectionStyle: 'flow', flowCollectionPadding: false } as const;
  const text = stringify(value, { version: yaml, lineWidth: 0, ...style }).trimEnd();
  // YAML spreads multi-line text and long lists over lines; JSON is valid YAML too, and stays on one line.
  return text.includes('\n') ? JSON.stringify(value) : text;
}

/** Sets one value in a config text; comments and every other byte stay as they are. */
export function setValue(text: string, path: Path, value: Json, yaml: Yaml): Result<string, EditTrouble> {
  const before = parseConfig(text, yaml);
  const [trouble] = before.findings;
  if (!before.ok) {
    return fail({ kind: 'broken', line: trouble?.span.line ?? 1, why: trouble?.message ?? '' });
  }
  const wanted = withValue(before.value, path, value);
  if (!wanted.ok) return wanted;
  const after = edited(text, (body, root) => {
    if (isNothing(root)) return append(body, nested(path, value), yaml, 0);
    return isMap(root) ? setIn(body, root, path, value, yaml) : undefined;
  });
  return holds(after, wanted.value, yaml) ? succeed(after) : fail({ kind: 'no-place', path });
}

/** Replaces everything below a top-level key, as a block; every byte outside of it stays as it is. */
export function setSection(
  text: string,
  key: string,
  value: JsonObject,
  yaml: Yaml,
): Result<string, EditTrouble> {
  const before = parseConfig(text, yaml);
  const after = edited(text, (body, root) => replaceBlock(body, root, key, value, yaml));
  const isDone = before.ok && holds(after, { ...before.value, [key]: value }, yaml);
  // If the file is not in block style, replace only the value.
  return isDone ? succeed(after) : setValue(text, [key], value, yaml);
}

/** Makes a mapping of the list below a top-level key, with that list below `name`; its lines stay as they are written. */
export function wrapList(text: string, key: string, name: string): string | undefined {
  return edited(text, (body, root) => {
    const pair = isMap(root) ? pairOf(root, key) : undefined;
    const at = pair && startOf(pair);
    if (at === undefined || !isSeq(pair?.value)) return undefined;
    const [start = 0, end = 0] = pair.value.range ?? [];
    if (pair.value.flow)
      return `${body.slice(0, start)}{${name}: ${body.slice(start, end)}}${body.slice(end)}`;
    const from = lineAfter(body, at);
    const head = `${' '.repeat(columnOf(body, at) + 2)}${name}:${lineEndOf(body)}`;
    const list = body.slice(from, end).replace(/^(?=[^\r\n])/gm, '  ');
    return body.slice(0, from) + head + list + body.slice(end);
  });
}

/** Parses the edited text again: a wrong edit shows as a different value. */
function holds(text: string | undefined, wanted: JsonObject, yaml: Yaml): text is string {
  return text !== undefined && isDeepStrictEqual(parseConfig(text, yaml).value, wanted);
}

/** Edits the text without its byte order mark, which would shift all offsets, and puts the mark back. */
function edited(text: string, edit: (body: string, root: unknown) => string | undefined): string | undefined {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const after = edit(body, parseDocument(body, { uniqueKeys: false, merge: false }).contents);
  return after === undefined ? undefined : mark + after;
}

function withValue(root: JsonObject, path: Path, value: Json, at = 0): Result<JsonObject, EditTrouble> {
  const key = path[at] ?? '';
  if (at === path.length - 1) return succeed({ ...root, [key]: value });
  const inner = childOf(root, key) ?? {};
  if (!isJsonObject(inner)) return fail({ kind: 'not-a-mapping', path: path.slice(0, at + 1) });
  const changed = withValue(inner, path, value, at + 1);
  return changed.ok ? succeed({ ...root, [key]: changed.value }) : changed;
}

function setIn(text: string, map: YAMLMap, path: Path, value: Json, yaml: Yaml): string | undefined {
  const [key = '', ...rest] = path;
  const pair = pairOf(map, key);
  if (pair === undefined) return insertKey(text, map, nested(path, value), yaml);
  if (rest.length === 0) return replaceValue(text, pair, value, yaml);
  if (isMap(pair.value)) return setIn(text, pair.value, rest, value, yaml);
  const inner = nested(rest, value);
  const start = startOf(pair);
  if (map.flow || start === undefined || !isNothing(pair.value)) return replaceValue(text, pair, inner, yaml);
  const end = lineAfter(text, start);
  return append(text.slice(0, end), inner, yaml, columnOf(text, start) + 2) + text.slice(end);
}

function isNothing(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

/** The last pair with this key: of duplicates, the last one counts. */
function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.findLast((item) => isScalar(item.key) && String(item.key.value) === key);
}

function startOf({ key }: Pair): number | undefined {
  return isNode(key) ? key.range?.[0] : undefined;
}

function replaceValue(text: string, { value: node }: Pair, value: Json, yaml: Yaml): string | undefined {
  if (!isScalar(node) && !isCollection(node)) return undefined;
  const [start, end] = node.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const gap = start === end && text[start - 1] === ':' ? ' ' : '';
  const lineEnd = text.slice(start, end).endsWith('\n') ? lineEndOf(text) : '';
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
  const lineEnd = lineEndOf(text);
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  const lines = asBlock(addition, yaml).map((line) => (line === '' ? '' : ' '.repeat(column) + line));
  return `${text}${gap}${lines.join(lineEnd)}${lineEnd}`;
}

function replaceBlock(
  text: string,
  root: unknown,
  key: string,
  value: JsonObject,
  yaml: Yaml,
): string | undefined {
  if (!isMap(root) || root.flow === true) return undefined;
  const pair = pairOf(root, key);
  const at = pair && startOf(pair);
  if (at === undefined) return undefined;
  const column = columnOf(text, at);
  const indent = text.slice(at - column, at);
  if (indent.trim() !== '') return undefined;
  const lines = asBlock({ [key]: value }, yaml).map((line) => `${indent}${line}${lineEndOf(text)}`);
  return `${text.slice(0, at - column)}${lines.join('')}${text.slice(endOfBlock(text, at, column))}`;
}

/** After the last line indented deeper than the key; the block does not include blank lines that follow. */
function endOfBlock(text: string, at: number, column: number): number {
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

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Offset of the start of the next line. */
function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
