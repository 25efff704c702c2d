/**
 * A moment in the form of ISO 8601. `toISOString` writes the same but has V8 load the time zones before,
 * which takes longer than the rest of a line in the journal.
 */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  const day = `${date.getUTCFullYear()}-${padded(date.getUTCMonth() + 1, 2)}-${padded(date.getUTCDate(), 2)}`;
  const hour = `${padded(date.getUTCHours(), 2)}:${padded(date.getUTCMinutes(), 2)}`;
  return `${day}T${hour}:${padded(date.getUTCSeconds(), 2)}.${padded(date.getUTCMilliseconds(), 3)}Z`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
