import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';

/* What counts for the next run of gates: what failed before, and what it is compared with. */

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const FAILS = { c: 'command: "false"\n' };

it('a base that was named for one run puts no logs away', () => {
  rig.gates(FAILS);
  rig.git('commit', '-qam', 'work');
  rig.gauntlet(['run']);
  rig.git('branch', 'dev');
  expect(rig.gauntlet(['run', '-b', 'dev']).stderr).not.toContain('Auto-clean');
  rig.write('src/a.txt', 'three\n');
  rig.gauntlet(['run', '-b', 'dev']);
  expect(rig.gauntlet(['run']).stderr).not.toContain('Auto-clean');
  expect(rig.logs()).toContain('check_src_c.1.log');
});

describe('what a session that goes on is compared with', () => {
  const upstream = (): void => {
    rig.git('checkout', '--quiet', '--detach', 'origin/main');
    rig.write('lib/b.txt', 'of others\n');
    rig.git('add', 'lib');
    rig.git('commit', '-qm', 'upstream');
    rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    rig.git('checkout', '--quiet', 'feat');
  };
  const changed = (): unknown => (rig.gauntlet(['detect', '--json']).json as { files: unknown }).files;

  it.each(['rebase', 'merge'])('after a %s it is its own work, not what came from the base', (verb) => {
    rig.git('commit', '-qam', 'work');
    rig.gates({ c: 'command: "false"\n' }, 'entry_points: [{ path: ., exclude: [.gauntlet], checks: [c] }]');
    rig.git('add', '.gauntlet');
    rig.git('commit', '-qm', 'gates');
    expect(rig.stopHook().status).toBe('failed');
    upstream();
    rig.git(verb, '--quiet', 'origin/main');
    expect(changed()).not.toContain('lib/b.txt');
    expect(changed()).toContain('src/a.txt');
    expect(rig.stopHook().status).toBe('failed');
    expect(rig.state()).toMatchObject({ run: 2 });
  });

  it('after a push of the work to the base it is still that work', () => {
    rig.gates(FAILS);
    expect(rig.stopHook().status).toBe('failed');
    rig.commitToBase();
    expect(changed()).toContain('src/a.txt');
    expect(rig.stopHook().status).toBe('failed');
  });
});

describe('the end of a turn', () => {
  it.each([
    ['of one gate', ['run', '-g', 'easy']],
    ['against something else', ['run', '-u', '-g', 'easy']],
  ])('a pass %s is no pass of all', (_name, args) => {
    rig.gates({ ...FAILS, easy: 'command: "true"\n' });
    expect(rig.gauntlet(args).exitCode).toBe(0);
    expect(rig.stopHook().status).toBe('failed');
  });

  it('what failed, was put aside and came back is no pass either', () => {
    rig.gates(FAILS);
    rig.git('add', '.gauntlet');
    rig.git('commit', '-qm', 'gates');
    expect(rig.stopHook().status).toBe('failed');
    rig.git('stash', '--quiet');
    expect(rig.stopHook().status).toBe('no_applicable_gates');
    rig.git('stash', 'pop', '--quiet');
    expect(rig.stopHook().status).toBe('failed');
  });
});
