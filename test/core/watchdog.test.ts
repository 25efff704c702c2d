import { afterEach, describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/guard';
import type { Json } from '../../src/core/json';
import { withinDeadline } from '../../src/core/watchdog';
import { projectLockFile } from '../../src/state/layout';
import { holderOf } from '../../src/state/lock';
import { makeRig, preTool, type Rig, SESSION, scriptedChunks, spoken } from './rig';

const spin = (): never => {
  for (;;);
};

describe('the watchdog', () => {
  test('ends what never ends by itself', () => {
    expect(withinDeadline(50, spin)).toEqual({ ok: false, failure: { code: 'deadline.passed', ms: 50 } });
  });

  test('ends a regular expression that never comes back', () => {
    const result = withinDeadline(50, () => /^(a+)+$/.test(`${'a'.repeat(60)}b`));
    expect(result).toMatchObject({ ok: false });
  });

  test('is not stopped by what catches everything', () => {
    const result = withinDeadline(50, () => {
      for (;;) {
        try {
          spin();
        } catch {}
      }
    });
    expect(result).toMatchObject({ ok: false });
  });

  test('leaves alone what comes to an end', () => {
    expect(withinDeadline(1000, () => 42)).toEqual({ ok: true, value: 42 });
    expect(withinDeadline(1000, () => undefined)).toEqual({ ok: true, value: undefined });
  });

  test('passes on what is thrown, and leaves nothing behind', () => {
    const thrown = new RangeError('mine');
    expect(() =>
      withinDeadline(1000, () => {
        throw thrown;
      }),
    ).toThrow(thrown);
    expect(globalThis).not.toHaveProperty('holdpointWork');
  });

  test('can be used again after it has struck', () => {
    withinDeadline(20, spin);
    expect(withinDeadline(1000, () => 'fine')).toEqual({ ok: true, value: 'fine' });
  });
});

describe('a guard that never ends', () => {
  let rig: Rig;
  afterEach(() => rig.remove());

  test('is ended even under the lock; the event passes, the lock is free, the session is marked', async () => {
    const ref = { base: 'git', path: 'a.json', format: 'json', keeping: 'durable' } as const;
    let lockSeen = false;
    rig = makeRig(
      scriptedChunks([
        {
          name: 'gates',
          interests: [{ kind: 'tool.before', tools: ['Bash'] }],
          decide: () =>
            outcome({ kind: 'deny', reason: 'no', grounds: [] }, [
              {
                document: ref,
                what: 'spin',
                apply: (): Json => {
                  lockSeen = holderOf(projectLockFile(rig.layout)) !== undefined;
                  return spin();
                },
              },
            ]),
        },
        { name: 'loop', decide: () => outcome({ kind: 'advise', toAgent: 'still here', grounds: [] }) },
      ]),
    );
    const answer = await rig.send(preTool('Bash'));
    expect(lockSeen).toBe(true);
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toBe(
      'holdpoint: no decision within 5000 ms; the event was let through unchecked.\n',
    );
    expect(holderOf(projectLockFile(rig.layout))).toBeUndefined();
    expect(rig.record()?.degraded).toMatchObject([{ code: 'deadline.passed', told: false }]);
    expect(rig.journal()).toMatchObject([
      { decision: 'nothing', session: SESSION, failures: [{ code: 'deadline.passed' }] },
    ]);
    expect(spoken(await rig.send(preTool('Edit')))).toMatchObject({
      hookSpecificOutput: { additionalContext: 'still here' },
    });
  });
});
