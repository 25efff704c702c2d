import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatesConfig } from '../../../../src/guards/gates/config';
import { check, entry } from '../configs';
import { type Entry, fail, makeReviewProject, PASS, type ReviewProject, violation } from './review-project';

const FIRST = 'review_src_q_claude@1.1.json';
const SECOND = 'review_src_q_claude@1.2.json';
const OTHER = violation({ file: 'src/b.txt', issue: 'No b here', priority: 'low' });

const fixed = (one: Entry): Entry => ({ ...one, status: 'fixed', result: 'Says one now' });
const skipped = (one: Entry): Entry => ({ ...one, status: 'skipped', result: 'It is meant so' });

let project: ReviewProject;
/** Two violations of a first run, one in each of two files. */
beforeEach(async () => {
  project = makeReviewProject();
  project.write('src/b.txt', 'b\n');
  project.answers('claude', fail(violation(), OTHER));
  expect((await project.reviewRun()).status).toBe('failed');
  project.lines.length = 0;
});
afterEach(() => project.remove());

describe('findings marked as fixed', () => {
  it('are verified: the reviewer is told of them, and of what has changed since', async () => {
    project.mark(FIRST, fixed);
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', PASS);
    const result = await project.reviewRun();
    expect(result.status).toBe('passed');
    const prompt = project.calls('claude')[1]?.prompt ?? '';
    expect(prompt).toContain('1. src/a.txt:1 - Two is too much [high]');
    expect(prompt).toContain('Suggested fix: Say one');
    expect(prompt).toContain('What was done: Says one now');
    expect(prompt).toContain('-two\n+one!');
    expect(prompt).not.toContain('b/src/b.txt');
    expect(project.lines).toEqual(
      expect.arrayContaining([
        '  ✓ Fixed: review:src:q (claude@1) - src/a.txt:1 - Two is too much',
        'Total: 2 fixed, 0 skipped, 0 failed after 2 iterations',
        'Status: Passed',
      ]),
    );
  });

  it('are open again when the reviewer still finds them, in other words and on another line', async () => {
    project.mark(FIRST, fixed);
    project.write('src/a.txt', 'new first line\ntwo\n');
    project.answers('claude', fail(violation({ line: 2, issue: 'Still: two is too much', priority: 'low' })));
    const result = await project.reviewRun();
    expect(result.status).toBe('failed');
    expect(project.file(SECOND).violations).toEqual([
      violation({ line: 2, issue: 'Still: two is too much', priority: 'low' }),
    ]);
  });

  it('are open again though their lines were never touched', async () => {
    project.mark(FIRST, fixed);
    project.write('src/c.txt', 'c\n');
    project.answers('claude', fail(violation()));
    expect((await project.reviewRun()).status).toBe('failed');
    expect(project.file(SECOND).violations).toEqual([violation()]);
  });

  it('are verified against everything where nothing has changed at all', async () => {
    project.mark(FIRST, fixed);
    project.answers(
      'claude',
      fail(violation(), violation({ issue: 'A wholly different matter', priority: 'critical' })),
    );
    expect((await project.reviewRun()).status).toBe('failed');
    expect(project.calls('claude')[1]?.prompt).toContain('+two');
    expect(project.file(SECOND).violations).toEqual([violation()]);
  });

  it('are not settled where nobody could verify them, nor is that a failure', async () => {
    project.mark(FIRST, fixed);
    project.reviewer('claude', 'exit 1');
    expect((await project.reviewRun()).status).toBe('infrastructure_error');
    project.answers('claude', PASS);
    expect((await project.reviewRun()).status).toBe('passed');
    expect(project.calls('claude')[2]?.prompt).toContain('What was done');
  });
});

describe('findings that nobody marked', () => {
  it('fail the review though the reviewer mentions them no more', async () => {
    project.mark(FIRST, (one, at) => (at === 0 ? fixed(one) : one));
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', PASS);
    const result = await project.reviewRun();
    expect(result.status).toBe('failed');
    expect(result.gates[0]?.message).toBe(
      'Found 1 violation (1 from earlier runs marked neither "fixed" nor "skipped")',
    );
    expect(project.file(SECOND)).toMatchObject({ status: 'fail', violations: [OTHER] });
    expect(project.lines).toContain('Total: 1 fixed, 0 skipped, 1 failed after 2 iterations');
  });

  it('fail it without anybody being asked where nothing has changed', async () => {
    const result = await project.reviewRun();
    expect(result.status).toBe('failed');
    expect(project.calls('claude')).toHaveLength(1);
    expect(project.file(SECOND).violations).toEqual([violation(), OTHER]);
  });

  it('fail it even where nobody can be asked', async () => {
    project.write('src/a.txt', 'one!\n');
    project.reviewer('claude', 'exit 1');
    const result = await project.reviewRun();
    expect(result.status).toBe('failed');
    expect(result.gates[0]?.reviews).toEqual([join(project.logDir, FIRST)]);
    expect(result.gates[0]?.message).toMatch(
      /^Found 2 violations .*Failed to complete reviews\. Expected: 1, Completed: 0/,
    );
  });

  it('are marked in the newest file, and count from there', async () => {
    await project.reviewRun();
    project.mark(SECOND, skipped);
    expect((await project.reviewRun()).status).toBe('passed_with_warnings');
  });

  it.each([
    [
      'the file was broken',
      () => writeFileSync(join(project.logDir, FIRST), '{"status": "fail", '),
      /cannot be read as a review/,
    ],
    ['the file was removed', () => rmSync(join(project.logDir, FIRST)), /cannot be read as a review/],
    ['they were taken out', () => project.mark(FIRST, () => ({})), /2 violations removed from/],
    [
      'their status means nothing',
      () => project.mark(FIRST, (one) => ({ ...one, status: 'done' })),
      /"done"/,
    ],
  ])('stay open when %s, which is said', async (_, tamper, said) => {
    tamper();
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', PASS);
    const result = await project.reviewRun();
    expect(result.status).toBe('failed');
    expect(project.lines.join('\n')).toMatch(said);
    expect(project.file(SECOND).violations).toMatchObject([
      { file: 'src/a.txt', line: 1, issue: 'Two is too much', status: 'new' },
      { file: 'src/b.txt', line: 1, issue: 'No b here', status: 'new' },
    ]);
  });
});

describe('findings that were skipped', () => {
  it('are not shown to the reviewer, and its repeating them means nothing', async () => {
    project.mark(FIRST, skipped);
    project.write('src/a.txt', 'two\nmore\n');
    project.answers('claude', fail(violation({ line: 2 })));
    const result = await project.reviewRun();
    expect(result.status).toBe('passed_with_warnings');
    expect(project.calls('claude')[1]?.prompt).not.toContain('Two is too much');
    expect(result.gates[0]?.message).toBe('Passed (1 skipped violations repeated, 2 violations skipped)');
  });

  it('stay skipped through later runs, and are told once', async () => {
    project.mark(FIRST, (one, at) => (at === 0 ? skipped(one) : one));
    await project.reviewRun();
    expect(project.file(SECOND).violations).toEqual([OTHER, skipped(violation())]);
    project.mark(SECOND, (one) => (one['status'] === 'new' ? fixed(one) : one));
    project.write('src/b.txt', 'c\n');
    project.answers('claude', PASS);
    expect((await project.reviewRun()).status).toBe('passed_with_warnings');
    expect(project.lines.at(-3)).toBe('Total: 1 fixed, 1 skipped, 0 failed after 3 iterations');
  });
});

it('what was skipped is a warning still when its review need not run again', async () => {
  project.mark(FIRST, skipped);
  const withCheck = (command: string): Partial<GatesConfig> => ({
    checks: [check('c', { command })],
    entryPoints: [entry({ path: 'src', checks: ['c'], reviews: ['q'] })],
  });
  expect((await project.reviewRun({ cache: true }, withCheck('false'))).status).toBe('failed');
  const result = await project.reviewRun({ cache: true }, withCheck('true'));
  expect(result.gates.map(({ status }) => status)).toEqual(['pass', 'cached']);
  expect(result.status).toBe('passed_with_warnings');
});

describe('new findings of a verification', () => {
  const inNewLine = (priority?: string): Entry => ({
    file: 'src/a.txt',
    line: 1,
    issue: 'An exclamation mark',
    status: 'new',
    ...(priority !== undefined && { priority }),
  });

  it.each([
    ['critical', 'failed'],
    ['high', 'failed'],
    ['urgent', 'failed'],
    ['medium', 'passed'],
    [undefined, 'passed'],
  ])('of priority %s: %s', async (priority, status) => {
    project.mark(FIRST, fixed);
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', fail(inNewLine(priority)));
    const result = await project.reviewRun();
    expect(result.status).toBe(status);
    if (status === 'passed')
      expect(result.gates[0]?.message).toBe('Passed (1 below-threshold violations filtered)');
  });

  it('must lie in what has changed since the last run', async () => {
    project.mark(FIRST, fixed);
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', fail(violation({ file: 'src/b.txt', issue: 'Something else entirely' })));
    expect((await project.reviewRun()).gates[0]?.message).toBe('Passed (1 out-of-scope violations filtered)');
  });

  it('count at any priority that the config lets through', async () => {
    project.mark(FIRST, fixed);
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', fail(inNewLine('low')));
    expect((await project.reviewRun({}, { rerunNewIssueThreshold: 'low' })).status).toBe('failed');
  });
});

describe('a commit between two runs', () => {
  it('hides nothing of the fix, and a review of it alone is told of earlier findings too', async () => {
    project.mark(FIRST, fixed);
    project.write('src/a.txt', 'one!\n');
    project.git('add', '.');
    project.git('commit', '-qm', 'fix');
    project.answers('claude', fail(violation()));
    await project.reviewRun({}, {}, { select: { cache: true, commit: 'HEAD' } });
    expect(project.calls('claude')[1]?.prompt).toContain('THIS IS A VERIFICATION');
    project.mark(SECOND, fixed);
    project.answers('claude', PASS);
    await project.reviewRun();
    expect(project.calls('claude')[2]?.prompt).toContain('+one!');
  });
});

it('a review that did not take part in the last run looks at everything again', async () => {
  project.mark(FIRST, fixed);
  const withCheck = { checks: [check('c', { command: 'false' })] };
  const entries = { entryPoints: [entry({ path: 'src', checks: ['c'], reviews: ['q'] })] };
  await project.reviewRun({}, { ...withCheck, ...entries }, { select: { cache: true, gate: 'c' } });
  project.answers('claude', PASS);
  await project.reviewRun();
  expect(project.calls('claude')[1]?.prompt).toContain('b/src/b.txt');
});
