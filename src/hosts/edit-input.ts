import type { Json, JsonObject } from '../core/json';
import { isJsonObject } from '../core/json';
import type { Operation } from '../core/tool-call';
import { lines, listIn, present, textIn } from './loose-fields';

/** What hosts call the parts of an edit, behind the name that those who judge an edit know. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  file_path: ['filePath', 'path'],
  old_string: ['oldString', 'old_str'],
  new_string: ['newString', 'new_str'],
  replace_all: ['replaceAll', 'allow_multiple'],
};

/** The input of an edit with its parts under the usual names too, those of a list of edits included. */
export function usualEdit(input: JsonObject): JsonObject {
  const usual = Object.entries(PARTS).map(([name, others]) => [
    name,
    input[name] ?? others.map((other) => input[other]).find((value) => value !== undefined),
  ]);
  const edits = listIn(input, 'edits').map((edit: Json) => (isJsonObject(edit) ? usualEdit(edit) : edit));
  return { ...present(Object.fromEntries(usual)), ...input, ...(edits.length > 0 && { edits }) };
}

/** What a tool that writes or edits puts into a file, as far as its input tells. */
export function newTextIn(op: Operation, input: JsonObject): string | undefined {
  if (op === 'write')
    return textIn(input, 'content') ?? textIn(input, 'contents') ?? textIn(input, 'file_text');
  if (op !== 'edit') return undefined;
  const usual = usualEdit(input);
  const edits = [usual, ...listIn(usual, 'edits').filter(isJsonObject)];
  return lines(edits.map((edit) => textIn(edit, 'new_string')));
}
