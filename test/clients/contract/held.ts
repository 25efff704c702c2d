import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { makeProject, type Project } from '../host-project';
import type { RealClient } from '../real-client';
import { type Call, call, say, type Turn } from '../scripted-model';
import { PLAN_CONFIG, textIn } from './denied';

/** Which iteration of a loop the model was told to begin, question by question. */
export function iterations(asked: readonly string[]): (string | undefined)[] {
  return asked.map((news) => /\[ITERATION (\d+\/\d+)\]/.exec(news)?.[1]);
}

/** Why the last loop of the project has ended. */
export function endOfLoop(project: Project): unknown {
  const last = project.holdpoint(['loop', 'log', '--json']).stdout.trim().split('\n').at(-1) ?? '';
  return at(JSON.parse(last), 'state', 'reason');
}

/** The end of a turn, on hosts where it can be refused in a headless run. */
export function itIsHeldAtTheEnd(client: RealClient): void {
  const { shell, write } = client;

  it('is sent back to its loop until it says that it is done', async () => {
    const project = makeProject(client, 'inherit: false\n');
    project.install();
    const { asked } = await project.play([
      call(shell("holdpoint loop start --max 9 'Do it'")),
      say('One.'),
      say('Two.'),
      say('<loop-done>COMPLETE</loop-done>'),
    ]);
    expect(iterations(asked)).toStrictEqual([undefined, undefined, '2/9', '3/9']);
    expect(endOfLoop(project)).toBe('COMPLETE');
  });

  it('is held by a failing check until it has mended what fails', async () => {
    const project = gatesProject(client, 'echo the fix is missing; test -e src/fixed.txt');
    const { asked } = await project.play([
      call(write(project, 'src/a.txt', 'work\n')),
      say('Done.'),
      call(write(project, 'src/fixed.txt', 'fixed\n')),
      say('Fixed.'),
    ]);
    expect(asked[2]).toContain('check:src:proof');
    expect(asked[2]).toContain('the fix is missing');
    expect(asked).toHaveLength(4);
    expect(runsOf(project)).toBe(2);
    expect(project.readJson('.holdpoint/logs/.execution_state')).toMatchObject({ last_status: 'passed' });
  });
}

/** `delegation` starts a subagent, and `report` is how one ends; `stops` says whether the end of a turn can be held. */
export function itIsHeldInSubagents(
  client: RealClient,
  delegation: Call,
  report: Turn,
  stops: boolean,
): void {
  const { shell } = client;

  it('is held in a subagent, whose shell speaks for the session, and not at its end', async () => {
    const project = makeProject(client, PLAN_CONFIG);
    project.install();
    const touch = call(shell('touch a.txt'));
    const { asked } = await project.play([
      call(shell("holdpoint loop start --max 2 'Do it'")),
      call(delegation),
      touch,
      call(shell('req satisfy plan')),
      touch,
      report,
      say('One.'),
      say('Two.'),
    ]);
    expect(asked[3]).toContain('requires `plan` before');
    expect(textIn(project, 'a.txt')).toBe('');
    expect(iterations(asked)).toStrictEqual([...Array(7).fill(undefined), ...(stops ? ['2/2'] : [])]);
  });
}

/** On hosts that never end a turn by themselves. */
export function itIsLetGoInTheEnd(client: RealClient): void {
  const talk = (count: number): Turn[] =>
    Array.from({ length: count }, (_, index) => say(`Thinking, ${index}.`));

  it('is let go where it only talks, though its loop has a long way to go', async () => {
    const project = makeProject(client, 'inherit: false\n');
    project.install();
    const start = call(client.shell("holdpoint loop start --max 99 'Do it'"));
    const { asked } = await project.play([start, ...talk(40)]);
    expect(asked).toHaveLength(10);
    expect(endOfLoop(project)).toBe('NO_PROGRESS');
  });

  it('is let go by a check that never passes after its retries', async () => {
    const project = gatesProject(client, 'false');
    const { asked } = await project.play([call(client.write(project, 'src/a.txt', 'work\n')), ...talk(40)]);
    expect(asked).toHaveLength(5);
    expect(project.readJson('.holdpoint/logs/.execution_state')).toMatchObject({
      last_status: 'retry_limit_exceeded',
    });
  });
}

/** One check over `src`, which notes each of its runs outside of the repository. */
function gatesProject(client: RealClient, check: string): Project {
  const project = makeProject(client, '');
  project.write(
    '.holdpoint/config.yaml',
    [
      'inherit: false',
      'gates:',
      '  base_branch: main',
      '  entry_points: [{ path: src, checks: [proof] }]',
      `  checks: { proof: { command: "echo run >> ${project.dir}/runs.txt; ${check}", working_directory: . } }`,
      '  stop_hook: { run_interval_minutes: 0 }',
      '',
    ].join('\n'),
  );
  project.write('.gitignore', '.holdpoint/logs\n');
  // Not every client makes the folder of a file that it writes.
  project.write('src/first.txt', 'first\n');
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'gates');
  project.git('branch', '--force', 'main');
  project.install();
  return project;
}

function runsOf({ dir }: Project): number {
  const file = join(dir, 'runs.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}
