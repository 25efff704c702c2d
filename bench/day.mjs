// A day's worth of events for one server: does its memory stay flat, and does it stay one process?
// node bench/day.mjs [--events 100000] [--at-once 8] [--json]. Uses dist, or the build that HOLDPOINT_DIST names.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openStage, write } from './stage.mjs';
import { percentile } from './statistics.mjs';

const PROJECTS = 10;
const SAMPLES = 20;
/** The heap finds its size in the first part of a run; what is added after that would be added every day. */
const WARM = 0.25;
const MOST_GROWTH_MB = 16;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    'at-once': { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});
const dist = process.env.HOLDPOINT_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));
const stage = openStage(dist);
const runtime = stage.path('run');
const socket = join(runtime, 's');
const machine = readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();

/** What an agent does, as often as agents do it; `n` makes the call another one. */
const EVENTS = [
  (n, root) => tool('PreToolUse', 'Read', { file_path: `${root}/a` }, n),
  (n, root) => tool('PostToolUse', 'Read', { file_path: `${root}/a` }, n),
  (n) => tool('PreToolUse', 'Bash', { command: `git log -${n % 9} && npm test | tail -5` }, n),
  (n) => tool('PostToolUse', 'Bash', { command: 'ls -la' }, n),
  (n) => tool('PreToolUse', 'Bash', { command: `for f in *.ts; do wc -l "$f"; done # ${n}` }, n),
  (n, root) => tool('PreToolUse', 'Edit', { file_path: `${root}/a`, old_string: 'x', new_string: 'y' }, n),
  (n, root) => tool('PostToolUse', 'Edit', { file_path: `${root}/a` }, n),
  () => ({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Done.' }),
];

function tool(hook_event_name, tool_name, tool_input, n) {
  const answered = hook_event_name === 'PostToolUse' ? { tool_response: { ok: true } } : {};
  return { hook_event_name, tool_name, tool_input, ...answered, tool_use_id: `toolu_${n}` };
}

function documentOf(place, n) {
  const session_id = `${(n % PROJECTS).toString().padStart(8, 'a')}-0000-4000-8000-000000000000`;
  const event = EVENTS[Math.floor(n / PROJECTS) % EVENTS.length];
  return JSON.stringify({ session_id, cwd: place.root, ...event(n, place.root) });
}

function request(place, document) {
  const lines = [
    'HP1',
    `dist=${dist}`,
    'args=--host claude-code',
    `parent=${process.pid}`,
    `cwd=${place.root}`,
    `machine=${machine}`,
    `HOME=${place.home}`,
    `CLAUDE_PROJECT_DIR=${place.root}`,
  ];
  return `${lines.join('\n')}\n\n${document}`;
}

/** What the line of a host does without an answer. */
function doAlone({ home, root }, document) {
  return new Promise((resolve) => {
    const env = { ...stage.environment(home), CLAUDE_PROJECT_DIR: root };
    const hook = spawn(process.execPath, [join(dist, 'hook.cjs'), '--host', 'claude-code'], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    hook.on('exit', resolve);
    hook.stdin.end(document);
  });
}

function ask(text) {
  return new Promise((resolve) => {
    const line = connect(socket);
    let said = '';
    line.on('error', () => resolve(''));
    line.setEncoding('utf8').on('data', (piece) => {
      said += piece;
    });
    line.on('end', () => resolve(said));
    line.end(text);
  });
}

async function status() {
  const said = await ask('HP1\nask=status\n\n');
  return said === '' ? undefined : JSON.parse(said.split('\n')[1].slice('#hp:'.length));
}

function startServer() {
  const env = { ...stage.environment(stage.path('home')), HOLDPOINT_RUNTIME_DIR: runtime };
  return spawn(process.execPath, [join(dist, 'serve.cjs')], { env, stdio: 'ignore' });
}

/** Processes of this run that serve: another one that was started has to have gone. */
function servers() {
  return readdirSync('/proc').filter((pid) => {
    try {
      const serves = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve.cjs');
      return (
        serves && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOLDPOINT_RUNTIME_DIR=${runtime}`)
      );
    } catch {
      return false;
    }
  }).length;
}

/** Half of the projects have rules, which the agent has met in half of them. */
function makeProjects() {
  return Array.from({ length: PROJECTS }, (_, index) => {
    const place = stage.repository(`project-${index}`);
    if (index % 2 === 1) return place;
    const rules = ['plan', 'adr', 'tests'].map((name) => `${name}: {enabled: true, scope: session}`);
    write(join(place.root, '.claude/requirements.yaml'), `{inherit: false, requirements: {${rules}}}\n`);
    const first = JSON.stringify({ session_id: 'x', cwd: place.root, ...EVENTS[0](0, place.root) });
    stage.run(place, [process.execPath, join(dist, 'hook.cjs'), '--host', 'claude-code'], first);
    const session = `${index}`.padStart(8, 'a');
    if (index % 4 === 0) stage.product(place, 'req', 'satisfy', 'plan', 'adr', 'tests', '--session', session);
    return place;
  });
}

async function run(events, atOnce) {
  const projects = makeProjects();
  const server = startServer();
  while ((await status()) === undefined) await wait(20);
  const times = [];
  const samples = [];
  const said = { answered: 0, alone: 0, lost: 0 };
  let next = 0;
  /** How others ended that were started meanwhile: each has to find that one is there. */
  const refused = [];
  const sampleEvery = Math.ceil(events / SAMPLES);
  const client = async () => {
    while (next < events) {
      const n = next++;
      const begun = performance.now();
      const place = projects[n % PROJECTS];
      const document = documentOf(place, n);
      const reply = await ask(request(place, document));
      times.push(performance.now() - begun);
      said[reply.startsWith('HP1 ') ? 'answered' : reply === 'alone\n' ? 'alone' : 'lost']++;
      if (reply === 'alone\n') await doAlone(place, document);
      if (n % sampleEvery === sampleEvery - 1) {
        samples.push((await status()).rss / 1_048_576);
        refused.push(await new Promise((resolve) => startServer().on('exit', resolve)));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  const end = await status();
  const most = servers() + refused.filter((code) => code !== 0).length;
  server.kill('SIGTERM');
  const warm = samples.slice(Math.floor(samples.length * WARM));
  const half = warm.length >> 1;
  const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  return {
    events,
    atOnce,
    ...said,
    ...end,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    samples: samples.map(Math.round),
    growthMb: mean(warm.slice(half)) - mean(warm.slice(0, half)),
    servers: most,
  };
}

try {
  const result = await run(Number(values.events), Number(values['at-once']));
  if (values.json) console.log(JSON.stringify(result));
  else {
    const {
      events,
      answered,
      alone,
      lost,
      left,
      samples,
      growthMb,
      servers: most,
      medianMs,
      p50,
      p99,
    } = result;
    console.log(
      `${events} events, ${values['at-once']} at once: ${answered} answered, ${alone} left alone, ${lost} lost`,
    );
    console.log(`left alone because of ${JSON.stringify(left)}`);
    console.log(`memory in MB ${samples.join(' ')}; second half over first ${growthMb.toFixed(1)}`);
    console.log(
      `servers at any time ${most}; own answer p50 ${medianMs} ms; through the socket p50 ${p50.toFixed(2)} p99 ${p99.toFixed(2)} ms`,
    );
  }
  if (result.lost > 0 || result.servers !== 1 || result.growthMb > MOST_GROWTH_MB) process.exitCode = 1;
} finally {
  stage.remove();
}
