import { type JsonObject, jsonObjectIn } from '../core/json';

/** How every record of ours begins. In a text these letters have backslashes between them, and no member is such an object. */
const RECORD_START = '{"id":"';

/**
 * The records in one line of the journal, the oldest first. A line is one record, unless a writer died before its
 * newline: who came next has continued that line, and what is whole in it still counts.
 */
export function recordsIn(line: string): JsonObject[] {
  const record = jsonObjectIn(line);
  if (record !== undefined) return [record];
  const records: JsonObject[] = [];
  for (let from = line.indexOf(RECORD_START); from >= 0; ) {
    const next = line.indexOf(RECORD_START, from + 1);
    const part = jsonObjectIn(next < 0 ? line.slice(from) : line.slice(from, next));
    if (part !== undefined) records.push(part);
    from = next;
  }
  return records;
}
