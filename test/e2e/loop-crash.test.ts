import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { times } from '../stress';
import { eventsIn } from './events';
import { JwzReader } from './jwz-reader';
import { type LoopProject, loopProject, OWN_LOG, STORE_LOG } from './loop-project';
import { commandFile, type HostDocument } from './rig';

/* What becomes of a loop when hooks die in the middle of a stop, or come all at once. */

const KILLS = times(4, 200);
const AT_ONCE = times(5, 10);
let project: LoopProject;

beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

function stopOf(round: number | string): HostDocument {
  return eventsIn(project.rig).stop(false, {
    last_assistant_message: `round ${round}`,
    prompt_id: `p${round}`,
  });
}

/** Starts a stop and kills it after so many milliseconds. Says whether it was still alive. */
async function killedStop(round: number, ms: number): Promise<boolean> {
  const { rig } = project;
  const child = spawn(process.execPath, [commandFile('hook')], { cwd: rig.dir, env: rig.environment() });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('close', (_code, signal) => resolve(signal));
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(stopOf(round)));
  await Promise.race([after(ms), ended]);
  child.kill('SIGKILL');
  return (await ended) === 'SIGKILL';
}

/** How long a stop takes on this machine, so that the kills fall into it and not behind. */
async function usualTime(): Promise<number> {
  const times: number[] = [];
  for (const n of [1, 2, 3]) {
    const begin = performance.now();
    expect((await project.rig.startHook(stopOf(`warm ${n}`))).exitCode).toBe(2);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[1] ?? 0;
}

test.each([STORE_LOG, OWN_LOG])(
  'a hook that is killed at any moment leaves %s readable, no count that goes back, and no lock',
  async (log) => {
    const { rig } = project;
    if (log === STORE_LOG) rig.write(log, '');
    expect(project.loop(['start', '--max', '100000', 'x']).exitCode).toBe(0);
    const reader = new JwzReader(join(rig.repo, log));
    const count = (): number => {
      const { body = '' } = reader.newest('loop:current') ?? {};
      return JSON.parse(body).stack[0].iter;
    };
    let moment = await usualTime();
    let [last, killed] = [count(), 0];
    for (let round = 0; killed < KILLS && round < 20 * KILLS; round++) {
      const wasKilled = await killedStop(round, moment * (0.3 + Math.random() * 0.7));
      const now = count();
      expect([last, last + 1]).toContain(now);
      last = now;
      killed += wasKilled ? 1 : 0;
      moment *= wasKilled ? 1.02 : 0.9;
      if (round % 10 === 7) {
        // Whoever comes next goes on from there, be it that the last one died with the lock in its hand.
        const next = rig.hook(stopOf(`next ${round}`));
        expect([next.exitCode, next.stdout]).toEqual([2, expect.stringContaining(`[ITERATION ${last + 1}/`)]);
        expect(readdirSync(join(rig.repo, '.git/holdpoint'))).not.toContain('lock');
        last = count();
      }
    }
    expect(killed).toBe(KILLS);
    expect(project.loop(['status', '--json']).json).toMatchObject({ active: true, stack: [{ iter: last }] });
    const again = new JwzReader(join(rig.repo, log));
    expect(again.newest('loop:current')).toEqual(reader.newest('loop:current'));
    expect(again.count()).toBe(reader.count());
    expect(rig.hook(stopOf('last')).exitCode).toBe(2);
    // What the dead had only begun to write is no lock; `req prune` clears it away.
    const locks = readdirSync(join(rig.repo, '.git/holdpoint')).filter((name) =>
      /^lock(?!.*\.tmp$)/.test(name),
    );
    expect(locks).toEqual([]);
  },
  240_000,
);

test.each([STORE_LOG, OWN_LOG])('of those that stop at once none loses a count in %s', async (log) => {
  const { rig } = project;
  if (log === STORE_LOG) rig.write(log, '');
  expect(project.loop(['start', '--max', '50', 'x']).exitCode).toBe(0);
  const ended = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => rig.startHook(stopOf(n))));
  const counted = ended
    .map(({ stdout }) => Number(/ITERATION (\d+)/.exec(stdout)?.[1]))
    .sort((a, b) => a - b);
  expect(counted).toEqual(Array.from({ length: AT_ONCE }, (_, n) => n + 2));
  expect(project.states(log).map(({ stack }) => stack[0]?.['iter'])).toEqual([1, ...counted]);
});
