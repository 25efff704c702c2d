import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processState } from '../../../../src/exec/processes';
import { check, type GatesProject, gates, makeGatesProject } from './gates-project';

let project: GatesProject;
beforeEach(() => {
  project = makeGatesProject();
});
afterEach(() => project.remove());

const DOLLAR = '$';
const BASE = `${DOLLAR}{BASE_BRANCH}`;

const statusesOf = (result: { gates: readonly { status: string }[] }): string[] =>
  result.gates.map(({ status }) => status);

describe('a check', () => {
  it('runs in the directory of its entry point, in a shell', async () => {
    const result = await project.run(gates([check('c', 'x=$(pwd -P); echo "$x" > ../where')]));
    expect(result.status).toBe('passed');
    expect(project.read('where').trim()).toBe(join(project.root, 'src'));
  });

  it('runs where it says', async () => {
    await project.run(gates([check('c', 'pwd -P > here', { workingDirectory: '.' })]));
    expect(project.read('here').trim()).toBe(project.root);
  });

  it('that takes too long fails, and its whole group is ended', async () => {
    const config = gates([check('c', 'sleep 60 & echo $! > ../pid; wait', { timeout: 1 })]);
    const result = await project.run(config);
    expect(result.gates).toMatchObject([{ status: 'fail', message: 'Timed out after 1s' }]);
    expect(processState(Number(project.read('pid')))).toBe('dead');
    expect(project.log('check_src_c.1.log')).toMatch(/Result: fail - Timed out after 1s\n$/);
  });

  it('that is killed fails', async () => {
    const result = await project.run(gates([check('c', 'kill -9 $$')]));
    expect(result.gates).toMatchObject([{ status: 'fail', message: 'Ended by signal SIGKILL' }]);
  });

  it('may flood its output: log and memory stay small, and its end is kept', async () => {
    const flood = 'yes 0123456789012345678901234567890123456789 | head -c 30000000; echo the end; exit 1';
    const result = await project.run(gates([check('c', flood)]));
    expect(result.gates).toMatchObject([{ status: 'fail', message: 'Exited with code 1' }]);
    expect(result.gates[0]?.telling?.at(-1)).toMatch(/the end$/);
    expect(result.gates[0]?.telling?.length).toBeLessThan(30);
    expect(statSync(join(project.logDir, 'check_src_c.1.log')).size).toBeLessThan(11 * 1024 * 1024);
    const text = project.log('check_src_c.1.log') ?? '';
    expect(text).toContain('bytes left out');
    expect(text).toMatch(
      /the end\n\[[^\]]+\] Command failed: .*\n\[[^\]]+\] Result: fail - Exited with code 1\n$/,
    );
  });

  it('has its colours taken out of what an agent is shown', async () => {
    const result = await project.run(gates([check('c', "printf '\\033[31mred\\033[0m\\n'; exit 1")]));
    expect(result.gates[0]?.telling).toEqual(['red']);
  });

  it('may sweep the logs away while it runs, and its result stands', async () => {
    const result = await project.run(gates([check('c', 'rm -rf ../gauntlet_logs; exit 4')]));
    expect(result).toMatchObject({ status: 'failed', gates: [{ message: 'Exited with code 4' }] });
  });
});

describe('the base’s name in a command', () => {
  it('is put in before the command is looked for', async () => {
    project.write('src/main', '#!/bin/sh\necho "$1" > ../given\n');
    project.git('update-index', '--add', '--chmod=+x', 'src/main');
    const config = gates([check('c', `sh ./${BASE} ${BASE}...HEAD`)], { baseBranch: 'main' });
    expect((await project.run(config)).status).toBe('passed');
    expect(project.read('given')).toBe('main...HEAD\n');
  });

  it('is never read as code by the shell', async () => {
    const evil = `x;touch${DOLLAR}IFS'evil'`;
    project.git('branch', evil, 'main');
    const config = gates([check('c', `echo ${BASE} > ../given`)]);
    const result = await project.run(config, { select: { cache: true, base: evil } });
    expect(result.status).toBe('passed');
    expect(project.read('given')).toBe(`${evil}\n`);
    expect(project.git('status', '--porcelain')).not.toContain('evil');
  });
});

describe('the order of checks', () => {
  it('keeps those that are not parallel apart from each other', async () => {
    const alone = 'mkdir ../busy || exit 9; sleep 0.2; rmdir ../busy';
    const result = await project.run(gates(['a', 'b', 'c'].map((name) => check(name, alone))));
    expect(statusesOf(result)).toEqual(['pass', 'pass', 'pass']);
  });

  it('lets parallel ones meet, and one of the others beside them', async () => {
    const meets = (own: string, other: string): string =>
      `touch ../${own}; for i in $(seq 200); do [ -e ../${other} ] && exit 0; sleep 0.05; done; exit 1`;
    const config = gates([check('a', meets('a', 'b'), { parallel: true }), check('b', meets('b', 'a'))]);
    expect(statusesOf(await project.run(config))).toEqual(['pass', 'pass']);
  });

  it('has no more at once than the machine has processors, and two at least', async () => {
    const told = 'echo begin >> ../told; sleep 0.1; echo end >> ../told';
    const names = Array.from({ length: 4 * availableParallelism() + 4 }, (_, index) => `c${index}`);
    const config = gates(names.map((name) => check(name, told, { parallel: true })));
    expect((await project.run(config)).status).toBe('passed');
    let now = 0;
    const counts = project
      .read('told')
      .trim()
      .split('\n')
      .map((word) => {
        now += word === 'begin' ? 1 : -1;
        return now;
      });
    expect(Math.max(...counts)).toBeLessThanOrEqual(Math.max(2, availableParallelism()));
    expect(Math.max(...counts)).toBeGreaterThan(1);
  });

  it('is one after the other where nothing may be parallel', async () => {
    const alone = 'mkdir ../busy || exit 9; sleep 0.2; rmdir ../busy';
    const checks = ['a', 'b', 'c'].map((name) => check(name, alone, { parallel: true }));
    const result = await project.run(gates(checks, { allowParallel: false }));
    expect(statusesOf(result)).toEqual(['pass', 'pass', 'pass']);
  });

  it('drops the rest before it begins when a program with fail_fast is missing', async () => {
    const config = gates([check('s1', 'no-such-program-here', { failFast: true }), check('s2', 'true')]);
    const result = await project.run(config);
    expect(result.status).toBe('infrastructure_error');
    expect(statusesOf(result)).toEqual(['error', 'skipped']);
  });
});

describe('the debug log', () => {
  it('tells each step in a line, with times in seconds, and survives sessions', async () => {
    const config = gates([check('c', 'sleep 0.2; false')], { debugLog: { enabled: true, maxSizeMb: 10 } });
    await project.run(config, { command: 'run -g c', select: { cache: true, gate: 'c' } });
    project.git('checkout', '--quiet', '-b', 'other');
    await project.run(config);
    const lines = (project.log('.debug.log') ?? '').trim().split('\n');
    const time = /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] /;
    expect(lines.every((line) => time.test(line))).toBe(true);
    const said = lines.map((line) => line.replace(time, ''));
    const start =
      'RUN_START mode=full base_ref=origin/main files_changed=1 files_new=0 files_modified=1 ' +
      'files_deleted=0 lines_added=1 lines_removed=1 gates=1';
    const gate = expect.stringMatching(/^GATE_RESULT check:src:c status=fail duration=[0-3]\.\d\ds$/);
    const end = 'RUN_END status=fail fixed=0 skipped=0 failed=1 iterations=1';
    expect(said).toEqual([
      'COMMAND run -g c',
      start,
      gate,
      end,
      'COMMAND run',
      'CLEAN type=auto reason=branch changed',
      start,
      gate,
      end,
    ]);
  });

  it('is turned over when it has its full size', async () => {
    const config = gates([check('c', 'true')], { debugLog: { enabled: true, maxSizeMb: 0.00001 } });
    await project.run(config);
    expect(project.log('.debug.log.1')).toBeDefined();
    expect(statSync(join(project.logDir, '.debug.log')).size).toBeLessThan(200);
  });
});
