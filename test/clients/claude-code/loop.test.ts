import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { bash, call, say, type Turn } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

const SESSION = '5e551011-0000-4000-8000-000000000001';
const AS_SESSION = { args: ['--session-id', SESSION] };

function loopProject(): Project {
  const project = makeProject('inherit: false\n');
  install(project);
  return project;
}

const startBy = (options: string): Turn => call(bash(`holdpoint loop start ${options} 'Do it'`));
const feedback = (text: string): string => `Stop hook feedback:\n${text}`;
const iteration = (number: number, max: number): string =>
  `[ITERATION ${number}/${max}] Continue working on the task. Check your progress and either complete the task or keep iterating.`;

/** What became of the session's loop. */
function outcome(project: Project, session: string): unknown {
  const { json } = project.holdpoint(['loop', 'status', '--json', '--session', session]);
  return { active: at(json, 'active'), reason: at(json, 'reason') };
}

/** How the client's own record names a hold that it overrode, or a hook that gave no answer. */
const overridden = /blocked the turn from ending|hook_no_verdict/;

inClaudeCode('a loop in Claude Code', () => {
  it('sends the agent back with the same bytes at every iteration, and ends at its bound', async () => {
    const project = loopProject();
    const played = await project.play([
      startBy('--max 4'),
      say('one'),
      say('two'),
      say('three'),
      say('four'),
    ]);
    for (const number of [2, 3, 4])
      expect(played.news(number).startsWith(feedback(`${iteration(number, 4)}\n`)), played.news(number)).toBe(
        true,
      );
    expect(played.asked).toHaveLength(5);
    expect(outcome(project, played.sessionId)).toEqual({ active: false, reason: 'MAX_ITERATIONS' });
  });

  it('ends with the signal on a line of its own, and not with one inside of code', async () => {
    const project = loopProject();
    const played = await project.play([
      startBy('--max 9'),
      say('The line will be:\n```\n<loop-done>COMPLETE</loop-done>\n```'),
      say('All is done.\n<loop-done>COMPLETE</loop-done>'),
    ]);
    expect(played.news(2)).toContain('did not count');
    expect(played.asked).toHaveLength(3);
    expect(outcome(project, played.sessionId)).toEqual({ active: false, reason: 'COMPLETE' });
  });

  it('goes on for longer than the client’s cap, as long as there is work', async () => {
    const project = loopProject();
    const turns = Array.from({ length: 12 }, (_, index) => [
      call(bash(`echo ${index} >> done.txt`)),
      say(`part ${index}`),
    ]).flat();
    const played = await project.play([startBy('--max 12'), ...turns]);
    expect(played.asked).toHaveLength(25);
    expect(readFileSync(join(project.repo, 'done.txt'), 'utf8').trim().split('\n')).toHaveLength(12);
    expect(JSON.stringify(played.stream)).not.toMatch(overridden);
    expect(outcome(project, played.sessionId)).toEqual({ active: false, reason: 'MAX_ITERATIONS' });
  });

  it('lets go of an agent that only talks, before the client does', async () => {
    const project = loopProject();
    const talk = Array.from({ length: 20 }, (_, index) => say(`still thinking, ${index}`));
    const played = await project.play([startBy('--max 50'), ...talk]);
    expect(played.asked.length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(played.stream)).not.toMatch(overridden);
    expect(outcome(project, played.sessionId)).toEqual({ active: false, reason: 'NO_PROGRESS' });
  });

  it('accepts completion only when the command that proves it ends well', async () => {
    const project = loopProject();
    const done = say('<loop-done>COMPLETE</loop-done>');
    const played = await project.play([
      startBy("--max 9 --verify 'test -e proof.txt'"),
      done,
      call(bash('touch proof.txt')),
      done,
    ]);
    expect(played.news(2)).toContain('was not accepted: `test -e proof.txt`');
    expect(played.asked).toHaveLength(4);
    expect(outcome(project, played.sessionId)).toEqual({ active: false, reason: 'COMPLETE' });
  });

  it('is cancelled by a prompt, before the model is asked', async () => {
    const project = loopProject();
    project.holdpoint(['loop', 'start', '--session', SESSION, '--max', '5', 'Do it']);
    const seen: unknown[] = [];
    const played = await project.play(
      [
        () => {
          seen.push(outcome(project, SESSION));
          return say('It is cancelled.');
        },
      ],
      { ...AS_SESSION, prompt: 'loop cancel' },
    );
    expect(seen).toEqual([{ active: false, reason: 'USER_CANCELLED' }]);
    expect(played.asked).toHaveLength(1);
  });

  it('is not counted further by requests that the service refuses, and goes on when the session is resumed', async () => {
    const project = loopProject();
    project.holdpoint(['loop', 'start', '--session', SESSION, '--max', '3', 'Do it']);
    const refused: Turn = { kind: 'error', status: 429, type: 'rate_limit_error', text: 'scripted' };
    const env = { CLAUDE_CODE_MAX_RETRIES: '1' };
    const broken = await project.playScript(() => refused, { ...AS_SESSION, env });
    expect(broken.result).toMatchObject({ is_error: true });
    const played = await project.play([say('one'), say('two'), say('three')], {
      args: ['--resume', SESSION],
    });
    expect(played.news(1)).toContain(iteration(2, 3));
    expect(played.news(2)).toContain(iteration(3, 3));
    expect(played.asked).toHaveLength(3);
  });

  it('does not count in plan mode', async () => {
    const project = loopProject();
    project.holdpoint(['loop', 'start', '--session', SESSION, '--max', '3', 'Do it']);
    const played = await project.play([say('Here is the plan.'), say('Once more.')], {
      args: [...AS_SESSION.args, '--permission-mode', 'plan'],
    });
    expect(played.asked).toHaveLength(1);
    expect(outcome(project, SESSION)).toMatchObject({ active: true });
  });
});
