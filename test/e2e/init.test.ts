import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shareCompiledCode } from './compiled-code';
import { at, commandFile, deniedBecause, type Ended, makeRig, type Rig, runNow } from './rig';
import { type Answer, hasTerminals, runAtTerminal } from './terminal';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
  shareCompiledCode(rig.home);
  rig.write(
    'package.json',
    JSON.stringify({ scripts: { test: 'node --test', lint: 'true', build: 'true' } }),
  );
});
afterEach(() => rig.remove());

const CONFIG = '.holdpoint/config.yaml';
const SETTINGS = '.claude/settings.json';
const OWN_LINES = ['/.holdpoint/config.local.yaml', '/.holdpoint/logs/', '*.holdpoint-backup'];

const text = (path: string): string => readFileSync(join(rig.repo, path), 'utf8');
const isThere = (path: string): boolean => existsSync(join(rig.repo, path));

/** Every file below the scratch directory with its bytes and its time, git's own objects left out. */
function everything(dir = rig.dir): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(?:objects|code)\//.test(path));
  return Object.fromEntries(
    paths.map((path) => [relative(dir, path), `${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}`]),
  );
}

function enabled(): unknown[] {
  const { json } = rig.holdpoint(['config', '--json']);
  const all = Object.entries(at(json, 'config', 'requirements') as object);
  return all.filter(([, one]) => at(one, 'enabled') === true).map(([name]) => name);
}

describe('holdpoint init --yes', () => {
  it('writes a config with the checks of the project, lines for git and the hooks, and says what comes next', () => {
    const ended = rig.holdpoint(['init', '--yes']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('checks: test, lint');
    expect(ended.stdout).toMatch(/doctor: /);
    expect(ended.stdout).toContain('npm test && npm run lint');
    expect(rig.holdpoint(['gates', 'validate']).stdout).toBe('All config files are valid.\n');
    expect(enabled()).toEqual(['commit_plan']);
    expect(text('.gitignore').split('\n')).toEqual([...OWN_LINES, '']);
    expect(text(SETTINGS)).toContain('holdpoint/launch');
  });

  it('an agent is held by what was written, through the line that was installed', () => {
    rig.holdpoint(['init', '--yes']);
    const settings = rig.readJson(SETTINGS) as { hooks: { PreToolUse: [{ hooks: [{ command: string }] }] } };
    const event = {
      session_id: '5e551011-0000-4000-8000-000000000000',
      cwd: rig.repo,
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_use_id: 't1',
      tool_input: { file_path: join(rig.repo, 'a.js'), content: '' },
    };
    const stdout = execFileSync('/bin/sh', ['-c', settings.hooks.PreToolUse[0].hooks[0].command], {
      input: JSON.stringify(event),
      cwd: '/',
      env: rig.environment(),
      encoding: 'utf8',
    });
    const reason = deniedBecause({ json: JSON.parse(stdout), stdout, stderr: '', exitCode: 0 });
    expect(reason).toContain('`req satisfy commit_plan --session 5e551011`');
  });

  it('a second time changes no byte and no time, and says so', () => {
    rig.holdpoint(['init', '--yes']);
    const before = everything();
    const ended = rig.holdpoint(['init']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('Nothing was changed.');
    expect(rig.holdpoint(['init', '--yes', '--json']).json).toMatchObject({ written: false, files: [] });
    expect(everything()).toEqual(before);
  });

  it('in a clone on another machine, writes only what starts the hooks there', () => {
    rig.holdpoint(['init', '--yes']);
    const before = everything(rig.repo);
    rmSync(join(rig.home, '.config'), { recursive: true });
    const ended = rig.holdpoint(['init', '--yes']);
    expect(ended.stdout.match(/^ {2}wrote .*$/gm)).toEqual([expect.stringContaining('/holdpoint/launch')]);
    expect(existsSync(join(rig.home, '.config/holdpoint/launch'))).toBe(true);
    const isConfig = ([path]: [string, string]): boolean => !path.startsWith('.git/');
    const files = (all: Record<string, string>) => Object.entries(all).filter(isConfig);
    expect(files(everything(rig.repo))).toEqual(files(before));
  });

  it('in a directory whose name has blanks, quotes and letters of all kinds, from a directory below', () => {
    const dir = join(rig.dir, 'tmp/größe \'n "x" $HOME ☃');
    mkdirSync(join(dir, 'a/b'), { recursive: true });
    execFileSync('git', ['init', '--quiet', dir], { env: rig.environment() });
    writeFileSync(join(dir, 'go.mod'), 'module a\n');
    const ended = rig.holdpoint(['init', '--yes', '--json'], { cwd: join(dir, 'a/b') });
    expect(ended.json).toMatchObject({ written: true, root: dir, kinds: ['go'] });
    expect(readFileSync(join(dir, CONFIG), 'utf8')).toContain('command: go test ./...');
    expect(existsSync(join(dir, SETTINGS))).toBe(true);
  });

  it('closes the default branch of a remote, and no other', () => {
    rig.git('branch', '-m', 'trunk');
    rig.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    rig.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    const ended = rig.holdpoint(['init', '--yes', '--no-install', '--json']);
    expect(ended.json).toMatchObject({ default_branch: 'trunk' });
    expect(enabled()).toEqual(['protected_branch', 'commit_plan']);
    expect(text(CONFIG)).toContain('base_branch: origin/trunk ');
    expect(text(CONFIG)).toMatch(/protected_branches:\n +- trunk\n/);
  });

  it('--no-install leaves the settings alone', () => {
    const ended = rig.holdpoint(['init', '--yes', '--no-install', '--preset', 'strict']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('holdpoint install');
    expect(ended.stdout).toContain('Held once the hooks are installed\n');
    expect(ended.stdout).not.toContain('from now on');
    expect(text(CONFIG)).toContain('agent_may_satisfy: false');
    expect(isThere('.claude')).toBe(false);
    expect(existsSync(join(rig.home, '.config/holdpoint/launch'))).toBe(false);
    const again = rig.holdpoint(['init', '--yes', '--no-install']);
    expect(again.stdout).toContain('Nothing to do: the config and .gitignore are in place.');
  });
});

it('takes the only branch for the default one, whatever its name, where there is no remote', () => {
  rig.git('branch', '-m', 'trunk');
  rig.holdpoint(['init', '--yes', '--no-install']);
  expect(text(CONFIG)).toContain('base_branch: trunk ');
});

describe('what is there already', () => {
  it('a config with a mistake is named even if there is nothing left to write', () => {
    rig.holdpoint(['init', '--yes']);
    rig.write(CONFIG, `${text(CONFIG).split('\n')[0]}\nversion: 1\nrequirements: [\n`);
    const ended = rig.holdpoint(['init', '--yes']);
    expect(ended.stdout).toContain('Nothing to do:');
    expect(ended.stderr).toContain(`The config has problems:\n${CONFIG}:3:15: error: not valid YAML`);
  });

  it('a config is not touched, whatever preset is asked for', () => {
    rig.write(CONFIG, 'version: 1\n');
    const ended = rig.holdpoint(['init', '--yes', '--preset', 'strict']);
    expect(text(CONFIG)).toBe('version: 1\n');
    expect(ended.stdout).toContain(`${CONFIG} exists and stays as it is.`);
    expect(ended.stdout).toContain('--preset strict has no effect.');
    expect(text(SETTINGS)).toContain('holdpoint/launch');
  });

  it.each([
    ['.claude/requirements.yaml', 'requirements: {plan: {enabled: true}}\n', 'requirements', 'gates:\n'],
    ['.gauntlet/config.yml', 'entry_points: []\n', 'gates', 'requirements:\n'],
  ])('%s stays in force, is named, and its section is left out', (file, content, section, stays) => {
    rig.write(file, content);
    const { stdout } = rig.holdpoint(['init', '--yes', '--no-install']);
    expect(stdout).toContain(`stays in effect, so no ${section} section is written`);
    expect(stdout).toContain(`\n  whatever the rules in ${file.replace('/config.yml', '')} hold\n`);
    expect(stdout.includes('make sure these pass first')).toBe(section !== 'gates');
    expect(stdout.includes('checks: test')).toBe(section !== 'gates');
    expect(text(file)).toBe(content);
    expect(text(CONFIG)).toContain(stays);
    expect(text(CONFIG)).not.toMatch(new RegExp(`^${section}:`, 'm'));
  });

  it('settings that are no JSON stop it before anything is written', () => {
    rig.write(SETTINGS, '{ "a": 1, }');
    const before = everything();
    const ended = rig.holdpoint(['init', '--yes']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('settings.json:1');
    expect(ended.stderr).toContain('--no-install');
    expect(everything()).toEqual(before);
  });

  const latin = Buffer.from([0x66, 0xfc, 0x72, 0x0a]);
  it.each<[string, Buffer | undefined, string[], string]>([
    ['none', undefined, OWN_LINES, '\n'],
    ['an empty one', Buffer.from(''), OWN_LINES, '\n'],
    ['one with CRLF and no final line end', Buffer.from('a\r\nb'), ['', ...OWN_LINES], '\r\n'],
    ['one with CRLF', Buffer.from('a\r\n'), OWN_LINES, '\r\n'],
    ['one with no line end at all', Buffer.from('dist'), ['', ...OWN_LINES], '\n'],
    ['one that is no UTF-8', latin, OWN_LINES, '\n'],
    [
      'one that has a line of ours',
      Buffer.from('/.holdpoint/logs/\n'),
      OWN_LINES.filter((_, i) => i !== 1),
      '\n',
    ],
    [
      'one that leaves out logs by their ending',
      Buffer.from('*.local.yaml\n*.log\n*backup\n'),
      OWN_LINES.slice(1, 2),
      '\n',
    ],
    ['one that passes over the same in other words', Buffer.from('*.local.yaml\nlogs\n*backup\n'), [], '\n'],
  ])('.gitignore: %s', (_what, before, added, end) => {
    if (before !== undefined) writeFileSync(join(rig.repo, '.gitignore'), before);
    rig.holdpoint(['init', '--yes', '--no-install']);
    const after = readFileSync(join(rig.repo, '.gitignore'));
    const kept = before ?? Buffer.alloc(0);
    expect(after.subarray(0, kept.length).equals(kept)).toBe(true);
    expect(after.subarray(kept.length).toString()).toBe(added.length === 0 ? '' : added.join(end) + end);
  });

  it('what only the person has git pass over does not count for the project', () => {
    rig.writeHome('ignore', '.holdpoint/\n*.holdpoint-backup\n');
    rig.writeHome('.gitconfig', `[core]\n\texcludesFile = ${join(rig.home, 'ignore')}\n`);
    rig.holdpoint(['init', '--yes', '--no-install']);
    expect(text('.gitignore').split('\n')).toEqual([...OWN_LINES, '']);
  });

  it('a .gitignore that leads out of the project is left alone, and so is everything else', () => {
    writeFileSync(join(rig.dir, 'tmp/shared'), 'a\n');
    symlinkSync(join(rig.dir, 'tmp/shared'), join(rig.repo, '.gitignore'));
    const ended = rig.holdpoint(['init', '--yes']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('a symlink leads outside the project');
    expect(readFileSync(join(rig.dir, 'tmp/shared'), 'utf8')).toBe('a\n');
    expect(isThere(CONFIG)).toBe(false);
  });

  it.each<[string, () => void, RegExp]>([
    [
      'a file in the place of .holdpoint',
      () => rig.write('.holdpoint', 'mine'),
      /config\.yaml could not be written/,
    ],
    [
      'a .holdpoint that leads out of the project',
      () => symlinkSync(rig.tmp, join(rig.repo, '.holdpoint')),
      /a symlink leads outside the project/,
    ],
  ])('%s stops it before anything is written', (_name, prepare, sentence) => {
    prepare();
    const ended = rig.holdpoint(['init', '--yes']);
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringMatching(sentence)]);
    expect([isThere('.gitignore'), isThere('.claude'), isThere('.git/holdpoint')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('checks that a preset only writes down are not said to be in force', () => {
    rig.write('package.json', '{"scripts": {"test": "vitest run"}}');
    const { stdout } = rig.holdpoint(['init', '--yes', '--no-install', '--preset', 'minimal']);
    expect(stdout).toMatch(/wrote {2}\.holdpoint\/config\.yaml +no checks\n/);
  });
});

describe('nothing is written', () => {
  it('by --dry-run, which shows every line that would be', () => {
    rig.write('.gitignore', 'dist\n');
    const before = everything();
    const ended = rig.holdpoint(['init', '--dry-run']);
    expect(ended.stdout).toContain('schema.json (new)\n  │ lets your editor check');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    for (const line of ['commit_plan:', 'command: npm test', ...OWN_LINES, '"PreToolUse"'])
      expect(ended.stdout).toContain(line);
    expect(ended.stdout).toContain('nothing was written');
    expect(rig.holdpoint(['init', '--dry-run', '--json']).json).toMatchObject({
      written: false,
      dry_run: true,
      checks: [{ name: 'test', command: 'npm test' }, { name: 'lint' }],
    });
    expect(everything()).toEqual(before);
  });

  it.each<[string, string[], (rig: Rig) => string, string]>([
    ['without a terminal and without --yes', [], ({ repo }) => repo, 'Use --yes'],
    ['with --json and without --yes', ['--json'], ({ repo }) => repo, 'Use --yes'],
    ['outside of a repository', ['--yes'], ({ tmp }) => tmp, 'git init'],
    [
      'in a home directory that is a repository',
      ['--yes'],
      ({ home }) => home,
      'cannot be set up as a project',
    ],
    [
      'for a host that there is not',
      ['--yes', '--host', 'claude'],
      ({ repo }) => repo,
      "Did you mean 'claude-code'?",
    ],
    [
      'for a preset that there is not',
      ['--yes', '--preset', 'strct'],
      ({ repo }) => repo,
      "Did you mean 'strict'?",
    ],
    ['for a flag that there is not', ['--yes', '--forse'], ({ repo }) => repo, '--forse'],
  ])('%s: exit code 2 and what to do', (_what, args, cwd, said) => {
    execFileSync('git', ['init', '--quiet', rig.home], { env: rig.environment() });
    const before = everything();
    const ended: Ended = runNow('holdpoint', ['init', ...args], '', {
      cwd: cwd(rig),
      env: rig.environment(),
    });
    expect(ended.exitCode).toBe(2);
    expect(ended.stdout).toMatch(args.includes('--json') ? /^\{"error":/ : /^$/);
    expect(ended.stderr).toContain(said);
    expect(everything()).toEqual(before);
  });
});

it('an installation that refuses when we fail goes on doing so', () => {
  rig.holdpoint(['install', '--host', 'claude-code', '--fail-closed']);
  const before = text(SETTINGS);
  expect(rig.holdpoint(['init', '--yes'])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(text(SETTINGS)).toContain(before.slice(0, before.lastIndexOf(']')));
  expect(before).toContain('"onFailure": "block"');
});

describe('what could not be done is told as it was', () => {
  it.each<[string, string, string]>([
    ['with a config that was there', 'version: 1\n', 'holdpoint init: nothing was written. '],
    [
      'without one',
      '',
      'holdpoint init: .holdpoint/config.yaml and .holdpoint/schema.json were written, the hooks are not installed. ',
    ],
  ])('%s', (_what, config, said) => {
    if (config !== '') rig.write(CONFIG, config);
    rig.write('.gitignore', `${OWN_LINES.join('\n')}\n`);
    rmSync(join(rig.home, '.config'), { recursive: true });
    rig.writeHome('.config', '');
    const { exitCode, stderr } = rig.holdpoint(['init', '--yes']);
    expect(exitCode).toBe(2);
    expect(stderr.startsWith(said), stderr).toBe(true);
    expect(isThere(CONFIG)).toBe(true);
  });

  it.each([[''], ['dist\n']])('a full disk leaves a .gitignore with %j as it was', (before) => {
    if (before !== '') rig.write('.gitignore', before);
    // A limit for the size of files is met as a full disk is: by the write, after the file was made.
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, commandFile('holdpoint'), 'init', '--yes'],
      { cwd: rig.repo, env: rig.environment(), encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('.gitignore')]);
    const names = readdirSync(rig.repo).sort();
    expect(names).toEqual(['.git', ...(before === '' ? [] : ['.gitignore']), 'package.json']);
    if (before !== '') expect(text('.gitignore')).toBe(before);
  });

  it('a .gitignore keeps its mode, and one that is read-only its bytes', () => {
    rig.write('.gitignore', 'dist\n');
    chmodSync(join(rig.repo, '.gitignore'), 0o640);
    expect(rig.holdpoint(['init', '--yes', '--no-install']).exitCode).toBe(0);
    expect(statSync(join(rig.repo, '.gitignore')).mode & 0o777).toBe(0o640);
    writeFileSync(join(rig.repo, '.gitignore'), 'dist\n');
    chmodSync(join(rig.repo, '.gitignore'), 0o440);
    const { exitCode, stderr } = rig.holdpoint(['init', '--yes', '--no-install']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('.gitignore is read-only')]);
    expect(text('.gitignore')).toBe('dist\n');
  });
});

const PERMISSIONS = ['Bash(req satisfy:*)', 'Bash(holdpoint req satisfy:*)'];
const STATUS_LINE = { type: 'command', command: 'holdpoint statusline', refreshInterval: 5 };
const settings = () => rig.readJson(SETTINGS) as { permissions?: object; statusLine?: object };

/** What is offered beside the hooks. */
describe('permissions and the status line', () => {
  it.each(['inherit', 'minimal', 'strict'])(
    '%s: may run it where a rule of the home directory can be satisfied by agents',
    (preset) => {
      rig.writeHome('.config/holdpoint/config.yaml', 'requirements: {plan: {enabled: true}}\n');
      const { stdout } = rig.holdpoint(['init', '--yes', '--preset', preset]);
      expect(settings().permissions).toEqual({ allow: PERMISSIONS });
      expect(stdout).toContain('whatever the rules in your home directory hold');
    },
  );

  it('a status line that runs Holdpoint already stays as it is, without a word', () => {
    const before = { statusLine: { type: 'command', command: 'holdpoint statusline' } };
    rig.write(SETTINGS, JSON.stringify(before));
    const { stdout } = rig.holdpoint(['init', '--yes']);
    expect(stdout).not.toContain('Your own status line');
    expect(settings()).toMatchObject(before);
  });

  it('are shown by --dry-run, left out by their flags, and added to a project that has a config', () => {
    const { stdout } = rig.holdpoint(['init', '--dry-run']);
    expect(stdout).toContain('+      "Bash(req satisfy:*)"');
    expect(stdout).toContain('"command": "holdpoint statusline"');
    rig.holdpoint(['init', '--yes', '--no-permissions', '--no-statusline']);
    expect(Object.keys(settings())).toEqual(['hooks']);
    rig.holdpoint(['init', '--yes']);
    expect(settings()).toMatchObject({ permissions: { allow: PERMISSIONS }, statusLine: STATUS_LINE });
  });

  it.each([
    ['an own list', '{"permissions":{"allow":["Bash(ls:*)"],"deny":["Read(.env)"]}}'],
    ['an empty list with blanks', '{\n  "permissions": { "allow": [ ] },\n  "model": "opus"\n}\n'],
    [
      'one of them already',
      '{"permissions":{"allow":["Bash(req satisfy:*)"]},"statusLine":{"type":"command","command":"mine"}}',
    ],
  ])('%s: uninstall gives back the bytes after a change by somebody else', (_what, before) => {
    rig.write(SETTINGS, before);
    expect(rig.holdpoint(['init', '--yes']).exitCode).toBe(0);
    const { allow } = settings().permissions as { allow: string[] };
    expect(allow).toEqual(expect.arrayContaining(PERMISSIONS));
    rig.write(SETTINGS, text(SETTINGS).replace(/\}\s*$/, ',"later":1}'));
    expect(rig.holdpoint(['uninstall']).exitCode).toBe(0);
    expect(text(SETTINGS)).toBe(before.replace(/\}\s*$/, ',"later":1}'));
  });

  it('a clone whose settings came by git is rid of them too', () => {
    rig.holdpoint(['init', '--yes']);
    rmSync(join(rig.repo, '.git/holdpoint'), { recursive: true });
    rig.write(SETTINGS, text(SETTINGS).replace(/\}\s*$/, ',"model":"opus"}'));
    rig.holdpoint(['uninstall']);
    expect(settings()).toEqual({ model: 'opus' });
  });

  it.each([
    [
      '~/.claude/settings.json',
      () => rig.writeHome('.claude/settings.json', '{"statusLine":{"type":"command","command":"mine"}}'),
    ],
    [
      'settings.local.json',
      () => rig.write('.claude/settings.local.json', '{"statusLine":{"type":"command","command":"mine"}}'),
    ],
  ])('a status line of your own in %s stays the only one', (_file, write) => {
    write();
    const { stdout } = rig.holdpoint(['init', '--yes']);
    expect(stdout).toContain('Your own status line in ');
    expect(settings().statusLine).toBeUndefined();
  });
});

describe('the first line of the config', () => {
  it('names a schema that lies where it says, and that knows what was written', () => {
    rig.holdpoint(['init', '--yes', '--no-install']);
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text(CONFIG)) ?? [];
    const schema = JSON.parse(readFileSync(join(rig.repo, '.holdpoint', path), 'utf8'));
    expect(schema).toEqual(JSON.parse(rig.holdpoint(['schema']).stdout));
  });

  it('keeps an older schema up to date, and leaves a file of somebody else alone', () => {
    const init = () => rig.holdpoint(['init', '--yes', '--no-install']).stdout;
    init();
    const schema = text('.holdpoint/schema.json');
    rig.write('.holdpoint/schema.json', '{"title":"Holdpoint config"}');
    expect(init()).toContain('wrote  .holdpoint/schema.json');
    expect(text('.holdpoint/schema.json')).toBe(schema);
    rig.write('.holdpoint/schema.json', '{}');
    expect(init()).toContain('Nothing was changed.');
  });
});

describe('what is told and allowed matches the preset', () => {
  it.each<[string, boolean, string[]]>([
    ['standard', true, ['the first edit of a session, until the agent has stated its plan']],
    ['relaxed', true, ['the first edit of a session, until the agent has stated its plan']],
    [
      'strict',
      false,
      [
        'the first edit of a session, until you run `holdpoint approve commit_plan` in your own terminal',
        'edits while main is checked out, until the agent switches to another branch',
        'the end of a turn, if edits were made and a requirement for them is no longer satisfied',
      ],
    ],
    [
      'advanced',
      true,
      [
        'the first edit of a session, until the agent has read the architecture decisions',
        'edits on a branch with 400 changed lines or more, until you run `req approve branch_size_limit`',
        '`gh pr create`, until the agent has reviewed the branch',
      ],
    ],
    ['inherit', false, []],
    ['minimal', false, ['nothing yet: the config has no rules']],
  ])('%s; `req satisfy` without a dialog: %s', (preset, isAllowed, lines) => {
    rig.git('branch', '-M', 'main');
    const { exitCode, stdout } = rig.holdpoint(['init', '--yes', '--preset', preset]);
    expect(exitCode).toBe(0);
    for (const line of lines) expect(stdout).toContain(`\n  ${line}\n`);
    expect(stdout.includes("fails on the branch's changes: test, lint")).toBe(preset !== 'minimal');
    expect(stdout.includes('has stated its plan')).toBe(['standard', 'relaxed', 'advanced'].includes(preset));
    expect(settings().permissions).toEqual(isAllowed ? { allow: PERMISSIONS } : undefined);
    expect(settings().statusLine).toEqual(STATUS_LINE);
  });

  it('in shadow mode says that it only records, which is no trouble', () => {
    const { stdout } = rig.holdpoint(['init', '--yes', '--shadow', '--preset', 'relaxed']);
    expect(stdout).not.toMatch(/Holdpoint (?:is )?off|rules that hold/);
    expect(rig.holdpoint(['status']).stdout).toMatch(
      /^Holdpoint only recording: \d rules? in shadow mode\n.*`holdpoint stats`.*`holdpoint rules promote NAME`/,
    );
    expect(at(rig.holdpoint(['doctor', '--json']).json, 'checks')).toContainEqual(
      expect.objectContaining({ id: 'project.armed', status: 'pass' }),
    );
    rmSync(join(rig.repo, SETTINGS));
    expect(rig.holdpoint(['status']).stdout).toContain('off: no settings file calls the hook');
  });

  it('below the root begins the next steps with the way there', () => {
    rig.write('packages/a/x', '');
    const below = rig.holdpoint(['init', '--yes'], { cwd: join(rig.repo, 'packages/a') });
    expect(below.stdout).toMatch(
      /^Next\n(?: {2}\(cd .* && npm link\) .*\n)? {2}cd '(.+)' +everything below starts/m,
    );
    expect(below.stdout).toContain(`  cd '${rig.repo}' `);
    rmSync(join(rig.repo, CONFIG));
    expect(rig.holdpoint(['init', '--yes']).stdout).not.toContain(`cd '${rig.repo}'`);
  });

  it('quotes directories in the commands to run', () => {
    rig.write('package.json', '{"workspaces": ["packages/*"]}');
    const part = { scripts: { test: 'node --test' }, dependencies: { x: '1' } };
    rig.write("packages/it's a/package.json", JSON.stringify(part));
    const { stdout } = rig.holdpoint(['init', '--yes', '--host', 'codex']);
    const there = `cd 'packages/it'\\''s a'`;
    expect(stdout).toContain(`  (${there} && npm test) `);
  });

  it('names the directory that must stay, and one way to get the commands', () => {
    const { stdout } = rig.holdpoint(['init', '--yes'], { env: { PATH: '/usr/bin:/bin' } });
    expect(stdout).toMatch(/\nKeep \/.+: the hooks and the commands run from there\.\n/);
    expect(stdout).toContain('`holdpoint doctor` notices');
    expect(stdout).toMatch(/cd '\/.+' && npm link/);
    expect(stdout).not.toContain('--global');
  });
});

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';

describe.runIf(hasTerminals)('at a terminal (where script can make one)', () => {
  const ask = (answers: readonly Answer[]) => runAtTerminal(rig, 'holdpoint', 'init', answers);

  it('asks for agents, a preset and checks, shows it all, and writes once the person agrees', async () => {
    const ended = await ask([
      ['Which agents do you use here?', ENTER],
      ['Which preset do you want', DOWN + ENTER],
      ['Which checks must pass', `${DOWN} ${ENTER}`],
      ['without asking you each time?', ENTER],
      ['Write this?', DOWN + ENTER],
      ['Write all of it?', ENTER],
    ]);
    expect(ended.exitCode).toBe(0);
    expect(ended.shown).toMatch(/adds \d+ lines; `holdpoint uninstall` undoes it/);
    expect(ended.shown).toContain('"PreToolUse"');
    expect(enabled()).toEqual(['commit_plan']);
    expect(text(CONFIG)).toContain('checks: [test]\n');
    expect(text(SETTINGS)).toContain('holdpoint/launch');
  });

  it('does not add the permission if the person says no', async () => {
    mkdirSync(join(rig.repo, '.claude'));
    const ended = await ask([
      ['Which preset do you want', ENTER],
      ['Which checks must pass', ENTER],
      ['without asking you each time?', 'n'],
      ['Write this?', ENTER],
    ]);
    expect(ended.exitCode).toBe(0);
    expect(text(SETTINGS)).not.toContain('req satisfy');
    expect(text(SETTINGS)).toContain('holdpoint statusline');
  });

  it('asks for no agent where one is plainly used', async () => {
    mkdirSync(join(rig.repo, '.claude'));
    const ended = await ask([
      ['Which preset do you want', ENTER],
      ['Which checks must pass', ENTER],
      ['without asking you each time?', ENTER],
      ['Write this?', ENTER],
    ]);
    expect(ended.shown).not.toContain('Which agents');
    expect(ended.exitCode).toBe(0);
    expect(isThere(CONFIG)).toBe(true);
  });

  it.each([
    ['a no', DOWN + DOWN + ENTER],
    ['an interrupt', CTRL_C],
  ])('%s at the end writes nothing', async (_what, keys) => {
    mkdirSync(join(rig.repo, '.claude'));
    const ended = await ask([
      ['Which preset do you want', ENTER],
      ['Which checks must pass', ENTER],
      ['without asking you each time?', ENTER],
      ['Write this?', keys],
    ]);
    expect(ended.shown).toContain('Cancelled. Nothing was written.');
    expect(ended.exitCode).toBe(1);
    expect([isThere('.holdpoint'), isThere('.gitignore'), isThere(SETTINGS)]).toEqual([false, false, false]);
  });
});
