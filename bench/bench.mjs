// What events cost beside what starting node costs anyway: one table, as ratios.
// node bench/bench.mjs [--rounds N] [--only PATTERN] [--growth] [--check] [--json FILE]
// --list only names the rows, --markdown prints the table for a document.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { overBudget } from './budgets.mjs';
import { rowsFor } from './catalogue.mjs';
import { machine } from './machine.mjs';
import { measure } from './measure.mjs';
import { measureMemory } from './memory.mjs';
import { prepare } from './prepare.mjs';
import { openStage } from './stage.mjs';
import { summary } from './summary.mjs';
import { tableMarkdown, tableText } from './table.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    growth: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds wants a number from 1 on, not ${options.rounds}`);
const chosen = rowsFor(options.growth, patternOf(options.only));
if (options.list) {
  console.log(chosen.map(({ name }) => name).join('\n'));
  process.exit(0);
}
const dist = resolve(process.env.HOLDPOINT_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
if (!existsSync(join(dist, 'hook.cjs'))) fail(`${dist} has no hook.cjs: npm run build`);
const budgets = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));

const stage = openStage(dist);
// A signal that ends the run must not leave its files behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
process.on('exit', () => stage.remove());

const { ready, notes } = prepare(chosen, stage, rounds);
const { samples, wrong } = await measure(ready, rounds, stage);
const rows = summary(ready, samples, measureMemory(ready, rounds, stage));
const isWhole = options.growth && options.only === '';
const broken = overBudget(rows, budgets, isWhole);
const foot = [
  machine(),
  ...notes,
  ...(options.growth ? [] : ['Growth with state was not measured; --growth does, and takes a few minutes.']),
];

console.log(options.markdown ? tableMarkdown(rows, budgets) : tableText(rows, budgets, rounds));
for (const line of foot) console.log(line);
for (const line of [...wrong, ...broken]) console.log(`! ${line}`);
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ rounds, rows, wrong, broken, foot }, null, 2)}\n`);
}
// Figures of a hook that answers wrongly are worth nothing, whoever asked for them.
process.exitCode = wrong.length > 0 || (options.check && broken.length > 0) ? 1 : 0;

function patternOf(text) {
  try {
    return new RegExp(text, 'i');
  } catch (error) {
    return fail(`--only wants a regular expression: ${error.message}`);
  }
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
