import { setTimeout as wait } from 'node:timers/promises';
import { actorPhrase, UNKNOWN, whoJson } from '../../core/actor';
import { GUARD_NAMES, WORKFLOW_RULES } from '../../core/guard';
import { type JsonObject, objectsIn } from '../../core/json';
import { loadConfig } from '../../core/project';
import { localTime } from '../../core/text';
import type { Layout } from '../../state/documents';
import { logFiles, newestFirst, readJournal, unreadableLog } from '../../state/journal';
import { checkJournal } from '../../state/journal-check';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import {
  checkRule,
  decisionById,
  entryFormatter,
  type Filters,
  groundsIn,
  inOrder,
  isHold,
  isOfSession,
  journalSentence,
  labelOf,
  matches,
  nothingFound,
  resolveSession,
  sinceTime,
  subjectOf,
  textIn,
  textsIn,
  timeOf,
  wantedEntries,
} from '../log/entries';
import { type Outcome, outcomesOf } from '../log/outcome';
import { type ProjectContext, requireProject } from '../project';
import { rulesOf } from '../rules/catalogue';
import { ago, foldText, print, printError, printJson, styled, terminalColumns } from '../ui/output';

type LogOptions = Options<'held' | 'all' | 'follow', 'count' | 'since' | 'session' | 'rule'>;

const WORDS = 'holdpoint log';
const USUAL_COUNT = 20;

/** `holdpoint log`: what was decided and done, in chronological order. */
export async function log(context: Context, values: LogOptions): Promise<ExitCode> {
  const most = values.since === undefined ? USUAL_COUNT : Number.POSITIVE_INFINITY;
  const count = values.count === undefined ? most : Number(values.count);
  if (values.count !== undefined && !/^\d+$/.test(values.count))
    throw cannotRun(`${WORDS}: -n takes a whole number, not '${values.count}'.`);
  const since = values.since === undefined ? undefined : sinceTime(WORDS, values.since, Date.now());
  const project = requireProject(context);
  const journal = readableJournal(WORDS, project);
  if (values.rule !== undefined) checkRule(values.rule, journal, rulesIn(project));
  const session = resolveSession(WORDS, values.session, journal, project);
  const filters: Filters = { ...values, since, session };
  const wanted = wantedEntries(journal, filters);
  const shown = count === 0 ? [] : wanted.slice(-count);
  const format = entryFormatter(shown, terminalColumns());
  const show: Show = (entry) =>
    context.json ? printJson({ ...entry, ...whoJson(entry) }) : format(entry).every((line) => print(line));
  if (!shown.every(show)) return 0;
  if (wanted.length === 0 && count > 0 && !context.json && !values.follow)
    print(nothingFound(journal, filters));
  for (const trouble of checkJournal(project.layout)) printError(`Warning: ${journalSentence(trouble)}.`);
  if (values.follow)
    await follow(project.layout, journal, (entry) => !matches(entry, filters) || show(entry));
  return 0;
}

/** Refuses if nothing can be read, and warns if a part cannot. */
function readableJournal(words: string, { layout }: ProjectContext): JsonObject[] {
  const trouble = unreadableLog(layout, 'journal');
  const [newest] = logFiles(layout, 'journal');
  if (trouble?.startsWith(`${newest}:`)) throw cannotRun(`${words}: the journal cannot be read: ${trouble}`);
  if (trouble !== undefined) printError(`Warning: a part of the journal cannot be read: ${trouble}`);
  return [...readJournal(layout)];
}

/** The names that `holdpoint rules` lists, gates also without their kind, and the disciplines. */
function rulesIn(project: ProjectContext): string[] {
  const rules = rulesOf(project).flatMap(({ name, gate }) => [name, ...(gate ? [gate.name] : [])]);
  const guards = loadConfig(project, project.chunks)?.head.guards ?? [];
  const isFlow = guards.some(({ name }) => name === 'workflow');
  return [...new Set([...rules, ...GUARD_NAMES, ...(isFlow ? WORKFLOW_RULES : [])])];
}

const POLL_MS = 200;

/** Shows what is appended to the journal from now on, until the reader is gone. */
async function follow(layout: Layout, known: readonly JsonObject[], show: Show): Promise<void> {
  const keyOf = ({ id, decision }: JsonObject): string => `${id} ${decision}`;
  const seen = new Set(known.map(keyOf));
  for (;;) {
    const fresh: JsonObject[] = [];
    for (const entry of newestFirst(layout)) {
      if (seen.has(keyOf(entry))) break;
      fresh.unshift(entry);
    }
    for (const entry of fresh) {
      seen.add(keyOf(entry));
      if (!show(entry)) return;
    }
    await wait(POLL_MS);
  }
}

/** Returns false once the reader has closed the stream. */
type Show = (entry: JsonObject) => boolean;

/** `holdpoint why`: one decision in detail and, for a hold, its outcome. Without an id: the latest hold. */
export function why(context: Context, values: Options<never, 'session'>, [id]: readonly string[]): ExitCode {
  const project = requireProject(context);
  const journal = inOrder(readableJournal('holdpoint why', project));
  const session = resolveSession('holdpoint why', values.session, journal, project);
  const among = journal.filter((entry) => session === undefined || isOfSession(entry, session));
  if (id === '') throw cannotRun('holdpoint why: the id is empty. Leave it out for the latest hold.');
  const entry = id === undefined ? latestHold(among, values.session) : decisionById(among, id);
  const outcomes = outcomesOf(entry, journal, project);
  const outcome = outcomes.map(({ at, ...one }) => ({ ...one, at: at && new Date(at).toISOString() }));
  const value = { ...entry, ...whoJson(entry), ...(outcome.length > 0 && { outcome }) };
  return report(context, value, decisionDetails(entry, outcomes));
}

function latestHold(entries: readonly JsonObject[], session: string | undefined): JsonObject {
  const latest = entries.findLast(isHold);
  if (latest !== undefined) return latest;
  const where = session === undefined ? 'in this project yet' : `in session ${session}`;
  throw new Refusal(`Nothing has been held ${where}.`);
}

type Row = readonly [label: string, value: string];

/** What, when and where; then, per rule, why, what to do and the outcome. */
function decisionDetails(entry: JsonObject, outcomes: readonly Outcome[]): string[] {
  const separator: Row = ['', ''];
  const rowsOf = (label: string, values: readonly string[]): Row[] => values.map((value) => [label, value]);
  const after = [
    ...rowsOf(
      'error',
      objectsIn(entry, 'failures').map((failure) => textIn(failure, 'message')),
    ),
    ...rowsOf('person told', textsIn(entry['told'])),
    ...rowsOf('not shown', textsIn(entry['losses'])),
    ...rowsOf('changed', textsIn(entry['changes'])),
    ...rowsOf('wrote', isHold(entry) ? [] : textsIn(entry['written'])),
    ...rowsOf('set aside', textsIn(entry['set_aside'])),
  ];
  const open = [...outcomes];
  const rows: Row[] = [
    ['id', textIn(entry, 'id')],
    ['decision', labelOf(entry)],
    ['gates', textIn(entry, 'status').replaceAll('_', ' ')],
    ['time', `${localTime(timeOf(entry))} (${ago((Date.now() - timeOf(entry)) / 1000)})`],
    [
      'event',
      [...new Set([textIn(entry, 'event'), subjectOf(entry), textIn(entry, 'tool')])].join(' ').trim(),
    ],
    ['host', textIn(entry, 'host')],
    ['by', actorPhrase(entry).replace(/^by /, '') || UNKNOWN],
    ['session', textIn(entry, 'session')],
    ['branch', textIn(entry, 'branch')],
    ['took', typeof entry['ms'] === 'number' ? `${entry['ms']} ms` : ''],
    ...groundsIn(entry).flatMap(({ guard, verdict, ground }): Row[] => [
      separator,
      ['rule', `${textIn(ground, 'rule')} (${guard}${MILDER[verdict] ?? ''})`],
      ['config', textIn(ground, 'place')],
      ['because', textIn(ground, 'fact')],
      ['what to do', textIn(ground, 'clear')],
      ['may waive', textIn(ground, 'waive')],
      ['outcome', open[0]?.rule === textIn(ground, 'rule') ? (open.shift()?.text ?? '') : ''],
    ]),
    ...(after.length > 0 ? [separator, ...after] : []),
  ];
  return rows.flatMap(([label, value]) => {
    if (label === '') return [''];
    return foldText(value, (terminalColumns() ?? Number.POSITIVE_INFINITY) - LABEL_WIDTH).map(
      (line, at) => `${styled('dim', (at === 0 ? label : '').padEnd(LABEL_WIDTH))}${styled('bold', line)}`,
    );
  });
}

const MILDER: Readonly<Record<string, string>> = {
  advise: ', advice',
  shadow: ', in shadow mode: nothing was held',
};

const LABEL_WIDTH = 12;
