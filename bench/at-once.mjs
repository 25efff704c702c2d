// How long an event takes through the line to a server, alone and with seven others at the same time, beside
// the same line without a server and `node -e 0`. Every event is a call of its own.
// node bench/at-once.mjs [--runs 400] [--only REGEX]. Uses dist, or the build that HOLDPOINT_DIST names.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { documentOf, edit, read, sessionCalled } from './events.mjs';
import { openLanes, runLanes } from './lanes.mjs';
import { machine } from './machine.mjs';
import { installed } from './scenes/installed.mjs';
import { setUp } from './scenes/resident.mjs';
import { openStage } from './stage.mjs';
import { percentile } from './statistics.mjs';

/** A server lives for hours; by then V8 has learned what it runs. */
const WARM_UPS = 500;
const LANES = [1, 8];

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '400' }, only: { type: 'string', default: '' } },
});
const runs = Number(values.runs) + WARM_UPS;
const dist = resolve(process.env.HOLDPOINT_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
const stage = openStage(dist);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
process.on('exit', () => stage.remove());

/** A list of documents, of which each is another call. */
function inputsFor(place, name, event) {
  const session = sessionCalled(1);
  const files = Array.from({ length: runs }, (_, index) => {
    // A call that was seen already is not counted, and so cheaper than a real one.
    const scene = { place, session, turn: index };
    return stage.write(`inputs/${name}/${index}.json`, JSON.stringify(documentOf(scene, event(scene))));
  });
  return stage.write(`inputs/${name}.list`, `${files.join('\n')}\n`);
}

function rowsOf(name, place, command = ['/bin/sh', '-c', place.line]) {
  return Object.entries({ 'before a read': read, 'edit denied': edit }).map(([what, event]) => ({
    name: `${name}: ${what}`,
    place,
    command,
    inputs: (lanes) => inputsFor(place, `${name}-${what}-${lanes}`.replaceAll(' ', '-'), event),
  }));
}

const withServer = setUp(stage);
if (withServer.missing !== undefined) {
  console.error(withServer.missing);
  process.exit(1);
}
const without = installed[0].place(stage);
const nothing = stage.write('inputs/nothing.list', '/dev/null\n');
const rows = [
  {
    name: 'node -e 0',
    place: without,
    command: [process.execPath, '-e', '0'],
    inputs: () => nothing,
  },
  ...rowsOf('installed line', without),
  ...rowsOf('resident line', withServer),
].filter(({ name }) => name === 'node -e 0' || new RegExp(values.only).test(name));

const starter = openLanes(stage);
const [, client] = /^holdpoint_client='(.*)'$/m.exec(
  readFileSync(join(withServer.home, '.config/holdpoint/launch'), 'utf8'),
);
console.log(`${starter.told}; client: ${client}`);
console.log(`${'milliseconds'.padEnd(44)}1: p50      p99   8: p50      p99   p50 × node`);
let empty;
for (const { name, place, command, inputs } of rows) {
  const figures = [];
  for (const lanes of LANES) {
    const environment = stage.environment(place.home);
    const how = { lanes, runs, place, environment, inputs: inputs(lanes), command };
    const all = (await runLanes(starter, how)).slice(WARM_UPS);
    if (all.some(({ exitCode }) => exitCode !== 0)) throw new Error(`${name} did not end with 0`);
    const times = all.map(({ ms }) => ms);
    figures.push(percentile(times, 0.5), percentile(times, 0.99));
  }
  empty ??= figures[0];
  const ratio = (figures[0] / empty).toFixed(3).padStart(13);
  console.log(`${name.padEnd(42)}${figures.map((ms) => ms.toFixed(1).padStart(9)).join('')}${ratio}`);
}
console.log(machine());
