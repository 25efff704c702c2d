import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { times } from '../stress';
import { at, CONFIG_FILE, makeRig, PLAN_CONFIG, type Rig, runLater } from './rig';

const SETTINGS = '.claude/settings.json';
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'Stop',
  'StopFailure',
  'SessionEnd',
  'ConfigChange',
];

let rig: Rig;
beforeEach(() => {
  rig = makeRig();
});
afterEach(() => rig.remove());

const file = (path: string = SETTINGS): string => join(rig.repo, path);
const text = (path?: string): string => readFileSync(file(path), 'utf8');

/** Somebody's settings: 59 hooks over many events, and 16 other keys. */
function crowded(): Record<string, unknown> {
  const names = [
    'PreToolUse',
    'PostToolUse',
    'Stop',
    'Notification',
    'SubagentStop',
    'SessionStart',
    'PreCompact',
  ];
  const hooks: Record<string, unknown[]> = {};
  for (let count = 0; count < 59; count++) {
    const name = names[count % names.length] ?? '';
    const handler = { type: 'command', command: `echo "№ ${count} — 日本 \\ 💥"`, timeout: count + 1 };
    hooks[name] = [...(hooks[name] ?? []), { matcher: 'Bash', hooks: [handler] }];
  }
  const others = Array.from({ length: 15 }, (_, index) => [
    `ключ${index}`,
    { nested: [index, null, 'ä\u2028'] },
  ]);
  return { model: 'opus', hooks, ...Object.fromEntries(others) };
}

const indented = (indent: string | number, end: string, last: string): string =>
  JSON.stringify(crowded(), null, indent).replaceAll('\n', end) + last;

/** A document without the text of our entries, and of lists that hold nothing else. */
const withoutOurs = (after: string): string =>
  after
    .replace(/"(?:[^"\\]|\\.)*holdpoint\/launch(?:[^"\\]|\\.)*"/g, '"holdpoint/launch"')
    .replace(/,?\s*\{\s*"hooks":\s*\[\s*\{[^{}]*holdpoint\/launch[^{}]*\}\s*\]\s*\}/g, '')
    .replace(/,\s*"\w+":\s*\[\s*\]/g, '');

describe('settings with 59 hooks and 16 other keys', () => {
  it.each<[string, string]>([
    ['tabs and CRLF, no last line end', indented('\t', '\r\n', '')],
    ['tabs and CRLF', indented('\t', '\r\n', '\r\n')],
    ['two blanks and LF', indented(2, '\n', '\n')],
    ['four blanks, with a byte order mark', `\ufeff${indented(4, '\n', '')}`],
    ['one line', indented('', '', '')],
  ])('%s: nothing but our entries is added, and uninstall gives back every byte', (_name, before) => {
    rig.write(SETTINGS, before);
    expect(rig.holdpoint(['install'])).toMatchObject({ exitCode: 0, stderr: '' });
    const after = text();
    const settings = JSON.parse(after.replace(/^\ufeff/, ''));
    for (const event of EVENTS) {
      const entry = settings.hooks[event].pop();
      expect(entry.hooks[0].command).toContain('holdpoint/launch');
      if (settings.hooks[event].length === 0) delete settings.hooks[event];
    }
    expect(settings).toEqual(crowded());
    expect(Object.keys(settings)).toEqual(Object.keys(crowded()));
    expect(withoutOurs(after)).toBe(before);
    expect(text(`${SETTINGS}.holdpoint-backup`)).toBe(before);

    const again = rig.holdpoint(['install']);
    expect(again.stdout).toContain('Already installed');
    expect(text()).toBe(after);

    expect(rig.holdpoint(['uninstall'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text()).toBe(before);
    expect(readdirSync(file('.claude')).sort()).toEqual(['requirements.yaml', 'settings.json']);
  });
});

it('a change that somebody makes after the installation stays when ours goes', () => {
  rig.write(SETTINGS, '{\n  "model": "opus"\n}\n');
  rig.holdpoint(['install']);
  writeFileSync(
    file(),
    text().replace('"opus"', '"sonnet"').replace('"hooks": {', '"hooks": {\n    "Idle": [],'),
  );
  rig.holdpoint(['install']);
  expect(rig.holdpoint(['uninstall']).exitCode).toBe(0);
  expect(text()).toBe('{\n  "model": "sonnet",\n  "hooks": {\n    "Idle": []\n  }\n}\n');
  expect(text(`${SETTINGS}.holdpoint-backup`)).toBe('{\n  "model": "opus"\n}\n');
  const second = { changes: [{ backup: `${file()}.2.holdpoint-backup` }] };
  expect(rig.holdpoint(['install', '--json']).json).toMatchObject(second);
});

describe('uninstall after somebody else was at the files', () => {
  const before = '{"model":"opus", "hooks": { }}';
  const backup = `${SETTINGS}.holdpoint-backup`;

  it.each<[string, () => void, string[]]>([
    ['the backup is something else', () => writeFileSync(file(backup), 'garbage'), [backup]],
    ['the backup is gone', () => rmSync(file(backup)), []],
    ['our entries are gone', () => writeFileSync(file(), before), []],
    [
      'the notes make no sense',
      () => {
        const notes = rig.readJson('.git/holdpoint/installed.json') as { files: [object] };
        rig.write(
          '.git/holdpoint/installed.json',
          JSON.stringify({ files: [{ ...notes.files[0], undo: { created: 3 }, digest: '' }] }),
        );
      },
      [backup],
    ],
  ])('%s', (_name, change, left) => {
    rig.write(SETTINGS, before);
    rig.holdpoint(['install']);
    change();
    expect(rig.holdpoint(['uninstall'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(at(rig.readJson(SETTINGS), 'model')).toBe('opus');
    expect(text()).not.toContain('holdpoint');
    expect(readdirSync(file('.claude')).filter((name) => name.includes('backup'))).toEqual(
      left.map((path) => path.slice('.claude/'.length)),
    );
  });

  it('a document that is no JSON any more is not called clean, and what starts the hook stays', () => {
    rig.write(SETTINGS, before);
    rig.holdpoint(['install']);
    const after = text();
    writeFileSync(file(), `// mine\n${after}`);
    const { exitCode, stderr } = rig.holdpoint(['uninstall']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/settings\.json:1:1: a comment/)]);
    expect(existsSync(join(rig.home, '.config/holdpoint/launch'))).toBe(true);
    writeFileSync(file(), after);
    rig.holdpoint(['uninstall']);
    expect(text()).toBe(before);
  });
});

describe('killed before any of its files is in place', () => {
  const before = '{\n  "hooks": {   }\n}\n';
  /** Ends the process in the place of its n-th rename or removal, as a power cut would. */
  const PRELOAD = `const fs = require('node:fs');
let left = Number(process.env.STEPS);
for (const name of ['renameSync', 'rmSync', 'linkSync']) {
  const real = fs[name];
  fs[name] = (...args) => (left-- > 0 ? real(...args) : process.kill(process.pid, 'SIGKILL'));
}
require('node:module').syncBuiltinESMExports();`;

  it.each([['install'], ['uninstall']])('%s, run again, ends what was begun and leaves nothing', (verb) => {
    rig.write('../preload.cjs', PRELOAD);
    const preload = `--require ${join(rig.dir, 'preload.cjs')}`;
    for (let steps = 0, ended: number | null = null; ended === null; steps += times(5, 1)) {
      rig.write(SETTINGS, before);
      if (verb === 'uninstall') rig.holdpoint(['install']);
      ended = rig.holdpoint([verb], { env: { NODE_OPTIONS: preload, STEPS: String(steps) } }).exitCode;
      expect(JSON.parse(text()), `after ${steps} steps`).toBeTypeOf('object');
      expect(rig.holdpoint([verb])).toMatchObject({ exitCode: 0, stderr: '' });
      for (const event of verb === 'install' ? EVENTS : [])
        expect(at(rig.readJson(SETTINGS), 'hooks', event), `after ${steps} steps`).toHaveLength(1);
      rig.holdpoint(['uninstall']);
      expect(text(), `after ${steps} steps`).toBe(before);
      expect(readdirSync(file('.claude')).sort()).toEqual(['requirements.yaml', 'settings.json']);
      expect(readdirSync(join(rig.home, '.config'))).toEqual([]);
    }
  });
});

it('what was not there before is not there afterwards, directories and start files included', () => {
  rmSync(file('.claude'), { recursive: true });
  const before = [rig.listing(), readdirSync(rig.home)];
  for (const flags of [[], ['--local'], ['--user']]) {
    expect(rig.holdpoint(['install', ...flags]).exitCode).toBe(0);
  }
  const written = [file(), file('.claude/settings.local.json'), join(rig.home, '.claude/settings.json')];
  for (const path of written) expect(at(rig.readJson(path), 'hooks', 'PreToolUse')).toHaveLength(1);
  rig.holdpoint(['uninstall']);
  rig.holdpoint(['uninstall', '--local']);
  expect(existsSync(join(rig.home, '.config/holdpoint/launch'))).toBe(true);
  rig.holdpoint(['uninstall', '--user']);
  expect(existsSync(join(rig.home, '.config/holdpoint/launch'))).toBe(false);
  rmdirSync(join(rig.home, '.config'));
  expect([rig.listing(), readdirSync(rig.home)]).toEqual(before);
  expect(rig.holdpoint(['uninstall'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('No hooks of Holdpoint are installed here.'),
  });
});

it('uninstalling a host that is not installed says nothing of the others', () => {
  rig.holdpoint(['install', '--host', 'claude-code']);
  const { stdout } = rig.holdpoint(['uninstall', '--host', 'codex']);
  expect(stdout).toContain('No hooks of Holdpoint for Codex are installed here.\n');
});

it('entries that came with a clone are taken out without any notes', () => {
  rig.write(SETTINGS, '{"model":"opus"}');
  rig.holdpoint(['install']);
  for (const notes of [join(rig.repo, '.git/holdpoint'), join(rig.home, '.config')])
    rmSync(notes, { recursive: true });
  rig.holdpoint(['uninstall']);
  expect(text()).toBe('{"model":"opus"}');
});

it('--dry-run shows a diff and writes nothing', () => {
  rig.write(SETTINGS, '{\r\n\t"model": "opus"\r\n}');
  const { stdout, exitCode } = rig.holdpoint(['install', '--dry-run']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`--- ${file()}\n+++ ${file()}\n@@ -1,3 +1,`);
  expect(stdout).toContain('\n-\t"model": "opus"\n+\t"model": "opus",\n+\t"hooks": {\n');
  expect(text()).toBe('{\r\n\t"model": "opus"\r\n}');
  expect([existsSync(join(rig.home, '.config')), existsSync(file('.git/holdpoint'))]).toEqual([false, false]);
});

it('--json tells what was done', () => {
  rig.write(SETTINGS, '{}');
  const backup = `${file()}.holdpoint-backup`;
  expect(rig.holdpoint(['install', '--json', '--fail-closed']).json).toMatchObject({
    scope: 'project',
    dry_run: false,
    changes: [{ host: 'claude-code', file: file(), action: 'changed', backup }],
    rivals: [],
  });
  const hooks = at(rig.readJson(SETTINGS), 'hooks') as Record<string, [{ hooks: [Record<string, unknown>] }]>;
  const failing = Object.keys(hooks).filter((event) => hooks[event]?.[0].hooks[0]['onFailure'] === 'block');
  expect(failing).toEqual(['PreToolUse', 'Stop']);
  const again = '`holdpoint install --fail-closed` holds them';
  expect(rig.holdpoint(['install']).stdout).toContain(again);
  expect(rig.holdpoint(['install']).stdout).not.toContain(again);
});

describe('what cannot be written is said, and nothing is changed', () => {
  it.each<[string, () => void, readonly string[], RegExp]>([
    [
      'a comment',
      () => rig.write(SETTINGS, '{\n  // mine\n}\n'),
      [],
      /settings\.json:2:3: a comment.*not changed/,
    ],
    ['a trailing comma', () => rig.write(SETTINGS, '{"a": 1,}'), [], /settings\.json:1:8: a trailing comma/],
    [
      'brackets without end',
      () => rig.write(SETTINGS, `{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`),
      [],
      /settings\.json:1:1: not valid JSON \(unexpected text\)/,
    ],
    ['half a document', () => rig.write(SETTINGS, '{"a": 1'), [], /settings\.json:1:8: not valid JSON/],
    [
      'hooks of a wrong type',
      () => rig.write(SETTINGS, '{"hooks": 3}'),
      [],
      /settings\.json:1:11: "hooks" has to be an object/,
    ],
    [
      'bytes that are no UTF-8',
      () => writeFileSync(file(), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      [],
      /not UTF-8/,
    ],
    ['a file that is read-only', () => writeFileSync(file(), '{}', { mode: 0o444 }), [], /read-only/],
    ['a directory in its place', () => mkdirSync(file(), { recursive: true }), [], /not a regular file/],
    ['a file in place of its directory', () => rig.write('.gemini', ''), ['--host', 'gemini'], /\.gemini/],
    ['a link to nothing', () => symlinkSync('none.json', file()), [], /a broken symlink to .*none\.json\./],
    [
      'a link that leaves the project',
      () => symlinkSync(join(rig.home, 'mine.json'), file()),
      [],
      /symlink that leaves the project/,
    ],
    [
      'a host that there is not',
      () => undefined,
      ['--host', 'claude-cod'],
      /Unknown host 'claude-cod'.*'claude-code'/,
    ],
    [
      'a host by half of its name',
      () => undefined,
      ['--host', 'codex, claude'],
      /Did you mean 'claude-code'/,
    ],
    [
      'a home that takes nothing',
      () => rig.writeHome('.config', ''),
      [],
      /holdpoint cannot be written to \(ENOTDIR.*No settings were changed/,
    ],
    [
      'notes that cannot be written',
      () => rig.write('.git/holdpoint', ''),
      [],
      /Installation record .*installed\.json could not be written/,
    ],
    ['two places', () => undefined, ['--user', '--local'], /cannot be combined/],
    ['an unknown flag', () => undefined, ['--hosts'], /--hosts/],
  ])('%s', (_name, prepare, flags, sentence) => {
    rig.writeHome('mine.json', '{}');
    prepare();
    const before = lstatSync(file(), { throwIfNoEntry: false })?.mtimeMs;
    const { exitCode, stderr, stdout } = rig.holdpoint(['install', ...flags]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(lstatSync(file(), { throwIfNoEntry: false })?.mtimeMs).toBe(before);
    expect(existsSync(`${file()}.holdpoint-backup`)).toBe(false);
    expect(existsSync(join(rig.home, '.config/holdpoint'))).toBe(false);
  });

  it('outside of a repository', () => {
    const { exitCode, stderr } = rig.holdpoint(['install'], { cwd: rig.tmp });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Not in a git repository');
    expect(readdirSync(rig.tmp)).toEqual([]);
    expect(rig.holdpoint(['install', '--user'], { cwd: rig.tmp }).exitCode).toBe(0);
  });
});

it('a link is followed, and mode stays as it was', () => {
  rig.writeHome('dotfiles/claude.json', '{}\n');
  mkdirSync(join(rig.home, '.claude'));
  const target = join(rig.home, 'dotfiles/claude.json');
  chmodSync(target, 0o640);
  symlinkSync(target, join(rig.home, '.claude/settings.json'));
  expect(rig.holdpoint(['install', '--user']).exitCode).toBe(0);
  expect(lstatSync(join(rig.home, '.claude/settings.json')).isSymbolicLink()).toBe(true);
  expect(statSync(target).mode & 0o777).toBe(0o640);
  expect(at(rig.readJson(target), 'hooks', 'Stop')).toHaveLength(1);
  rig.holdpoint(['uninstall', '--user']);
  expect(readFileSync(target, 'utf8')).toBe('{}\n');
});

it('several installations at once leave one entry an event, and the original beside it', async () => {
  rig.write(SETTINGS, '{"model":"opus"}');
  const options = { cwd: rig.repo, env: rig.environment() };
  const runs = [['install'], ['install', '--local'], ['install'], ['install', '--user']];
  const ended = await Promise.all(runs.map((args) => runLater('holdpoint', args, '', options)));
  expect(ended.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    runs.map(() => ({ exitCode: 0, stderr: '' })),
  );
  for (const event of EVENTS) expect(at(rig.readJson(SETTINGS), 'hooks', event)).toHaveLength(1);
  expect(text(`${SETTINGS}.holdpoint-backup`)).toBe('{"model":"opus"}');
  for (const flags of [[], ['--local'], ['--user']]) rig.holdpoint(['uninstall', ...flags]);
  expect(text()).toBe('{"model":"opus"}');
});

it('a repository that is gone does not keep what starts the hook, nor does a work tree', () => {
  const other = join(rig.dir, 'tmp', 'other');
  mkdirSync(other);
  rig.git('init', '--quiet', other);
  expect(rig.holdpoint(['install'], { cwd: other }).exitCode).toBe(0);
  rig.holdpoint(['install']);
  rmSync(other, { recursive: true });
  rig.git('worktree', 'add', '--quiet', join(rig.tmp, 'tree'));
  expect(rig.holdpoint(['install'], { cwd: join(rig.tmp, 'tree') }).exitCode).toBe(0);
  rmSync(join(rig.tmp, 'tree'), { recursive: true });
  rig.holdpoint(['uninstall']);
  expect(readdirSync(join(rig.home, '.config'))).toEqual([]);
});

it('an agent cannot take us out of a project that holds it', () => {
  const inAgentsShell = { env: { CLAUDECODE: '1' } };
  rmSync(file(CONFIG_FILE));
  rig.holdpoint(['install']);
  expect(rig.holdpoint(['uninstall'], inAgentsShell).exitCode).toBe(0);
  rig.write(CONFIG_FILE, PLAN_CONFIG);
  rig.holdpoint(['install']);
  const before = text();
  const { exitCode, stderr } = rig.holdpoint(['uninstall'], inAgentsShell);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Only a person can uninstall Holdpoint')]);
  expect(text()).toBe(before);
});
