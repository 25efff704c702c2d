import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/state/files';
import { eventsIn, SESSION } from './events';
import { at, deniedBecause, type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('requirements: {plan: {enabled: true, trigger_tools: [Edit]}}\n', '.holdpoint/config.yaml');
  expect(rig.holdpoint(['install', '--host', 'claude-code']).exitCode).toBe(0);
});
afterEach(() => rig.remove());

const LOCAL = '.claude/settings.local.json';
const CLIENT = { CLAUDE_PID: String(process.pid) };
const start = (env = {}): Ended => rig.hook(eventsIn(rig).start('startup'), { env: { ...CLIENT, ...env } });
const edit = (env = {}): Ended =>
  rig.hook(eventsIn(rig).pre('Edit', { file_path: 'src/a.ts' }), { env: { ...CLIENT, ...env } });
/** Another file than the one that matters has changed. */
const changed = (): Ended =>
  rig.hook(
    {
      session_id: SESSION,
      hook_event_name: 'ConfigChange',
      source: 'user_settings',
      file_path: `${rig.home}/.claude/settings.json`,
      cwd: rig.repo,
    },
    { env: CLIENT },
  );

it.each([
  ['{"env": {"HOLDPOINT_DISABLE": "1"}}', 'sets HOLDPOINT_DISABLE in `env`'],
  ['{"env": {"NODE_OPTIONS": "--require ./x.js"}}', 'sets NODE_OPTIONS in `env`'],
  ['{"env": {"PATH": "/x"}}', 'sets PATH in `env`'],
  // With these, bash runs nothing of a hook line, or something else.
  ['{"env": {"SHELLOPTS": "noexec"}}', 'sets SHELLOPTS in `env`'],
  ['{"env": {"BASH_FUNC_read%%": "() { exit 0; }"}}', 'sets BASH_FUNC_read%% in `env`'],
  // With these, other programs load something first, such as those of our checks.
  ['{"env": {"MAKEFILES": "/x.mk"}}', 'sets MAKEFILES in `env`'],
  ['{"env": {"PERL5OPT": "-Mx"}}', 'sets PERL5OPT in `env`'],
  ['{"env": {"RUSTC_WRAPPER": "/x"}}', 'sets RUSTC_WRAPPER in `env`'],
  ['{"env": {"DOTNET_STARTUP_HOOKS": "/x.dll"}}', 'sets DOTNET_STARTUP_HOOKS in `env`'],
  ['{"disableAllHooks": true}', 'sets `disableAllHooks`'],
  ['{"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "x"}]}]}}', 'adds a hook'],
])('%s while an agent works is refused with every change of settings', (text, what) => {
  start();
  rig.write(LOCAL, text);
  const refused = changed();
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(what)]);
  // What a ConfigChange says nobody sees, so the next event tells it.
  expect(String(at(edit().json, 'systemMessage'))).toContain(what);
  rig.write(LOCAL, '{"env": {"EDITOR": "vi", "MAX_THINKING_TOKENS": "1"}, "model": "opus"}');
  expect(changed().exitCode).toBe(0);
});

// No rule sees what these run, but they take nothing from us: a person may have added them.
it.each([
  ['{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}', 'adds a hook for Stop'],
  ['{"statusLine": {"type": "command", "command": "x"}}', 'sets a program for statusLine'],
])('%s while an agent works is applied, and the person is told', (text, what) => {
  start();
  rig.write(LOCAL, text);
  expect(changed()).toMatchObject({ exitCode: 0, stdout: '' });
  expect(String(at(edit().json, 'systemMessage'))).toContain(what);
});

it('settings without any entry of ours are named once, with all that they no longer do', () => {
  start();
  rig.write('.claude/settings.json', '{}');
  const told = String(at(edit().json, 'systemMessage'));
  expect(told.match(/no longer calls Holdpoint/g)).toHaveLength(1);
  expect(told).toMatch(/no longer calls Holdpoint at [^;.]*PreToolUse, [^;.]*Stop/);
});

it.each([
  ['HOLDPOINT_DISABLE', '1'],
  ['CLAUDE_SKIP_REQUIREMENTS', '1'],
])('%s in settings counts if it was there before the session, not if it came later', (name, value) => {
  start();
  rig.write(LOCAL, JSON.stringify({ env: { [name]: value } }));
  expect(deniedBecause(edit({ [name]: value }))).toContain('plan');
  expect(rig.holdpoint(['trust', '--accept']).exitCode).toBe(0);
  expect(edit({ [name]: value }).stdout).toBe('');
});

it('a switch in very long settings does not count either', () => {
  start();
  const long = { env: { HOLDPOINT_DISABLE: '1' }, companyAnnouncements: ['x'.repeat(2 * 1024 * 1024)] };
  rig.write(LOCAL, JSON.stringify(long));
  const held = edit({ HOLDPOINT_DISABLE: '1' });
  expect(deniedBecause(held)).toContain('plan');
  expect(String(at(held.json, 'systemMessage'))).toContain('sets HOLDPOINT_DISABLE in `env`');
});

it('a switch that came later does not count for a hook line of one discipline either', () => {
  start();
  rig.write(LOCAL, '{"env": {"CLAUDE_SKIP_REQUIREMENTS": "1"}}');
  const env = { ...CLIENT, CLAUDE_PROJECT_DIR: rig.repo, CLAUDE_SKIP_REQUIREMENTS: '1' };
  const event = eventsIn(rig).pre('Edit', { file_path: 'src/a.ts' });
  expect(deniedBecause(rig.hook(event, { env, args: ['--only', 'requirements'] }))).toContain('plan');
});

it('a switch that came later does not count in another work tree either', () => {
  rig.git('add', '.');
  rig.git('commit', '-qm', 'config');
  start();
  rig.git('worktree', 'add', '-q', '../tree');
  rig.write(LOCAL, '{"env": {"HOLDPOINT_DISABLE": "1"}}');
  const env = { ...CLIENT, CLAUDE_PROJECT_DIR: rig.repo, HOLDPOINT_DISABLE: '1' };
  const tree = join(rig.dir, 'tree');
  const event = { ...eventsIn(rig).pre('Edit', { file_path: `${tree}/src/a.ts` }), cwd: tree };
  expect(deniedBecause(rig.hook(event, { env }))).toContain('plan');
});

it('config that changes in a work tree to which the session has moved stays in force', () => {
  rig.git('add', '.');
  rig.git('commit', '-qm', 'config');
  start();
  rig.git('worktree', 'add', '-q', '../tree');
  const tree = join(rig.dir, 'tree');
  const pre = (tool: string): Ended =>
    rig.hook({ ...eventsIn(rig).pre(tool, { file_path: `${tree}/a.ts` }), cwd: tree }, { env: CLIENT });
  expect(pre('Write').stdout).toBe('');
  writeFileSync(join(tree, '.holdpoint/config.yaml'), 'requirements: {}\n');
  const held = pre('Edit');
  expect(deniedBecause(held)).toContain('plan');
  expect(String(at(held.json, 'systemMessage'))).toContain('tree/.holdpoint/config.yaml has changed');
  expect(rig.holdpoint(['trust', '--accept'], { cwd: tree }).stdout).toContain('Accepted');
  expect(pre('Edit').stdout).toBe('');
});

/** From now on another version has compiled the config. */
function update(): void {
  const cache = join(rig.repo, '.git/holdpoint/config.jsonl');
  const text = readFileSync(cache, 'utf8').replace(/"version":"[^"]*"/, '"version":"0.0.1"');
  writeFileAtomic(cache, text, { sealed: true });
}

it('a change that nobody has accepted is told once more when an update brings it into force', () => {
  start();
  rig.write('.holdpoint/config.yaml', 'requirements: {}\n');
  expect(deniedBecause(edit())).toContain('plan');
  update();
  const told = edit();
  expect(String(at(told.json, 'systemMessage'))).toMatch(
    /updated .*\/config\.yaml has changed\. .* in force now/,
  );
  expect(edit().stdout).toBe('');
});

it('an update alone is no news', () => {
  start();
  update();
  rig.writeHome('.config/holdpoint/launch', '# the next version\n');
  const held = edit();
  expect(deniedBecause(held)).toContain('plan');
  expect(at(held.json, 'systemMessage')).toBeUndefined();
});

it('settings that are a symlink count as what it leads to', () => {
  const kept = join(rig.dir, 'dotfiles.json');
  writeFileSync(kept, '{"env": {"EDITOR": "vi"}}');
  mkdirSync(join(rig.home, '.claude'), { recursive: true });
  symlinkSync(kept, join(rig.home, '.claude/settings.json'));
  start();
  writeFileSync(kept, '{"env": {"HOLDPOINT_DISABLE": "1"}}');
  const held = edit({ HOLDPOINT_DISABLE: '1' });
  expect(deniedBecause(held)).toContain('plan');
  expect(String(at(held.json, 'systemMessage'))).toContain('sets HOLDPOINT_DISABLE in `env`');
});

it('settings in CLAUDE_CONFIG_DIR count like those in the home', () => {
  const dir = join(rig.home, '.claude-work');
  const file = join(dir, 'settings.json');
  const env = { CLAUDE_CONFIG_DIR: dir };
  const write = (path: string): unknown =>
    at(
      rig.hook(eventsIn(rig).pre('Write', { file_path: path, content: 'x' }), { env: { ...CLIENT, ...env } })
        .json,
      'hookSpecificOutput',
      'permissionDecision',
    );
  mkdirSync(dir);
  start(env);
  expect([file, join(dir, 'plugins/x.json'), join(dir, 'notes.md')].map(write)).toEqual([
    'ask',
    'ask',
    undefined,
  ]);
  writeFileSync(file, '{"env": {"HOLDPOINT_DISABLE": "1"}}');
  const held = edit({ ...env, HOLDPOINT_DISABLE: '1' });
  expect(deniedBecause(held)).toContain('plan');
  expect(String(at(held.json, 'systemMessage'))).toContain(`${file} sets HOLDPOINT_DISABLE in \`env\``);
  expect(rig.holdpoint(['trust']).stdout).toContain('sets HOLDPOINT_DISABLE');
  expect(rig.holdpoint(['trust', '--accept']).exitCode).toBe(0);
  expect(edit({ ...env, HOLDPOINT_DISABLE: '1' }).stdout).toBe('');
});

it('a session with another CLAUDE_CONFIG_DIR is no news', () => {
  const profile = (name: string): { CLAUDE_CONFIG_DIR: string } => {
    const dir = join(rig.home, name);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'settings.json'), '{"env": {"PATH": "/usr/bin"}, "model": "opus"}');
    return { CLAUDE_CONFIG_DIR: dir };
  };
  const [work, own] = [profile('work'), profile('own')];
  expect(rig.holdpoint(['install', '--user', '--host', 'claude-code'], { env: own }).exitCode).toBe(0);
  start(work);
  for (const env of [own, work, {}, own]) {
    const held = edit(env);
    expect(deniedBecause(held)).toContain('plan');
    expect(at(held.json, 'systemMessage')).toBeUndefined();
  }
  writeFileSync(join(work.CLAUDE_CONFIG_DIR, 'settings.json'), '{"disableAllHooks": true}');
  expect(String(at(edit(own).json, 'systemMessage'))).toContain('work/settings.json sets `disableAllHooks`');
});

it('mods that the agent writes for Claude Code are asked about, and told where they come otherwise', () => {
  start();
  const mod = join(rig.home, '.claude/dev-mods/s/m/hooks/register.ts');
  const asks = (tool: string, input: object): unknown =>
    at(
      rig.hook(eventsIn(rig).pre(tool, { ...input }), { env: CLIENT }).json,
      'hookSpecificOutput',
      'permissionDecision',
    );
  expect(asks('Write', { file_path: mod, content: 'x' })).toBe('ask');
  expect(asks('Bash', { command: 'cp -r m ~/.claude/dev-mods/s/' })).toBe('ask');
  expect(
    asks('Bash', { command: 'D=~/.claude/dev-mods/$CLAUDE_CODE_SESSION_ID/m; mkdir -p $D; cp -r m/. $D' }),
  ).toBe('ask');
  expect(asks('Bash', { command: `node -e 'fs.cpSync("m", os.homedir() + "/.claude/dev-mods/s/m")'` })).toBe(
    'ask',
  );
  mkdirSync(dirname(mod), { recursive: true });
  expect(String(at(edit().json, 'systemMessage'))).toContain('.claude/dev-mods may have new mods');
  expect(rig.holdpoint(['trust']).stdout).toContain('.claude/dev-mods may have new mods');
  expect(rig.holdpoint(['trust', '--accept']).stdout).toContain('Accepted');
  expect(at(edit().json, 'systemMessage')).toBeUndefined();
});

it.each([
  ['gemini', '.gemini/settings.json', '{"hooksConfig": {"enabled": false}}', 'sets `hooksConfig`'],
  ['gemini', '.gemini/settings.json', '{"hooksConfig": {"disabled": ["holdpoint"]}}', 'sets `hooksConfig`'],
  ['codex', '.codex/config.toml', '[features]\nhooks = false\n', 'sets `hooks`'],
  ['copilot', '.copilot/config.json', '{"disableAllHooks": true}', 'sets `disableAllHooks`'],
])('the hooks of %s, switched off in %s with %s, are told in any session', (host, file, text, what) => {
  expect(rig.holdpoint(['install', '--host', host, '--user']).exitCode).toBe(0);
  const path = join(rig.home, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  start();
  mkdirSync(dirname(path), { recursive: true });
  const merged = path.endsWith('.json')
    ? JSON.stringify({ ...JSON.parse(before), ...JSON.parse(text) })
    : text;
  writeFileSync(path, merged);
  expect(String(at(edit().json, 'systemMessage'))).toContain(`${file} ${what}`);
});

it('a script that measures for a requirement is told when it changes', () => {
  rig.write('tools/size.sh', 'wc -l src/a.ts\n');
  rig.write(
    '.holdpoint/config.yaml',
    `requirements:
  plan: {enabled: true, trigger_tools: [Edit]}
  small: {enabled: true, type: dynamic, calculator: sh tools/size.sh, thresholds: {block: 1}, trigger_tools: [Edit]}
`,
  );
  start();
  expect(at(edit().json, 'systemMessage')).toBeUndefined();
  rig.write('tools/size.sh', 'echo 0\n');
  expect(String(at(edit().json, 'systemMessage'))).toContain('tools/size.sh has changed');
  expect(rig.holdpoint(['trust', '--accept']).exitCode).toBe(0);
  expect(at(edit().json, 'systemMessage')).toBeUndefined();
});

it('a switch of the person’s own shell counts', () => {
  start();
  expect(edit({ HOLDPOINT_DISABLE: '1' }).stdout).toBe('');
  expect(deniedBecause(edit())).toContain('plan');
});
