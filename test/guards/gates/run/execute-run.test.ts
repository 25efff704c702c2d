import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { check, type GatesProject, gates, makeGatesProject } from './gates-project';

let project: GatesProject;
beforeEach(() => {
  project = makeGatesProject();
});
afterEach(() => project.remove());

describe('a run that passes', () => {
  it('archives its logs, keeps its state and leaves no lock', async () => {
    const result = await project.run(gates([check('c', 'true')]));
    expect(result.status).toBe('passed');
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
    expect(project.logs()).toEqual(['previous']);
    expect(existsSync(join(project.logDir, '.gauntlet-run.lock'))).toBe(false);
    expect(project.state()).toMatchObject({
      branch: 'feat',
      commit: project.git('rev-parse', 'HEAD'),
      working_tree_ref: expect.stringMatching(/^[0-9a-f]{40}$/),
      last_run_completed_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_status: 'passed',
      run: 0,
    });
  });

  it('prints the start, the result and the summary, and the console log has the same', async () => {
    await project.run(gates([check('c', 'true')]));
    expect(project.lines).toEqual([
      '[START] check:src:c',
      expect.stringMatching(/^\[PASS\] {2}check:src:c \(\d+\.\d\ds\)$/),
      expect.stringMatching(/^─+$/),
      'RESULTS SUMMARY',
      expect.stringMatching(/^─+$/),
      'Total: 0 fixed, 0 skipped, 0 failed',
      'Status: Passed',
      expect.stringMatching(/^─+$/),
    ]);
    expect(project.log('previous/console.1.log')).toBe(`${project.lines.join('\n')}\n`);
  });
});

describe('a run that fails', () => {
  it('says so in the log, the console and the state, with absolute paths', async () => {
    const result = await project.run(gates([check('c', 'echo out; echo err >&2; exit 3')]));
    const log = join(project.logDir, 'check_src_c.1.log');
    expect(result).toMatchObject({ status: 'failed', run: 1, maxRuns: 4 });
    expect(result.consoleLogPath).toBe(join(project.logDir, 'console.1.log'));
    expect(result.gates).toMatchObject([
      { id: 'check:src:c', status: 'fail', message: 'Exited with code 3', log },
    ]);
    expect(result.gates[0]?.telling).toEqual(['out', 'err']);
    expect(project.lines).toContain(`      Log: ${log}`);
    expect(project.lines).toContain('Status: Failed');
    expect(project.state()).toMatchObject({ last_status: 'failed', run: 1, failing: ['check:src:c'] });
  });

  it('has a log in the form that users know', async () => {
    await project.run(gates([check('c', 'echo out; echo err >&2; exit 3')]));
    const text = project.log('check_src_c.1.log') ?? '';
    const time = /\[\d{4}-\d\d-\d\dT[\d:.]+Z\] /g;
    expect(text.replace(time, '[] ')).toBe(
      [
        '[] Starting check: c',
        '[] Executing command: echo out; echo err >&2; exit 3',
        `[] Working directory: ${join(project.root, 'src')}`,
        '[] out',
        '[] STDERR:',
        'err',
        '[] Command failed: echo out; echo err >&2; exit 3',
        '[] Result: fail - Exited with code 3',
        '',
      ].join('\n'),
    );
  });

  it('ends the log with the fix instructions, where there are any', async () => {
    await project.run(gates([check('c', 'false', { fixInstructions: 'Read the guide.\n' })]));
    const end = /Result: fail - Exited with code 1\n\[[^\]]+\] --- Fix Instructions ---\nRead the guide\.\n$/;
    expect(project.log('check_src_c.1.log')).toMatch(end);
  });

  it('tells what was fixed since, once it passes', async () => {
    const config = gates([check('c', 'test -e ok'), check('d', 'test -e good')]);
    await project.run(config);
    project.write('src/ok', '');
    await project.run(config);
    project.write('src/good', '');
    const last = await project.run(config);
    expect(last.status).toBe('passed');
    const rule = '─'.repeat(60);
    expect(project.lines.slice(-9)).toEqual([
      rule,
      'Iteration 2:',
      '  ✓ Fixed: check:src:c (check) - passes now',
      'Iteration 3:',
      '  ✓ Fixed: check:src:d (check) - passes now',
      rule,
      'Total: 2 fixed, 0 skipped, 0 failed after 3 iterations',
      'Status: Passed',
      rule,
    ]);
  });
});

describe('a run with nothing to do', () => {
  it('uses up no attempt of a session that goes on', async () => {
    const config = gates([check('c', 'false')]);
    await project.run(config);
    await project.run(config, { select: { cache: true, commit: 'HEAD' }, mode: 'review' });
    expect(await project.run(config)).toMatchObject({ status: 'failed', run: 2 });
    expect(project.logs()).toContain('console.2.log');
  });

  it('ends a session whose change was taken back', async () => {
    await project.run(gates([check('c', 'false')]));
    project.git('checkout', '--quiet', '--', '.');
    expect((await project.run(gates([check('c', 'false')]))).status).toBe('no_changes');
    expect(project.logs()).toEqual(['previous']);
    project.write('src/a.txt', 'three\n');
    expect(await project.run(gates([check('c', 'false')]))).toMatchObject({ status: 'failed', run: 1 });
  });
});

describe('trouble that is nobody’s fault in the code', () => {
  it('does not blame the code for a program that is not installed', async () => {
    const result = await project.run(
      gates([check('c', 'FOO=1 no-such-program-here --x'), check('d', 'true')]),
    );
    expect(result).toMatchObject({
      status: 'infrastructure_error',
      message: expect.stringContaining('Missing command: no-such-program-here'),
      gates: [{ status: 'error', message: 'Missing command: no-such-program-here' }, { status: 'pass' }],
    });
    expect(project.log('check_src_c.1.log')).toContain('Result: error - Missing command');
    expect(project.state()).toMatchObject({ last_status: 'infrastructure_error', run: 0 });
  });

  it('still blocks when something failed besides', async () => {
    const result = await project.run(gates([check('c', 'no-such-program-here'), check('d', 'false')]));
    expect(result.status).toBe('failed');
  });

  it('gives partial results when its time is over, and leaves nothing running', async () => {
    const pids = join(project.root, 'pids');
    const config = gates([check('a', 'true'), check('b', `echo $$ > ${pids}; sleep 60`), check('c', 'true')]);
    const result = await project.run(config, { deadline: Date.now() + 3000 });
    expect(result.status).toBe('infrastructure_error');
    expect(result.gates.map(({ status }) => status)).toEqual(['pass', 'error', 'skipped']);
    const pid = Number(project.read('pids'));
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe('repositories that are not as usual', () => {
  const failing = gates([check('c', 'false')]);

  it('may have a HEAD without a branch', async () => {
    project.git('checkout', '--quiet', '--detach');
    expect((await project.run(failing)).status).toBe('failed');
    expect(project.state()).toMatchObject({ branch: 'HEAD', commit: project.git('rev-parse', 'HEAD') });
    expect(await project.run(failing)).toMatchObject({ run: 2 });
  });

  it('may have no commit yet', async () => {
    rmSync(join(project.root, '.git'), { recursive: true });
    project.git('init', '--quiet');
    const result = await project.run(failing);
    expect(result.status).toBe('failed');
    expect(project.lines.join('\n')).toContain('every file counts as changed');
    expect(project.state()).toMatchObject({ branch: 'main', commit: '' });
    expect(await project.run(failing)).toMatchObject({ run: 2 });
  });
});
