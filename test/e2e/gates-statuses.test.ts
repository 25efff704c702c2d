import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

/** A check `c` at `src`, which has changed. */
const check = (command: string): void => rig.gates({ c: `command: ${JSON.stringify(command)}\n` });
const review = (answer: object): void => {
  rig.write('.gauntlet/reviews/q.md', 'Look.\n');
  rig.gates({}, 'entry_points: [{ path: src, reviews: [q] }]');
  rig.program('claude', `cat > /dev/null; echo '${JSON.stringify(answer)}'`);
};
const lock = (): void => {
  check('true');
  rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
};

/** Each status as the command for the end of a turn tells it; only one of them is in the way. */
const WAYS: Readonly<Record<string, () => { decision: string; status: string; message: string }>> = {
  passed: () => {
    check('true');
    return rig.stopHook();
  },
  passed_with_warnings: () => {
    review({ status: 'fail', violations: [{ file: 'src/a.txt', line: 1, issue: 'x', priority: 'high' }] });
    expect(rig.stopHook().status).toBe('failed');
    const file = rig.logFile('review_src_q_claude@1.1.json');
    const answered = {
      status: 'fail',
      violations: [{ file: 'src/a.txt', line: 1, issue: 'x', status: 'skipped', result: 'meant' }],
    };
    writeFileSync(file, JSON.stringify(answered));
    return rig.stopHook();
  },
  no_applicable_gates: () => {
    rig.gates({ c: 'command: "false"\n' }, 'entry_points: [{ path: lib, checks: [c] }]');
    return rig.stopHook();
  },
  no_changes: () => {
    check('false');
    rig.commitToBase();
    return rig.stopHook();
  },
  failed: () => {
    check('false');
    return rig.stopHook();
  },
  retry_limit_exceeded: () => {
    rig.gates({ c: 'command: "false"\n' }, 'max_retries: 0');
    return rig.stopHook();
  },
  lock_exists: () => {
    lock();
    return rig.stopHook();
  },
  infrastructure_error: () => {
    check('no-such-program');
    return rig.stopHook();
  },
  error: () => {
    rig.gates({ c: 'comand: x\n' });
    return rig.stopHook();
  },
  no_config: () => rig.stopHook(),
  stop_hook_active: () => {
    check('false');
    return rig.stopHook({ stop_hook_active: true });
  },
  stop_hook_disabled: () => {
    rig.gates({ c: 'command: "false"\n' }, 'stop_hook: { enabled: false }');
    return rig.stopHook();
  },
  interval_not_elapsed: () => {
    check('true');
    rig.stopHook();
    return rig.stopHook();
  },
  invalid_input: () => {
    check('false');
    return rig.stopHook('{bad');
  },
};

it.each(Object.entries(WAYS))('status %s can be had from outside', (status, way) => {
  const { decision, ...told } = way();
  expect([told.status, decision]).toEqual([status, status === 'failed' ? 'block' : 'approve']);
  expect(told.message).toMatch(/^\S+ \S/);
});

// Two that look at the same moment both see nobody; one of them then finds the lock taken.
it('status lock_conflict can be had from outside', () => {
  lock();
  expect(rig.gauntlet(['run', '--json'])).toMatchObject({ exitCode: 3, json: { status: 'lock_conflict' } });
  expect(rig.logs()).toEqual([]);
});
