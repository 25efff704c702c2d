// What an event costs beside what starting node costs anyway: one table, as ratios.
// node bench/bench.mjs [--rounds N] [--hook FILE] [--check]
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure } from './measure.mjs';
import { makeScene } from './scene.mjs';
import { binnedMedian, percentile } from './statistics.mjs';
import { stopHookVariants } from './stop-hook.mjs';
import { variantsIn } from './variants.mjs';
import { workflowVariants } from './workflow.mjs';

const BASE = 'node -e 0';
const budgets = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    hook: { type: 'string', default: fileURLToPath(new URL('../dist/hook.cjs', import.meta.url)) },
    check: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const hook = resolve(options.hook);
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds wants a number from 1 on, not ${options.rounds}`);
if (!existsSync(hook)) fail(`${hook} is not there: npm run build`);

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-bench-')));
try {
  const scene = makeScene(dir, join(dirname(hook), 'req.cjs'));
  const variants = [
    ...variantsIn(scene, hook, rounds),
    ...workflowVariants(scene, hook, rounds),
    ...stopHookVariants(scene, dirname(hook), rounds),
  ];
  const rows = table(measure(variants, rounds, scene));
  print(rows);
  const broken = [...scene.troubles, ...unexpected(variants, scene), ...overBudget(rows)];
  for (const each of broken) console.log(`! ${each}`);
  if (options.check && broken.length > 0) process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function table(samples) {
  const rows = [...samples].map(([name, runs]) => ({
    name,
    wall50: binnedMedian(runs.map((run) => run.wall)),
    wall95: percentile(
      runs.map((run) => run.wall),
      0.95,
    ),
    cpu50: binnedMedian(runs.map((run) => run.cpu)),
  }));
  const base = rows.find((row) => row.name === BASE);
  return rows.map((row) => ({
    ...row,
    wallRatio: row.wall50 / base.wall50,
    cpuRatio: row.cpu50 / base.cpu50,
  }));
}

function print(rows) {
  const width = Math.max(...rows.map((row) => row.name.length));
  const line = (name, ...cells) => console.log(name.padEnd(width), ...cells.map((cell) => cell.padStart(9)));
  console.log(`${rounds} rounds, milliseconds; ratios to ${BASE}\n`);
  line('', 'wall p50', 'wall p95', 'cpu p50', 'wall ×', 'cpu ×', 'budget');
  for (const row of rows) {
    const numbers = [row.wall50, row.wall95, row.cpu50].map((value) => value.toFixed(1));
    const ratios = [row.wallRatio, row.cpuRatio].map((value) => value.toFixed(3));
    line(row.name, ...numbers, ...ratios, budgets[row.name]?.toFixed(2) ?? '');
  }
  console.log();
}

/** A quick answer is worth nothing when it is the wrong one. */
function unexpected(variants, scene) {
  return variants.flatMap(({ name, expects, command, cwd, inputs }) => {
    if (expects === undefined) return [];
    const answer = scene.run(command, cwd, inputs.at(-1));
    return expects(answer) ? [] : [`${name}: answered ${JSON.stringify(answer)}`];
  });
}

function overBudget(rows) {
  return rows
    .filter((row) => row.cpuRatio > budgets[row.name])
    .map((row) => `${row.name}: ${row.cpuRatio.toFixed(3)} is over its budget of ${budgets[row.name]}`);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
