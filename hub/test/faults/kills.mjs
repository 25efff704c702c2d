// node hub/test/faults/kills.mjs [--times 100] [--machines 20] [--database postgres|embedded] [--seed N]
// Kills the hub and the database with SIGKILL at random moments under load, and then looks whether every decision that was
// acknowledged is there once, and every approval that was answered with 200 reaches its machine. Exit 1 where not.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Machine, Person, print } from '../load/fleet.mjs';
import { freePort, freshDatabase, startHub, startPostgres, temporaryDirectory } from '../processes.mjs';

const { values: options } = parseArgs({
  options: {
    times: { type: 'string', default: '100' },
    machines: { type: 'string', default: '20' },
    database: { type: 'string', default: 'postgres' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
const TIMES = Number(options.times);
const BATCH = 10;

let state = Number(options.seed);
/** Mulberry32: the same seed gives the same moments. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}

const root = temporaryDirectory();
const data = join(root, 'data');
mkdirSync(data, { mode: 0o700 });
const postgres = options.database === 'postgres' ? await startPostgres() : undefined;
const database = postgres === undefined ? undefined : await freshDatabase(postgres);
// One port for all starts, so that machines find the hub again.
const port = await freePort();
let hub = await startHub({ data, database, port });

const counts = { hub: 0, database: 0, both: 0, unanswered: 0, refused: {}, slowestStart: 0 };
/** Request id → machine, for every answer that the hub has acknowledged. */
const answered = new Map();
const waiting = [];
let ending = false;

async function followForever(machine) {
  while (!machine.left) {
    try {
      const stream = await machine.stream((event) => {
        if (event.event === 'approval') machine.delivered.set(event.data.id, event.data.answer);
      });
      machine.open = stream;
      await stream.ended;
    } catch {
      await wait(200);
    }
  }
}

/** As an uplink: the same batch until it is acknowledged. */
async function sendForever(machine) {
  while (!ending) {
    const to = machine.acknowledged + BATCH;
    const answer = await attempt(() =>
      machine.call('POST', 'decisions', { decisions: machine.lines(machine.acknowledged, to) }),
    );
    if (answer?.status === 200) machine.acknowledged = to;
    else await wait(100);
    await wait(20);
  }
}

async function askForever(machine) {
  for (let n = 0; !ending; n++) {
    const asked = machine.request(n);
    let answer;
    while (!ending && answer?.status !== 200) {
      answer = await attempt(() => machine.call('POST', 'requests', asked));
      if (answer?.status !== 200) await wait(100);
    }
    if (answer?.status === 200) waiting.push({ id: answer.body.id, machine });
    await wait(150 + random() * 150);
  }
}

async function answerForever(person) {
  for (;;) {
    const next = waiting.shift();
    if (next === undefined) {
      if (ending) return;
      await wait(10);
      continue;
    }
    const given = random() < 0.7 ? 'approve' : 'reject';
    const answer = await attempt(() => person.call('POST', `requests/${next.id}`, { answer: given }));
    if (answer?.status === 200) answered.set(next.id, { machine: next.machine, given });
    // 409: a first try whose acknowledgement was cut off had been kept.
    else if (answer?.status !== 409) waiting.push(next);
    if (answer === undefined) await wait(50);
  }
}

async function attempt(call) {
  try {
    const answer = await call();
    if (answer.status >= 400) {
      const key = `${answer.status} ${answer.body.error?.code ?? ''}`;
      counts.refused[key] = (counts.refused[key] ?? 0) + 1;
    }
    return answer;
  } catch {
    counts.unanswered++;
    return undefined;
  }
}

async function restartHub() {
  for (let tries = 0; ; tries++) {
    try {
      hub = await startHub({ data, database, port });
      counts.slowestStart = Math.max(counts.slowestStart, hub.startedMs);
      return;
    } catch (error) {
      if (tries === 50) throw error;
      await wait(200);
    }
  }
}

async function killOnce() {
  await wait(200 + random() * 1500);
  const dice = random();
  const target = postgres === undefined || dice < 0.45 ? 'hub' : dice < 0.8 ? 'database' : 'both';
  counts[target]++;
  if (target === 'hub') {
    await hub.kill();
    await restartHub();
    return;
  }
  await Promise.all([postgres.kill(), target === 'both' ? hub.kill() : undefined]);
  await wait(random() * 300);
  await postgres.restart();
  if (target === 'both') return restartHub();
  const { signal, code } = await Promise.race([hub.exited, wait(50, {})]);
  if (code !== undefined || signal !== undefined) {
    counts.endedWithDatabase = (counts.endedWithDatabase ?? 0) + 1;
    print(`  the hub ended with its database:\n${hub.stderr().slice(-600)}`);
    await restartHub();
  }
}

async function everyDecision(person) {
  const kept = new Map();
  let before = '';
  for (;;) {
    const { status, text, body } = await person.call('GET', `decisions?limit=500${before}`);
    if (status !== 200) throw new Error(`decisions: ${status} ${text}`);
    for (const { id } of body.items) kept.set(id, (kept.get(id) ?? 0) + 1);
    if (body.next === null) return kept;
    before = `&before=${encodeURIComponent(body.next)}`;
  }
}

async function main() {
  const person = await new Person(hub.url).setUp(hub.setup);
  const machines = Array.from(
    { length: Number(options.machines) },
    (_, index) => new Machine(index, hub.url),
  );
  for (const machine of machines) {
    machine.delivered = new Map();
    await machine.join(person);
  }
  const work = [
    ...machines.flatMap((machine) => [followForever(machine), sendForever(machine), askForever(machine)]),
  ];
  const answering = [1, 2, 3, 4].map(() => answerForever(person));
  for (let n = 1; n <= TIMES; n++) {
    await killOnce();
    if (n % 10 === 0)
      print(`  ${n} kills, ${sum(machines)} decisions acknowledged, ${answered.size} answers given`);
  }
  ending = true;
  // What was asked last gets its answer, and its stream the time to bring it.
  await Promise.all(answering);
  await wait(2000);
  for (const machine of machines) {
    machine.left = true;
    machine.open?.close();
  }
  await Promise.all(work);

  const kept = await everyDecision(person);
  const acknowledged = machines.flatMap((machine) => machine.lines(0, machine.acknowledged));
  const lost = acknowledged.filter(({ id }) => !kept.has(id)).length;
  const doubled = [...kept.values()].filter((count) => count > 1).length;
  const undelivered = await undeliveredAnswers(machines);
  print(`storage    ${options.database}, seed ${options.seed}`);
  print(`killed     hub ${counts.hub}, database ${counts.database}, both ${counts.both}`);
  print(`decisions  acknowledged ${sum(machines)}, kept ${kept.size}, lost ${lost}, doubled ${doubled}`);
  print(`approvals  answered with 200: ${answered.size}, not delivered or changed: ${undelivered}`);
  print(`meanwhile  unanswered ${counts.unanswered}, refused ${JSON.stringify(counts.refused)}`);
  print(
    `           hub ended by itself ${counts.endedWithDatabase ?? 0}, slowest start ${Math.round(counts.slowestStart)} ms`,
  );
  return lost === 0 && doubled === 0 && undelivered === 0;
}

/** What a stream did not bring, a machine asks for; nothing was confirmed, so all answers have to be there. */
async function undeliveredAnswers(machines) {
  let onlyAsked = 0;
  for (const machine of machines) {
    for (const item of await unconfirmed(machine)) {
      if (!machine.delivered.has(item.id)) onlyAsked++;
      machine.delivered.set(item.id, item.answer);
    }
  }
  print(`answers that came only when asked for: ${onlyAsked}`);
  return [...answered].filter(([id, { machine, given }]) => machine.delivered.get(id) !== given).length;
}

async function unconfirmed(machine) {
  const items = [];
  let since = '';
  for (;;) {
    const { body, status, text } = await machine.call('GET', `approvals${since}`);
    if (status !== 200) throw new Error(`approvals: ${status} ${text}`);
    items.push(...body.items);
    if (!body.next || body.items.length === 0) return items;
    since = `?since=${encodeURIComponent(body.next)}`;
  }
}

const sum = (machines) => machines.reduce((all, { acknowledged }) => all + acknowledged, 0);

let stopping;
const stop = () => {
  stopping ??= (async () => {
    ending = true;
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
  // Connections that wait for a hub that is gone.
  process.exit();
}
