import { dirname } from 'node:path';
import type { DocumentRef } from '../state/documents';

/** At least one character, and only ASCII letters, digits and `_`. */
const PLAIN_WORD = /^\w+$/;

/** ISO 8601 in UTC, with milliseconds. `toISOString` would make a new process look up its time zone first. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  const digits = (value: number, width = 2): string => String(value).padStart(width, '0');
  const day = `${digits(date.getUTCFullYear(), 4)}-${digits(date.getUTCMonth() + 1)}-${digits(date.getUTCDate())}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map((one) => digits(one));
  return `${day}T${time.join(':')}.${digits(date.getUTCMilliseconds(), 3)}Z`;
}

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `30m`, `8h` or `1h30m` in seconds; `undefined` if the text is not a duration. */
export function secondsIn(text: string): number | undefined {
  if (!/^(?:\d+[smhd])+$/.test(text.trim())) return undefined;
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_SECONDS[unit] ?? 0), 0);
}

/** `86400` as `1d`: in the largest unit that divides it. */
export function durationText(seconds: number): string {
  const [unit = 's', size = 1] =
    Object.entries(UNIT_SECONDS).findLast(([, one]) => seconds % one === 0) ?? [];
  return `${seconds / size}${unit}`;
}

/** Local time for people: today only the time, this year `Nov 9 14:02:31`, else with the year. */
export function localTime(ms: number, now = Date.now(), to: 'seconds' | 'minutes' = 'seconds'): string {
  const [date, today] = [new Date(ms), new Date(now)];
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const parts = [date.getHours(), date.getMinutes(), ...(to === 'seconds' ? [date.getSeconds()] : [])];
  const time = parts.map(two).join(':');
  if (date.toDateString() === today.toDateString()) return time;
  const [, month = '', day = ''] = date.toDateString().split(' ');
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${month} ${Number(day)}${year} ${time}`;
}

/** A directory and its ancestors, nearest first, up to `top` if that is one of them. */
export function upward(dir: string, top?: string): string[] {
  const dirs = [dir];
  for (let last = dir; last !== top && dirname(last) !== last; dirs.push(last)) last = dirname(last);
  return dirs;
}

export function sha256Hex(text: string): string {
  // Loaded here because it costs a new process 4 ms, and most events hash nothing.
  const { createHash }: typeof import('node:crypto') = require('node:crypto');
  return createHash('sha256').update(text).digest('hex');
}

/**
 * A short digest, good enough to notice a repetition but not a secret. State files contain such digests, so
 * the algorithm must not change.
 */
export function digest(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    hash = (hash * 31 + code) | 0;
    if (code > 0xffff) at++;
  }
  return (hash >>> 0).toString(36);
}

/**
 * The modification time that we give a file which only we write, computed from its size. A different time shows,
 * without reading the file, that another program has written it.
 */
export const sealOf = (bytes: number): number => 1_000_000_000 + ((bytes * 7919) % 100_000_000);

/** An id means the same session with and without its dashes. */
export function plainId(sessionId: string): string {
  return sessionId.replaceAll('-', '');
}

/** Ids with a common beginning: those of OpenCode, and version 7 UUIDs, which begin with the time. */
const BEGINS_ALIKE = /^(?:ses_.|[0-9a-f]{12}7[0-9a-f]{19}$)/;
/** A version 7 UUID without dashes, in its parts. */
const TIMED = /^([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([0-9a-f]{4})([0-9a-f]{12})$/;

/** A session's keys are prefixes of this text. Ids that could be paths, or that begin alike, are hashed. */
function keyText(sessionId: string): string {
  const plain = plainId(sessionId);
  if (PLAIN_WORD.test(plain) && !BEGINS_ALIKE.test(plain)) return plain;
  return sha256Hex(plain.replace(TIMED, '$1-$2-$3-$4-$5'));
}

/** The usual key of a session in state files: its first eight characters, without dashes. */
export function sessionKey(sessionId: string): string | undefined {
  return plainId(sessionId) === '' ? undefined : keyText(sessionId).slice(0, 8);
}

/** All keys that a session may have: a longer one is used if another session has the shorter one. */
export function sessionKeys(sessionId: string): readonly string[] {
  const text = keyText(sessionId);
  return [text.slice(0, 8), text.slice(0, 12), recordName(sessionId)];
}

/** How much of an id we store, so that a long one cannot fill the state. */
export const LONGEST_ID = 128;

/** Whether two ids mean the same session. The first may be its key, or have been truncated when it was stored. */
export function isSameSession(stored: string, sessionId: string): boolean {
  const [one, other] = [plainId(stored), plainId(sessionId)];
  if (one === other || (one.length === 8 && one === sessionKey(sessionId))) return true;
  return stored.length >= LONGEST_ID && other.startsWith(one);
}

/** Whether two names mean the same session: whole ids, or one of them only a key, as in messages. */
export function isSameSessionName(one: string, other: string): boolean {
  if (isSameSession(one, other) || isSameSession(other, one)) return true;
  return sessionKeys(one).includes(other) || sessionKeys(other).includes(one);
}

/** A session's key, where `ownersOf` knows the owners of a key: its own, else the first free one. */
export function keyAmong(
  keys: readonly string[],
  sessionId: string,
  ownersOf: (key: string) => readonly string[],
): string {
  const own = keys.find((key) => ownersOf(key).some((owner) => isSameSessionName(sessionId, owner)));
  return own ?? keys.find((key) => ownersOf(key).length === 0) ?? keys.at(-1) ?? '';
}

/** The directory of session records, in our own. */
export const SESSION_RECORDS = 'sessions';
const LONGEST_NAME = 64;

/** A JSON file in our own directory. */
export function ownJson(path: string, durability: DocumentRef['durability'] = 'counted'): DocumentRef {
  return { base: 'own', path, format: 'json', durability };
}

export function sessionRecordRef(sessionId: string): DocumentRef {
  return ownJson(`${SESSION_RECORDS}/${recordName(sessionId)}.json`);
}

function recordName(sessionId: string): string {
  return plainRecordName(sessionId) ?? sha256Hex(plainId(sessionId)).slice(0, 32);
}

/** The file name of a session's record; `undefined` if the id has to be hashed. */
export function plainRecordName(sessionId: string): string | undefined {
  const plain = plainId(sessionId);
  return plain.length <= LONGEST_NAME && PLAIN_WORD.test(plain) ? plain : undefined;
}

/*
 * Globs, matched without regular expressions. The agent chooses the paths: with a few stars, a path of a
 * hundred characters keeps a backtracking matcher, such as picomatch's, busy for minutes.
 */

/** Upper bound on the globs that braces may expand to. */
export const MOST_ALTERNATIVES = 200;
/** For gates, which reject no pattern: the remaining braces are then taken literally. */
const MOST_GATE_ALTERNATIVES = 500;

export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text);
}

/** `*` matches any run of characters; every other character matches itself. */
export function globMatches(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  return matchRun([...pattern], [...name], '*', (sign, char) => sign === char);
}

/** `*` is any run, `?` any one character, `[ab]` and `[!a-c]` are classes; a backslash escapes. */
export function matchesName(glob: string, name: string): boolean {
  return matchRun(glob.match(SIGNS) ?? [], [...name], '*', fits);
}

/** The same for each name in a path, with `**` for any run of directories. */
export function matchesPath(glob: string, path: string): boolean {
  return matchRun(glob.split('/'), path.split('/'), '**', matchesName);
}

/** Whether a `.gitignore` excludes a path, given relative to its directory. Most lines are settled without a glob. */
export function isIgnoredBy(gitignore: string, below: string): boolean {
  const names = below.split('/');
  const ways = names.map((_, at) => names.slice(0, at + 1).join('/'));
  return gitignore.split('\n').reduce((ignored, line) => {
    const text = line.trim();
    // A line can only change what the lines before it say.
    if (text === '' || text.startsWith('#') || text.startsWith('!') !== ignored) return ignored;
    const pattern = text.replace(/^!/, '').replace(/\/$/, '');
    const glob = pattern.replace(/^\//, '');
    const [parts, matches] = pattern.includes('/') ? [ways, matchesPath] : [names, matchesName];
    const isFound = /[*?[\\]/.test(glob) ? parts.some((part) => matches(glob, part)) : parts.includes(glob);
    return isFound ? !ignored : ignored;
  }, false);
}

/** A matcher for a path glob with braces. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const globs = expandBraces([pattern], MOST_GATE_ALTERNATIVES);
  return (path) => globs.some((glob) => matchesPath(glob, path));
}

/** Expands braces: `*.{ts,tsx}` becomes two globs. Braces may be nested. */
export function expandBraces(globs: readonly string[], most = MOST_ALTERNATIVES): string[] {
  return [...new Set(globs.flatMap((glob) => alternativesOf(glob, most)))];
}

function alternativesOf(pattern: string, most: number): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let glob = open.shift(); glob !== undefined; glob = open.shift()) {
    const braces = ALTERNATIVES.exec(glob);
    if (braces === null || done.length + open.length > most) {
      done.push(glob);
      continue;
    }
    const [whole, inner = ''] = braces;
    const [before, after] = [glob.slice(0, braces.index), glob.slice(braces.index + whole.length)];
    open.push(...inner.split(',').map((part) => before + part + after));
  }
  return done;
}

/** The innermost braces with a comma in them; a backslash escapes a brace. */
const ALTERNATIVES = /(?<!\\)\{((?:\\.|[^{}\\])*,(?:\\.|[^{}\\])*)\}/;

/** A character, an escaped one, or a non-empty class; an unmatched bracket is itself. */
const SIGNS = /\\.|\[[!^]?(?:\\.|[^\\])(?:\\.|[^\]\\])*\]|./gsu;

function fits(sign: string, char: string): boolean {
  if (sign === '?') return true;
  if (sign.startsWith('[') && sign !== '[') return isInClass(sign.slice(1, -1), char);
  return sign === char || sign === `\\${char}`;
}

function isInClass(text: string, char: string): boolean {
  const negated = /^[!^]/.test(text);
  const members = [...(negated ? text.slice(1) : text).matchAll(/\\?(.)(?:-\\?(.))?/gsu)];
  return members.some(([, from = '', to = from]) => from <= char && char <= to) !== negated;
}

/** Matches item by item; `star` matches any run of them. Backtracking to the last star is enough. */
function matchRun(
  globs: readonly string[],
  parts: readonly string[],
  star: string,
  fits: (glob: string, part: string) => boolean,
): boolean {
  let [g, p, last, mark] = [0, 0, -1, 0];
  while (p < parts.length) {
    const glob = globs[g];
    if (glob === star) {
      last = g++;
      mark = p;
    } else if (glob !== undefined && fits(glob, parts[p] ?? '')) {
      g++;
      p++;
    } else if (last >= 0) {
      g = last + 1;
      p = ++mark;
    } else return false;
  }
  return globs.slice(g).every((glob) => glob === star);
}
