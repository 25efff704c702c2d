import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shareCompiledCode } from './compiled-code';
import { PATH_WITH_NC } from './resident-project';
import { type Check, commandFile, makeRig, type Rig } from './rig';

let rig: Rig;
let env: Record<string, string>;
beforeEach(() => {
  rig = makeRig('requirements: {plan: {enabled: true}}\n', '.holdpoint/config.yaml');
  shareCompiledCode(rig.home);
  env = { HOLDPOINT_RUNTIME_DIR: join(rig.dir, 'run') };
});
afterEach(() => {
  rig.holdpoint(['serve', '--stop'], { env });
  rig.remove();
});

function install(...args: string[]): void {
  const ended = rig.holdpoint(['install', '--host', 'claude-code', ...args], { env });
  expect(ended.exitCode, ended.stderr).toBe(0);
}

function wrongIn(cwd = rig.repo, more: Record<string, string> = {}): readonly Check[] {
  const { json } = rig.holdpoint(['doctor', '--json'], { cwd, env: { ...env, ...more } });
  // What follows from the others is no finding of its own.
  return (json as { checks: Check[] }).checks.filter(
    ({ id, status }) => status !== 'pass' && id !== 'project.armed',
  );
}

/** Does as it is told, once for each command, and tells what is wrong then. */
function mended(checks: readonly Check[], cwd = rig.repo): readonly Check[] {
  for (const command of new Set(checks.flatMap(({ fix }) => fix?.command ?? []))) {
    const ended = rig.holdpoint(command.split(' ').slice(1), { cwd, env });
    expect(ended.exitCode, `${command}: ${ended.stderr}`).toBe(0);
  }
  return wrongIn(cwd);
}

const commandsOf = (checks: readonly Check[]) => checks.map(({ id, fix }) => [id, fix?.command]);

it('whoever has a server answer events is not told to give that up', () => {
  env = { ...env, PATH: PATH_WITH_NC };
  install('--user', '--resident');
  const file = join(rig.home, '.claude/settings.json');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"timeout": 600', '"timeout": 60'));
  const wrong = wrongIn();
  expect(commandsOf(wrong)).toEqual([
    ['hook.outdated', 'holdpoint install --host claude-code --user --resident'],
  ]);
  expect(mended(wrong)).toEqual([]);
});

it('a launch file that is gone is written anew for the settings that call it', () => {
  install('--user');
  rmSync(join(rig.home, '.config/holdpoint/launch'));
  const wrong = wrongIn();
  const again = 'holdpoint install --host claude-code --user';
  expect(commandsOf(wrong)).toEqual([
    ['hook.launch', again],
    ['hook.fires', again],
    ['hook.fires', again],
  ]);
  expect(mended(wrong)).toEqual([]);
  expect(rig.readJson('.claude/settings.json')).toBeUndefined();
});

it.each([
  ['claude-code', '.claude/settings.json', '"onFailure": "block"'],
  ['cursor', '.cursor/hooks.json', '"failClosed": true'],
])('%s: whoever has the host refuse when we fail is not told to give that up', (host, file, member) => {
  rig.holdpoint(['install', '--host', host, '--fail-closed']);
  const before = readFileSync(join(rig.repo, file), 'utf8');
  expect(before).toContain(member);
  rmSync(join(rig.home, '.config/holdpoint/launch'));
  const wrong = wrongIn().filter(({ id }) => id === 'hook.launch');
  expect(commandsOf(wrong)).toEqual([['hook.launch', `holdpoint install --host ${host} --fail-closed`]]);
  mended(wrong);
  expect(readFileSync(join(rig.repo, file), 'utf8')).toBe(before);
});

it.each([['garbage\n'], ['']])('a launch file with %j in it is called what it is', (text) => {
  install();
  writeFileSync(join(rig.home, '.config/holdpoint/launch'), text);
  const wrong = wrongIn();
  expect(wrong.map(({ id }) => id)).toEqual(['hook.launch', 'hook.fires', 'hook.fires']);
  expect(wrong[0]?.message).toMatch(/launch is damaged: it starts no hook$/);
  expect(mended(wrong)).toEqual([]);
});

it.each<[string, string, (text: string) => string, string, string]>([
  [
    'copilot',
    '.github/hooks/holdpoint.json',
    () => '{"version":1,"hooks":{}}',
    'hook.installed',
    'no settings',
  ],
  ['copilot', '.github/hooks/holdpoint.json', (text) => `${text}}`, 'hook.installed', 'no settings'],
  [
    'copilot',
    '.github/hooks/holdpoint.json',
    (text) => text.replace('"PreToolUse"', '"x-PreToolUse"'),
    'hook.missing',
    'missing or limited: hooks.PreToolUse',
  ],
  ['opencode', '.opencode/plugin/holdpoint.js', () => 'export {};\n', 'hook.missing', 'holdpoint.js'],
])(
  '%s: a file of ours that no longer calls us is not taken for one that does',
  (host, file, edit, id, said) => {
    rig.holdpoint(['install', '--host', host]);
    expect(wrongIn()).toEqual([]);
    rig.write(file, edit(readFileSync(join(rig.repo, file), 'utf8')));
    expect(wrongIn()).toContainEqual(
      expect.objectContaining({ id, status: 'fail', message: expect.stringContaining(said) }),
    );
  },
);

it('a line that was written by hand and holds nothing makes room for ours', () => {
  const command = 'true || holdpoint hook';
  rig.write(
    '.claude/settings.json',
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }),
  );
  const wrong = wrongIn().filter(({ id }) => id === 'hook.fires');
  expect(wrong[0]?.fix?.command).toBe('holdpoint install --host claude-code --replace');
  expect(mended(wrong)).toEqual([]);
});

describe('without a repository', () => {
  it.each<[string, string[]]>([
    ['and without anything', []],
    ['with a place for state', ['.holdpoint']],
  ])('%s: the entries go into your own settings', (_what, made) => {
    const dir = join(rig.tmp, 'bare');
    for (const name of ['', ...made]) mkdirSync(join(dir, name));
    const wrong = wrongIn(dir).filter(({ id }) => id === 'hook.installed');
    expect(commandsOf(wrong)).toEqual([['hook.installed', 'holdpoint install --user']]);
    expect(mended(wrong, dir).filter(({ id }) => id.startsWith('hook.'))).toEqual([]);
  });
});

describe('without a home', () => {
  it.each([
    ['', 'HOME is not set'],
    ['rel', "HOME is 'rel', which is not an absolute path"],
  ])('%j: that is what is to be mended first', (HOME, message) => {
    const wrong = wrongIn(rig.repo, { HOME });
    expect(wrong.map(({ id, status, fix }) => [id, status, fix?.command])).toEqual([
      ['runtime.home', 'fail', null],
      ['hook.installed', 'fail', null],
    ]);
    expect(wrong[0]?.message).toContain(message);
    expect(wrong[1]?.fix?.description).toMatch(/^Set HOME to .*, then run: holdpoint install$/);
  });

  it('that can be entered, the home is named, not the files that may be in it', () => {
    chmodSync(rig.dir, 0o755);
    mkdirSync(join(rig.tmp, 'closed'));
    const HOME = join(rig.tmp, 'closed');
    const asRoot = process.getuid?.() === 0;
    if (asRoot) for (const path of [rig.tmp, HOME]) chownSync(path, 65_534, 65_534);
    chmodSync(HOME, 0);
    // Whoever may do everything enters it all the same, so another user has to run this.
    const { stdout } = spawnSync(process.execPath, [commandFile('holdpoint'), 'doctor', '--json'], {
      cwd: rig.repo,
      env: rig.environment({ ...env, HOME }),
      encoding: 'utf8',
      ...(asRoot && { uid: 65_534, gid: 65_534 }),
    });
    chmodSync(HOME, 0o700);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    const home = checks.find(({ id }) => id === 'runtime.home');
    expect(home).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/closed cannot be read.*EACCES/),
    });
    expect(home?.fix?.description).toBe(`Make ${HOME} readable`);
    expect(checks.filter(({ id }) => id === 'hook.settings')).toEqual([]);
  });
});

it('a settings file that cannot be read is not called one that the host drops', () => {
  mkdirSync(join(rig.home, '.codex/hooks.json'), { recursive: true });
  const [found] = wrongIn().filter(({ id }) => id === 'hook.settings');
  expect(found?.message).toBe(`${rig.home}/.codex/hooks.json is not a regular file`);
  expect(found?.fix?.description).toBe(`Make ${rig.home}/.codex/hooks.json readable`);
});

it.each<['holdpoint' | 'req', string]>([
  ['holdpoint', 'nowhere'],
  ['req', 'nowhere'],
  ['holdpoint', '.holdpoint/config.yaml'],
])('%s doctor --repo %s says that there is no such directory', (command, path) => {
  const ended = rig[command](['doctor', '--repo', path]);
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toBe(`${join(rig.repo, path)} is not a directory. Nothing was checked.\n`);
});
