import { ApiError } from '../http/errors.js';
import { isStorable } from './shape.js';

/** One page of a list. Pass `next` as `before` to get the page after it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Where a page ended: a time, and a tie-breaker for rows of the same time. */
export type Place = readonly [at: string, tie: string];

export function readCursor(text: string | undefined): Place | null {
  if (!text) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value) && value.length === 2) {
      const [at, tie] = value;
      if (
        typeof at === 'string' &&
        isStorable(Date.parse(at)) &&
        typeof tie === 'string' &&
        !tie.includes('\0')
      )
        return [new Date(at).toISOString(), tie];
    }
  } catch {
    // The error is thrown below.
  }
  throw wrongCursor();
}

/** A cursor of a list whose tie-breaker is a number. */
export function readNumberCursor(text: string | undefined): Place | null {
  const place = readCursor(text);
  if (place && !/^\d{1,18}$/.test(place[1])) throw wrongCursor();
  return place;
}

function wrongCursor(): ApiError {
  return new ApiError(422, 'cursor', 'before: give the value of `next` from the page before.');
}

export function writeCursor([at, tie]: Place): string {
  return Buffer.from(JSON.stringify([at, tie])).toString('base64url');
}

/** A number of rows from 1 to `most`. */
export function readLimit(text: string | undefined, usual: number, most: number): number {
  if (text === undefined || text === '') return usual;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, most);
  throw new ApiError(422, 'limit', `limit: give a number from 1 to ${most}.`);
}

/** Makes a page of rows, of which one more than `limit` was read to see whether there are more. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => Place,
  itemOf: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(itemOf), next: rows.length > limit && last ? writeCursor(placeOf(last)) : null };
}
