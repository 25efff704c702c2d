// The cost of events relative to starting node: one table of ratios, checked against the budgets.
// node bench/bench.mjs [--rounds N] [--only PATTERN] [--no-growth]
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EVENTS, GROWTH, SERVER } from './rows.mjs';

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    rounds: { type: 'string', default: '80' },
    only: { type: 'string', default: '' },
    growth: { type: 'boolean', default: true },
  },
});
const rounds = Number(options.rounds);
const budgets = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));
const dist = resolve(process.env.HOLDPOINT_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
const WARM_UPS = 4;
const BASE = 'node -e 0';
const GIT_OPTIONS = '-c user.name=a -c user.email=a@example.invalid -c gc.auto=0'.split(' ');
const places = new Map();
let sessions = 0;

const stage = openStage();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.on('exit', () => stage.remove());

const chosen = (rows) => rows.filter(({ name }) => new RegExp(options.only, 'i').test(name));
// The server is measured apart: by wall time, with nothing else going on.
const table = [
  ...(await measured(chosen(EVENTS))).map((one) => ({ ...one, budget: eventBudget(one.name) })),
  ...(await measured(chosen(SERVER), 'wall')).map((one) => ({ ...one, budget: budgets.server })),
  ...(options.growth ? growthRatios(await measured(chosen(GROWTH))) : []),
];
print(table);
// The figures of a hook that answers wrongly are worthless.
process.exitCode = table.some(({ wrong }) => wrong !== undefined) ? 2 : table.some(isOver) ? 1 : 0;

function eventBudget(name) {
  return budgets.rows[name] ?? budgets.events[name.split(':')[0]];
}

function isOver({ ratio, budget }) {
  return budget !== undefined && ratio > budget;
}

/** The larger ones of each pair, as ratios to the smallest. */
function growthRatios(rows) {
  const msOf = (name) => rows.find((one) => one.name === name)?.ms;
  return rows
    .filter(({ smallest }) => smallest !== undefined)
    .map((one) => ({
      ...one,
      ratio: one.ms / msOf(one.smallest),
      budget: budgets.growth[one.name] ?? budgets.growth.default,
    }));
}

/** Runs every row in every round, in random order, so that other load on the machine affects all alike. */
async function measured(rows, by = 'cpu') {
  if (rows.length === 0) return [];
  const base = {
    name: BASE,
    command: [process.execPath, '-e', '0'],
    place: stage.bare('base'),
    expects: () => true,
  };
  const ready = [base, base, ...rows.map(prepare)];
  const plan = Array.from({ length: WARM_UPS + rounds }, (_, turn) =>
    shuffled(ready.map((one) => ({ row: one, turn }))),
  ).flat();
  const results = await run(plan);
  const samples = new Map();
  const wrong = new Map();
  for (const [index, { row, turn }] of plan.entries()) {
    const result = results[index];
    if (turn < WARM_UPS) continue;
    if (!row.expects(result)) wrong.set(row.name, JSON.stringify(result).slice(0, 300));
    samples.set(row.name, [...(samples.get(row.name) ?? []), result[by]]);
  }
  const baseMs = binnedMedian(samples.get(BASE));
  return rows.map(({ name, smallest }) => {
    const ms = binnedMedian(samples.get(name));
    return { name, smallest, ms, ratio: ms / baseMs, wrong: wrong.get(name) };
  });
}

function prepare(row) {
  if (!places.has(row.place)) places.set(row.place, row.place(stage));
  const place = places.get(row.place);
  const session = `${(0xa0000000 + sessions++).toString(16)}-1111-4111-8111-111111111111`;
  row.before?.({ place, session, stage });
  const inputs = Array.from({ length: WARM_UPS + rounds }, (_, turn) => {
    const common = { session_id: session, transcript_path: '/none', cwd: place.root, prompt_id: `p${turn}` };
    const event = { ...common, permission_mode: 'default', ...row.event({ place, turn }) };
    return stage.write(`in/${sessions}-${turn}`, JSON.stringify(event));
  });
  return { ...row, place, inputs, command: place.command ?? [process.execPath, join(dist, 'hook.cjs')] };
}

/**
 * Node does not report a child's CPU time; bash's `time` does, in milliseconds, of exactly the command that
 * it waited for. One bash runs all rounds, so neither its own start nor a pipe is in any figure.
 */
async function run(plan) {
  const script = `TIMEFORMAT='%3R %3U %3S'; exec 4>"$2" 5>"$3"
while IFS= read -r -u 3 HOME && IFS= read -r -u 3 cwd && IFS= read -r -u 3 input && IFS= read -r -u 3 line; do
  eval "set -- $line"; cd "$cwd" || exit 1
  { time "$@" <"$input" >&4 2>&5; } 2>&1; printf '%s\\n' "$?"; printf '\\036' >&4; printf '\\036' >&5
done 3<"$1"`;
  const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
  const lines = plan.flatMap(({ row, turn }) => [
    row.place.home,
    row.place.root,
    row.inputs?.[turn] ?? '/dev/null',
    row.command.map(quoted).join(' '),
  ]);
  const files = [stage.write('plan', `${lines.join('\n')}\n`), stage.path('out'), stage.path('err')];
  const child = spawn('bash', ['-c', script, 'bench', ...files], {
    env: { ...stage.environment(stage.dir), LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  let text = '';
  for await (const piece of child.stdout.setEncoding('utf8')) text += piece;
  const times = text.trimEnd().split('\n');
  const [answers, errors] = files.slice(1).map((file) => readFileSync(file, 'utf8').split('\u001e'));
  return plan.map((_, index) => {
    const [wall, user, system] = times[2 * index].split(' ').map((seconds) => Number(seconds) * 1000);
    const status = Number(times[2 * index + 1]);
    return { wall, cpu: user + system, status, stdout: answers[index], stderr: errors[index] };
  });
}

/** The median of values that were rounded to whole milliseconds, interpolated within its bin. */
function binnedMedian(values) {
  const bins = values.map(Math.round).sort((a, b) => a - b);
  const bin = bins[Math.floor((bins.length - 1) / 2)];
  const below = bins.filter((each) => each < bin).length;
  const within = bins.filter((each) => each === bin).length;
  return bin - 0.5 + (bins.length / 2 - below) / within;
}

function shuffled(values) {
  const left = [...values];
  return values.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}

function print(rows) {
  console.log(`${'event'.padEnd(52)} ms    ratio budget`);
  for (const one of rows) {
    const figures = `${one.ms.toFixed(1).padStart(5)} ${one.ratio.toFixed(3).padStart(6)} ${String(one.budget ?? '').padStart(5)}`;
    console.log(`${one.name.padEnd(52)}${figures}${isOver(one) ? '  over' : ''}`);
    if (one.wrong !== undefined) console.log(`  wrong answer: ${one.wrong}`);
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${rounds} rounds.`);
}

/** One temporary directory with everything on disk: a home and a root for every place. */
function openStage() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-bench-')));
  const path = (name) => join(dir, name);
  const endings = [];
  const write = (file, text) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const { PATH } = process.env;
  const environment = (home) => ({ PATH, HOME: home, TMPDIR: dir, GIT_CONFIG_NOSYSTEM: '1' });
  const run = ({ home, root }, [program, ...args], input = '') =>
    spawnSync(program, args, { cwd: root, env: environment(home), input, encoding: 'utf8' });
  const must = (place, command) => {
    const { status, stderr } = run(place, command);
    if (status !== 0) throw new Error(`${command.join(' ')} in ${place.root}: ${stderr.trim()}`);
  };
  const git = (place, ...args) => must(place, ['git', ...GIT_OPTIONS, ...args]);
  const bare = (name) => {
    const place = { home: path(`${name}-home`), root: path(`${name}-root`) };
    for (const each of Object.values(place)) mkdirSync(each, { recursive: true });
    return place;
  };
  return {
    dir,
    dist,
    path,
    environment,
    run,
    git,
    bare,
    write: (name, text) => write(path(name), text),
    product: (place, command, ...args) =>
      must(place, [process.execPath, join(dist, `${command}.cjs`), ...args]),
    repository: (name, branch, files = {}) => {
      const place = bare(name);
      for (const [file, text] of Object.entries(files)) write(join(place.root, file), text);
      git(place, 'init', '--quiet', '-b', branch);
      git(place, 'add', '.');
      git(place, 'commit', '--quiet', '--allow-empty', '-m', 'first');
      return place;
    },
    atEnd: (work) => void endings.push(work),
    remove: () => {
      for (const work of endings.splice(0)) work();
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
