import { nearest } from '../../config/diagnostics';
import { actorPhrase } from '../../core/actor';
import { type Json, type JsonObject, objectsIn } from '../../core/json';
import { isSameSessionName, localTime, plainId, secondsIn, sessionKey } from '../../core/text';
import type { JournalTrouble } from '../../state/journal-check';
import { cannotRun, Refusal } from '../context';
import { noSuchRule } from '../messages';
import type { ProjectContext } from '../project';
import { readRegistry } from '../req/find-session';
import { foldText, plural, type Style, styled } from '../ui/output';

const MOST_NAMED = 10;

/** The time of an entry in milliseconds; NaN if it has none. */
export function timeOf(entry: JsonObject): number {
  return Date.parse(textIn(entry, 'at'));
}

/** Sorts by time of the event: a line is appended once its event is decided, which may take minutes. */
export function inOrder(entries: readonly JsonObject[]): JsonObject[] {
  let last = 0;
  const timed = entries.map((entry) => {
    last = timeOf(entry) || last;
    return { entry, at: last };
  });
  return timed.sort((a, b) => a.at - b.at).map(({ entry }) => entry);
}

/** The decision with this id, or the only one whose id begins with it, as last recorded. */
export function decisionById(entries: readonly JsonObject[], id: string): JsonObject {
  const known = new Map(entries.map((entry) => [textIn(entry, 'id'), entry]));
  const found = [...known].flatMap(([own, entry]) => (own.startsWith(id) ? [entry] : []));
  const only = known.get(id) ?? (found.length === 1 ? found[0] : undefined);
  if (only !== undefined) return only;
  const near = nearest(id, known.keys());
  const shown = found.length > 0 ? found : [...known.values()];
  const lines = shown.slice(-MOST_NAMED).map((entry) => `  ${shortLine(entry)}`);
  if (found.length > 0) {
    const which = found.length > MOST_NAMED ? `; the newest ${MOST_NAMED}` : '';
    throw new Refusal(
      [`${found.length} decisions have ids that begin with '${id}'${which}:`, ...lines].join('\n'),
    );
  }
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
  const latest = lines.length === 0 ? ['The journal is empty.'] : ['The latest:', ...lines];
  throw new Refusal([`No decision '${id}' in this project's journal.${hint}`, ...latest].join('\n'));
}

/** One uncoloured line that identifies a decision. */
function shortLine(entry: JsonObject): string {
  const parts = [textIn(entry, 'id'), localTime(timeOf(entry)), labelOf(entry), subjectOf(entry)];
  return [...parts, ruleNamesIn(entry).join(', ')].join('  ').trimEnd();
}

/** The rules that spoke in an entry. Beside others, one in shadow mode is named as such: it has held nothing. */
function ruleNamesIn(entry: JsonObject): string[] {
  const isAlone = labelOf(entry) === 'shadow';
  return groundsIn(entry).map(({ verdict, ground }) => {
    const rule = textIn(ground, 'rule');
    return verdict === 'shadow' && !isAlone ? `${rule} (shadow)` : rule;
  });
}

/** Whether an entry stopped a tool call or a turn, or made a person decide. */
export function isHold(entry: JsonObject): boolean {
  return ['deny', 'hold', 'ask'].includes(textIn(entry, 'decision'));
}

/** Changes that people ask about, by the start of their names. */
const SHOWN_CHANGES = /^(satisfied|consumed|carried|approved|tests|pause|loop (?!heartbeat|at rest))/;
const IDLE_STATUS = /^(no_|interval_|stop_hook_)/;

/** Whether an entry is more than bookkeeping, such as a run that began or a session that was registered. */
export function isWorthShowing(entry: JsonObject): boolean {
  if (entry['failures'] !== undefined || entry['losses'] !== undefined || isByHand(entry)) return true;
  if (textsIn(entry['changes']).some((change) => SHOWN_CHANGES.test(change))) return true;
  const status = textIn(entry, 'status');
  switch (entry['decision']) {
    case 'started':
      return false;
    case 'nothing':
      return (
        groundsIn(entry).some(({ verdict }) => verdict !== 'shadow') ||
        (status !== '' && !IDLE_STATUS.test(status))
      );
    case 'advise':
      return groundsIn(entry).length > 0 || !/session.?(start|created)/i.test(textIn(entry, 'event'));
    default:
      return true;
  }
}

/** Whether rules in shadow mode spoke in an entry, which is shown only on request. */
function hasShadow(entry: JsonObject): boolean {
  return objectsIn(entry, 'verdicts').some(({ verdict }) => verdict === 'shadow');
}

/** Whether a command, or a person on the hub, wrote the entry, not the hook. */
export function isByHand(entry: JsonObject): boolean {
  return entry['host'] === 'command line' || entry['host'] === 'hub';
}

/** What was decided or happened, in one word. */
export function labelOf(entry: JsonObject): string {
  if (isHold(entry)) return entry['decision'] === 'ask' ? 'asked' : 'held';
  if (entry['failures'] !== undefined) return 'error';
  if (entry['decision'] === 'started') return 'started';
  const status = textIn(entry, 'status');
  if (status !== '') return status.startsWith('passed') ? 'passed' : 'gates';
  if (entry['decision'] === 'advise') return 'advised';
  return hasShadow(entry) ? 'shadow' : 'changed';
}

/** What it was about: the tool, else the event or the command. */
export function subjectOf(entry: JsonObject): string {
  const event = textIn(entry, 'event');
  return isByHand(entry) ? event : textIn(entry, 'tool') || event;
}

function remarksOf(entry: JsonObject): string[] {
  if (isByHand(entry))
    return [
      [textIn(entry, 'tool'), statusOf(entry), actorPhrase(entry)].filter((part) => part !== '').join(' '),
    ];
  const status = statusOf(entry);
  const rules = ruleNamesIn(entry);
  const failures = objectsIn(entry, 'failures').map(failureRemark);
  const changes = textsIn(entry['changes']).filter((change) => SHOWN_CHANGES.test(change));
  // `loop iteration 2/5` says more than `loop`.
  const bare = rules.filter((rule) => !changes.some((change) => change.startsWith(`${rule} `)));
  // Within a session, only what a person did is worth an actor: the rest is by the agent.
  const who = entry['actor'] === 'person' ? [actorPhrase(entry)] : [];
  const remarks = [...new Set([...bare, ...failures, ...changes, ...who])];
  if (remarks.length > 0) return remarks;
  if (status !== '') return [status.startsWith('passed') ? `gates ${status}` : status];
  const told = textsIn(entry['told']);
  if (told.length > 0) return [`told the person: ${told.join(' ')}`];
  const written = textsIn(entry['written']).map((file) => file.split('/').at(-1) ?? file);
  return written.length === 0 ? [] : [`wrote ${written.join(', ')}`];
}

/** The code, and the cause where only the message has it. */
function failureRemark(failure: JsonObject): string {
  const code = textIn(failure, 'code');
  const message = textIn(failure, 'message');
  // For a broken rule, the message starts with its name and its place.
  if (code === 'rule.failed') return (message.split(');', 1)[0] ?? '').concat(')');
  return code === 'effect.failed' && message !== '' ? `${code}: ${message}` : code;
}

function statusOf(entry: JsonObject): string {
  return textIn(entry, 'status').replaceAll('_', ' ');
}

const STYLES: Readonly<Record<string, Style>> = {
  held: 'red',
  asked: 'yellow',
  advised: 'cyan',
  changed: 'green',
  passed: 'green',
  error: 'yellow',
};

const LONGEST_LABEL = 7;
const SHORTEST_ID = 11;
const SESSION_LENGTH = 8;
/** From this width on, every line also has room for the session. */
const WIDE = 100;

/**
 * Formats entries in columns: time, decision, subject, session, id, rules. On a terminal with `columns` columns, rules
 * that do not fit go below; elsewhere every entry is one line.
 */
export function entryFormatter(
  entries: readonly JsonObject[],
  columns: number | undefined,
): (entry: JsonObject) => string[] {
  const widest = (least: number, textOf: (entry: JsonObject) => string): number =>
    Math.max(least, ...entries.map((entry) => textOf(entry).length));
  const isNarrow = columns !== undefined && columns < WIDE;
  const withSession = !isNarrow || new Set(entries.map(sessionName)).size !== 1;
  const timeWidth = widest(SESSION_LENGTH, timeText);
  const subjectWidth = Math.min(isNarrow ? 14 : 28, widest(4, subjectOf));
  const idWidth = widest(SHORTEST_ID, (entry) => textIn(entry, 'id'));
  const widths = [timeWidth, LONGEST_LABEL, subjectWidth, ...(withSession ? [SESSION_LENGTH] : []), idWidth];
  const room = columns ?? Number.POSITIVE_INFINITY;
  const left = room - widths.reduce((sum, width) => sum + width + 2, 0);
  const below = ' '.repeat(timeWidth + 2);
  return (entry) => {
    const label = labelOf(entry);
    const subject = subjectOf(entry);
    const isCut = columns !== undefined && subject.length > subjectWidth;
    const told = remarksOf(entry).join(', ');
    const rest = told.length <= left ? [] : foldText(told, room - below.length);
    const line = [
      styled('dim', timeText(entry).padStart(timeWidth)),
      styled(STYLES[label] ?? 'bold', label.padEnd(LONGEST_LABEL)),
      styled('bold', (isCut ? `…${subject.slice(1 - subjectWidth)}` : subject).padEnd(subjectWidth)),
      ...(withSession ? [styled('dim', sessionName(entry).padEnd(SESSION_LENGTH))] : []),
      styled('cyan', textIn(entry, 'id').padEnd(idWidth)),
      ...(told === '' || rest.length > 0 ? [] : [styled('dim', told)]),
    ];
    return [line.join('  ').trimEnd(), ...rest.map((text) => below + styled('dim', text))];
  };
}

function timeText(entry: JsonObject): string {
  return localTime(timeOf(entry));
}

function sessionName(entry: JsonObject): string {
  return textIn(entry, 'session').replaceAll('-', '').slice(0, SESSION_LENGTH);
}

export type RuleStatement = ReturnType<typeof groundsIn>[number];

/** Every rule that spoke in an entry, with its guard. */
export function groundsIn(entry: JsonObject) {
  return objectsIn(entry, 'verdicts').flatMap((one) => {
    const [guard, verdict] = [textIn(one, 'guard'), textIn(one, 'verdict')];
    return objectsIn(one, 'grounds').map((ground) => ({ guard, verdict, ground }));
  });
}

export function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(oneLine).filter((text) => text !== '') : [];
}

export function textIn(entry: JsonObject, key: string): string {
  return oneLine(entry[key]);
}

/** A tool name or session id may contain line breaks, with which it could fake another entry. */
function oneLine(value: Json | undefined): string {
  if (typeof value !== 'string') return '';
  // Few texts contain any, and testing is faster than replacing.
  return /[\n\t]/.test(value) ? value.replaceAll('\n', '\\n').replaceAll('\t', '\\t') : value;
}

/** What is wrong with the journal, as a sentence. */
export function journalSentence(trouble: JournalTrouble): string {
  switch (trouble.kind) {
    case 'missing': {
      const { lines, after } = trouble;
      const where = after === '' ? 'at its beginning' : `after ${after}`;
      return `${plural(lines, 'line')} of the journal ${lines === 1 ? 'is' : 'are'} missing ${where}`;
    }
    case 'changed':
      return `line ${trouble.id} of the journal was changed, or is not Holdpoint's`;
    case 'cut':
      return `lines of the journal from before ${localTime(trouble.at)} are missing`;
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{1,2}:\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** The moment that `--since` means, in milliseconds; times without a zone are local. */
export function sinceTime(words: string, given: string, now: number): number {
  const at = momentOf(given.trim(), now);
  if (at !== undefined && !Number.isNaN(at)) return at;
  throw cannotRun(
    `${words}: --since takes an age such as 30m, 2h or 7d, or a local date or time such as 2026-03-31, '2026-03-31 14:00' or 14:00, not '${given}'.`,
  );
}

function momentOf(text: string, now: number): number | undefined {
  const age = secondsIn(text);
  if (age !== undefined) return Math.max(0, now - age * 1000);
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

/** The full id of the session given by id, key or a prefix of either, if any. Refuses unless exactly one fits. */
export function resolveSession(
  words: string,
  given: string | undefined,
  entries: readonly JsonObject[],
  { layout, root }: ProjectContext,
): string | undefined {
  if (given === undefined) return undefined;
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
    if (id !== '' && !known.some((one) => isSameSessionName(one, id))) known.push(id);
  const exact = known.filter((id) => isSameSessionName(asked, id) || isSameSessionName(given, id));
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
  return own !== '' && isSameSessionName(own, session);
}

/** Whether a person means a rule by `given`, which may also be a gate's name alone, or a discipline: all its rules. */
export function isNamed(guard: string, rule: string, given: string): boolean {
  return [rule, guard, `${guard}/${rule}`].includes(given) || rule.endsWith(`:${given}`);
}

/** Whether a rule spoke or failed in an entry, or a command named it. */
function isAboutRule(entry: JsonObject, rule: string): boolean {
  const spoke = groundsIn(entry).some(({ guard, ground }) => isNamed(guard, textIn(ground, 'rule'), rule));
  const words = [...textsIn(entry['changes']), ...(isByHand(entry) ? [textIn(entry, 'tool')] : [])];
  const failed = objectsIn(entry, 'failures').some(
    (failure) =>
      textIn(failure, 'code') === 'rule.failed' && textIn(failure, 'message').includes(`rule ${rule} failed`),
  );
  return spoke || failed || words.some((text) => text.split(/[\s,]+/).includes(rule));
}

/** Refuses the name of a rule that neither the config nor the journal knows. */
export function checkRule(rule: string, entries: readonly JsonObject[], configured: readonly string[]): void {
  if (configured.includes(rule) || entries.some((entry) => isAboutRule(entry, rule))) return;
  const names = entries.flatMap(groundsIn).map(({ ground }) => textIn(ground, 'rule'));
  const known = [...new Set([...configured, ...names])].filter((name) => name !== 'run started');
  throw noSuchRule('holdpoint log', rule, known);
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
