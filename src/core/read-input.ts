import { detailOf, fail, type Result, succeed } from './failure';
import { isJsonObject, type JsonObject } from './json';

/** From the bytes a host sent to its document. Whatever is not one JSON object is a failure, never a throw. */
export function readInput(text: string): Result<JsonObject> {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (body.trim() === '') return fail({ code: 'input.empty' });
  const parsed = parseJson(body);
  if (!parsed.ok) return parsed;
  const raw = parsed.value;
  return isJsonObject(raw) ? succeed(raw) : fail({ code: 'input.not-object', found: kindOf(raw) });
}

function parseJson(text: string): Result<unknown> {
  try {
    return succeed(JSON.parse(text));
  } catch (error) {
    return fail({ code: 'input.not-json', detail: whereOf(detailOf(error)) });
  }
}

/** Node quotes the text itself in its message, which may be a prompt; only the place is kept. */
function whereOf(message: string): string {
  const position = /position \d+/.exec(message);
  if (position) return `at ${position[0]}`;
  return message.includes('end of JSON') ? 'it ends too early' : 'from its first characters on';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
