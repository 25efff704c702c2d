import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { journalFile, type Layout } from '../../state/documents';
import { findInJournal, readJournal, recordsIn, tailJournal } from '../../state/journal';
import type { Context, ExitCode } from '../context';
import { openProjectOrRefuse } from '../project';
import type { Output, Style } from '../ui/output';
import { cannotRun, Refusal } from '../ui/refusal';

export async function log(
  context: Context,
  values: { readonly count: string; readonly follow: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const { out } = context;
  const count = Number(values.count);
  if (!Number.isInteger(count) || count < 0)
    throw cannotRun(`holdpoint log: -n takes a whole number, not '${values.count}'.`);
  const { layout } = openProjectOrRefuse(context);
  const show: Show = (entry) => (values.json ? out.json(entry) : out.line(decisionLine(entry, out)));
  // Before the tail is read: a line between the two is then met twice, never missed.
  const follow = values.follow ? openFollower(layout) : undefined;
  const entries = tailJournal(layout, count);
  for (const entry of entries) show(entry);
  // Whoever asks for none has learned nothing about the journal.
  if (entries.length === 0 && count > 0 && !values.json && !values.follow)
    out.line('Nothing in the journal yet: no event of this project was held, changed anything or failed.');
  const shown = new Set(entries.map(({ id }) => id));
  await follow?.((entry) => shown.has(entry['id']) || show(entry));
  return 0;
}

const POLL_MS = 200;

/** Shows one entry; false once nobody reads any more. */
type Show = (entry: JsonObject) => boolean;

/**
 * Marks the end of the journal. What it returns shows everything appended since, until nobody reads any more. The file
 * stays open, so that its end can be read after it was rotated.
 */
function openFollower(layout: Layout): (show: Show) => Promise<void> {
  const file = journalFile(layout);
  const inodeOf = () => statSync(file, { throwIfNoEntry: false })?.ino;
  const open = () => (inodeOf() === undefined ? undefined : openSync(file, 'r'));
  let fd = open();
  let offset = fd === undefined ? 0 : fstatSync(fd).size;
  const showRest = (show: Show): boolean => {
    if (fd === undefined) return true;
    const { size } = fstatSync(fd);
    if (size < offset) offset = 0;
    const buffer = Buffer.alloc(size - offset);
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, offset));
    const end = bytes.lastIndexOf('\n') + 1;
    offset += end;
    return bytes.toString('utf8', 0, end).split('\n').flatMap(recordsIn).every(show);
  };
  return async (show) => {
    // Before the rest is read: what is appended to the old file before it is rotated is then never missed.
    for (let inode = inodeOf(); showRest(show); inode = inodeOf()) {
      const isOther = inode !== undefined && (fd === undefined || fstatSync(fd).ino !== inode);
      if (!isOther) {
        await wait(POLL_MS);
        continue;
      }
      if (fd !== undefined) closeSync(fd);
      fd = open();
      offset = 0;
    }
  };
}

const STYLES: Readonly<Record<string, Style>> = {
  deny: 'red',
  hold: 'red',
  ask: 'yellow',
  advise: 'cyan',
  change: 'green',
  failed: 'yellow',
};

/** One decision on one line: when, what was decided, on what, by which rules, under which id. */
export function decisionLine(entry: JsonObject, out: Output): string {
  const decision = labelOf(entry);
  const remarks = [
    ...groundsIn(entry).map(({ guard, ground }) => `${guard}/${textIn(ground, 'rule')}`),
    ...objectsIn(entry['failures']).map((failure) => `failed: ${textIn(failure, 'code')}`),
  ];
  const written = textsIn(entry['written']).map((file) => file.split('/').at(-1) ?? file);
  if (remarks.length === 0 && written.length > 0) remarks.push(`wrote ${written.join(', ')}`);
  return [
    out.style('dim', textIn(entry, 'at')),
    out.style(STYLES[decision] ?? 'bold', decision.padEnd(7)),
    out.style('bold', subjectOf(entry).padEnd(24)),
    out.style('dim', textIn(entry, 'session').slice(0, 8).padEnd(8)),
    out.style('cyan', textIn(entry, 'id')),
    out.style('dim', remarks.join(', ')),
  ]
    .join('  ')
    .trimEnd();
}

const MOST_SHOWN = 10;

export function why(
  context: Context,
  values: { readonly json: boolean },
  positionals: readonly string[],
): ExitCode {
  const { out } = context;
  const [id] = positionals;
  if (id === undefined || id === '')
    throw cannotRun("holdpoint why: give the id of a decision. 'holdpoint log' lists them.");
  const decisions = decisionsById(openProjectOrRefuse(context).layout, id);
  const [entry] = decisions;
  if (entry === undefined)
    throw new Refusal(
      `There is no decision '${id}' in this project's journal. 'holdpoint log' lists the recent ones.`,
    );
  if (decisions.length > 1) throw new Refusal(ambiguous(id, decisions));
  if (values.json) out.json(entry);
  else for (const line of decisionDetails(entry, out)) out.line(line);
  return 0;
}

/** The decision with this id, else all whose ids begin with it, each as recorded last, the oldest first. */
function decisionsById(layout: Layout, id: string): readonly JsonObject[] {
  const exact = findInJournal(layout, id);
  if (exact !== undefined) return [exact];
  const found = new Map<unknown, JsonObject>();
  for (const entry of readJournal(layout)) {
    if (typeof entry['id'] === 'string' && entry['id'].startsWith(id)) found.set(entry['id'], entry);
  }
  return [...found.values()];
}

function ambiguous(id: string, decisions: readonly JsonObject[]): string {
  const more = decisions.length > MOST_SHOWN ? `; the newest ${MOST_SHOWN}` : '';
  return [
    `The ids of ${decisions.length} decisions begin with '${id}'${more}:`,
    ...decisions.slice(-MOST_SHOWN).map((entry) => `  ${shortLine(entry)}`),
  ].join('\n');
}

type Row = readonly [label: string, value: string];

/** A decision at length: which guard, rule and line of the config, what clears it, who may waive it. */
function decisionDetails(entry: JsonObject, out: Output): string[] {
  const separator: Row = ['', ''];
  const rowsOf = (label: string, values: readonly string[]): Row[] => values.map((value) => [label, value]);
  const after = [
    ...rowsOf(
      'failure',
      objectsIn(entry['failures']).map((failure) => textIn(failure, 'message')),
    ),
    ...rowsOf('lost', textsIn(entry['losses'])),
    ...rowsOf('wrote', textsIn(entry['written'])),
    ...rowsOf('kept aside', textsIn(entry['set_aside'])),
  ];
  const rows: Row[] = [
    ['decision', textIn(entry, 'decision')],
    ['gates', textIn(entry, 'status')],
    ['time', textIn(entry, 'at')],
    ['event', subjectOf(entry)],
    ['host', textIn(entry, 'host')],
    ['by', textIn(entry, 'actor')],
    ['session', textIn(entry, 'session')],
    ['took', typeof entry['ms'] === 'number' ? `${entry['ms']} ms` : ''],
    ...groundsIn(entry).flatMap(({ guard, verdict, ground }): Row[] => [
      separator,
      ['guard', `${guard}: ${verdict}`],
      ['rule', textIn(ground, 'rule')],
      ['config', textIn(ground, 'place')],
      ['because', textIn(ground, 'fact')],
      ['clears it', textIn(ground, 'clear')],
      ['may waive', textIn(ground, 'waive')],
    ]),
    ...(after.length > 0 ? [separator, ...after] : []),
  ];
  return rows.flatMap(([label, value]) => {
    if (label === '') return [''];
    return value === '' ? [] : [`${out.style('dim', label.padEnd(11))}${out.style('bold', value)}`];
  });
}

/** The least that tells one decision from another, without colour. */
function shortLine(entry: JsonObject): string {
  return [textIn(entry, 'id'), textIn(entry, 'at'), labelOf(entry), subjectOf(entry)].join('  ');
}

function subjectOf(entry: JsonObject): string {
  return [textIn(entry, 'event'), textIn(entry, 'tool')].filter((part) => part !== '').join(' ');
}

/** An entry that decided nothing is in the journal for what it changed, what failed, or how the gates' run ended. */
function labelOf(entry: JsonObject): string {
  const decision = textIn(entry, 'decision');
  if (decision !== 'nothing') return decision;
  if (entry['failures'] !== undefined) return 'failed';
  return textIn(entry, 'status') || 'change';
}

function groundsIn(entry: JsonObject): { guard: string; verdict: string; ground: JsonObject }[] {
  return objectsIn(entry['verdicts']).flatMap((verdict) =>
    objectsIn(verdict['grounds']).map((ground) => ({
      guard: textIn(verdict, 'guard'),
      verdict: textIn(verdict, 'verdict'),
      ground,
    })),
  );
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(oneLine).filter((text) => text !== '') : [];
}

function textIn(entry: JsonObject, key: string): string {
  return oneLine(entry[key]);
}

/** A tool's name or a session's id may hold line ends, with which it could pass itself off as another entry. */
function oneLine(value: Json | undefined): string {
  return typeof value === 'string' ? value.replaceAll('\n', '\\n').replaceAll('\t', '\\t') : '';
}
