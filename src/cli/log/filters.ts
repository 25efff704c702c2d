import type { JsonObject } from '../../core/json';
import { isNamed, localTime, plainId, sessionKey } from '../../core/text';
import { noSuchRule } from '../messages';
import type { OpenProject } from '../project';
import { readRegistry } from '../req/find-session';
import { printable } from '../ui/output';
import { cannotRun, Refusal } from '../ui/refusal';
import {
  groundsIn,
  hasShadow,
  inOrder,
  isByHand,
  isHold,
  isWorthShowing,
  objectsIn,
  textIn,
  textsIn,
  timeOf,
} from './entries';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{1,2}:\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** The moment that `--since` means, in milliseconds; times without a zone are local. */
export function sinceTime(words: string, given: string, now: number): number {
  const at = momentOf(given.trim(), now);
  if (at !== undefined && !Number.isNaN(at)) return at;
  throw cannotRun(
    `${words}: --since takes an age such as 30m, 2h or 7d, or a local date or time such as 2026-03-31, '2026-03-31 14:00' or 14:00, not '${printable(given)}'.`,
  );
}

function momentOf(text: string, now: number): number | undefined {
  const age = /^(\d{1,6})([smhdw])$/.exec(text);
  if (age !== null) return now - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (text === 'today') return midnight;
  if (text === 'yesterday') return new Date(midnight).setDate(new Date(midnight).getDate() - 1);
  // Date.parse would take a date alone for UTC, and does not understand a time alone.
  const whole = TIME.test(text) ? `${localDate(now)}T${text.padStart(5, '0')}` : text.replace(' ', 'T');
  if (DATE.test(text))
    return localDate(Date.parse(`${text}T00:00`)) === text ? Date.parse(`${text}T00:00`) : NaN;
  return MOMENT.test(whole) ? Date.parse(whole) : undefined;
}

/** The local day, as in 2026-03-31. */
export function localDate(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const MOST_NAMED = 10;

/** The full id of the session given by id, key or a prefix of either. Refuses unless exactly one fits. */
export function knownSession(
  words: string,
  given: string,
  entries: readonly JsonObject[],
  { layout, root }: OpenProject,
): string {
  const asked = plainId(given.trim());
  if (asked === '') throw cannotRun(`${words}: --session takes the id of a session.`);
  const here = readRegistry(layout, Date.now()).sessions.filter(({ projectDir }) => projectDir === root);
  // Longest first, so that full ids win over keys: commands record only the key of a session.
  const seen = [
    ...here.map(({ sessionId }) => sessionId),
    ...entries.map((entry) => textIn(entry, 'session')),
  ];
  const known: string[] = [];
  for (const id of [...new Set(seen)].sort((a, b) => b.length - a.length))
    if (id !== '' && !known.some((one) => isNamed(one, id))) known.push(id);
  const exact = known.filter((id) => isNamed(asked, id) || isNamed(given, id));
  const begins = (id: string): boolean => plainId(id).startsWith(asked) || nameOf(id).startsWith(asked);
  const found = exact.length > 0 ? exact : known.filter(begins);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const names = (only === undefined ? known : found).map(nameOf);
  const shown = `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`;
  if (only !== undefined)
    throw new Refusal(
      `${words}: '${given}' matches ${found.length} sessions: ${shown}. Give more of the id.`,
    );
  const none = 'This project has no sessions yet.';
  throw new Refusal(
    `${words}: no session '${given}' in this project. ${known.length === 0 ? none : `Known: ${shown}.`}`,
  );
}

/** The short name of a session; the full id if it has none. */
function nameOf(id: string): string {
  return sessionKey(id) ?? id;
}

/** Whether an entry belongs to a session: its events, and what commands did for it. */
export function isOfSession(entry: JsonObject, session: string): boolean {
  const own = textIn(entry, 'session');
  return own !== '' && isNamed(own, session);
}

/**
 * Whether a rule spoke or failed in an entry, or a command named it. `rule` may also be the name of a gate alone, or a
 * discipline, which means all its rules.
 */
function isAboutRule(entry: JsonObject, rule: string): boolean {
  const spoke = groundsIn(entry).some(({ guard, ground }) => {
    const name = textIn(ground, 'rule');
    return [name, guard, `${guard}/${name}`].includes(rule) || name.endsWith(`:${rule}`);
  });
  const words = [...textsIn(entry['changes']), ...(isByHand(entry) ? [textIn(entry, 'tool')] : [])];
  const failed = objectsIn(entry['failures']).some(
    (failure) =>
      textIn(failure, 'code') === 'rule.failed' && textIn(failure, 'message').includes(`rule ${rule} failed`),
  );
  return spoke || failed || words.some((text) => text.split(/[\s,]+/).includes(rule));
}

/** Refuses the name of a rule that neither the config nor the journal knows. */
export function checkRule(
  words: string,
  rule: string,
  entries: readonly JsonObject[],
  configured: readonly string[],
): void {
  if (configured.includes(rule) || entries.some((entry) => isAboutRule(entry, rule))) return;
  const names = entries.flatMap(groundsIn).map(({ ground }) => textIn(ground, 'rule'));
  const known = [...new Set([...configured, ...names])].filter((name) => name !== 'run started');
  throw noSuchRule(words, rule, known);
}

export interface Filters {
  readonly since?: number | undefined;
  readonly session?: string | undefined;
  readonly rule?: string | undefined;
  readonly held: boolean;
  readonly all: boolean;
}

export function matches(entry: JsonObject, { since, session, rule, held, all }: Filters): boolean {
  return (
    (since === undefined || timeOf(entry) >= since) &&
    (session === undefined || isOfSession(entry, session)) &&
    (rule === undefined || isAboutRule(entry, rule)) &&
    (!held || isHold(entry)) &&
    (all || isWorthShowing(entry) || (rule !== undefined && hasShadow(entry)))
  );
}

/** The matching entries in order, without the `started` entry of a finished run unless all are requested. */
export function wantedEntries(entries: readonly JsonObject[], filters: Filters): JsonObject[] {
  const ended = new Set(entries.filter(({ decision }) => decision !== 'started').map(({ id }) => id));
  return inOrder(entries).filter((entry) => {
    const isUnfinished = entry['decision'] === 'started' && !ended.has(entry['id'] ?? '');
    return matches(entry, isUnfinished ? { ...filters, all: true } : filters);
  });
}

/** Why there is nothing to show. */
export function nothingFound(entries: readonly JsonObject[], filters: Filters): string {
  if (entries.length === 0)
    return 'The journal is empty: nothing has been held, changed or gone wrong in this project yet.';
  const { since, session, rule, held } = filters;
  const wanted = [
    held ? 'Nothing was held' : 'Nothing was recorded',
    ...(rule === undefined ? [] : [`by rule ${rule}`]),
    ...(session === undefined ? [] : [`in session ${nameOf(session)}`]),
    ...(since === undefined ? [] : [`since ${localTime(since)}`]),
  ];
  const hidden = entries.filter((entry) => matches(entry, { ...filters, all: true })).length;
  const rest = hidden > 0 ? ` except bookkeeping; show it with --all` : '';
  const last = inOrder(entries).findLast((entry) => (held ? isHold(entry) : isWorthShowing(entry)));
  const isFiltered = since !== undefined || session !== undefined || rule !== undefined;
  if (hidden > 0 || last === undefined || !isFiltered) return `${wanted.join(' ')}${rest}.`;
  const what = held ? 'hold' : 'entry';
  return `${wanted.join(' ')}. The last ${what} without ${wanted.length > 2 ? 'these filters' : 'this filter'}: ${localTime(timeOf(last))}.`;
}
