import { BASE, EMPTY } from './summary.mjs';

const HEADS = ['wall p50', 'p95', 'cpu p50', 'p95', 'wall ×', 'cpu ×', '× empty', 'grown', 'budget', 'MB'];

/** The table as text. Budgets are on `cpu ×`, for rows that grow on `grown`. */
export function tableText(rows, budgets, rounds) {
  const width = Math.max(...rows.map((row) => row.name.length));
  const line = (name, cells) =>
    [name.padEnd(width), ...cells.map((cell) => cell.padStart(9))].join('').trimEnd();
  return [
    `${rounds} rounds, milliseconds; × is to ${BASE}, × empty is processor time to ${EMPTY},`,
    'grown is processor time to the smallest of its kind; MB is the largest resident size.',
    '',
    line('', HEADS),
    ...rows.map((row) => line(row.name, cellsOf(row, budgets))),
    '',
  ].join('\n');
}

/** The same for a document. */
export function tableMarkdown(rows, budgets) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...HEADS]),
    line(['---', ...HEADS.map(() => '--:')]),
    ...rows.map((row) => line([row.name, ...cellsOf(row, budgets)])),
    '',
  ].join('\n');
}

function cellsOf(row, { events, growth }) {
  const times = [row.wall50, row.wall95, row.cpu50, row.cpu95].map((value) => value.toFixed(1));
  const ratios = [row.wallRatio, row.cpuRatio, row.emptyRatio, row.growth].map((value) => number(value, 3));
  return [...times, ...ratios, number(events[row.name] ?? growth[row.name], 2), number(row.megabytes, 0)];
}

function number(value, digits) {
  return value === undefined ? '' : value.toFixed(digits);
}
