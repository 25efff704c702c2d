// Writes tools/seldom.txt: the functions of every chunk that few events run. Every row of the bench is run with a
// build in which each function has a name of its own, and V8's log tells which of them it ran.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIST } from '../tools/seldom.mjs';
import { rowsFor } from './catalogue.mjs';
import { prepare } from './prepare.mjs';
import { openStage } from './stage.mjs';

/** The first time is often another way than the next. */
const TURNS = 4;
/** What nearly every turn of a session runs is never seldom, however many other kinds of events there are. */
const OFTEN = [
  /^requirements: (?:edit|commit|stop allowed)/,
  /^workflow: (?:task|edit|stop)/,
  /^loop: (?:stop|after)/,
  /^gates: stop in/,
];
/** Of the rows that load a chunk, the greatest share that may run a seldom function of it. */
const MOST = 0.35;

const dir = mkdtempSync(join(tmpdir(), 'holdpoint-seldom-'));
const functions = buildWithNames(join(dir, 'dist'), join(dir, 'functions'));
const stage = openStage(join(dir, 'dist'));
const { ready } = prepare(rowsFor(false, /^(?!installed|resident)/), stage, TURNS);
const events = ready.filter(({ inputs }) => inputs.length > 0);
writeFileSync(LIST, listOf(events.map((row) => ({ name: row.name, ran: ranIn(row) }))));
stage.remove();
rmSync(dir, { recursive: true, force: true });

function buildWithNames(dist, noteFile) {
  const env = { ...process.env, HOLDPOINT_DIST: dist, HOLDPOINT_FUNCTIONS: noteFile };
  const tool = fileURLToPath(new URL('../tools/build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [tool], { env, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  const lines = readFileSync(noteFile, 'utf8').trim().split('\n');
  return lines.map((line) => line.split(' '));
}

function ranIn({ command: [node, ...args], cwd, home, inputs }) {
  const log = stage.path('functions.log');
  const flags = ['--log-function-events', '--no-logfile-per-isolate', `--logfile=${log}`];
  const ran = new Set();
  for (const input of inputs.slice(0, TURNS)) {
    rmSync(log, { force: true });
    spawnSync(node, [...flags, ...args], { cwd, env: stage.environment(home), input: readFileSync(input) });
    const lines = readFileSync(log, 'utf8').matchAll(/^function,first-execution,.*,(seen\d+)$/gm);
    for (const [, name] of lines) ran.add(name);
  }
  return ran;
}

function listOf(rows) {
  const chunkOf = new Map(functions.map(([id, chunk]) => [id, chunk]));
  const loads = rows.map(({ ran }) => new Set([...ran].map((id) => chunkOf.get(id))));
  const lines = new Map();
  for (const [id, chunk, file, name] of functions) {
    const loading = rows.filter((_, index) => loads[index].has(chunk));
    const running = loading.filter(({ ran }) => ran.has(id));
    const isOften = running.some((row) => OFTEN.some((pattern) => pattern.test(row.name)));
    if (loading.length === 0 || isOften || running.length > loading.length * MOST) continue;
    const place = `${chunk} ${file}`;
    lines.set(place, `${lines.get(place) ?? place} ${running.length === 0 ? '-' : ''}${name}`);
  }
  return `${[...lines.values()].sort().join('\n')}\n`;
}
