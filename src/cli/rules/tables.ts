import type { Mode } from '../../core/effect-kinds';
import { plural, printable, type Style, styled, terminalColumns } from '../ui/output';
import { dayOf, type Figures, occasions, quantile } from './figures';

/* Tables of rules, never wider than the terminal. Without a terminal: a default width, no colour. */

const USUAL_WIDTH = 100;
const NARROWEST = 40;

export function widthOf(env: Readonly<Record<string, string | undefined>>): number {
  const given = Number(env['COLUMNS']);
  const columns = terminalColumns() ?? (Number.isInteger(given) && given > 0 ? given : USUAL_WIDTH);
  return Math.max(NARROWEST, columns);
}

export interface Column<Row> {
  readonly title: string;
  cell(row: Row): string;
  readonly right?: true;
  /** If space is short, the column with the smallest number goes first; one without a number stays. */
  readonly keep?: number;
  style?(row: Row): Style;
}

const GAP = 2;

function widest<Row>({ title, cell }: Column<Row>, rows: readonly Row[]): number {
  return Math.max(title.length, ...rows.map((row) => printable(cell(row)).length));
}

/** Aligned columns with headings that fit the width. As a last resort, the first column is cut. */
export function drawTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): string[] {
  const [first, ...left] = columns.map((column) => ({ ...column, size: widest(column, rows) }));
  if (first === undefined) return [];
  const room = (): number => width - left.reduce((sum, { size }) => sum + size + GAP, 0);
  while (room() < Math.min(first.size, SHORT_NAME)) {
    const weak = left.filter(({ keep }) => keep !== undefined);
    const [weakest] = weak.sort((a, b) => (a.keep ?? 0) - (b.keep ?? 0));
    if (weakest === undefined) break;
    left.splice(left.indexOf(weakest), 1);
  }
  const shown = [{ ...first, size: Math.min(first.size, Math.max(room(), 8)) }, ...left];
  const fitted = ({ size, right }: (typeof shown)[number], text: string): string => {
    const fitting = cut(printable(text), size);
    return right ? fitting.padStart(size) : fitting.padEnd(size);
  };
  const line = (parts: readonly string[]): string => parts.join(' '.repeat(GAP)).trimEnd();
  const cellOf = (column: (typeof shown)[number], row: Row): string => {
    const text = fitted(column, column.cell(row));
    const style = column.style?.(row);
    return style === undefined ? text : styled(style, text);
  };
  const heading = styled('dim', line(shown.map((column) => fitted(column, column.title))));
  return [heading, ...rows.map((row) => line(shown.map((column) => cellOf(column, row))))];
}

/** Names up to this length are never cut to make room for another column. */
const SHORT_NAME = 24;

function cut(text: string, size: number): string {
  return text.length <= size ? text : `${text.slice(0, Math.max(0, size - 1))}…`;
}

const STEPS = '▁▂▃▄▅▆▇█';

/** Draws counts as small bars, the highest at full height; a zero is a dot. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  return counts
    .map((count) => (count === 0 ? '·' : (STEPS[Math.ceil((count / most) * STEPS.length) - 1] ?? '')))
    .join('');
}

/** Draws a share as a bar of `places` characters; anything above zero fills at least one. */
function bar(share: number, places: number): string {
  const full = share <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, share) * places));
  return '█'.repeat(full) + '░'.repeat(places - full);
}

/** Seconds in the largest unit that fits. */
function shortTime(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  if (seconds < 1) return '<1s';
  if (seconds < 60) return `${Math.round(seconds)}s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.round(seconds / 3600)}h` : `${Math.round(seconds / 86_400)}d`;
}

export const MODE_STYLES: Readonly<Record<Mode, Style>> = { shadow: 'dim', warn: 'yellow', hold: 'red' };

const MOST_DAYS = 30;
const BAR_PLACES = 8;

/** Counts by day up to today, for at most `most` days. */
function dailyCounts({ days }: Pick<Figures, 'days'>, since: number, now: number, most: number): number[] {
  const [from, to] = [dayOf(since), dayOf(now)];
  const first = Math.max(from, to - most + 1);
  return Array.from({ length: to - first + 1 }, (_, at) => days.get(first + at) ?? 0);
}

export function counted(count: number): string {
  return count === 0 ? '-' : String(count);
}

export function falseText({ falseAlarms, ...figures }: Figures): string {
  const all = occasions(figures);
  if (falseAlarms === 0) return '-';
  return all === 0 ? String(falseAlarms) : `${falseAlarms} (${Math.round((falseAlarms / all) * 100)}%)`;
}

export type Counted = Figures & { readonly mode: Mode | undefined };

/** The table of `stats`, one line per rule. */
export function statsTable(
  rows: readonly Counted[],
  { since, now, width }: { since: number; now: number; width: number },
): string[] {
  const right = true;
  const times = ({ seconds }: Counted): string =>
    seconds.length === 0
      ? '-'
      : `${shortTime(quantile(seconds, 0.5))} / ${shortTime(quantile(seconds, 0.9))}`;
  const share = (one: Counted): number => (one.asked === 0 ? 0 : occasions(one) / one.asked);
  const columns: Column<Counted>[] = [
    { title: 'RULE', cell: ({ rule }) => rule, style: () => 'bold' },
    { title: 'MODE', cell: ({ mode }) => mode ?? '-', style: ({ mode = 'shadow' }) => MODE_STYLES[mode] },
    { title: 'ASKED', cell: ({ asked }) => counted(asked), right },
    { title: 'HELD', cell: ({ held }) => counted(held), right },
    { title: 'WARNED', cell: ({ warned }) => counted(warned), right },
    { title: 'SHADOW', cell: ({ shadowed }) => counted(shadowed), right },
    { title: 'SHARE', cell: (one) => bar(share(one), BAR_PLACES), keep: 1 },
    { title: 'FALSE', cell: falseText, right },
    { title: 'CLEARED', cell: times, right, keep: 2 },
  ];
  // Show as many days as fit.
  const taken = columns.reduce((sum, one) => sum + widest(one, rows) + GAP, 0);
  const daily = (one: Counted) => dailyCounts(one, since, now, Math.min(MOST_DAYS, width - taken));
  const days = rows[0] === undefined ? 0 : daily(rows[0]).length;
  const title = plural(days, 'DAY').toUpperCase();
  const chart: Column<Counted> = { title, cell: (one) => sparkline(daily(one)), style: () => 'cyan' };
  return drawTable(rows, days < FEWEST_DAYS ? columns : [...columns, chart], width);
}

/** With fewer days the chart shows nothing. */
const FEWEST_DAYS = 7;
