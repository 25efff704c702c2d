import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { objectIn, textsIn } from '../../src/core/json';
import { endServer } from '../../src/server/control';
import { removeJoined, writeJoined } from '../../src/state/hub';
import { notedProjects } from '../../src/state/journal';
import { Link, readHub } from '../../src/uplink/link';
import { EDIT, eventsIn, SESSION } from '../e2e/events';
import { at, commandFile } from '../e2e/rig';
import { times } from '../stress';
import { type FakeHub, fakeHub, isHeld, type Machine, machine, until } from './rig';

const CONFIG = `requirements:
  signed: {enabled: true, trigger_tools: [Edit], approval: hub}
  plan: {enabled: true, trigger_tools: [Write]}
`;

let hub: FakeHub;
let here: Machine;
let server: ChildProcess | undefined;
beforeAll(async () => {
  hub = await fakeHub();
});
afterAll(() => hub.end());
afterEach(async () => {
  server?.kill('SIGKILL');
  server = undefined;
  await endServer(join(here.dir, 'run', 's'));
  here.remove();
});

async function joined(): Promise<void> {
  here = machine(CONFIG);
  await here.join(hub);
}

const write = (id: string) => here.event(eventsIn(here).pre('Write', EDIT, { tool_use_id: id }));

/** The ids of the journal, rotated files included. */
function journalIds(): string[] {
  const files = ['journal.3', 'journal.2', 'journal.1', 'journal'];
  return files.flatMap((name) => {
    const file = join(here.repo, '.git/holdpoint', `${name}.jsonl`);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => String(JSON.parse(line).id));
  });
}

const missing = async (): Promise<string[]> => {
  const known = new Set((await hub.state()).decisions.map(({ id }) => id));
  return [...new Set(journalIds())].filter((id) => !known.has(id));
};
const isComplete = async (): Promise<boolean> => (await missing()).length === 0;

it('a session that begins on a joined machine starts the server, which sends, asks and brings the answer', async () => {
  await joined();
  expect(statSync(join(here.home, '.config/holdpoint/hub.json')).mode & 0o777).toBe(0o600);
  here.event(eventsIn(here).start('startup'));
  await until(async () => (await hub.state()).streams === 1);
  const began = Date.now();
  expect(isHeld(here.edit())).toBe(true);
  const request = await until(async () => (await hub.state()).requests.find(({ rule }) => rule === 'signed'));
  const shownAfter = Date.now() - began;
  await hub.tell('answer', { id: request.id });
  const answered = Date.now();
  await until(() => !isHeld(here.edit()));
  const freeAfter = Date.now() - answered;
  // Whoever asked the hub now and then would take longer, also on a machine with little to do.
  expect(Math.max(shownAfter, freeAfter)).toBeLessThan(10_000);
  const [session] = await until(async () => {
    const { sessions } = await hub.state();
    return sessions.length > 0 && sessions;
  });
  expect(session).toMatchObject({ id: SESSION, branch: 'feature/auth', host: 'claude-code' });
  await until(isComplete);
  // The machine goes down: the session has ended by the time a server looks again.
  here.holdpoint(['serve', '--stop'], { env: here.env });
  rmSync(join(here.home, '.claude/sessions.json'));
  here.sync();
  expect((await hub.state()).sessions).toMatchObject([{ id: SESSION, ended: true }]);
});

it('while gates run, the hub gets the last lines of their logs', async () => {
  here = machine(`gates:
  base_branch: feature/auth
  entry_points: [{path: ., checks: [slow]}]
  checks: {slow: {command: 'echo two of three; while [ ! -e "$HOME/go" ]; do sleep 0.05; done'}}
`);
  await here.join(hub);
  here.event(eventsIn(here).start('startup'));
  here.write('changed.txt', 'x');
  const ran = spawn(process.execPath, [commandFile('holdpoint'), 'gates', 'run'], {
    cwd: here.repo,
    env: here.environment(here.env),
    stdio: 'ignore',
  });
  try {
    await until(async () => {
      here.sync();
      const { sessions } = await hub.state();
      return sessions.some((one) => textsIn(objectIn(one, 'gates'), 'lines').includes('two of three'));
    });
  } finally {
    writeFileSync(join(here.home, 'go'), '');
    await once(ran, 'exit');
  }
});

it('what is held reaches the hub also where no session was seen to start', async () => {
  await joined();
  here.write('.holdpoint/config.yaml', 'requirements: {}\n');
  here.write(
    '.holdpoint/rules/no-edits.mjs',
    "export default { name: 'no-edits', on: 'edit', decide: () => ({ kind: 'hold', reason: 'No edits.' }) };\n",
  );
  rmSync(join(here.home, '.config/holdpoint/uplink/projects'));
  expect([here.edit(), here.edit({ tool_use_id: 'again' })].every(isHeld)).toBe(true);
  expect(notedProjects(here.home)).toEqual([here.repo]);
  here.holdpoint(['hub', 'sync'], { env: here.env, cwd: here.home });
  expect(await missing()).toEqual([]);
});

it('while the hub is away nothing waits and nothing is lost', async () => {
  await joined();
  server = here.serve();
  write('a');
  await until(isComplete);
  await hub.tell('away', { is: true });
  for (let turn = 0; turn < 5; turn++) write(`away ${turn}`);
  expect(here.holdpoint(['hub', 'status', '--json'], { env: here.env }).json).toMatchObject({
    joined: true,
    reachable: false,
    behind: 5,
  });
  expect(here.sync()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/cannot be reached: .*Nothing is lost/),
  });
  await hub.tell('away', { is: false });
  await until(isComplete);
  // What has arrived counts once the answer to it is read.
  await until(() => {
    const status = here.holdpoint(['hub', 'status', '--json'], { env: here.env }).json;
    return at(status, 'reachable') === true && at(status, 'behind') === 0;
  });
});

it('a clock that is set back while the hub is away keeps nothing back', async () => {
  await joined();
  const [clock, isBack] = [join(here.dir, 'clock.cjs'), join(here.dir, 'back')];
  writeFileSync(
    clock,
    `const { now } = Date; const { existsSync } = require('node:fs');
    Date.now = () => now() - (existsSync('${isBack}') ? 3_600_000 : 0);\n`,
  );
  server = here.serve(['--require', clock]);
  write('a');
  await until(isComplete);
  await hub.tell('away', { is: true });
  write('b');
  await after(1500);
  writeFileSync(isBack, '');
  await hub.tell('away', { is: false });
  await until(isComplete, 15_000);
});

it('rotated journals, late lines in them, and lines that were cut short', async () => {
  await joined();
  write('a');
  here.sync();
  const own = join(here.repo, '.git/holdpoint');
  const journal = join(own, 'journal.jsonl');
  const filler = (count: number, from: number): string =>
    Array.from({ length: count }, (_, at) =>
      JSON.stringify({
        id: `filler${from + at}`,
        at: '2026-01-01T00:00:00.000Z',
        decision: 'nothing',
        pad: 'x'.repeat(900),
      }),
    ).join('\n');
  writeFileSync(journal, `${readFileSync(journal, 'utf8')}${filler(4600, 0)}\n`);
  here.sync();
  await until(isComplete);
  write('rotates');
  expect(existsSync(join(own, 'journal.1.jsonl'))).toBe(true);
  writeFileSync(join(own, 'journal.1.jsonl'), `${filler(1, 9000)}\n`, { flag: 'a' });
  writeFileSync(journal, '{"id":"cut","at":"2026-01-01T00:00', { flag: 'a' });
  const fillers = async () => {
    here.sync();
    return (await hub.state()).decisions.filter(({ id }) => id.startsWith('filler'));
  };
  await until(async () => (await fillers()).some(({ id }) => id === 'filler9000'));
  write('after the cut');
  const ids = await until(async () => {
    const found = await fillers();
    return found.length === 4601 && found;
  });
  expect(ids.every(({ times: count }) => count === 1)).toBe(true);
  expect(here.holdpoint(['hub', 'status', '--json'], { env: here.env }).json).toMatchObject({ behind: 0 });
});

it('a revoked machine stops, and says so', async () => {
  await joined();
  server = here.serve();
  write('a');
  await until(isComplete);
  await hub.tell('revoke');
  write('b');
  await until(() =>
    JSON.stringify(here.readJson(join(here.home, '.config/holdpoint/hub.json'))).includes('refused'),
  );
  const { stdout } = here.holdpoint(['hub', 'status'], { env: here.env });
  expect(stdout).toContain('The hub refuses this machine: This machine was revoked.');
  expect(here.edit().stdout).toContain('no longer accepts this machine');
  await here.join(hub);
  await until(isComplete);
});

it('the environment joins a machine on which nobody types', async () => {
  here = machine(CONFIG);
  const { code } = await hub.tell('invite');
  write('a');
  const env = { ...here.env, HOLDPOINT_HUB_URL: hub.url, HOLDPOINT_HUB_CODE: String(code) };
  here.hook(eventsIn(here).start('startup'), { env });
  await until(() => existsSync(join(here.home, '.config/holdpoint/hub.json')));
  await until(isComplete);
});

it('a token of another hub, and a hub.json that somebody has written, join nobody', async () => {
  await joined();
  const file = join(here.home, '.config/holdpoint/hub.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/"key": "[^"]*"/, '"key": "MCowBQYDK2VwAyEAAAAA"'));
  expect(here.holdpoint(['hub', 'status', '--json'], { env: here.env }).json).toMatchObject({
    joined: false,
  });
  expect(here.edit().stdout).toContain('has not joined one');
  const agent = { env: { ...here.env, CLAUDECODE: '1' } };
  for (const words of [['join', hub.url, 'hpi_x'], ['leave'], ['hub'], ['hub', 'invite']])
    expect(here.holdpoint(words, agent)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Only a person/),
    });
});

it('a machine goes by the name that the hub has given it', async () => {
  await joined();
  await here.join(hub);
  const { machines } = await hub.state();
  const name = machines.at(-1)?.['name'];
  expect(name).not.toBe('here');
  expect(here.holdpoint(['hub', 'status', '--json'], { env: here.env }).json).toMatchObject({ name });
  expect(here.holdpoint(['leave'], { env: here.env }).stdout).toContain(`\`holdpoint hub revoke ${name}\``);
});

it('killed at random, it loses and doubles nothing', async () => {
  await joined();
  for (let turn = 0; turn < times(6, 100); turn++) {
    server = here.serve();
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    const wait = after(Math.random() * 400);
    write(`kill ${turn}`);
    here.edit({ tool_use_id: `edit ${turn}` });
    await wait;
    server.kill('SIGKILL');
    await ended;
  }
  server = here.serve();
  await until(isComplete);
  const openNow = async () =>
    (await hub.state()).requests.filter((one) => one['machine'] === machineId() && one.rule === 'signed');
  // Requests are sent after the decisions.
  await until(async () => (await openNow()).length > 0);
  const { decisions } = await hub.state();
  const ours = new Set(journalIds());
  expect(decisions.filter(({ id }) => ours.has(id))).toHaveLength(ours.size);
  // One request, however often it was sent.
  const open = await openNow();
  expect(open).toHaveLength(1);
  await hub.tell('answer', { id: open[0]?.id });
  await until(() => !isHeld(here.edit({ tool_use_id: 'at last' })));
});

const machineId = (): unknown =>
  (here.readJson(join(here.home, '.config/holdpoint/hub.json')) as { machine: string }).machine;

it('an answer that comes late does not undo that a person has left or joined again', async () => {
  await joined();
  const before = readHub(here.home);
  if (before === undefined) throw new Error('it has not joined');
  const link = new Link(here.home, before, () => undefined);
  removeJoined(here.home);
  link.refuse('revoked');
  expect(readHub(here.home)).toBeUndefined();
  writeJoined(here.home, { ...before, token: 'another' });
  link.refuse('revoked');
  expect(readHub(here.home)).toMatchObject({ token: 'another', refused: undefined });
  writeJoined(here.home, before);
  link.refuse('revoked');
  expect(readHub(here.home)).toMatchObject({ token: before.token, refused: 'revoked' });
});
