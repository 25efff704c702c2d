import { isJsonObject, type Json, type JsonObject } from '../core/json';
import type { Output, Style } from './ui/output';

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
  const rules = groundsIn(entry).map(({ guard, ground }) => `${guard}/${textIn(ground, 'rule')}`);
  const failures = objectsIn(entry['failures']).map((failure) => `failed: ${textIn(failure, 'code')}`);
  const remarks = [
    ...rules,
    ...failures,
    ...(rules.length + failures.length === 0 ? [writtenIn(entry)] : []),
  ];
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

/** The least that tells one decision from another, without colour. */
export function shortLine(entry: JsonObject): string {
  return [textIn(entry, 'id'), textIn(entry, 'at'), labelOf(entry), subjectOf(entry)].join('  ');
}

/** A decision told at length: which guard, which rule, which line of the config, what clears it, who may waive it. */
export function decisionStory(entry: JsonObject, out: Output): string[] {
  const head: [string, string][] = [
    ['decision', textIn(entry, 'decision')],
    ['gates', textIn(entry, 'status')],
    ['time', textIn(entry, 'at')],
    ['event', subjectOf(entry)],
    ['host', textIn(entry, 'host')],
    ['by', textIn(entry, 'actor')],
    ['session', textIn(entry, 'session')],
    ['took', typeof entry['ms'] === 'number' ? `${entry['ms']} ms` : ''],
  ];
  const grounds = groundsIn(entry).flatMap(({ guard, verdict, ground }): [string, string][] => [
    ['', ''],
    ['guard', `${guard}: ${verdict}`],
    ['rule', textIn(ground, 'rule')],
    ['config', textIn(ground, 'place')],
    ['because', textIn(ground, 'fact')],
    ['clears it', textIn(ground, 'clear')],
    ['may waive', textIn(ground, 'waive')],
  ]);
  const after = [
    ...objectsIn(entry['failures']).map((failure): [string, string] => [
      'failure',
      textIn(failure, 'message'),
    ]),
    ...textsIn(entry['losses']).map((loss): [string, string] => ['lost', loss]),
    ...textsIn(entry['written']).map((file): [string, string] => ['wrote', file]),
    ...textsIn(entry['set_aside']).map((file): [string, string] => ['kept aside', file]),
  ];
  const rows = [...head, ...grounds, ...(after.length > 0 ? [['', ''] as [string, string], ...after] : [])];
  return rows
    .filter(([label, value]) => label === '' || value !== '')
    .map(([label, value]) =>
      label === '' ? '' : `${out.style('dim', label.padEnd(11))}${out.style('bold', value)}`,
    );
}

function subjectOf(entry: JsonObject): string {
  return [textIn(entry, 'event'), textIn(entry, 'tool')].filter((part) => part !== '').join(' ');
}

/** An entry that decided nothing stands in the journal for what it changed, what failed, or how the gates' run ended. */
function labelOf(entry: JsonObject): string {
  const decision = textIn(entry, 'decision');
  if (decision !== 'nothing') return decision;
  if (entry['failures'] !== undefined) return 'failed';
  return textIn(entry, 'status') || 'change';
}

interface GroundOf {
  readonly guard: string;
  readonly verdict: string;
  readonly ground: JsonObject;
}

function groundsIn(entry: JsonObject): GroundOf[] {
  return objectsIn(entry['verdicts']).flatMap((verdict) =>
    objectsIn(verdict['grounds']).map((ground) => ({
      guard: textIn(verdict, 'guard'),
      verdict: textIn(verdict, 'verdict'),
      ground,
    })),
  );
}

function writtenIn(entry: JsonObject): string {
  const names = textsIn(entry['written']).map((file) => file.split('/').at(-1) ?? file);
  return names.length === 0 ? '' : `wrote ${names.join(', ')}`;
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
  return typeof value === 'string' ? value.replace(/[\n\t]/g, (char) => (char === '\n' ? '\\n' : '\\t')) : '';
}
