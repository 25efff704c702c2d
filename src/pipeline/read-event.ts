import type { Event } from '../domain/event';
import { detailOf, fail, type Result, succeed } from '../domain/failure';
import type { HostName } from '../domain/host-name';
import { isJsonObject } from '../domain/json';
import { readerFor } from '../hosts/host-table';

/** From the bytes a host sent to an event. Whatever is not one JSON object is a failure, never a throw. */
export function readEvent(text: string, asked: HostName | undefined, at: number): Result<Event> {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (body.trim() === '') return fail({ code: 'input.empty' });
  const parsed = parseJson(body);
  if (!parsed.ok) return parsed;
  const raw = parsed.value;
  if (!isJsonObject(raw)) return fail({ code: 'input.not-object', found: kindOf(raw) });
  const event = readerFor(raw, asked).parse(raw, at);
  return event.hostEvent === '' ? fail({ code: 'input.no-event-name' }) : succeed(event);
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
