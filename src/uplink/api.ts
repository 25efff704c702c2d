import { detailOf } from '../core/failure';
import { type Json, type JsonObject, jsonObjectIn, nameIn, objectIn } from '../core/json';
import type { Joined } from '../state/hub';

/* How a machine talks to its hub. Errors are values: the hub is away, or it refuses. */

export type Reply =
  | { readonly kind: 'ok'; readonly value: JsonObject }
  /** Unreachable, overloaded or too slow. */
  | { readonly kind: 'away'; readonly why: string }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

export type Hub = Pick<Joined, 'url' | 'token'>;

const ANSWER_MS = 15_000;

/** Sends one request to the hub; with a body it is a POST. */
export async function ask(
  { url, token }: { readonly url: string; readonly token?: string },
  path: string,
  body?: Json,
  withinMs: number = ANSWER_MS,
): Promise<Reply> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: headersFor(token, body !== undefined),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
      // The token must not be sent to another address.
      redirect: 'error',
    });
    const text = await response.text();
    if (response.ok) return { kind: 'ok', value: jsonObjectIn(text) ?? {} };
    const { status } = response;
    const why = whyIn(text, status);
    // An overloaded or starting hub is away for now; it does not refuse us.
    return status >= 500 || status === 429 ? { kind: 'away', why } : { kind: 'refused', status, why };
  } catch (error) {
    return { kind: 'away', why: reasonOf(error) };
  }
}

function whyIn(text: string, status: number): string {
  return nameIn(objectIn(jsonObjectIn(text), 'error'), 'message') ?? `the hub answered with ${status}`;
}

function headersFor(token: string | undefined, hasBody: boolean): Record<string, string> {
  return {
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

/** fetch itself only says that it failed; the reason is its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return detailOf(cause ?? error);
}

/** One event of the stream. */
export interface Told {
  readonly event: string;
  readonly data: JsonObject;
}

/** The hub sends a comment every 15 seconds; after this long without one the connection is dead. */
const SILENT_MS = 45_000;

/** Listens to the hub's stream until it ends, is silent for too long, or `signal` aborts. */
export async function listen(
  { url, token }: Hub,
  { signal, onOpen, onTold }: { signal: AbortSignal; onOpen(): void; onTold(told: Told): void },
): Promise<Exclude<Reply, { kind: 'ok' }>> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const response = await fetch(`${url}/api/v1/stream`, {
      headers: { ...headersFor(token, false), accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, silence.signal]),
      redirect: 'error',
    });
    const { status, body } = response;
    if (status === 401 || status === 403)
      return { kind: 'refused', status, why: whyIn(await response.text(), status) };
    if (!response.ok || body === null) return { kind: 'away', why: `the hub answered with ${status}` };
    onOpen();
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of body) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      text += decoder.decode(piece, { stream: true }).replaceAll('\r', '');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) toldIn(block).forEach(onTold);
    }
    return { kind: 'away', why: 'the hub has ended the stream' };
  } catch (error) {
    return { kind: 'away', why: silence.signal.aborted ? 'the hub is silent' : reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function toldIn(block: string): Told[] {
  const lines = block.split('\n');
  const valuesOf = (name: string): string[] =>
    lines.flatMap((line) =>
      line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : [],
    );
  const data = jsonObjectIn(valuesOf('data').join('\n'));
  return data === undefined ? [] : [{ event: valuesOf('event')[0] ?? 'message', data }];
}
