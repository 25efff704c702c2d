import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, SESSION } from './events';
import { configWith, type Project, projectWith, SILENT } from './requirements-project';
import { at, deniedBecause } from './rig';

const REVIEW = configWith(
  'review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: "git\\\\s+commit"}]}',
);

let project: Project;

afterEach(() => project.rig.remove());

const open = (): Project => {
  project = projectWith(REVIEW);
  return project;
};

/** Whether a pass of the session lies ready on a branch. */
const hasPass = (slug: string): boolean => at(project.entry('review', slug), 'sessions', KEY) !== undefined;

const call = (command: string, tool_use_id?: string) => ({
  session_id: SESSION,
  cwd: project.rig.repo,
  tool_name: 'Bash',
  tool_input: { command },
  ...(tool_use_id !== undefined && { tool_use_id }),
});

/** A command through the hook, as the client reports it: before it, while it runs, and after it. */
function act(command: string, run: () => void, id?: string, ended = 'PostToolUse'): void {
  const before = { hook_event_name: 'PreToolUse', ...call(command, id) };
  expect(project.rig.hook(before)).toMatchObject(SILENT);
  run();
  expect(project.rig.hook({ hook_event_name: ended, ...call(command, id) })).toMatchObject(SILENT);
}

describe.each([
  ['a call with an id', 'toolu_1'],
  ['a call without one', undefined],
])('the pass that lets through %s', (_sentence, id) => {
  it.each([
    ['git checkout -b x && git commit --allow-empty -m y', ['x']],
    ['git switch -c x; git commit --allow-empty -m y', ['x']],
    ['git checkout --detach && git commit --allow-empty -m y', ['--detach']],
  ])('is used up where it was given: %s', (command, where) => {
    const { rig, satisfy, bash } = open();
    satisfy('review', '--session', KEY);
    act(command, () => rig.git('checkout', '--quiet', ...(where[0] === 'x' ? ['-b', 'x'] : where)), id);
    expect(hasPass('feature-auth')).toBe(false);
    rig.git('checkout', '--quiet', 'feature/auth');
    deniedBecause(bash('git commit -m again'));
  });

  it('stays when the command failed after it had switched', () => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    act('git checkout -b x && git commit', () => rig.git('checkout', '-qb', 'x'), id, 'PostToolUseFailure');
    expect(hasPass('feature-auth')).toBe(true);
  });

  it('stays on a branch that had nothing to do with it', () => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    act('git commit --dry-run', () => undefined, id);
    satisfy('review', '--session', KEY);
    rig.git('checkout', '-qb', 'other');
    satisfy('review', '--session', KEY);
    act('git commit --allow-empty -m y', () => undefined, id === undefined ? id : 'toolu_2');
    expect(hasPass('other')).toBe(false);
    expect(hasPass('feature-auth')).toBe(true);
  });

  it('takes with it the one of a branch that the command goes to and leaves again', () => {
    const { rig, satisfy } = open();
    rig.git('checkout', '-qb', 'other');
    satisfy('review', '--session', KEY);
    rig.git('checkout', '-q', 'feature/auth');
    satisfy('review', '--session', KEY);
    act('git checkout other && git commit --allow-empty -m y && git checkout -', () => undefined, id);
    expect(hasPass('feature-auth')).toBe(false);
    expect(hasPass('other')).toBe(false);
  });
});

describe('two calls at once', () => {
  it('each use up the pass of the branch that they began on', () => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    const command = 'git commit --allow-empty -m y';
    rig.hook({ hook_event_name: 'PreToolUse', ...call(command, 'toolu_1') });
    rig.git('checkout', '-qb', 'x');
    satisfy('review', '--session', KEY);
    rig.hook({ hook_event_name: 'PreToolUse', ...call(command, 'toolu_2') });
    rig.hook({ hook_event_name: 'PostToolUseFailure', ...call(command, 'toolu_2') });
    rig.git('checkout', '-qb', 'y');
    rig.hook({ hook_event_name: 'PostToolUse', ...call(command, 'toolu_1') });
    expect(hasPass('feature-auth')).toBe(false);
    expect(hasPass('x')).toBe(true);
  });
});

describe('what a command says of its end', () => {
  it.each([
    ['it was interrupted', { interrupted: true }],
    ['it ended with another code than 0', { exit_code: 1 }],
    ['it was an error', { is_error: true }],
  ])('keeps the pass: %s', (_sentence, tool_response) => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    rig.hook({ hook_event_name: 'PreToolUse', ...call('git commit') });
    rig.hook({ hook_event_name: 'PostToolUse', ...call('git commit'), tool_response });
    expect(hasPass('feature-auth')).toBe(true);
  });
});

describe('a pass for one call', () => {
  const state = () => join(project.rig.repo, '.git/requirements/feature-auth.json');
  const commit = 'git commit --allow-empty -m y';

  it.each(['PostToolUse', 'nothing'])(
    'is used, also where the state is put back (after the call: %s)',
    (ended) => {
      const { rig, satisfy } = open();
      satisfy('review', '--session', KEY);
      const before = readFileSync(state());
      rig.hook({ hook_event_name: 'PreToolUse', ...call(commit, 'toolu_1'), prompt_id: 'p1' });
      if (ended === 'PostToolUse') rig.hook({ hook_event_name: ended, ...call(commit, 'toolu_1') });
      else rig.git('commit', '--allow-empty', '-qm', 'y');
      writeFileSync(state(), before);
      const again = { hook_event_name: 'PreToolUse', ...call(commit, 'toolu_2'), prompt_id: 'p2' };
      deniedBecause(rig.hook(again));
      satisfy('review', '--session', KEY);
      expect(rig.hook(again)).toMatchObject(SILENT);
    },
  );

  it('comes back also where it was for another branch than the one that the failed line has left', () => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    const line = 'git checkout -b x && git commit';
    act(line, () => rig.git('checkout', '-qb', 'x'), 'toolu_1', 'PostToolUseFailure');
    rig.git('checkout', '-q', 'feature/auth');
    act(commit, () => undefined, 'toolu_2');
  });

  const AFAR = configWith(
    'review: {enabled: true, scope: single_use, on: [commit, pr, push], agent_may_satisfy: true}',
  );
  const openAfar = (): Project => {
    project = projectWith(AFAR.replace('inherit: false\n', ''), '.holdpoint/config.yaml');
    return project;
  };

  it('is used by a line that fails after what it was for', () => {
    const { satisfy, bash } = openAfar();
    satisfy('review', '--session', KEY);
    act('gh pr create -t a; false', () => undefined, 'toolu_1', 'PostToolUseFailure');
    deniedBecause(bash('gh pr create -t b'));
  });

  it('comes back from one command that failed', () => {
    const { satisfy } = openAfar();
    satisfy('review', '--session', KEY);
    act('git push origin x', () => undefined, 'toolu_1', 'PostToolUseFailure');
    expect(hasPass('feature-auth')).toBe(true);
  });

  it('is used by a commit, whatever looks like a rebase', () => {
    const { rig, satisfy, bash } = openAfar();
    satisfy('review', '--session', KEY);
    rig.write('.git/rebase-merge/head-name', 'refs/heads/x');
    const commit = () => rig.git('commit', '-q', '--allow-empty', '-m', 'y');
    act('git commit --allow-empty -m y; false', commit, 'toolu_1', 'PostToolUseFailure');
    deniedBecause(bash('git commit --allow-empty -m again'));
  });

  it.each([
    ['pr', 'gh pr create --fill'],
    ['network', 'curl https://example.invalid'],
    ['edit', 'touch new.js'],
    ['delete', 'rm old.js'],
  ])('for one effect (%s) is used by the command that has it: %s', (effect, command) => {
    project = projectWith(
      `requirements: {review: {enabled: true, scope: single_use, on: ${effect}}}`,
      '.holdpoint/config.yaml',
    );
    const { rig, satisfy } = project;
    rig.write('old.js', 'x');
    satisfy('review', '--session', KEY);
    const about = (id: string) => ({
      hook_event_name: 'PreToolUse',
      ...call(command, `toolu_${id}`),
      prompt_id: id,
    });
    expect(rig.hook(about('p1'))).toMatchObject(SILENT);
    if (effect === 'edit') rig.write('new.js', '');
    if (effect === 'delete') rmSync(join(rig.repo, 'old.js'));
    rig.hook({ ...about('p1'), hook_event_name: 'PostToolUse' });
    expect(hasPass('feature-auth')).toBe(false);
    rmSync(join(rig.repo, 'new.js'), { force: true });
    rig.write('old.js', 'x');
    deniedBecause(rig.hook(about('p2')));
  });

  it.each(['toolu_1', `toolu_${'x'.repeat(100)}`])('is the same for two hooks that see call %s', (id) => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    const before = { hook_event_name: 'PreToolUse', ...call(commit, id), prompt_id: 'p1' };
    for (const _hook of [1, 2]) expect(rig.hook(before)).toMatchObject(SILENT);
  });

  it('does not count where nobody can write that it was taken', () => {
    const { rig, satisfy, bash } = openAfar();
    satisfy('review', '--session', KEY);
    rmSync(join(rig.repo, '.git/holdpoint/lock'), { force: true });
    const stamp = { pid: process.pid, host: hostname(), nonce: 'x', at: Date.now() };
    symlinkSync(JSON.stringify(stamp), join(rig.repo, '.git/holdpoint/lock'));
    const commit = bash('git commit --allow-empty -m y', { tool_use_id: 'toolu_1' });
    expect(deniedBecause(commit)).toContain('could not record that this call uses it');
  });
});
