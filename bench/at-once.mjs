// How long an event takes through the line to a server, alone and with seven others at the same time, beside
// the same line without a server and `node -e 0`.
// node bench/at-once.mjs [--runs 200]. Uses dist, or the build that HOLDPOINT_DIST names.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { documentOf, edit, read, sessionCalled } from './events.mjs';
import { machine } from './machine.mjs';
import { installed } from './scenes/installed.mjs';
import { setUp } from './scenes/resident.mjs';
import { openStage } from './stage.mjs';
import { percentile } from './statistics.mjs';

/** Each bash runs the command again and again and prints how many microseconds every run took. */
const SCRIPT = `
cd "$1" || exit 1
input=$2 runs=$3
shift 3
for ((run = 0; run < runs; run++)); do
  begun=$EPOCHREALTIME
  "$@" <"$input" >/dev/null 2>&1
  ended=$EPOCHREALTIME
  echo $(( \${ended/./} - \${begun/./} ))
done
`;
const WARM_UPS = 5;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '200' } } });
const runs = Number(values.runs);
const dist = resolve(process.env.HOLDPOINT_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
const stage = openStage(dist);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
process.on('exit', () => stage.remove());

/** Milliseconds of every run, `lanes` of them at a time. */
async function times({ place, command, input }, lanes) {
  const each = Math.ceil(runs / lanes) + WARM_UPS;
  const outputs = await Promise.all(
    Array.from({ length: lanes }, () => outputOf(place, [place.root, input, String(each), ...command])),
  );
  return outputs.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .slice(WARM_UPS)
      .map((us) => Number(us) / 1000),
  );
}

function outputOf(place, args) {
  const options = { env: stage.environment(place.home), stdio: ['ignore', 'pipe', 'inherit'] };
  const child = spawn('bash', ['-c', SCRIPT, 'at-once', ...args], options);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more;
  });
  return new Promise((done, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? done(text) : reject(new Error(`bash ended with ${code}`))));
  });
}

function inputFor(place, name, event) {
  const session = sessionCalled(1);
  const document = documentOf({ place, session, turn: 0 }, event({ place, session, turn: 0 }));
  return stage.write(`inputs/${name}.json`, JSON.stringify(document));
}

const withServer = setUp(stage);
if (withServer.missing !== undefined) {
  console.error(withServer.missing);
  process.exit(1);
}
const without = installed[0].place(stage);
const rows = [
  { name: 'node -e 0', place: without, command: [process.execPath, '-e', '0'], input: '/dev/null' },
  ...[
    ['installed line', without],
    ['resident line', withServer],
  ].flatMap(([name, place]) =>
    Object.entries({ 'before a read': read, 'edit denied': edit }).map(([what, event]) => ({
      name: `${name}: ${what}`,
      place,
      command: ['sh', '-c', place.line],
      input: inputFor(place, `${name}-${what}`, event),
    })),
  ),
];
console.log(`${'milliseconds'.padEnd(34)}1: p50      p99   8: p50      p99`);
for (const row of rows) {
  const figures = [];
  for (const lanes of [1, 8]) {
    const all = await times(row, lanes);
    figures.push(percentile(all, 0.5), percentile(all, 0.99));
  }
  console.log(`${row.name.padEnd(32)}${figures.map((ms) => ms.toFixed(1).padStart(9)).join('')}`);
}
console.log(machine());
