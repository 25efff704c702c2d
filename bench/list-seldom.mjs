// Writes tools/seldom.txt: which functions of every chunk stand in a fold, and in which. Every row of the bench is run
// with a build in which each function has a name of its own, and V8's log tells which of them it ran.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIST } from '../tools/seldom.mjs';
import { rowsFor } from './catalogue.mjs';
import { foldsOfChunk } from './folds-of-chunk.mjs';
import { prepare } from './prepare.mjs';
import { openStage } from './stage.mjs';

/** The first time is often another way than the next, and no code is kept of it. The last is the one that counts. */
const TURNS = 4;
/** What nearly every turn of a session does counts for so many of what is done now and then. */
const WEIGHT_OF_OFTEN = 8;
const OFTEN = [
  /^no guard: (?:before|after an)/,
  /^requirements: (?:edit|commit|other|stop allowed)/,
  /^workflow: (?:task|edit|stop|bash, tests)/,
  /^loop: (?:stop|after)/,
  /^gates: stop in/,
];

const dir = mkdtempSync(join(tmpdir(), 'holdpoint-seldom-'));
const functions = buildWithNames(join(dir, 'dist'), join(dir, 'functions'));
const stage = openStage(join(dir, 'dist'));
const { ready } = prepare(rowsFor(false, /^(?!installed|resident)/), stage, TURNS);
const events = ready.filter(({ inputs }) => inputs.length > 0).map(eventOf);
writeFileSync(LIST, listOf());
stage.remove();
rmSync(dir, { recursive: true, force: true });

function buildWithNames(dist, noteFile) {
  const env = { ...process.env, HOLDPOINT_DIST: dist, HOLDPOINT_FUNCTIONS: noteFile };
  const tool = fileURLToPath(new URL('../tools/build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [tool], { env, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  const lines = readFileSync(noteFile, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** A row with what its turns ran, and what tells whose kept code it shares. */
function eventOf({ name, command: [node, ...args], cwd, home, inputs }) {
  const log = stage.path('functions.log');
  const flags = ['--log-function-events', '--no-logfile-per-isolate', `--logfile=${log}`];
  const turns = inputs.slice(0, TURNS).map((input) => {
    rmSync(log, { force: true });
    spawnSync(node, [...flags, ...args], { cwd, env: stage.environment(home), input: readFileSync(input) });
    const lines = readFileSync(log, 'utf8').matchAll(/^function,first-execution,.*,(seen\d+)$/gm);
    return [...lines].map(([, id]) => id);
  });
  const weight = OFTEN.some((pattern) => pattern.test(name)) ? WEIGHT_OF_OFTEN : 1;
  const { hook_event_name: kind } = JSON.parse(readFileSync(inputs[0], 'utf8'));
  return { weight, home, kind, last: new Set(turns.at(-1)), kept: new Set(turns.slice(1).flat()) };
}

function listOf() {
  const lines = new Map();
  for (const chunk of new Set(functions.map((one) => one.chunk))) {
    const own = functions.filter((one) => one.chunk === chunk);
    const folds = foldsOfChunk(own, events);
    for (const { id, file, name } of own.filter(({ id }) => folds.has(id))) {
      const place = `${chunk} ${folds.get(id)} ${file}`;
      lines.set(place, `${lines.get(place) ?? place} ${name}`);
    }
  }
  return `${[...lines.values()].sort().join('\n')}\n`;
}
