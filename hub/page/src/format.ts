const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** `12 s`, `4 min`, `3 h 5 min`, `2 d`. */
export function duration(seconds: number): string {
  const all = Math.max(0, Math.round(seconds));
  if (all < MINUTE) return `${all} s`;
  if (all < HOUR) return `${Math.floor(all / MINUTE)} min`;
  if (all < DAY) {
    const minutes = Math.floor((all % HOUR) / MINUTE);
    return minutes === 0 ? `${Math.floor(all / HOUR)} h` : `${Math.floor(all / HOUR)} h ${minutes} min`;
  }
  return `${Math.floor(all / DAY)} d`;
}

/** How long something took: finer than `duration` below ten seconds. */
export function took(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms / 1000);
}

export function since(iso: string | number, now: number): string {
  return duration((now - (typeof iso === 'number' ? iso : Date.parse(iso))) / 1000);
}

export function ago(iso: string, now: number): string {
  const text = since(iso, now);
  return text === '0 s' ? 'just now' : `${text} ago`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const dayOnly = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** The time if it is today, otherwise the day and the time. */
export function shortTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return at.toDateString() === new Date().toDateString() ? clock.format(at) : dayAndClock.format(at);
}

export function wholeTime(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : whole.format(at);
}

export const day = (ms: number) => dayOnly.format(ms);

/** The beginning is enough to tell ids apart. */
export const short = (id: string) => (id.length > 12 ? id.slice(0, 8) : id);

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

const SCOPES: Readonly<Record<string, string>> = {
  session: 'for this session',
  branch: 'for this branch',
  permanent: 'for this project, for good',
  single_use: 'once',
};

/** The scope of an approval, in words. */
export function scopeWords(scope: string, ttl?: number | null): string {
  const words = [SCOPES[scope] ?? `for the scope “${scope}”`];
  if (ttl) words.push(`for ${duration(ttl)}`);
  return words.join(', ');
}

/** A field of JSON of unknown shape. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The objects in a list of unknown shape. */
export function objectsIn<T extends object>(value: unknown): readonly T[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
