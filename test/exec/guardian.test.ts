import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { processState } from '../../src/exec/alive';
import { dismissGuardian, type ShellWork, workThenGuard } from '../../src/exec/guardian';
import { ENV, pidsIn, run, scratch, start, stillAlive } from './run-rig';

let files = 0;

/** Has a shell work into a file, and gives what it came to and what it printed. */
async function work(script: string, parts: Partial<ShellWork> = {}): Promise<[boolean, string]> {
  const file = join(scratch, `work-${files++}`);
  const output = openSync(file, 'wx');
  const done = await workThenGuard({ script, args: [], cwd: scratch, env: ENV, output, ...parts }, start);
  closeSync(output);
  return [done, readFileSync(file, 'utf8')];
}

it('arguments come as they are, and nothing waits on standard input', async () => {
  const args = ['a  b', '$(exit 3)', "it's", '-n', ''];
  expect(await work(`cat; printf '<%s>' "$@"`, { args })).toEqual([true, "<a  b><$(exit 3)><it's><-n><>"]);
});

it('the second time there is a guardian already', async () => {
  expect(await work('echo one')).toEqual([true, 'one\n']);
  expect(await work('echo two')).toEqual([true, 'two\n']);
});

it.each([
  ['whose directory is not there', { cwd: join(scratch, 'nowhere') }],
  ['that is cancelled before it begins', { signal: AbortSignal.abort() }],
])('work %s is not done', async (_name, parts) => {
  expect(await work('echo one', parts)).toEqual([false, '']);
});

it('cancelled work ends with all that it has started', async () => {
  const pids = join(scratch, 'cancelled.pids');
  const cancel = new AbortController();
  const script = `sleep 60 & echo $! >"$1.new"; echo $$ >>"$1.new"; mv "$1.new" "$1"; wait`;
  const ended = work(script, { args: [pids], signal: cancel.signal });
  while (!existsSync(pids)) await new Promise((next) => setTimeout(next, 5));
  cancel.abort();
  expect(await ended).toEqual([false, '']);
  expect(await stillAlive(pidsIn(pids))).toEqual([]);
});

it('the shell that has worked stays until it is dismissed, and then another one takes its place', async () => {
  await dismissGuardian();
  const pids: number[] = [];
  for (let round = 0; round < 2; round++) {
    const [done, printed] = await work('echo $$');
    expect([done, processState(Number(printed))]).toEqual([true, 'alive']);
    expect(await run('true')).toMatchObject({ kind: 'exited', code: 0 });
    await dismissGuardian();
    expect(processState(Number(printed))).toBe('dead');
    pids.push(Number(printed));
  }
  expect(pids[0]).not.toBe(pids[1]);
});

it('is not dismissed while something runs, or a shell is still at work', async () => {
  const running = run('sleep', ['0.2']);
  await dismissGuardian();
  expect(await running).toMatchObject({ kind: 'exited', code: 0 });
  await dismissGuardian();
  const working = work('sleep 0.2; echo on');
  await dismissGuardian();
  expect(await working).toEqual([true, 'on\n']);
});
