import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { bash, call, say, type Turn, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

function wired(config: string): Project {
  const project = makeProject(config);
  install(project);
  return project;
}

const fileIn = ({ repo }: Project, name: string): boolean => existsSync(join(repo, name));

/** The first line of what holds the agent, or of what it was told. */
const heldBy = (news: string): string | undefined =>
  /requires `changelog`|check:src:proof|\[ITERATION \d\/\d\]/.exec(news)?.[0];

inClaudeCode('all at once in Claude Code', () => {
  it('requirements hold the end of a turn before gates do, and gates before the loop', async () => {
    const project = wired(
      [
        'inherit: false',
        'requirements: {changelog: {enabled: true, stop_only: true}}',
        'gates:',
        '  base_branch: main',
        '  entry_points: [{ path: src, checks: [proof] }]',
        '  checks: { proof: { command: test -e src/fixed.txt, working_directory: . } }',
        '  stop_hook: { run_interval_minutes: 0 }',
        '',
      ].join('\n'),
    );
    project.write('.gitignore', '.holdpoint/logs\n');
    project.git('add', '.holdpoint', '.gitignore');
    project.git('commit', '--quiet', '-m', 'config');
    project.git('branch', '--force', 'main');
    const played = await project.play([
      call(bash("holdpoint loop start --max 3 'Do it'"), write('src/a.txt', 'one\n')),
      say('I stop.'),
      call(bash('req satisfy changelog')),
      say('I stop.'),
      call(write('src/fixed.txt', 'fixed\n')),
      say('I stop.'),
      say('<loop-done>COMPLETE</loop-done>'),
    ]);
    expect(played.asked.slice(2).map(({ news }) => heldBy(news))).toEqual([
      'requires `changelog`',
      undefined,
      'check:src:proof',
      undefined,
      '[ITERATION 2/3]',
    ]);
    const { json } = project.holdpoint(['loop', 'status', '--json', '--session', played.sessionId]);
    expect(json).toMatchObject({ active: false, reason: 'COMPLETE' });
  });

  it('a destructive command for which permission is asked gets no for an answer', async () => {
    const project = wired('inherit: false\nrequirements: {plan: {enabled: true}}\n');
    const played = await project.play([call(bash('git push --force origin main')), say('I may not.')], {
      args: ['--permission-mode', 'default'],
    });
    expect(played.asked).toHaveLength(2);
    expect(played.news(1)).toContain('Holdpoint denies such requests');
    expect(project.journal()).toContainEqual(
      expect.objectContaining({ event: 'PermissionRequest', decision: 'deny' }),
    );
  });

  it('the later of two sessions is held while the earlier one lives, and not after it', async () => {
    const project = wired(
      'inherit: false\nrequirements: {alone: {enabled: true, type: guard, guard_type: single_session}}\n',
    );
    const attempt = (name: string): Turn => call(write(name, 'one\n'));
    let second = '';
    await project.play([
      attempt('first.txt'),
      async () => {
        second = (await project.play([attempt('second.txt'), say('Held.')])).news(1);
        return say('Done.');
      },
    ]);
    await project.play([attempt('third.txt'), say('Done.')]);
    expect(second).toContain('alone');
    expect(['first.txt', 'second.txt', 'third.txt'].map((name) => fileIn(project, name))).toEqual([
      true,
      false,
      true,
    ]);
    const registry = JSON.parse(readFileSync(join(project.home, '.claude', 'sessions.json'), 'utf8'));
    expect(Object.keys(at(registry, 'sessions') as object)).toEqual([]);
  });

  it('a request that the client has to repeat counts once', async () => {
    const project = wired('inherit: false\n');
    const broken: Turn = { kind: 'error', status: 500, type: 'api_error', text: 'scripted' };
    const played = await project.play([
      call(bash("holdpoint loop start --max 3 'Do it'")),
      say('one'),
      broken,
      broken,
      say('two'),
      broken,
      say('three'),
    ]);
    const held = played.asked.map(({ news }) => heldBy(news));
    expect(held).toEqual([
      undefined,
      undefined,
      ...Array(3).fill('[ITERATION 2/3]'),
      ...Array(2).fill('[ITERATION 3/3]'),
    ]);
  });

  it('a session in a work tree has the branch of that tree', async () => {
    const project = wired('inherit: false\nrequirements: {plan: {enabled: true, scope: branch}}\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'config');
    const tree = join(project.dir, 'a tree\'s "ünusual" name');
    project.git('worktree', 'add', '--quiet', '-b', 'other', tree);
    const played = await project.play(
      [
        call(write('a.txt', 'early\n')),
        call(bash('req satisfy plan')),
        call(write('a.txt', 'one\n')),
        say('Done.'),
      ],
      { cwd: tree },
    );
    expect(played.news(1)).toContain('other');
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('one\n');
    expect(project.readJson('.git/requirements/other.json')).toBeDefined();
    const main = await project.play([call(write('a.txt', 'one\n')), say('Held.')]);
    expect(main.news(1)).toContain('requires `plan` before');
  });
});
