import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventsIn, SESSION } from './events';
import { AS_SESSION, type LoopProject, loopProject } from './loop-project';
import { at, type Ended, type HostDocument, heldBecause } from './rig';

/* Loops from `loop start` to their end, with the hook in between. */

const S = '<loop-done>COMPLETE</loop-done>';
let project: LoopProject;

beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

function start(...args: string[]): void {
  expect(project.loop(['start', ...args])).toMatchObject({ exitCode: 0 });
}

function stop(text: string, more: HostDocument = {}): Ended {
  return project.rig.hook(eventsIn(project.rig).stop(false, { last_assistant_message: text, ...more }));
}

/** The paragraphs that the agent goes on with. */
function paragraphs(ended: Ended): string[] {
  expect(ended.exitCode).toBe(2);
  return heldBecause(ended).split('\n\n');
}

test('a task is repeated until its command proves that it is done', () => {
  start('--include-prompt', '--verify', 'test -f ok', 'Fix "it" $(now)\nplease');
  const [first, task] = paragraphs(stop('working'));
  expect(first).toContain('[ITERATION 2/10] Continue working on the task.');
  expect(task).toBe('The task:\nFix "it" $(now)\nplease');
  const [, refused] = paragraphs(stop(S));
  expect(refused).toContain('`test -f ok` ended with exit code 1');
  project.rig.write('ok', '');
  expect(stop(S)).toMatchObject({ stdout: '', exitCode: 0 });
  expect(project.newest()).toMatchObject({
    event: 'DONE',
    reason: 'COMPLETE',
    session_id: SESSION,
    stack: [],
  });
  expect(stop('x')).toMatchObject({ stdout: '', exitCode: 0 });
});

test('a refused stop can be asked why', () => {
  start('--verify', 'false', 'x');
  stop(S);
  const { stdout } = project.rig.holdpoint(['log', '--json']);
  expect(stdout).toContain('the verify command failed');
});

test('a loop that stands still is told, then ended, and can be taken up again', () => {
  start('x');
  const told = [1, 2, 3, 4].map(() => paragraphs(stop('hm')).length);
  expect(told).toEqual([1, 1, 2, 2]);
  const ended = stop('hm');
  expect(ended.exitCode).toBe(0);
  expect(at(ended.json, 'systemMessage')).toContain('NO_PROGRESS');
  expect(project.newest()).toMatchObject({ event: 'DONE', reason: 'NO_PROGRESS', stack: [] });
  expect(project.loop(['resume'])).toMatchObject({ exitCode: 0 });
  expect(paragraphs(stop('hm'))[0]).toContain('[ITERATION 6/10]');
});

test('a loop that works is not', () => {
  start('x');
  for (let n = 2; n <= 9; n++) {
    project.rig.hook(eventsIn(project.rig).post('Bash', { command: 'make' }));
    expect(paragraphs(stop('hm', { stop_hook_active: n > 2 }))).toHaveLength(1);
  }
});

test('tokens are counted from its start on, and end it', () => {
  start('--max-tokens', '1000', 'x');
  const transcript_path = join(project.rig.dir, 't.jsonl');
  const lines: string[] = [];
  const spend = (id: string, output_tokens: number, timestamp = new Date()): void => {
    const message = {
      id,
      role: 'assistant',
      content: [{ type: 'text', text: id }],
      usage: { output_tokens },
    };
    lines.push(`${JSON.stringify({ type: 'assistant', isSidechain: false, timestamp, message })}\n`);
    writeFileSync(transcript_path, lines.join(''));
  };
  spend('before', 5_000_000, new Date(Date.now() - 60_000));
  spend('m1', 100);
  expect(stop('one', { transcript_path }).exitCode).toBe(2);
  spend('m2', 500);
  expect(stop('two', { transcript_path }).exitCode).toBe(2);
  expect(project.newest().stack[0]).toMatchObject({ used: { tokens: 600 } });
  spend('m3', 400);
  const ended = stop('three', { transcript_path });
  expect(ended.exitCode).toBe(0);
  expect(at(ended.json, 'systemMessage')).toContain('MAX_TOKENS');
  expect(project.newest()).toMatchObject({ event: 'DONE', reason: 'MAX_TOKENS' });
});

test('a grind goes on when an issue inside it is done', () => {
  start('--mode', 'grind', 'all of them');
  start('--push', '--mode', 'issue', '--issue', 'auth-7', 'this one');
  expect(paragraphs(stop('hm'))[0]).toContain('[ITERATION 2/10]');
  expect(paragraphs(stop('done\n<issue-complete>DONE</issue-complete>'))[0]).toContain('[ITERATION 2/100]');
  expect(stop('<grind-done>NO_MORE_ISSUES</grind-done>')).toMatchObject({ stdout: '', exitCode: 0 });
  expect(project.newest()).toMatchObject({ event: 'DONE', reason: 'NO_MORE_ISSUES' });
});

test('a pause by the agent is lifted by a person, and a prompt cancels', () => {
  start('x');
  expect(at(stop('<loop-pause>which key?</loop-pause>').json, 'systemMessage')).toContain('which key?');
  expect(stop(S)).toMatchObject({ stdout: '', exitCode: 0 });
  expect(project.person(['resume'], { env: AS_SESSION })).toMatchObject({ exitCode: 0 });
  expect(stop('hm').exitCode).toBe(2);
  const cancel = {
    session_id: SESSION,
    hook_event_name: 'UserPromptSubmit',
    prompt: '/cancel',
    cwd: project.rig.repo,
  };
  expect(at(project.rig.hook(cancel).json, 'systemMessage')).toContain('cancelled');
  expect(project.newest()).toMatchObject({ event: 'ABORT', reason: 'USER_CANCELLED' });
  expect(stop('x')).toMatchObject({ stdout: '', exitCode: 0 });
});

test('a session that comes back hears of its loop', () => {
  start('x');
  const { json } = project.rig.hook(eventsIn(project.rig).start('resume'));
  expect(at(json, 'hookSpecificOutput', 'additionalContext')).toContain('iteration 1 of 10');
});

test('a session is offered the loop of one that is gone, and not made to go on with it', () => {
  start('x');
  const other = { session_id: 'dddddddd-0000-4000-8000-000000000009' };
  const { json } = project.rig.hook(eventsIn(project.rig).start('resume', other));
  expect(at(json, 'systemMessage')).toContain('holdpoint loop resume');
  expect(stop('x', other)).toMatchObject({ stdout: '', exitCode: 0 });
  expect(project.states()).toHaveLength(1);
});
