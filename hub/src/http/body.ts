import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import * as v from 'valibot';
import { ApiError } from './errors.js';

const bodyLimit = 8 * 1024 * 1024;
/** Deeper values overflow the stack of code that walks over them, here or in the database. */
const maxDepth = 100;

/** Reads a JSON body of at most 8 MB and validates it. Check who asks before you call it. */
export async function readJson<S extends v.GenericSchema>(c: Context, schema: S): Promise<v.InferOutput<S>> {
  const text = await readText(c);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(400, 'json', 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError(422, 'shape', 'The body has to be a JSON object.');
  return checkShape(storable(value), schema);
}

/** Validates a value; the error names the path. */
function checkShape<S extends v.GenericSchema>(value: unknown, schema: S): v.InferOutput<S> {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? 'the body';
  throw new ApiError(422, 'shape', `${path}: ${wordsFor(issue)}`);
}

/** The schema's own message if it has one, else the expected type. */
function wordsFor({ kind, expected, received, message }: v.BaseIssue<unknown>): string {
  if (kind !== 'schema' || !message.startsWith('Invalid ')) return message;
  if (received === 'undefined') return 'This is missing.';
  return `This has to be ${expected ?? 'something else'}, not ${received}.`;
}

async function readText(c: Context): Promise<string> {
  if (Number(c.req.header('content-length')) > bodyLimit) throw tooLarge();
  const { incoming } = c.env as HttpBindings;
  const bytes = await readBytes(incoming);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, 'json', 'The body is not JSON in UTF-8.');
  }
}

/**
 * Reads Node's own stream. A web stream that is abandoned halfway stays paused, and the connection stalls;
 * this one keeps flowing, so that the rest of the body is dropped and the next request is read.
 */
function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= bodyLimit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge());
      }
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
    incoming.on('close', () => reject(new ApiError(400, 'cut-off', 'The body ended too early.')));
  });
}

function tooLarge(): ApiError {
  return new ApiError(413, 'too-large', 'The body is larger than 8 MB. Send it in smaller parts.');
}

/** PostgreSQL stores neither U+0000 nor a lone surrogate: both become U+FFFD. */
function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return /[\0\ud800-\udfff]/.test(value) ? Buffer.from(value).toString().replaceAll('\0', '\ufffd') : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth)
    throw new ApiError(422, 'shape', `The body is nested deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) return value.map((part) => storable(part, depth + 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, part]) => [storable(key), storable(part, depth + 1)]));
}
