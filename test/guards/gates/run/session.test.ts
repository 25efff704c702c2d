import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { check, type GatesProject, gates, makeGatesProject } from './gates-project';

let project: GatesProject;
beforeEach(() => {
  project = makeGatesProject();
});
afterEach(() => project.remove());

const failing = gates([check('c', 'false')]);

describe('the retry limit', () => {
  it('is reported by the last run that may fail, and after it nothing runs or is written', async () => {
    const statuses: string[] = [];
    for (let run = 0; run < 4; run++) statuses.push((await project.run(failing)).status);
    expect(statuses).toEqual(['failed', 'failed', 'failed', 'retry_limit_exceeded']);
    expect(project.lines).toContain('Status: Retry limit exceeded');
    const files = project.logs();
    const state = project.state();
    project.lines.length = 0;
    const beyond = await project.run(failing);
    expect(beyond).toMatchObject({ status: 'retry_limit_exceeded', gates: [], run: 5, maxRuns: 4 });
    expect(beyond.consoleLogPath).toBe(join(project.logDir, 'console.4.log'));
    expect(project.lines[0]).toMatch(
      /^Retry limit exceeded: run 5 exceeds max allowed 4 \(max_retries: 3\)\. Human input required on what to do next\./,
    );
    expect(project.lines[0]).toContain('agent-gauntlet clean');
    expect(project.lines).toContain('Status: Retry limit exceeded');
    expect(project.logs()).toEqual(files);
    expect(project.state()).toEqual(state);
  });

  it('does not count a pass in the last allowed run', async () => {
    const config = gates([check('c', 'test -e ok')], { maxRetries: 1 });
    await project.run(config);
    project.write('src/ok', '');
    expect((await project.run(config)).status).toBe('passed');
  });

  it('is not used up by gates that can give no answer', async () => {
    const config = gates([check('c', 'no-such-program-here')], { maxRetries: 0 });
    for (let run = 0; run < 3; run++) expect((await project.run(config)).status).toBe('infrastructure_error');
    expect(project.logs()).toContain('console.3.log');
  });

  it('holds within one turn of the user and is lifted in another, once the work has changed', async () => {
    const config = gates([check('c', 'false')], { maxRetries: 0 });
    expect((await project.run(config, { turn: 'one' })).status).toBe('retry_limit_exceeded');
    expect((await project.run(config, { turn: 'two' })).gates).toEqual([]);
    project.write('src/a.txt', 'three\n');
    expect((await project.run(config, { turn: 'one' })).gates).toEqual([]);
    expect((await project.run(config)).gates).toEqual([]);
    const anew = await project.run(config, { turn: 'two' });
    expect(anew).toMatchObject({ status: 'retry_limit_exceeded', run: 1, gates: [{ status: 'fail' }] });
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
    expect(project.log('console.1.log')).toMatch(/^Auto-clean: retry limit reached in an earlier turn/);
  });
});

describe('numbers', () => {
  it('never fall on a file that is there', async () => {
    mkdirSync(project.logDir);
    writeFileSync(join(project.logDir, 'review_src_q_claude@1.2.log'), '');
    const result = await project.run(failing);
    expect(result).toMatchObject({ run: 1 });
    expect(project.logs()).toContain('check_src_c.3.log');
    expect(project.logs()).toContain('console.3.log');
  });

  it('go on from a session of the older program, whose state has no count', async () => {
    mkdirSync(project.logDir);
    writeFileSync(join(project.logDir, 'check_src_c.3.log'), '');
    const state = {
      last_run_completed_at: '2026-01-01T00:00:00.000Z',
      branch: 'feat',
      commit: project.git('rev-parse', 'HEAD'),
    };
    // Its commit is the base's own, which looks like a merge to whoever did not see the base then.
    project.write('src/b.txt', 'b\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'more');
    state.commit = project.git('rev-parse', 'HEAD');
    writeFileSync(join(project.logDir, '.execution_state'), JSON.stringify(state));
    expect(await project.run(failing)).toMatchObject({ status: 'retry_limit_exceeded', run: 4 });
    expect(project.logs()).toContain('check_src_c.4.log');
  });

  it('are not shared by gates whose ids come to one file name', async () => {
    const names = ['a/b', 'a_b'].map((path) => ({ ...gates([]).entryPoints[0], path, checks: ['c'] }));
    project.write('a/b/x', 'x');
    project.write('a_b/x', 'x');
    const entryPoints = names as ReturnType<typeof gates>['entryPoints'];
    const result = await project.run(gates([check('c', 'echo here; false')], { entryPoints }));
    const [first, second] = result.gates.map(({ log }) => log);
    expect(first).not.toBe(second);
    expect(project.log('check_a_b_c.1.log')).toContain('here');
    expect(existsSync(second ?? '')).toBe(true);
  });
});

describe('an earlier session about something else', () => {
  it('is archived when its commit has been merged', async () => {
    project.git('commit', '--quiet', '-am', 'work');
    await project.run(failing);
    project.git('push', '--quiet', 'origin', 'feat:main');
    project.write('src/a.txt', 'three\n');
    const result = await project.run(failing);
    expect(result).toMatchObject({ status: 'failed', run: 1 });
    expect(project.log('console.1.log')).toMatch(/^Auto-clean: commit merged/);
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('is not archived because work began at a commit of the base, nor because the base moves on', async () => {
    await project.run(failing);
    expect(await project.run(failing)).toMatchObject({ run: 2 });
    const other = project.git('commit-tree', '-p', 'HEAD', '-m', 'theirs', 'HEAD^{tree}');
    project.git('push', '--quiet', 'origin', `${other}:main`);
    expect(await project.run(failing)).toMatchObject({ run: 3 });
    expect(project.logs()).not.toContain('previous');
  });

  it('is put away when its pass was recorded, but its logs were not archived any more', async () => {
    await project.run(gates([check('c', 'true')]));
    writeFileSync(join(project.logDir, 'check_src_c.1.log'), 'left by a killed run');
    const result = await project.run(failing);
    expect(result).toMatchObject({ status: 'failed', run: 1 });
    expect(project.log('previous/check_src_c.1.log')).toBe('left by a killed run');
  });
});

describe('a part of the gates', () => {
  const config = gates([check('good', 'true'), check('bad', 'false')]);

  it('neither ends the session of all by passing nor uses up an attempt', async () => {
    await project.run(config);
    const part = await project.run(config, { select: { cache: true, gate: 'good' } });
    expect(part.status).toBe('passed');
    expect(project.logs()).toContain('check_src_bad.1.log');
    expect(project.state()).toMatchObject({ last_status: 'failed', run: 1, failing: ['check:src:bad'] });
    expect(await project.run(config)).toMatchObject({ status: 'failed', run: 2 });
    expect(project.logs()).toContain('check_src_bad.3.log');
  });

  it('ends a session that is about it alone', async () => {
    const gate = gates([check('c', 'test -e ok'), check('d', 'false')]);
    const select = { cache: true, gate: 'c' };
    await project.run(gate, { select });
    project.write('src/ok', '');
    expect((await project.run(gate, { select })).status).toBe('passed');
    expect(project.logs()).toEqual(['previous']);
  });
});

describe('what the older program left', () => {
  it('is read once and removed: the reference to a working tree', async () => {
    mkdirSync(project.logDir);
    writeFileSync(join(project.logDir, '.session_ref'), `${'a'.repeat(40)}\n`);
    await project.run(failing);
    expect(existsSync(join(project.logDir, '.session_ref'))).toBe(false);
  });

  it.each(['', '{', '[]', '{"last_run_completed_at":"yesterday","branch":7}'])(
    'does not matter where its state is %j',
    async (text) => {
      mkdirSync(project.logDir);
      writeFileSync(join(project.logDir, '.execution_state'), text);
      expect(await project.run(failing)).toMatchObject({ status: 'failed', run: 1 });
      expect(project.state()).toMatchObject({ branch: 'feat' });
    },
  );
});

describe('what has passed on the same files', () => {
  const cached = gates([check('c', 'true', { cache: true }), check('d', 'test -e ok', { cache: true })]);

  it('is not run again, costs no number and leaves the time of the last run alone', async () => {
    project.write('src/ok', '');
    await project.run(cached);
    const state = project.state();
    const archive = project.logs('previous');
    const again = await project.run(cached);
    expect(again).toMatchObject({ status: 'passed', gates: [{ status: 'cached' }, { status: 'cached' }] });
    expect(again.consoleLogPath).toBeUndefined();
    expect(project.state()).toEqual(state);
    expect(project.logs('previous')).toEqual(archive);
    expect(project.lines.filter((line) => line.startsWith('[CACHED] check:src:'))).toHaveLength(2);
  });

  it('does not run again beside a gate that failed', async () => {
    await project.run(cached);
    const again = await project.run(cached);
    expect(again).toMatchObject({ status: 'failed', run: 2 });
    expect(again.gates.map(({ status }) => status)).toEqual(['cached', 'fail']);
  });

  it('ends a session when all that is left of the change has passed before', async () => {
    const [src] = gates([check('c', 'true')]).entryPoints;
    const config = gates([check('c', 'true', { cache: true }), check('d', 'false')], {
      entryPoints: [
        { ...src, checks: ['c'] },
        { ...src, path: 'docs', checks: ['d'] },
      ] as ReturnType<typeof gates>['entryPoints'],
    });
    project.write('docs/x.md', 'x');
    expect((await project.run(config)).status).toBe('failed');
    const { last_run_completed_at: at } = project.state();
    project.git('clean', '-qfd', 'docs');
    const left = await project.run(config);
    expect(left).toMatchObject({ status: 'passed', gates: [{ status: 'cached' }] });
    expect(project.logs()).toEqual(['previous']);
    expect(project.state()).toMatchObject({ last_status: 'passed', run: 0, last_run_completed_at: at });
    expect(project.state()).not.toHaveProperty('failing');
  });
});
