import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deniedBecause, makeRig, type Rig } from './rig';
import { hasTerminals, runAtTerminal } from './terminal';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const SESSION = '5e551011-0000-4000-8000-000000000000';
const LEFT = ['.git/holdpoint', '.git/requirements', '.holdpoint', '.gitignore', '~/.claude/sessions.json'];
const isThere = (path: string, base = rig.repo): boolean => existsSync(join(base, path));

/** A project with hooks, and a session in which something was satisfied. */
function used(cwd = rig.repo, session = SESSION): void {
  expect(rig.holdpoint(['init', '--yes', '--no-install'], { cwd }).exitCode).toBe(0);
  expect(rig.holdpoint(['install', '--host', 'claude-code'], { cwd }).exitCode).toBe(0);
  rig.hook({ session_id: session, cwd, hook_event_name: 'SessionStart', source: 'startup' }, { cwd });
  rig.req(['satisfy', 'commit_plan', '--session', session], { cwd });
}

function otherProject(): string {
  const root = join(rig.tmp, 'other');
  mkdirSync(root);
  execFileSync('git', ['init', '--quiet', root], { env: rig.environment() });
  used(root, 'aaaaaaaa-0000-4000-8000-000000000000');
  return root;
}

/** What the line that another project has in its settings answers to a first edit. */
function heldIn(root: string): string {
  const file = join(root, '.claude/settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as {
    hooks: { PreToolUse: [{ hooks: [{ command: string }] }] };
  };
  const event = {
    session_id: 'bbbbbbbb-0000-4000-8000-000000000000',
    cwd: root,
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_use_id: 't1',
    tool_input: { file_path: join(root, 'a.js'), content: '' },
  };
  const stdout = execFileSync('/bin/sh', ['-c', settings.hooks.PreToolUse[0].hooks[0].command], {
    input: JSON.stringify(event),
    cwd: root,
    env: rig.environment(),
    encoding: 'utf8',
  });
  return deniedBecause({ json: JSON.parse(stdout), stdout, stderr: '', exitCode: 0 });
}

describe('uninstall', () => {
  it('says what stays and where, and how that is removed', () => {
    used();
    const { stdout } = rig.holdpoint(['uninstall']);
    for (const path of LEFT) expect(stdout).toContain(`\n  ${path} `);
    expect(stdout).toContain("'holdpoint uninstall --purge' removes what belongs to this project.");
    for (const path of LEFT.slice(0, 4)) expect(isThere(path), path).toBe(true);
    const paths = (rig.holdpoint(['uninstall', '--json']).json as { left: { path: string }[] }).left;
    expect(paths.map(({ path }) => path)).toEqual(expect.arrayContaining(LEFT));
  });

  it('keeps what starts the hooks for a project whose settings came by git, and names it', () => {
    const other = otherProject();
    rmSync(join(other, '.git/holdpoint/installed.json'));
    used();
    expect(rig.holdpoint(['uninstall']).stdout).toContain(`stays, since these projects use it: ${other}`);
    expect(heldIn(other)).toContain('commit_plan');
  });

  it('says that your own settings still call it', () => {
    used();
    rig.holdpoint(['install', '--user']);
    expect(rig.holdpoint(['uninstall']).stdout).toContain('still calls Holdpoint in all projects');
  });
});

describe('uninstall --purge', () => {
  it('refuses without a terminal, names what would go, and changes nothing', () => {
    used();
    const own = ['.holdpoint/rules/mine.ts', '.holdpoint/recordings/one.jsonl'];
    for (const path of own) rig.write(path, '');
    const { exitCode, stderr } = rig.holdpoint(['uninstall', '--purge']);
    expect(exitCode).toBe(1);
    for (const path of [...LEFT, ...own]) expect(stderr).toContain(`\n  ${path} `);
    expect(isThere('.claude/settings.json')).toBe(true);
    expect(rig.holdpoint(['uninstall', '--purge', '--dry-run']).stdout).toContain('(would be removed)');
    expect(isThere('.holdpoint')).toBe(true);
  });

  it('--yes removes all of this project and says so, and nothing of another one or of the user', () => {
    const other = otherProject();
    used();
    rig.writeHome('.config/holdpoint/config.yaml', 'version: 1\n');
    const { stdout, exitCode } = rig.holdpoint(['uninstall', '--purge', '--yes']);
    expect(exitCode).toBe(0);
    for (const path of LEFT) expect(stdout).toContain(`✓ ${path}: `);
    for (const path of [...LEFT.slice(0, 4), '.claude']) expect(isThere(path), path).toBe(false);
    const registry = readFileSync(join(rig.home, '.claude/sessions.json'), 'utf8');
    expect([registry.includes(rig.repo), registry.includes(other)]).toEqual([false, true]);
    expect(isThere('.config/holdpoint/config.yaml', rig.home)).toBe(true);
    expect(heldIn(other)).toContain('commit_plan');
  });

  it('without git removes what is kept in the project', () => {
    const bare = join(rig.dir, 'bare');
    mkdirSync(join(bare, '.holdpoint'), { recursive: true });
    writeFileSync(join(bare, '.holdpoint/config.yaml'), 'requirements: {plan: {enabled: true}}');
    rig.req(['satisfy', 'plan', '--session', SESSION], { cwd: bare });
    const { stdout, exitCode } = rig.holdpoint(['uninstall', '--purge', '--yes'], { cwd: bare });
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('✓ .holdpoint: config, state and log (removed)'),
    ]);
    expect(existsSync(join(bare, '.holdpoint'))).toBe(false);
    expect(rig.holdpoint(['uninstall', '--purge', '--yes'], { cwd: bare }).exitCode).toBe(2);
  });

  it('with --user also removes ~/.config/holdpoint, but not under another project without being told', () => {
    const other = otherProject();
    used();
    const refused = rig.holdpoint(['uninstall', '--purge', '--user']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(`no longer hold agents in these projects:\n  ${other}\n`);
    expect(heldIn(other)).toContain('commit_plan');
    const planned = rig.holdpoint(['uninstall', '--purge', '--user', '--dry-run']).stdout;
    expect(planned).toContain('~/.config/holdpoint: launcher, caches, your config (would be removed)');
    expect(planned).not.toContain('stays');
    const { stdout } = rig.holdpoint(['uninstall', '--purge', '--user', '--yes']);
    expect(stdout).toContain(`Holdpoint no longer holds agents in ${other}`);
    expect(isThere('.config/holdpoint', rig.home)).toBe(false);
  });

  it.each([['--purge'], [''], ['--user'], ['--user --purge']])('is for people: %j', (asked) => {
    used();
    const flags = asked.split(' ').filter(Boolean);
    const { exitCode, stderr } = rig.holdpoint(['uninstall', ...flags], { env: { CLAUDECODE: '1' } });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('Only a person can uninstall Holdpoint here'),
    ]);
    expect([isThere('.holdpoint'), isThere('.claude/settings.json')]).toEqual([true, true]);
  });

  it.runIf(hasTerminals)('asks at a terminal', async () => {
    used();
    // Its client is this process, and nobody at a terminal below it passes for a person while it works.
    rig.hook({ session_id: SESSION, cwd: rig.repo, hook_event_name: 'SessionEnd', reason: 'exit' });
    for (const key of ['n', '\r']) {
      const no = await runAtTerminal(rig, 'holdpoint', 'uninstall --purge', [['Go on?', key]]);
      expect([no.exitCode, isThere('.holdpoint')]).toEqual([1, true]);
    }
    const yes = await runAtTerminal(rig, 'holdpoint', 'uninstall --purge', [['Go on?', 'y']]);
    expect([yes.exitCode, isThere('.holdpoint')]).toEqual([0, false]);
  });
});

it('uninstall --user names the projects that have rules and no hooks of their own, and waits for --yes', () => {
  const other = otherProject();
  rig.holdpoint(['uninstall'], { cwd: other });
  rig.holdpoint(['install', '--user']);
  const refused = rig.holdpoint(['uninstall', '--user']);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`\n  ${other}\n`)]);
  const { stdout, exitCode } = rig.holdpoint(['uninstall', '--user', '--yes']);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`no longer holds agents in ${other}`)]);
});

it('uninstall --user outside a repository leaves a directory of yours named holdpoint alone', () => {
  rig.writeHome('holdpoint/clients/a.txt', 'mine');
  rig.holdpoint(['install', '--user', '--host', 'claude-code'], { cwd: rig.home });
  expect(rig.holdpoint(['uninstall', '--user'], { cwd: rig.home }).exitCode).toBe(0);
  expect(isThere('.config/holdpoint/launch', rig.home)).toBe(false);
  expect(isThere('holdpoint/clients/a.txt', rig.home)).toBe(true);
});
