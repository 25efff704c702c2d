// node hub/test/load/load.mjs [--machines 1000] [--rate 2000] [--minutes 10] [--database postgres|embedded|URL]
// How much the built hub takes, and how fast it tells a person and a machine. Exit 1 where something was lost.
import { createReadStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  freshDatabase,
  processorSeconds,
  runHub,
  sql,
  startHub,
  startPostgres,
  temporaryDirectory,
} from '../processes.mjs';
import { joinFleet, Person, percentile, print } from './fleet.mjs';

const { values: options } = parseArgs({
  options: {
    machines: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '10' },
    every: { type: 'string', default: '1' },
    requests: { type: 'string', default: '2' },
    database: { type: 'string', default: 'postgres' },
  },
});
const MACHINES = Number(options.machines);
const RATE = Number(options.rate);
const SECONDS = Number(options.minutes) * 60;
/** A machine sends what has gathered this often, as its uplink does. */
const EVERY = Number(options.every) * 1000;
const REQUESTS = Number(options.requests);
const PAUSE_BEFORE_CLICK = 300;

const root = temporaryDirectory();
const data = join(root, 'data');
mkdirSync(data, { mode: 0o700 });
const postgres = options.database === 'postgres' ? await startPostgres() : undefined;
const database =
  postgres !== undefined
    ? await freshDatabase(postgres)
    : options.database === 'embedded'
      ? undefined
      : options.database;
const hub = await startHub({ data, database });
const figures = {
  cores: {},
  batches: [],
  page: [],
  click: [],
  failed: {},
  memory: 0,
  offered: 0,
  accepted: 0,
  known: 0,
};

async function main() {
  const person = await new Person(hub.url).setUp(hub.setup);
  const machines = await joinFleet(MACHINES, person);
  const seen = new Map();
  const freed = new Map();
  const arrived = (map, id) => resolverOf(map, id).resolve(performance.now());
  const streams = [await person.stream((event) => event.event === 'request' && arrived(seen, event.data.id))];
  for (const machine of machines)
    streams.push(
      await machine.stream((event) => event.event === 'approval' && arrived(freed, event.data.id)),
    );
  print(
    `${MACHINES} machines joined, ${streams.length} streams open, hub started in ${Math.round(hub.startedMs)} ms`,
  );

  const processors = () => ({
    hub: processorSeconds(hub.pid),
    database: postgres?.pid ? processorSeconds(postgres.pid()) : 0,
    script: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  const before = processors();
  const until = performance.now() + SECONDS * 1000;
  const memory = setInterval(watchMemory, 1000);
  const progress = setInterval(report, 60_000);
  await Promise.all([
    ...machines.map((machine) => sendDecisions(machine, until)),
    askAndAnswer(machines, person, seen, freed, until),
  ]);
  const after = processors();
  for (const name of Object.keys(before)) figures.cores[name] = (after[name] - before[name]) / SECONDS;
  clearInterval(memory);
  clearInterval(progress);
  for (const stream of streams) stream.close();
  return check(machines);
}

async function sendDecisions(machine, until) {
  const perTurn = (RATE * EVERY) / 1000 / MACHINES;
  const begun = performance.now() + (machine.index / MACHINES) * EVERY;
  for (let turn = 1; ; turn++) {
    const due = begun + turn * EVERY;
    if (due > until) break;
    await wait(Math.max(0, due - performance.now()));
    // A late machine sends all that has gathered meanwhile in one batch.
    turn = Math.max(turn, Math.floor((Math.min(performance.now(), until) - begun) / EVERY));
    machine.made = Math.round(turn * perTurn);
    await deliver(machine);
  }
  for (let tries = 0; tries < 20 && machine.acknowledged < machine.made; tries++) {
    await deliver(machine);
    await wait(100);
  }
}

async function deliver(machine) {
  const { acknowledged, made } = machine;
  if (made === acknowledged) return;
  const started = performance.now();
  try {
    const { status, body, text } = await machine.call('POST', 'decisions', {
      decisions: machine.lines(acknowledged, made),
    });
    if (status !== 200) return failed(`${status} ${text.slice(0, 80)}`);
    figures.batches.push(performance.now() - started);
    figures.accepted += body.accepted;
    figures.known += body.known;
    machine.acknowledged = made;
  } catch (error) {
    failed(error.code ?? error.message);
  }
}

function failed(why) {
  figures.failed[why] = (figures.failed[why] ?? 0) + 1;
}

async function askAndAnswer(machines, person, seen, freed, until) {
  const open = [];
  for (let n = 0; performance.now() < until - 3000; n++) {
    const machine = machines[(n * 37) % machines.length];
    open.push(
      oneApproval(machine, n, person, seen, freed).catch((error) => failed(`approval: ${error.message}`)),
    );
    await wait(1000 / REQUESTS);
  }
  await Promise.all(open);
}

async function oneApproval(machine, n, person, seen, freed) {
  const held = performance.now();
  const { status, body, text } = await machine.call('POST', 'requests', machine.request(n));
  if (status !== 200) throw new Error(`${status} ${text}`);
  figures.page.push((await within(resolverOf(seen, body.id).promise)) - held);
  await wait(PAUSE_BEFORE_CLICK);
  const clicked = performance.now();
  const answer = await person.call('POST', `requests/${body.id}`, { answer: 'approve' });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  figures.click.push((await within(resolverOf(freed, body.id).promise)) - clicked);
  await machine.call('POST', `requests/${body.id}/received`, {});
  seen.delete(body.id);
  freed.delete(body.id);
}

function resolverOf(map, id) {
  let entry = map.get(id);
  if (entry === undefined) {
    entry = {};
    entry.promise = new Promise((resolve) => {
      entry.resolve = resolve;
    });
    map.set(id, entry);
  }
  return entry;
}

const within = (promise) =>
  Promise.race([
    promise,
    wait(20_000, undefined, { ref: false }).then(() => {
      throw new Error('not heard of in 20 s');
    }),
  ]);

function watchMemory() {
  try {
    const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${hub.pid}/status`, 'utf8'))?.[1] ?? 0);
    figures.memory = Math.max(figures.memory, kb);
    figures.memoryNow = kb;
  } catch {
    // Not Linux: no figure.
  }
}

function report() {
  const last = figures.batches.slice(-20_000);
  print(
    `  accepted ${figures.accepted}, p99 ${percentile(last, 0.99).toFixed(0)} ms, memory ${Math.round(figures.memoryNow / 1024)} MB, failed ${JSON.stringify(figures.failed)}`,
  );
}

/** What is in the database, machine by machine, against what was acknowledged. */
async function check(machines) {
  const kept = database === undefined ? await countExport() : await countRows();
  let lost = 0;
  let doubled = 0;
  let late = 0;
  for (const machine of machines) {
    const { all = 0, distinct = 0 } = kept.get(machine.id) ?? {};
    lost += Math.max(0, machine.acknowledged - distinct);
    doubled += all - distinct;
    late += machine.made - machine.acknowledged;
  }
  const ms = (values, share) => `${percentile(values, share).toFixed(0)} ms`;
  const row = (values) =>
    `p50 ${ms(values, 0.5)}, p95 ${ms(values, 0.95)}, p99 ${ms(values, 0.99)} (${values.length})`;
  print(
    `storage            ${database === undefined ? 'embedded' : `PostgreSQL ${postgres?.version ?? ''}`}`,
  );
  print(
    `decisions          accepted ${figures.accepted}, known ${figures.known}, lost ${lost}, doubled ${doubled}, not sent ${late}`,
  );
  print(`rate               ${Math.round(figures.accepted / SECONDS)} a second for ${SECONDS} s`);
  print(`acknowledged batch ${row(figures.batches)}`);
  print(`hold to page       ${row(figures.page)}`);
  print(`click to machine   ${row(figures.click)}`);
  print(`memory of the hub  ${Math.round(figures.memory / 1024)} MB at most`);
  const cores = Object.entries(figures.cores).map(([name, value]) => `${name} ${value.toFixed(2)}`);
  print(`processors used    ${cores.join(', ')}`);
  print(`failed requests    ${JSON.stringify(figures.failed)}`);
  return lost === 0 && doubled === 0 && late === 0;
}

async function countRows() {
  const rows = await sql(
    database,
    'select machine_id, count(*)::int as all, count(distinct id)::int as distinct from decisions group by 1',
  );
  return new Map(rows.map((row) => [row.machine_id, row]));
}

async function countExport() {
  await hub.stop();
  const file = join(root, 'export.jsonl');
  const { code, stderr } = await runHub(['export', file, '--data', data], { home: join(root, 'home') });
  if (code !== 0) throw new Error(`export: ${stderr}`);
  const kept = new Map();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, machine] = /"machine_id": "([^"]+)"/.exec(line) ?? [];
    const [, id] = /"id": "(m\d+-\d+)"/.exec(line) ?? [];
    if (id === undefined || !line.includes('"received_at"')) continue;
    const entry = kept.get(machine) ?? { ids: new Set(), all: 0 };
    entry.all++;
    entry.ids.add(id);
    entry.distinct = entry.ids.size;
    kept.set(machine, entry);
  }
  return kept;
}

let stopping;
const stop = () => {
  stopping ??= (async () => {
    await hub.stop();
    await postgres?.stop();
    rmSync(root, { recursive: true, force: true });
  })();
  return stopping;
};
process.once('SIGINT', () => stop().then(() => process.exit(130)));
try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  await stop();
}
