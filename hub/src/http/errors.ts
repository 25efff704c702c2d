import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isAway } from '../db/database.js';

/** An error response. The message says what is wrong and what to do. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Turns anything that was thrown into `{"error":{"code","message"}}`. */
export function answerError(error: unknown, c: Context): Response {
  const known = knownError(error);
  if (known) {
    for (const [name, value] of Object.entries(known.headers)) c.header(name, value);
    return c.json({ error: { code: known.code, message: known.message } }, known.status);
  }
  const id = randomBytes(6).toString('hex');
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  c.var.hub.log({ level: 'error', message: 'internal error', id, error: message, stack, path: c.req.path });
  return c.json(
    { error: { code: 'internal', message: `Internal error ${id}. The hub's log has the details.` } },
    500,
  );
}

function knownError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof HTTPException)
    return new ApiError(error.status as ContentfulStatusCode, 'http', error.message);
  return isAway(error) ? away() : null;
}

function away(): ApiError {
  return new ApiError(503, 'database', 'The database does not answer at the moment. Try again.', {
    'retry-after': '2',
  });
}
