import type { Json, JsonObject } from '../../core/json';

const FENCE = '---';

/**
 * The fallback file as a state with one frame, or `undefined` where it has no front matter. It knows no
 * time, so it never gets stale; one that is not active is a loop that somebody called off.
 */
export function parseFallback(text: string): JsonObject | undefined {
  const lines = linesOf(text);
  const end = endOf(lines);
  if (end < 0) return undefined;
  const fields = new Map<string, string>();
  for (const line of lines.slice(1, end)) {
    const [, key, value] = fieldIn(line) ?? [];
    if (key !== undefined && !fields.has(key)) fields.set(key, unquoted(value ?? ''));
  }
  const given = (name: string, key: string): JsonObject =>
    fields.has(key) ? { [name]: fields.get(key) ?? '' } : {};
  return {
    schema: 1,
    event: fields.get('active') === 'true' ? 'STATE' : 'ABORT',
    ...given('session_id', 'session_id'),
    ...given('paused', 'paused'),
    stack: [{ ...given('mode', 'mode'), ...given('iter', 'iteration'), ...given('max', 'max_iterations') }],
  };
}

/** The file after its state changed: only the line that says so is another. `undefined` when the loop is over. */
export function rewriteFallback(text: string, next: JsonObject): string | undefined {
  const stack = Array.isArray(next['stack']) ? next['stack'] : [];
  const frame = stack.at(-1) as JsonObject | undefined;
  if (frame === undefined || next['event'] !== 'STATE') return undefined;
  const counted = typeof frame['iter'] === 'number' ? withField(text, 'iteration', frame['iter']) : text;
  const paused = next['paused'];
  return paused === undefined ? counted : withField(counted, 'paused', pauseLine(paused));
}

function withField(text: string, key: string, value: string | number): string {
  const lines = text.split('\n');
  const plain = linesOf(text);
  const end = endOf(plain);
  const at = plain.findIndex((line, index) => index < end && fieldIn(line)?.[1] === key);
  if (at < 0) {
    const carriage = lines[end]?.endsWith('\r') ? '\r' : '';
    return lines.toSpliced(end, 0, `${key}: ${value}${carriage}`).join('\n');
  }
  const [, before, after] = /^([^:]*:[ \t]*)[^\r]*?([ \t]*\r?)$/.exec(lines[at] ?? '') ?? [];
  return lines.toSpliced(at, 1, `${before ?? `${key}: `}${value}${after ?? ''}`).join('\n');
}

function pauseLine(paused: Json): string {
  const reason =
    typeof paused === 'object' && paused !== null && !Array.isArray(paused)
      ? (paused as JsonObject)['reason']
      : paused;
  return JSON.stringify(String(reason)).slice(1, -1) || 'true';
}

function fieldIn(line: string): RegExpExecArray | null {
  return /^\s*([A-Za-z_]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line);
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The line that closes the front matter; -1 where there is none. */
function endOf(lines: readonly string[]): number {
  return lines[0]?.trimEnd() === FENCE
    ? lines.findIndex((line, index) => index > 0 && line.trimEnd() === FENCE)
    : -1;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}
