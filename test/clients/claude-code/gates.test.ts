import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bash, call, say, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

/** One check over `src`, which notes each of its runs outside of the repository. */
function gatesProject(check: string, more = ''): Project {
  const project = makeProject('');
  project.write(
    '.holdpoint/config.yaml',
    [
      'inherit: false',
      'gates:',
      '  base_branch: main',
      '  entry_points: [{ path: src, checks: [proof] }]',
      `  checks: { proof: { command: "echo run >> ${project.dir}/runs.txt; ${check}", working_directory: . } }`,
      `  stop_hook: { run_interval_minutes: 0 }`,
      more,
    ].join('\n'),
  );
  project.write('.gitignore', '.holdpoint/logs\n');
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'gates');
  project.git('branch', '--force', 'main');
  install(project);
  return project;
}

function runsOf({ dir }: Project): number {
  const file = join(dir, 'runs.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

const statusOf = (project: Project): unknown =>
  JSON.parse(readFileSync(join(project.repo, '.holdpoint/logs/.execution_state'), 'utf8'));

inClaudeCode('gates in Claude Code', () => {
  it('hold the end of a turn until the check passes, and do not run it again on the same files', async () => {
    const project = gatesProject('echo the fix is missing; test -e src/fixed.txt');
    const played = await project.play([
      call(write('src/a.txt', 'work\n')),
      say('Done.'),
      call(write('src/fixed.txt', 'fixed\n')),
      say('Fixed.'),
    ]);
    expect(played.news(2)).toContain('check:src:proof');
    expect(played.news(2)).toContain('the fix is missing');
    expect(played.asked).toHaveLength(4);
    expect(statusOf(project)).toMatchObject({ last_status: 'passed' });
    expect(runsOf(project)).toBe(2);
    const again = await project.play([say('Nothing more to do.')], { args: ['--resume', played.sessionId] });
    expect(again.asked).toHaveLength(1);
    expect(runsOf(project)).toBe(2);
  });

  it('run nothing for a turn that has changed nothing', async () => {
    const project = gatesProject('false');
    const played = await project.play([call(bash('ls')), say('Only looked.')]);
    expect(played.asked).toHaveLength(2);
    expect(runsOf(project)).toBe(0);
  });

  it('let go of an agent that cannot fix it after the retries, before the client overrides them', async () => {
    const project = gatesProject('false');
    const played = await project.playScript(({ all }) =>
      all.includes('written successfully') || all.includes('File created')
        ? say(`I cannot fix it. ${Math.random()}`)
        : call(write('src/a.txt', 'work\n')),
    );
    expect(runsOf(project)).toBe(4);
    expect(statusOf(project)).toMatchObject({ last_status: 'retry_limit_exceeded' });
    expect(JSON.stringify(played.stream)).not.toContain('blocked the turn from ending');
    expect(played.result).toMatchObject({ subtype: 'success' });
  });
});
