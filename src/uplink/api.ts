import { createPublicKey } from 'node:crypto';
import { attempt, detailOf, fail, type Result, succeed } from '../core/failure';
import { type Json, type JsonObject, jsonObjectIn, nameIn, objectIn } from '../core/json';
import { type Joined, writeJoined } from '../state/hub';

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
export interface StreamEvent {
  readonly event: string;
  readonly data: JsonObject;
}

/** The hub sends a comment every 15 seconds; after this long without one the connection is dead. */
const SILENT_MS = 45_000;

/** Listens to the hub's stream until it ends, is silent for too long, or `signal` aborts. */
export async function listen(
  { url, token }: Hub,
  { signal, onOpen, onTold }: { signal: AbortSignal; onOpen(): void; onTold(told: StreamEvent): void },
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
      for (const block of blocks) streamEventsIn(block).forEach(onTold);
    }
    return { kind: 'away', why: 'the hub has ended the stream' };
  } catch (error) {
    return { kind: 'away', why: silence.signal.aborted ? 'the hub is silent' : reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function streamEventsIn(block: string): StreamEvent[] {
  const lines = block.split('\n');
  const valuesOf = (name: string): string[] =>
    lines.flatMap((line) =>
      line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : [],
    );
  const data = jsonObjectIn(valuesOf('data').join('\n'));
  return data === undefined ? [] : [{ event: valuesOf('event')[0] ?? 'message', data }];
}

/** Why a machine could not join; `isFinal` if a retry does not help. */
interface NotJoined {
  readonly why: string;
  readonly isFinal: boolean;
}

const never = (why: string) => fail({ why, isFinal: true });

/** Redeems an invitation: stores this machine's token and pins the hub's key. */
export async function joinHub(
  home: string,
  { url: given, code, name }: { readonly url: string; readonly code: string; readonly name: string },
): Promise<Result<Joined, NotJoined>> {
  const url = addressIn(given);
  if (url === undefined)
    return never(`${given} is not the address of a hub. Give one such as https://hub.example.com.`);
  const reply = await ask({ url }, '/join', { code, name });
  if (reply.kind === 'away')
    return fail({ why: `The hub at ${url} cannot be reached: ${reply.why}.`, isFinal: false });
  if (reply.kind === 'refused') return never(reply.why);
  const [machine, token, key] = ['machine', 'token', 'key'].map((word) => nameIn(reply.value, word));
  if (machine === undefined || token === undefined || key === undefined || !isKey(key))
    return never(`The server at ${url} is not a hub, or not of this version.`);
  // The hub may have given it another name.
  const joined: Joined = { url, machine, name: nameIn(reply.value, 'name') ?? name, token, key, chain: [] };
  writeJoined(home, joined);
  return succeed(joined);
}

/** The URL without trailing slashes; `undefined` if it is not an HTTP URL. */
function addressIn(given: string): string | undefined {
  const { protocol, origin, pathname } = attempt(() => new URL(given)) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** Whether it is a public key of the kind that hubs sign with. */
function isKey(key: string): boolean {
  const der = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
  return attempt(() => createPublicKey(der))?.asymmetricKeyType === 'ed25519';
}
