import { afterEach, describe, expect, test } from 'vitest';
import { DeadlinePassed, newWatchdog } from '../../src/core/failure';
import type { Json } from '../../src/core/json';
import { projectLockFile } from '../../src/state/documents';
import { holderOf } from '../../src/state/files';
import { makeRig, preTool, type Rig, SESSION, scriptedChunks, spoken } from './rig';

const spin = (): never => {
  for (;;);
};

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));
/** Takes time as `spin` does, and leaves the processor to others. */
const sleep = (ms = Number.POSITIVE_INFINITY): void => void Atomics.wait(SLEEPER, 0, 0, ms);
const sleepForEver = (): never => {
  for (;;) sleep();
};

describe('the watchdog', () => {
  test.each<[string, () => unknown]>([
    ['what never ends by itself', spin],
    ['a regular expression that never comes back', () => /^(a+)+$/.test(`${'a'.repeat(60)}b`)],
    [
      'what catches everything',
      () => {
        for (;;) {
          try {
            spin();
          } catch {}
        }
      },
    ],
  ])('ends %s', (_, work) => {
    expect(() => newWatchdog(50)(work)).toThrow(DeadlinePassed);
  });

  test('leaves alone what comes to an end, and passes on what is thrown', () => {
    const watchdog = newWatchdog();
    expect(watchdog(() => 42)).toBe(42);
    const thrown = new RangeError('mine');
    expect(() =>
      watchdog(() => {
        throw thrown;
      }),
    ).toThrow(thrown);
    expect(globalThis).not.toHaveProperty('holdpointWork');
  });

  test('counts the time of all calls together', () => {
    const watchdog = newWatchdog(4000);
    watchdog(() => sleep(3500));
    const begun = Date.now();
    expect(() => watchdog(sleepForEver)).toThrow(DeadlinePassed);
    expect(Date.now() - begun).toBeLessThan(3500);
  });
});

const LATE = 'holdpoint: no decision within 5000 ms; what was not held by then was allowed unchecked.\n';

describe('a guard that never ends', () => {
  let rig: Rig;
  afterEach(() => rig.remove());

  test('is ended even under the lock: what it has held is held, the lock is free, the session is marked', async () => {
    const ref = { base: 'git', path: 'a.json', format: 'json', durability: 'durable' } as const;
    let lockSeen = false;
    rig = makeRig(
      scriptedChunks([
        {
          name: 'gates',
          interests: [{ kind: 'tool.before', tools: ['Bash'] }],
          decide: (_event, _config, { change }) => {
            const apply = (): Json => {
              lockSeen = holderOf(projectLockFile(rig.layout)) !== undefined;
              return sleepForEver();
            };
            change({ document: ref, what: 'spin', apply });
            return { kind: 'deny', reason: 'no', grounds: [] };
          },
        },
        { name: 'loop', decide: () => ({ kind: 'advise', toAgent: 'still here', grounds: [] }) },
      ]),
    );
    const answer = await rig.send(preTool('Bash'));
    expect(lockSeen).toBe(true);
    expect(spoken(answer)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(answer.stderr).toBe(LATE);
    expect(holderOf(projectLockFile(rig.layout))).toBeUndefined();
    expect(rig.record()?.degraded).toMatchObject([{ code: 'deadline.passed', told: false }]);
    expect(rig.journal()).toMatchObject([
      { decision: 'deny', session: SESSION, failures: [{ code: 'deadline.passed' }] },
    ]);
    expect(spoken(await rig.send(preTool('Edit')))).toMatchObject({
      hookSpecificOutput: { additionalContext: 'still here' },
    });
  });

  test('takes nothing back that a guard before it has held, and is asked about only as far as time allows', async () => {
    let asked = 0;
    const interests = [{ kind: 'tool.before', tools: ['Bash'] } as const];
    rig = makeRig(
      scriptedChunks([
        {
          name: 'requirements',
          interests,
          decide: (event) =>
            'call' in event && event.call.command === 'git push'
              ? { kind: 'deny', reason: 'not yet', grounds: [] }
              : { kind: 'nothing' },
        },
        { name: 'workflow', interests, decide: sleepForEver },
        {
          name: 'loop',
          interests,
          decide: () => {
            asked += 1;
            return { kind: 'nothing' };
          },
        },
      ]),
    );
    const held = await rig.send({ ...preTool('Bash'), tool_input: { command: 'git push' } });
    expect(spoken(held)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(held.stderr).toBe(LATE);
    const allowed = await rig.send({ ...preTool('Bash'), tool_input: { command: 'ls' } });
    expect(allowed).toMatchObject({ stdout: '', exitCode: 0, stderr: LATE });
    expect(asked).toBe(0);
  });
});
