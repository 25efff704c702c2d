import { type Alias, isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { isJsonObject, type Json } from '../core/json';
import { type DiagnosticCode, errorFinding, FILE_START, type Span } from './diagnostics';
import type { LocatedFinding, Position, SpanBetween } from './parse';
import { pointerOf } from './pointer';

/** How much text may be read again through aliases: a bomb needs a billion, a person a few hundred. */
const MAX_ALIASED = 10_000;
/** Aliases nest deeper than the text does. */
const MAX_DEPTH = 100;
/** Assigning these would reach into the prototype, and the schema library skips them without a word. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const YES = /^(?:yes|Yes|YES|on|On|ON)$/;
const NO = /^(?:no|No|NO|off|Off|OFF)$/;

type Path = readonly string[];

/** Turns a syntax tree into JSON and notes the place of each key and value. */
export class YamlWalk {
  readonly positions = new Map<string, Position>();
  readonly findings: LocatedFinding[] = [];
  /** Set where the tree as a whole cannot be read. */
  refused = false;
  readonly #spanBetween: SpanBetween;
  readonly #yaml: '1.1' | '1.2';
  readonly #anchors = new Map<string, unknown>();
  /** The anchored nodes that are being read through an alias. */
  readonly #open = new Set<unknown>();
  #aliased = 0;
  #merging = 0;

  constructor(spanBetween: SpanBetween, yaml: '1.1' | '1.2') {
    this.#spanBetween = spanBetween;
    this.#yaml = yaml;
  }

  read(root: unknown): Json {
    return this.#node(root, []);
  }

  #node(node: unknown, path: Path, key?: Span): Json {
    if (this.refused) return null;
    if (this.#open.size > 0 && ++this.#aliased > MAX_ALIASED) {
      return this.#refuse(node, 'aliases repeat too much text');
    }
    if (path.length > MAX_DEPTH) return this.#refuse(node, 'nested too deeply');
    if (isAlias(node)) return this.#alias(node, path, key);
    if (this.#open.size === 0) this.#remember(node);
    const value = this.#content(node, path);
    this.#locate(node, path, value === null, key);
    return value;
  }

  #locate(node: unknown, path: Path, empty: boolean, key?: Span): void {
    const pointer = pointerOf(path);
    if (this.#merging > 0 && this.positions.has(pointer)) return;
    const span = this.#span(node) ?? key ?? FILE_START;
    this.positions.set(pointer, { ...(key && { key }), value: empty ? (key ?? span) : span, empty });
  }

  #content(node: unknown, path: Path): Json {
    if (isMap(node)) return Object.fromEntries(this.#mapping(node, path));
    if (isSeq(node)) return node.items.map((item, at) => this.#node(item, [...path, String(at)]));
    return isScalar(node) ? this.#scalar(node) : null;
  }

  #mapping(map: YAMLMap, path: Path): Map<string, Json> {
    const own = new Map<string, Json>();
    const merged: [string, Json][] = [];
    const lines = new Map<string, number>();
    for (const pair of map.items) {
      const span = this.#span(pair.key) ?? this.#span(map) ?? FILE_START;
      if (isMergeKey(pair.key)) {
        merged.push(...this.#merged(pair.value, path, span));
        continue;
      }
      const key = isScalar(pair.key) ? String(pair.key.value ?? '') : '';
      if (!this.#checkKey(key, span, lines.get(key))) continue;
      lines.set(key, span.line);
      own.set(key, this.#node(pair.value, [...path, key], span));
    }
    for (const [key, value] of merged) if (!own.has(key)) own.set(key, value);
    return own;
  }

  /** Reports a key that is not as it should be; false where it cannot be used at all. */
  #checkKey(key: string, span: Span, firstLine: number | undefined): boolean {
    const forbidden = FORBIDDEN_KEYS.has(key);
    if (forbidden) this.#report(span, 'config.invalid-value', `\`${key}\` cannot be used as a key`);
    if (firstLine !== undefined) {
      const message = `\`${key}\` is given twice in this mapping, first on line ${firstLine}; only this one counts`;
      this.#report(span, 'config.duplicate-key', message);
    }
    return !forbidden;
  }

  /** The mappings behind a `<<`. Its own keys win over them, the first of a list over the next. */
  #merged(value: unknown, path: Path, key: Span): [string, Json][] {
    this.#merging += 1;
    const nodes = isSeq(value) ? value.items : [value];
    const mappings = nodes.map((node) => this.#node(node, path, key));
    this.#merging -= 1;
    if (!mappings.every(isJsonObject)) {
      this.#report(key, 'config.wrong-type', '`<<` takes a mapping or a list of mappings');
    }
    return mappings.filter(isJsonObject).flatMap((one) => Object.entries(one) as [string, Json][]);
  }

  #alias(alias: Alias, path: Path, key?: Span): Json {
    const target = this.#anchors.get(alias.source);
    const shown = `\`*${alias.source}\``;
    if (target === undefined) return this.#refuse(alias, `${shown} names no anchor that stands before it`);
    if (this.#open.has(target)) return this.#refuse(alias, `${shown} stands inside what it names`);
    this.#open.add(target);
    const value = this.#node(target, path, key);
    this.#open.delete(target);
    return value;
  }

  #scalar(scalar: Scalar): Json {
    const { value } = scalar;
    if (typeof value === 'string') return this.#word(value, scalar);
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    const message = `${String(value)} is not a value that a config can hold`;
    this.#report(this.#span(scalar) ?? FILE_START, 'config.invalid-value', message);
    return null;
  }

  #word(value: string, scalar: Scalar): Json {
    if (this.#yaml === '1.2' || scalar.type !== 'PLAIN') return value;
    if (YES.test(value)) return true;
    return NO.test(value) ? false : value;
  }

  #remember(node: unknown): void {
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor) this.#anchors.set(node.anchor, node);
  }

  #span(node: unknown): Span | undefined {
    const known = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node);
    return known && node.range ? this.#spanBetween(node.range[0], node.range[1]) : undefined;
  }

  #refuse(node: unknown, message: string): Json {
    this.refused = true;
    this.#report(this.#span(node) ?? FILE_START, 'config.syntax', message);
    return null;
  }

  #report(span: Span, code: DiagnosticCode, message: string): void {
    this.findings.push({ ...errorFinding(code, message), span });
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}
