import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type JsonObject, jsonIn } from '../../core/json';
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

/** Far more than anybody writes, and far less than a recursion can take. */
const DEEPEST = 500;
const STEPS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** Steps of an edit read the same text again; large ones would take their time. */
let last: { readonly text: string; readonly read: Result<Settings, SettingsTrouble> } | undefined;

/**
 * Reads a JSON object as strictly as hosts do. The text begins behind the byte order mark, if there is one.
 * A key that is there twice is refused too: to edit one of them would be a guess.
 */
export function parseSettings(text: string): Result<Settings, SettingsTrouble> {
  if (last?.text !== text) last = { text, read: readSettings(text) };
  return last.read;
}

function readSettings(text: string): Result<Settings, SettingsTrouble> {
  if (text.trim() === '') return succeed({ text, root: undefined, value: {} });
  const deep = depthExceededAt(text);
  if (deep !== undefined) return fail(at(text, deep, 'syntax', say.TOO_DEEP));
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (first !== undefined) return fail(troubleOf(text, first));
  const value = jsonIn(text);
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

/** Where brackets outside of strings go deeper than we follow, if they do. */
function depthExceededAt(text: string): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') isInString = !isInString;
    else if (isInString) index += character === '\\' ? 1 : 0;
    else depth += STEPS[character] ?? 0;
    if (depth > DEEPEST) return index;
  }
  return undefined;
}

/** The key that comes a second time in its object, if there is one. */
function duplicateIn(node: Node): Node | undefined {
  const { type, children = [] } = node;
  const seen = type === 'object' ? new Set<unknown>() : undefined;
  for (const child of children) {
    const key = seen && child.children?.[0];
    if (key !== undefined && seen?.has(key.value)) return key;
    if (key !== undefined) seen?.add(key.value);
    const deeper = duplicateIn(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
