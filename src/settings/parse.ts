import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { fail, type Result, succeed } from '../domain/failure';
import { isJsonObject, type JsonObject } from '../domain/json';
import * as say from './messages';
import { placeOf } from './place';
import type { SettingsTrouble } from './trouble';

/** A settings document: what it says, and where everything stands in its text. */
export interface Settings {
  readonly text: string;
  /** Absent where the text is nothing but blanks, which counts as an empty object. */
  readonly root: Node | undefined;
  readonly value: JsonObject;
}

/**
 * Reads a JSON object as strictly as hosts do. The text begins behind the byte order mark, if there is one.
 * A key that is there twice is refused too: to edit one of them would be a guess.
 */
export function parseSettings(text: string): Result<Settings, SettingsTrouble> {
  if (text.trim() === '') return succeed({ text, root: undefined, value: {} });
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (first !== undefined) return fail(troubleOf(text, first));
  const value = parsed(text);
  if (root === undefined || value === undefined)
    return fail(at(text, 0, 'syntax', say.notJson('unexpected text')));
  const twice = duplicateIn(root);
  if (twice !== undefined)
    return fail(at(text, twice.offset, 'duplicate-key', say.duplicateKey(String(twice.value))));
  if (!isJsonObject(value)) return fail(at(text, root.offset, 'not-an-object', say.NOT_AN_OBJECT));
  return succeed({ text, root, value });
}

/** Trouble with something that stands at an offset. */
export function at(
  text: string,
  offset: number,
  kind: SettingsTrouble['kind'],
  sentence: string,
): SettingsTrouble {
  return { kind, ...placeOf(text, offset), text: sentence };
}

function troubleOf(text: string, { error, offset, length }: ParseError): SettingsTrouble {
  const code = printParseErrorCode(error);
  if (code === 'InvalidCommentToken') return at(text, offset, 'comment', say.COMMENT);
  const comma = text.slice(0, offset).trimEnd();
  const closes = /^[\]}]/.test(text.slice(offset, offset + Math.max(length, 1)));
  if (closes && comma.endsWith(',')) return at(text, comma.length - 1, 'trailing-comma', say.TRAILING_COMMA);
  const detail = code.replace(/[A-Z]/g, (letter, place) => `${place > 0 ? ' ' : ''}${letter.toLowerCase()}`);
  return at(text, offset, 'syntax', say.notJson(detail));
}

/** The key that comes a second time in its object, if there is one. */
function duplicateIn(node: Node): Node | undefined {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const key = child.type === 'property' ? child.children?.[0] : undefined;
    if (key !== undefined && seen.has(key.value)) return key;
    if (key !== undefined) seen.add(key.value);
    const deeper = duplicateIn(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** The parser of hosts has the last word on what is JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
