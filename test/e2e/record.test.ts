import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { editIn, runLine, serverAt, writeLaunch } from './resident-project';
import {
  at,
  commandFile,
  deniedBecause,
  type Ended,
  type HostDocument,
  heldBecause,
  makeRig,
  type Rig,
  runNow,
} from './rig';

const CONFIG = '.holdpoint/config.yaml';
const RULES = `requirements:
  plan: {enabled: true, trigger_tools: [Edit, Write]}
  review: {enabled: true, on: commit, scope: single_use}
`;
const GATES =
  'gates: {checks: {t: {command: "touch ran; exit 1"}}, entry_points: [{path: ".", checks: [t]}]}\n';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});
const open = (config: string): Rig => {
  const rig = makeRig(config, CONFIG);
  rigs.push(rig);
  return rig;
};

const record = (rig: Rig, ...args: string[]): Ended => rig.holdpoint(['record', ...args]);
/** Starts a recording; its file below the repository. */
const start = (rig: Rig, ...args: string[]): string => {
  const { json, exitCode } = record(rig, 'on', '--json', ...args);
  expect(exitCode).toBe(0);
  return String(at(json, 'file'));
};
const linesOf = (rig: Rig, file: string): HostDocument[] =>
  readFileSync(join(rig.repo, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HostDocument);
const replay = (rig: Rig, ...args: string[]): Ended => rig.holdpoint(['replay', ...args]);
const replayed = (rig: Rig, ...args: string[]) => {
  const { json, exitCode } = replay(rig, '--json', ...args);
  return { exitCode, ...(json as HostDocument) };
};
const kinds = (rig: Rig, file: string): unknown[] =>
  linesOf(rig, file)
    .slice(1)
    .map((line) => at(line, 'decided', 'kind'));

/** A session with two holds, what satisfies them, and its end. */
function playSession(rig: Rig): void {
  const on = eventsIn(rig);
  rig.hook(on.start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
  deniedBecause(rig.hook(on.pre('Edit', { file_path: join(rig.repo, 'a') })));
  rig.hook(on.pre('Read', { file_path: join(rig.repo, 'a') }));
  rig.req(['satisfy', 'plan', '--session', SESSION]);
  expect(rig.hook(on.pre('Edit', { file_path: join(rig.repo, 'a') })).stdout).toBe('');
  const commit = { command: `cd ${rig.repo} && git commit -m x` };
  deniedBecause(rig.hook(on.pre('Bash', commit, { tool_use_id: 't1' })));
  rig.req(['satisfy', 'review', '--session', SESSION]);
  expect(rig.hook(on.pre('Bash', commit, { tool_use_id: 't2' })).stdout).toBe('');
  rig.hook(on.post('Bash', commit, { tool_use_id: 't2', tool_response: {} }));
  deniedBecause(rig.hook(on.pre('Bash', commit, { tool_use_id: 't3' })));
  rig.hook(on.stop(false));
}
const KINDS = ['advise', 'deny', 'nothing', 'nothing', 'deny', 'nothing', 'nothing', 'deny', 'nothing'];

describe('a recorded session', () => {
  it('that ends below the root is named as a command there has to', () => {
    const rig = open(RULES);
    const file = start(rig);
    const below = { cwd: join(rig.repo, '.holdpoint') };
    const [, named = ''] =
      /`holdpoint replay (.+?)`/.exec(rig.holdpoint(['record', 'off'], below).stdout) ?? [];
    expect(named).toBe(file.replace('.holdpoint/', ''));
    expect(rig.holdpoint(['replay', named], below)).toMatchObject({ exitCode: 0 });
  });

  it('replays the same, and differs where a rule is another', () => {
    const rig = open(RULES);
    const file = start(rig);
    expect(file).toMatch(/^\.holdpoint\/recordings\/\d{4}-\d\d-\d\d-\d{4}\.jsonl$/);
    playSession(rig);
    expect(at(rig.holdpoint(['status', '--json']).json, 'recording')).toMatchObject({
      file,
      events: 9,
      stopped: null,
    });
    expect(rig.holdpoint(['status']).stdout).toContain(`9 events in ${file}`);
    const off = record(rig, 'off');
    expect(off).toMatchObject({ exitCode: 0, stderr: '' });
    expect(off.stdout).toContain(`Recorded 9 events in ${file}.`);
    expect(kinds(rig, file)).toEqual(KINDS);

    const same = replay(rig, file);
    expect(same).toMatchObject({ exitCode: 0, stderr: '' });
    expect(same.stdout).toMatch(/line 3 +PreToolUse Edit +same +held by plan/);
    expect(same.stdout).toMatch(/line 6 +PreToolUse Bash +same +held by review/);
    expect(same.stdout).toContain("Today's rules decide the same for 9 events.");

    rig.write(CONFIG, RULES.replace('[Edit, Write]', '[Write, Read]'));
    const other = replay(rig, file);
    expect(other.exitCode).toBe(1);
    expect(other.stdout).toMatch(/line 3 +PreToolUse Edit +differs +was held by plan, is allowed/);
    expect(other.stdout).toMatch(/line 4 +PreToolUse Read +differs +was allowed, is held by plan/);
    expect(other.stdout).toContain('2 of 9 events differ from the recording.');
    expect(replayed(rig, file)).toMatchObject({ exitCode: 1, same: 7, differs: 2, unknown: 0, skipped: 0 });
  });

  it.each([
    ['the config is', CONFIG, 'a: [\n', /Warning: \.holdpoint\/config\.yaml:5:\d+: error/],
    [
      'a rule is',
      '.holdpoint/rules/own.ts',
      'boom(\n',
      /Warning: \.holdpoint\/rules\/own\.ts:\d+:\d+: error/,
    ],
    [
      'a rule throws',
      '.holdpoint/rules/own.ts',
      "export default { name: 'own', on: 'edit', decide() { throw new Error('oh no'); } };\n",
      /Warning: the rule own failed \(\.holdpoint\/rules\/own\.ts:1:\d+: oh no\)/,
    ],
  ])('is not called the same where %s broken', (_, path, text, told) => {
    const rig = open(RULES);
    const file = start(rig);
    rig.hook(eventsIn(rig).pre('Edit', { file_path: join(rig.repo, 'a') }));
    record(rig, 'off');
    rig.write(path, path === CONFIG ? `${RULES}x-more: 1\n${text}` : text);
    const { exitCode, stdout, stderr } = replay(rig, file);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(told)]);
    expect(stdout).toContain('Not every rule has decided');
    expect(stdout).not.toContain("Today's rules decide the same");
    expect(replayed(rig, file)).toMatchObject({ exitCode: 1, broken: true });
  });

  it('replays in another clone, on another branch, in another home, and leaves nothing there', () => {
    const rig = open(RULES);
    const file = start(rig);
    playSession(rig);
    const text = readFileSync(join(rig.repo, file), 'utf8');
    expect(text).not.toContain(rig.dir);
    const other = open(RULES);
    other.git('checkout', '--quiet', '-b', 'main');
    other.write('other.jsonl', text);
    rmSync(join(other.repo, '.git/holdpoint'), { recursive: true, force: true });
    expect(replayed(other, 'other.jsonl')).toMatchObject({ exitCode: 0, same: 9, differs: 0, unknown: 0 });
    expect(existsSync(join(other.repo, '.git/holdpoint'))).toBe(false);
    expect(readdirSync(other.home)).toEqual([]);
  });

  it('has the state it began from', () => {
    const rig = open(RULES);
    const on = eventsIn(rig);
    rig.hook(on.start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    rig.req(['satisfy', 'plan', '--session', SESSION]);
    const file = start(rig);
    expect(JSON.stringify(at(linesOf(rig, file)[0], 'state'))).toContain('"plan"');
    rig.hook(on.pre('Edit', EDIT));
    expect(replayed(rig, file)).toMatchObject({ exitCode: 0, same: 1 });
  });

  it('is decided as of its own time', () => {
    const rig = open(RULES);
    const on = eventsIn(rig);
    rig.hook(on.start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    const file = start(rig);
    rig.req(['satisfy', 'plan', '--session', SESSION, '--ttl', '3600']);
    rig.hook(on.pre('Edit', EDIT));
    expect(kinds(rig, file)).toEqual(['nothing']);
    // As if it had happened thirty years ago.
    const SECONDS = 30 * 365 * 86_400;
    const earlier = readFileSync(join(rig.repo, file), 'utf8')
      .replace(/"expires_at":(\d+)/g, (_all, end: string) => `"expires_at":${Number(end) - SECONDS}`)
      .replace(/"at":"([^"]+)"/g, (_all, time: string) => {
        return `"at":"${new Date(Date.parse(time) - SECONDS * 1000).toISOString()}"`;
      });
    rig.write('earlier.jsonl', earlier);
    expect(replayed(rig, 'earlier.jsonl')).toMatchObject({ exitCode: 0, same: 1 });
    rig.write('late.jsonl', earlier.replace(/"at":"19/, '"at":"20'));
    expect(replayed(rig, 'late.jsonl')).toMatchObject({ exitCode: 1, differs: 1 });
  });

  it('keeps checks that hold apart from checks that warn', () => {
    const rig = open(
      'gates: {checks: {t: {command: "true"}, w: {command: "exit 1", mode: warn}}, entry_points: [{path: ".", checks: [t, w]}]}\n',
    );
    rig.hook(eventsIn(rig).start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    const file = start(rig);
    rig.write('new.txt', 'x');
    rig.hook(eventsIn(rig).stop(false));
    expect(kinds(rig, file)).toEqual(['advise']);
    expect(replayed(rig, file)).toMatchObject({ exitCode: 0, same: 1 });
  });

  it('keeps what a check said, and never runs it again', () => {
    const rig = open(GATES);
    rig.hook(eventsIn(rig).start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    const file = start(rig);
    rig.write('new.txt', 'x');
    heldBecause(rig.hook(eventsIn(rig).stop(false)));
    rmSync(join(rig.repo, 'ran'));
    expect(replayed(rig, file)).toMatchObject({ exitCode: 0, same: 1 });
    rig.write(
      'without.jsonl',
      readFileSync(join(rig.repo, file), 'utf8').replace('"gates run"', '"gates ran"'),
    );
    const unknown = replay(rig, 'without.jsonl');
    expect(unknown.stdout).toMatch(/Stop +unknown +held by .*t; gates would run/);
    expect(unknown.stdout).toContain("Today's rules decide the same for 0 of 1 event; 1 is unknown.");
    expect(unknown.exitCode).toBe(0);
    expect(existsSync(join(rig.repo, 'ran'))).toBe(false);
  });

  it('has loops, with their exit code, pauses and stops in a row', () => {
    const rig = open(RULES);
    const on = eventsIn(rig);
    rig.hook(on.start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    const file = start(rig);
    rig.holdpoint(['loop', 'start', '--session', SESSION, '--max', '3', 'go']);
    for (const active of [false, true, true]) rig.hook(on.stop(active, { prompt_id: 'p' }));
    rig.holdpoint(['pause', '--session', SESSION]);
    expect(rig.hook(on.pre('Edit', EDIT)).stdout).toBe('');
    rig.holdpoint(['resume', '--session', SESSION]);
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(kinds(rig, file)).toEqual(['hold', 'hold', expect.anything(), 'nothing', 'deny']);
    expect(at(linesOf(rig, file)[1], 'decided', 'exit')).toBe(2);
    expect(replay(rig, file)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(replayed(rig, file)).toMatchObject({ same: 5 });
  });

  it('is of one session where one is named, and of nobody once it is over', () => {
    const rig = open(RULES);
    const file = start(rig, '--session', KEY);
    rig.hook(eventsIn(rig).pre('Edit', EDIT));
    rig.hook(eventsIn(rig).pre('Edit', EDIT, { session_id: OTHER_SESSION }));
    expect(linesOf(rig, file)).toHaveLength(2);
    record(rig, 'off');
    rig.hook(eventsIn(rig).pre('Edit', EDIT));
    expect(linesOf(rig, file)).toHaveLength(2);
    expect(record(rig, 'off')).toMatchObject({ exitCode: 1, stderr: 'Nothing is being recorded here.\n' });
  });

  it('goes on when the config changes meanwhile', () => {
    const rig = open(RULES);
    const file = start(rig);
    rig.hook(eventsIn(rig).pre('Edit', EDIT));
    rig.write(CONFIG, `${RULES}  third: {enabled: true, trigger_tools: [Read]}\n`);
    deniedBecause(rig.hook(eventsIn(rig).pre('Read', EDIT)));
    expect(kinds(rig, file)).toEqual(['deny', 'deny']);
  });

  it('is out of the way of git until it is over', () => {
    const rig = open(RULES);
    const exclude = join(rig.repo, '.git/info/exclude');
    const before = existsSync(exclude) ? readFileSync(exclude, 'utf8') : '';
    const file = start(rig);
    expect(rig.git('status', '--porcelain', '-uall')).not.toContain(file);
    record(rig, 'off');
    expect(rig.git('status', '--porcelain', '-uall')).toContain(file);
    expect(readFileSync(exclude, 'utf8')).toBe(before);
  });
});

describe('what is written', () => {
  it('has no secrets in it', () => {
    const rig = open(RULES);
    const file = start(rig);
    const [key, word] = [`sk-ant-${'a1B2'.repeat(8)}`, 'hunter2'];
    rig.hook(eventsIn(rig).pre('Bash', { command: `DB_PASSWORD=${word} git commit -m "${key}"` }));
    rig.hook(eventsIn(rig).pre('mcp__x__y', { password: word, note: `https://me:${word}@x.test/` }));
    rig.hook(eventsIn(rig).pre('Write', { file_path: 'a', content: `API_TOKEN="${word}"\nplain text\n` }));
    const text = readFileSync(join(rig.repo, file), 'utf8');
    expect(text).not.toContain(word);
    expect(text).not.toContain(key);
    expect(text).toContain('DB_PASSWORD=«masked» git commit');
    expect(text).toContain('plain text');
    expect(replayed(rig, file)).toMatchObject({ exitCode: 0, differs: 0, same: 3 });
  });

  it('has every one of many events at the same moment', async () => {
    const rig = open(RULES);
    const file = start(rig);
    const ids = Array.from({ length: 10 }, (_, at) => `call-${at}`);
    await Promise.all(ids.map((id) => rig.startHook(eventsIn(rig).pre('Edit', EDIT, { tool_use_id: id }))));
    const seen = linesOf(rig, file)
      .slice(1)
      .map((line) => at(line, 'raw', 'tool_use_id'));
    expect(seen.sort()).toEqual(ids);
    expect(replayed(rig, file)).toMatchObject({ exitCode: 0, same: 10 });
  });

  it('follows what a killed process has left', () => {
    const rig = open(RULES);
    const file = start(rig);
    rig.hook(eventsIn(rig).pre('Edit', EDIT));
    appendFileSync(join(rig.repo, file), '{"at":"2026-');
    const torn = replay(rig, file);
    expect(torn).toMatchObject({ exitCode: 0, stderr: '' });
    expect(torn.stdout).toContain('The last line is cut off');
    rig.hook(eventsIn(rig).pre('Edit', EDIT));
    expect(kinds(rig, file)).toEqual(['deny', 'deny']);
  });
});

describe('a recording that cannot be written is lost, and never the event', () => {
  const held = (rig: Rig): Ended => {
    const ended = rig.hook(eventsIn(rig).pre('Edit', EDIT));
    deniedBecause(ended);
    expect(ended.exitCode).toBe(0);
    return ended;
  };
  const stopped = (rig: Rig): unknown => at(rig.holdpoint(['status', '--json']).json, 'recording', 'stopped');

  it.each([
    ['was removed', (file: string) => rmSync(file), 'it was removed'],
    [
      'is a symlink',
      (file: string) => {
        renameSync(file, `${file}.real`);
        symlinkSync(`${file}.real`, file);
      },
      'a symlink stands in its place',
    ],
    [
      'is a directory',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
      'illegal operation on a directory',
    ],
  ])('where its file %s', (_what, harm, why) => {
    const rig = open(RULES);
    const file = start(rig);
    harm(join(rig.repo, file));
    const { stderr } = held(rig);
    expect(stderr).toContain(`${file} is no longer recorded: `);
    expect(stderr).toContain(why);
    expect(String(stopped(rig))).toContain(why);
    expect(rig.holdpoint(['log', '--all']).stdout).toContain('recording.stopped');
    // Said once: then it is over.
    expect(held(rig).stderr).toBe('');
    expect(start(rig)).not.toBe('');
  });

  it('where it is full', () => {
    const rig = open(RULES);
    const file = start(rig);
    const path = join(rig.repo, file);
    truncateSync(path, 8 * 1024 * 1024 - 10);
    appendFileSync(path, '\n');
    expect(held(rig).stderr).toContain('it has reached 8 MB');
    expect(record(rig, 'off').stdout).toContain('It had stopped before: it has reached 8 MB.');
  });

  it('and git sees it once the next one begins', () => {
    const rig = open(RULES);
    const file = start(rig);
    truncateSync(join(rig.repo, file), 8 * 1024 * 1024);
    expect(held(rig).stderr).toContain('it has reached 8 MB');
    const next = start(rig);
    const untracked = rig.git('status', '--porcelain', '-uall');
    expect(untracked).toContain(file);
    expect(untracked).not.toContain(next);
  });

  it.skipIf(process.getuid?.() === 0)('where it is read-only (root may write anywhere)', () => {
    const rig = open(RULES);
    const file = start(rig);
    chmodSync(join(rig.repo, file), 0o400);
    expect(held(rig).stderr).toContain('EACCES');
  });

  it('leaves out an event that is too long', () => {
    const rig = open(RULES);
    const file = start(rig);
    rig.hook(eventsIn(rig).pre('Write', { file_path: 'a', content: 'a '.repeat(600_000) }));
    held(rig);
    expect(linesOf(rig, file)[1]).toMatchObject({ skipped: 'longer than 1 MB' });
    expect(replayed(rig, file)).toMatchObject({ exitCode: 0, same: 1, skipped: 1 });
  });
});

describe('who may', () => {
  it('an agent starts a recording and a person ends it', () => {
    const rig = open(RULES);
    const asAgent = (...args: string[]): Ended =>
      runNow('holdpoint', ['record', ...args], '', {
        cwd: rig.repo,
        env: rig.environment({ CLAUDECODE: '1' }),
      });
    expect(asAgent('on')).toMatchObject({ exitCode: 0 });
    expect(asAgent('on')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Already recording to'),
    });
    expect(asAgent('off')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Only a person can stop a recording'),
    });
    expect(record(rig, 'off')).toMatchObject({ exitCode: 0 });
  });
});

describe('what cannot be replayed', () => {
  const head = '{"holdpoint_recording":1,"version":"0.1.0","began":"2026-01-01","branch":"main","state":{}}';

  it.each([
    ['none.jsonl', undefined, 'holdpoint replay: none.jsonl: there is no such file.'],
    ['a.jsonl', '', 'holdpoint replay: a.jsonl, line 1: this is not a recording of Holdpoint.'],
    ['a.jsonl', '{"type":"user"}\n', 'a.jsonl, line 1: this is not a recording of Holdpoint.'],
    [
      'a.jsonl',
      '{"holdpoint_recording":2}\n',
      'line 1: this recording is of version 2, and this Holdpoint reads up to 1.',
    ],
    ['a.jsonl', `${head}\nnot json\n{}\n`, 'a.jsonl, line 2: this is not JSON.'],
    ['a.jsonl', `${head}\n{}\n`, 'a.jsonl, line 2: this is not an event'],
  ])('%s with %s', (name, text, message) => {
    const rig = open(RULES);
    if (text !== undefined) writeFileSync(join(rig.repo, name), text);
    const { exitCode, stderr, stdout } = replay(rig, name);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('needs a file, and something configured to record', () => {
    const rig = open('');
    expect(replay(rig)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('give a recording') });
    expect(record(rig, 'on')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Nothing is configured'),
    });
  });
});

describe('a server', () => {
  it('records what it answers', async () => {
    const rig = open(RULES);
    const file = start(rig);
    const env = { HOLDPOINT_RUNTIME_DIR: join(rig.tmp, 'run') };
    const server = spawn(process.execPath, [commandFile('serve'), '--idle', '60'], {
      env: rig.environment(env),
      stdio: 'ignore',
    });
    try {
      const socket = join(rig.tmp, 'run', 's');
      await serverAt(socket);
      writeLaunch(rig, socket);
      deniedBecause(await runLine(rig, editIn(rig, 'call-1'), { env }));
      await runLine(rig, editIn(rig, 'call-2', { tool_name: 'Read' }), { env });
      // The answer comes first, and this one after what is written.
      expect((await serverAt(socket)).answered).toBe(2);
      expect(kinds(rig, file)).toEqual(['deny', 'nothing']);
      expect(replayed(rig, file)).toMatchObject({ exitCode: 0, same: 2 });
    } finally {
      server.kill('SIGKILL');
    }
  });
});

it('says nothing about where Holdpoint is installed, and replays where it is installed elsewhere', () => {
  const install = (rig: Rig): string => {
    const dist = join(rig.dir, 'tools', rig === first ? 'dist' : 'other');
    mkdirSync(dist, { recursive: true });
    rig.writeHome('.config/holdpoint/launch', `holdpoint_hook='${dist}/hook.cjs'\n`);
    return dist;
  };
  const first = open(RULES);
  const dist = install(first);
  const file = start(first);
  first.hook(eventsIn(first).pre('Bash', { command: `rm -rf ${dist}` }));
  first.hook(eventsIn(first).pre('Bash', { command: 'rm -rf a; echo x > b' }));
  const text = readFileSync(join(first.repo, file), 'utf8');
  expect(text).not.toContain(dist);
  expect(text).toContain('«holdpoint»');
  const other = open(RULES);
  install(other);
  other.write('recording.jsonl', text);
  expect(replayed(other, 'recording.jsonl')).toMatchObject({ exitCode: 0 });
  expect(kinds(first, file)[0]).toBe('deny');
});
