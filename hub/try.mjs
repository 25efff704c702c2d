// npm run try:hub: a scratch hub with a person and two scripted agents, to look at in a browser. Ctrl-C removes everything.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startHub } from './test/processes.mjs';

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '0' }, once: { type: 'boolean', default: false } },
});
const HOOK = fileURLToPath(new URL('../dist/hook.cjs', import.meta.url));
const HOLDPOINT = fileURLToPath(new URL('../dist/holdpoint.cjs', import.meta.url));
const passphrase = `${randomBytes(2).toString('hex')}-${randomBytes(2).toString('hex')}-${randomBytes(2).toString('hex')}`;

const CONFIG = `requirements:
  release_approved:
    enabled: true
    approval: hub
    on: edit
    description: Ask a person before you change the release.
`;

const AGENTS = [
  { name: 'shop', files: ['cart.js', 'checkout.js', 'prices.js'], pause: 4000 },
  { name: 'website', files: ['index.html', 'style.css', 'about.html'], pause: 6000 },
];

const leaving = new AbortController();
const { signal: ending } = leaving;
const print = (line) => process.stdout.write(`${line}\n`);

// From the first file on, a signal removes everything.
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stop().then(() => process.exit(0)));
const root = mkdtempSync(join(tmpdir(), 'holdpoint-try-hub-'));
// A hub that was still starting is killed at exit too, and may write for a moment.
process.on('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
mkdirSync(join(root, 'data'), { mode: 0o700 });
const starting = startHub({ data: join(root, 'data'), port: Number(options.port) });
let hub;
let person;
let stopping;
const playing = playAll().catch((error) => {
  if (ending.aborted) return;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
await playing;
await stop();

async function playAll() {
  hub = await starting;
  person = await signIn();
  print(`The page:  ${hub.url}`);
  print(`Sign in:   you, ${passphrase}`);
  print('Two agents ask for your approval. Ctrl-C ends the hub and removes everything.\n');
  const play = (await joinAll()) ? playReal : playByApi;
  await Promise.all(AGENTS.map(play));
}

/** Ends what the agents have under way first, since it may start a server. */
function stop() {
  stopping ??= (async () => {
    leaving.abort();
    if (hub === undefined) return;
    await playing;
    for (const { place } of AGENTS) if (place !== undefined) await run(HOLDPOINT, ['serve', '--stop'], place);
    await hub.stop();
  })();
  return stopping;
}

async function signIn() {
  const code = /hpi_[\w-]+/.exec(hub.setup)?.[0];
  const json = JSON.stringify({ code, name: 'you', passphrase });
  const origin = new URL(hub.url).origin;
  const headers = { 'content-type': 'application/json', origin };
  const response = await fetch(`${hub.url}/api/v1/setup`, { method: 'POST', headers, body: json });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`setup: ${response.status} ${await response.text()}`);
  return { cookie, origin };
}

async function api(path, headers, json) {
  const response = await fetch(`${hub.url}/api/v1/${path}`, {
    headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

function makeProject(agent, code) {
  const home = join(root, `${agent.name}-home`);
  const project = join(root, agent.name);
  mkdirSync(join(project, '.holdpoint'), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, '.holdpoint/config.yaml'), CONFIG);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    // A server of its own, not the one of the user.
    HOLDPOINT_RUNTIME_DIR: join(root, `${agent.name}-run`),
    HOLDPOINT_HUB_URL: hub.url,
    HOLDPOINT_HUB_CODE: code,
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const git = (...args) =>
    spawnSync('git', ['-c', 'user.name=try', '-c', 'user.email=try@example.org', ...args], {
      cwd: project,
      env,
    });
  git('init', '-q', '-b', 'work');
  git('add', '.');
  git('commit', '-q', '-m', 'begin');
  return { project, env };
}

/** Runs one of our programs without blocking the other agent. */
async function run(file, args, { project, env }, input = '') {
  const child = spawn(process.execPath, [file, ...args], { cwd: project, env });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

/** Joins the agents' machines. If that fails, the agents use the hub's API, as a machine would. */
async function joinAll() {
  if (!existsSync(HOLDPOINT) || !existsSync(HOOK)) return false;
  for (const agent of AGENTS) {
    const { code } = await api('machines/invite', person, { name: agent.name });
    agent.place = makeProject(agent, code);
    const joined = await run(HOLDPOINT, ['hub', 'sync'], agent.place);
    ending.throwIfAborted();
    if (joined.code !== 0) {
      print(`The agents are played without the hook: ${joined.stderr.trim().split('\n')[0]}\n`);
      return false;
    }
  }
  return true;
}

/** Events go through the real hook; `holdpoint hub sync` exchanges the results with the hub. */
async function playReal(agent) {
  const { place } = agent;
  for (let n = 0; !ending.aborted; n++) {
    const session = `${agent.name}-${Math.floor(n / 6) + 1}`;
    const file = agent.files[n % agent.files.length];
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: session,
      cwd: place.project,
      tool_name: 'Write',
      tool_use_id: `toolu_${n}`,
      tool_input: { file_path: join(place.project, file), content: `version ${n}\n` },
    };
    if (n % 6 === 0)
      await run(
        HOOK,
        [],
        place,
        JSON.stringify({
          hook_event_name: 'SessionStart',
          source: 'startup',
          session_id: session,
          cwd: place.project,
        }),
      );
    const { stdout, stderr } = await run(HOOK, [], place, JSON.stringify(event));
    const held = stdout.includes('"deny"');
    print(`${agent.name} (${session}): Write ${file} ${held ? 'is held, waiting for you' : 'passes'}`);
    if (stderr !== '' && !held) print(`  ${stderr.trim().split('\n')[0]}`);
    if (!held) writeFileSync(join(place.project, file), `version ${n}\n`);
    await run(HOLDPOINT, ['hub', 'sync'], place);
    if (options.once && n > 0) return;
    await wait(agent.pause, undefined, { signal: ending }).catch(() => {});
  }
}

async function playByApi(agent) {
  const { code } = await api('machines/invite', person, { name: agent.name });
  const { token } = await api('join', {}, { code, name: agent.name });
  const machine = { authorization: `Bearer ${token}` };
  const project = { id: `${hostname()}:${agent.name}`, name: agent.name };
  for (let n = 0; !ending.aborted; n++) {
    const session = `${agent.name}-${Math.floor(n / 6) + 1}`;
    const file = agent.files[n % agent.files.length];
    const rule = 'release_approved';
    const common = {
      project,
      branch: 'work',
      session,
      host: 'claude-code',
      event: 'PreToolUse',
      actor: 'agent',
      channel: 'hook',
    };
    const grounds = [{ rule, fact: 'Ask a person before you change the release.' }];
    const decisions = [
      {
        ...common,
        id: `${agent.name}-${n}-a`,
        at: new Date().toISOString(),
        tool: 'Read',
        decision: 'nothing',
        verdicts: [],
        ms: 2,
      },
      {
        ...common,
        id: `${agent.name}-${n}-b`,
        at: new Date().toISOString(),
        tool: 'Write',
        decision: 'deny',
        verdicts: [{ guard: 'requirements', verdict: 'deny', grounds }],
        ms: 3,
      },
    ];
    await api('decisions', machine, { decisions });
    const { answer } = await api('requests', machine, {
      decision: `${agent.name}-${n}-b`,
      project,
      rule,
      description: 'Ask a person before you change the release.',
      scope: 'session',
      session,
      branch: 'work',
      plan: `Change ${file} for the next release.`,
      changes: { files: 1, added: 10 + n, removed: n, names: [file] },
      since: new Date().toISOString(),
    });
    print(
      `${agent.name} (${session}): Write ${file} is held, ${answer ? `answered: ${answer}` : 'waiting for you'}`,
    );
    for (const { id, answer: given, note } of (await api('approvals', machine)).items) {
      print(`${agent.name}: you said ${given}${note ? ` (${note})` : ''}`);
      await api(`requests/${id}/received`, machine, {});
    }
    if (options.once && n > 0) return;
    await wait(agent.pause, undefined, { signal: ending }).catch(() => {});
  }
}
