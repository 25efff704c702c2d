import type { Node, ParseError } from 'jsonc-parser';
import { attempt, fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../core/json';

/** A path in a document: member names and list indexes. */
export type Path = readonly (string | number)[];

/** A settings document: its values, and where each is in the text. */
export interface Settings {
  readonly text: string;
  /** Absent if the text is blank, which counts as an empty object. */
  readonly root: Node | undefined;
  readonly value: JsonObject;
}

/** Why we leave a settings file alone; line and column count from one, as in editors. */
export interface SettingsTrouble {
  readonly kind: 'syntax' | 'comment' | 'trailing-comma' | 'duplicate-key' | 'not-an-object' | 'wrong-type';
  readonly line: number;
  readonly column: number;
  /** A sentence without the file's name. */
  readonly text: string;
}

const DROPPED = 'most hosts silently ignore the whole file';

/** Made only when a file has to be parsed: the start of a session merely looks for ours. */
const jsonc = () => require('jsonc-parser') as typeof import('jsonc-parser');

/** Parses a JSON object as strictly as hosts do, without its byte order mark. */
export function parseSettings(raw: string): Result<Settings, SettingsTrouble> {
  const text = raw.replace(/^\ufeff/, '');
  if (text.trim() === '') return succeed({ text, root: undefined, value: {} });
  const errors: ParseError[] = [];
  // It is recursive, so it throws for absurd nesting.
  const root = attempt(() =>
    jsonc().parseTree(text, errors, { disallowComments: true, allowTrailingComma: false }),
  );
  const [first] = errors;
  if (first !== undefined) return fail(syntaxTrouble(text, first));
  // The library accepts a few texts that are not JSON.
  const value = jsonIn(text);
  if (root === undefined || value === undefined) return fail(notJson(text, 0, 'unexpected text'));
  if (isJsonObject(value)) return succeed({ text, root, value });
  return fail(troubleAt(text, root.offset, 'not-an-object', 'settings must be a JSON object'));
}

export function nodeAt({ root }: Settings, path: Path): Node | undefined {
  return root && jsonc().findNodeAtLocation(root, [...path]);
}

/**
 * Anything on the path to our entries, or beside them in their lists, that has a type the host does not
 * expect. The host would ignore the whole document, and our entries with it.
 */
export function wrongTypeIn(
  settings: Settings,
  entries: readonly { readonly path: readonly string[]; readonly value: Json }[],
): SettingsTrouble | undefined {
  for (const { path: list, value } of entries) {
    for (const [path, wanted] of expectedTypes(settings, list, value)) {
      const node = nodeAt(settings, path);
      if (node?.type === wanted || (node === undefined && path.length <= list.length)) continue;
      const { offset } = node ?? nodeAt(settings, path.slice(0, -1)) ?? { offset: 0 };
      const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
      const kind = wanted === 'array' ? 'a list' : 'an object';
      const why = `"${name.slice(1)}" has to be ${kind}, not ${node?.type ?? 'missing'}`;
      return troubleAt(settings.text, offset, 'wrong-type', why);
    }
  }
  return undefined;
}

/** The types expected on the path to a list and in it. If ours is a group of handlers, every item must be. */
function expectedTypes(settings: Settings, list: readonly string[], ours: Json): [Path, Node['type']][] {
  const itemsAt = (path: Path): Path[] =>
    (nodeAt(settings, path)?.children ?? []).map((_child, index) => [...path, index]);
  const isGroup = isJsonObject(ours) && 'hooks' in ours;
  const items = itemsAt(list).flatMap((item): [Path, Node['type']][] => {
    const handlers = [...item, 'hooks'];
    if (!isGroup) return [[item, isJsonObject(ours) ? 'object' : 'string']];
    const inner = itemsAt(handlers).map((handler): [Path, Node['type']] => [handler, 'object']);
    return [[item, 'object'], [handlers, 'array'], ...inner];
  });
  const parents = list.slice(1).map((_step, at): [Path, Node['type']] => [list.slice(0, at + 1), 'object']);
  return [...parents, [list, 'array'], ...items];
}

function troubleAt(
  text: string,
  offset: number,
  kind: SettingsTrouble['kind'],
  sentence: string,
): SettingsTrouble {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { kind, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, text: sentence };
}

function syntaxTrouble(text: string, { error, offset, length }: ParseError): SettingsTrouble {
  const code = jsonc().printParseErrorCode(error);
  if (code === 'InvalidCommentToken')
    return troubleAt(text, offset, 'comment', `a comment, which JSON does not have: ${DROPPED}`);
  const before = text.slice(0, offset).trimEnd();
  const closes = /^[\]}]/.test(text.slice(offset, offset + Math.max(length, 1)));
  if (closes && before.endsWith(','))
    return troubleAt(text, before.length - 1, 'trailing-comma', `a trailing comma: ${DROPPED}`);
  return notJson(text, offset, code.replace(/\B[A-Z]/g, ' $&').toLowerCase());
}

function notJson(text: string, offset: number, detail: string): SettingsTrouble {
  return troubleAt(text, offset, 'syntax', `not valid JSON (${detail}): ${DROPPED}`);
}

/**
 * A duplicate key on the path to our entries or among them: editing one of the two would be a guess.
 * Duplicates elsewhere are not our business.
 */
export function duplicateIn(
  settings: Settings,
  parents: readonly (readonly string[])[],
): SettingsTrouble | undefined {
  for (const parent of parents) {
    const onTheWay = parent.map((step, at) => secondKey(nodeAt(settings, parent.slice(0, at)), step));
    const inside = nodeAt(settings, parent);
    const twice = onTheWay.find((node) => node !== undefined) ?? (inside && duplicateKey(inside));
    if (twice === undefined) continue;
    const why = `"${twice.value}" appears twice, and only the last one counts`;
    return troubleAt(settings.text, twice.offset, 'duplicate-key', why);
  }
  return undefined;
}

function keysOf({ type, children = [] }: Node): readonly Node[] {
  return type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : [];
}

function secondKey(node: Node | undefined, key: string): Node | undefined {
  return node && keysOf(node).filter(({ value }) => value === key)[1];
}

/** The second occurrence of a duplicate key in this object or below, if any. */
function duplicateKey(node: Node): Node | undefined {
  const twice = keysOf(node).find(({ value }) => secondKey(node, String(value)) !== undefined);
  const second = twice && secondKey(node, String(twice.value));
  return second ?? (node.children ?? []).map(duplicateKey).find((found) => found !== undefined);
}
