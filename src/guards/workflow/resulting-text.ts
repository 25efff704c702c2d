import { isJsonObject, type JsonObject } from '../../core/json';
import type { ToolCall } from '../../core/tool-call';

/** What a file will hold after the tool has run; `undefined` where the tool will not get that far. */
export function resultingText(call: ToolCall, current: string | undefined): string | undefined {
  if (call.op === 'write') return call.newText;
  if (call.op !== 'edit' || current === undefined) return undefined;
  const listed = call.input['edits'];
  const edits = Array.isArray(listed) ? listed.filter(isJsonObject) : [call.input];
  return edits.reduce<string | undefined>(
    (text, edit) => (text === undefined ? text : edited(text, edit)),
    current,
  );
}

function edited(text: string, edit: JsonObject): string | undefined {
  const { old_string: before, new_string: after, replace_all: all } = edit;
  if (typeof before !== 'string' || typeof after !== 'string' || !text.includes(before)) return undefined;
  // As a function, so that no `$` in it means anything.
  return all === true ? text.replaceAll(before, () => after) : text.replace(before, () => after);
}
