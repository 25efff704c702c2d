import { computed, signal } from '@preact/signals';
import { api, sentence } from './api';
import { kindOf, lookOf } from './parts/kind';
import type { Decision } from './types';

/** Rows read at a time. */
const PAGE = 500;
/** With more rows than this, and the newest one in view, the list starts again from the top. */
const MOST = 15_000;

export interface Filters {
  readonly rule: string;
  readonly session: string;
  readonly project: string;
  readonly text: string;
  readonly held: boolean;
}

export const NO_FILTERS: Filters = { rule: '', session: '', project: '', text: '', held: false };
export const filters = signal<Filters>(NO_FILTERS);
export const isFiltered = computed(() => Object.values(filters.value).some(Boolean));

/** All rows read for the current filters, newest first. */
const rows = signal<readonly Decision[]>([]);
export const next = signal<string | null>(null);
export const loading = signal(false);
export const failed = signal<string | null>(null);
/** Whether the newest row is in view. */
export const atTop = signal(true);
let isWanted = false;
let generation = 0;

export const keyOf = (row: Pick<Decision, 'machine' | 'id'>) => `${row.machine.id} ${row.id}`;

/** The rows that pass the filters. */
export const shown = computed(() => rows.value.filter(matcher(filters.value)));

function matcher({ rule, session, project, text, held }: Filters): (row: Decision) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) =>
    (!held || isHeld(row.kind)) &&
    (rule === '' || row.rules.includes(rule)) &&
    (session === '' || row.session === session) &&
    (project === '' || row.project.id === project) &&
    (words.length === 0 || hasWords(row, words));
}

function hasWords(row: Decision, words: readonly string[]): boolean {
  const { kind, event, tool, rules, project, branch, session, host, machine, actor } = row;
  const { word } = lookOf(kindOf(row));
  const all = [kind, word, event, tool, ...rules, project.name, branch, session, host, machine.name, actor];
  const text = all.join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

const isHeld = (kind: string) => kind === 'deny' || kind === 'hold' || kind === 'ask';

/** The names that the filters offer. */
export const known = computed(() => ({
  rules: [...new Set(rows.value.flatMap((row) => row.rules))].sort(),
  projects: [...new Map(rows.value.map(({ project }) => [project.id, project.name]))],
  sessions: [...new Set(rows.value.map(({ session }) => session))].filter(Boolean).slice(0, 200),
}));

export function setFilters(changed: Partial<Filters>): void {
  const before = filters.value;
  filters.value = { ...before, ...changed };
  // The text is searched in the rows read so far; the hub applies the other filters.
  const { text } = before;
  if (JSON.stringify({ ...filters.value, text }) !== JSON.stringify(before)) void reloadDecisions();
}

/** Reads the top of the list when the view is opened for the first time. */
export function wantDecisions(): void {
  if (isWanted) return;
  isWanted = true;
  void reloadDecisions();
}

/** The next person who signs in starts afresh. */
export function forgetDecisions(): void {
  generation += 1;
  isWanted = false;
  rows.value = [];
  next.value = null;
  filters.value = NO_FILTERS;
}

async function read(before?: string) {
  const { rule, session, project, held } = filters.value;
  return api.decisions({ limit: PAGE, before, rule, session, project, held: held ? 1 : undefined });
}

export async function reloadDecisions(): Promise<void> {
  if (!isWanted) return;
  generation += 1;
  await load();
}

export async function readMore(): Promise<void> {
  if (!loading.value && next.value !== null) await load(next.value);
}

/** Reads the newest page, or the one behind those that were read. */
async function load(before?: string): Promise<void> {
  const mine = generation;
  loading.value = true;
  try {
    const page = await read(before);
    if (mine !== generation) return;
    const kept = before === undefined ? [] : rows.value;
    const have = new Set(kept.map(keyOf));
    rows.value = [...kept, ...page.items.filter((row) => !have.has(keyOf(row)))];
    next.value = page.next;
    failed.value = null;
  } catch (thrown) {
    if (mine === generation) failed.value = sentence(thrown);
  } finally {
    if (mine === generation) loading.value = false;
  }
}

/** Inserts rows by time. Known ones are replaced, because a mark may have changed. */
export function addDecisions(arrived: readonly Decision[]): void {
  if (!isWanted || arrived.length === 0) return;
  if (rows.value.length > MOST && atTop.value) {
    void reloadDecisions();
    return;
  }
  const { rule, session, project, held } = filters.value;
  const fits = matcher({ ...NO_FILTERS, rule, session, project, held });
  const news = new Map(arrived.filter(fits).map((row) => [keyOf(row), row]));
  const merged = rows.value.map((row) => {
    const changed = news.get(keyOf(row));
    if (changed) news.delete(keyOf(row));
    return changed ?? row;
  });
  const oldest = merged.at(-1)?.at ?? '';
  // Rows older than all that was read come with their own page.
  const fresh = [...news.values()].reverse().filter(({ at }) => next.value === null || at >= oldest);
  const newest = merged[0]?.at ?? '';
  const isInOrder = fresh.every(({ at }) => at >= newest);
  const all = [...fresh, ...merged];
  rows.value = isInOrder ? all : all.sort((one, two) => (one.at < two.at ? 1 : one.at > two.at ? -1 : 0));
}

export function changeRow(key: string, changed: Partial<Decision>): void {
  rows.value = rows.value.map((row) => (keyOf(row) === key ? { ...row, ...changed } : row));
}
