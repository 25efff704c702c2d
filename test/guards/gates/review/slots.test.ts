import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { check } from '../configs';
import { fail, makeReviewProject, PASS, type ReviewProject, violation } from './review-project';

const TWO = { preference: ['claude', 'codex'], numReviews: 2 } as const;
const fixed = (one: object): Record<string, unknown> => ({ ...one, status: 'fixed', result: 'done' });

let project: ReviewProject;
beforeEach(() => {
  project = makeReviewProject();
});
afterEach(() => project.remove());

describe('a slot that has passed', () => {
  it('is not asked again, and says since when', async () => {
    project.answers('claude', PASS);
    project.answers('codex', fail(violation()));
    await project.reviewRun(TWO);
    project.mark('review_src_q_codex@2.1.json', fixed);
    project.write('src/a.txt', 'one!\n');
    project.answers('codex', fail(violation()));
    const result = await project.reviewRun(TWO);
    expect(result.status).toBe('failed');
    expect(project.calls('claude')).toHaveLength(1);
    expect(project.file('review_src_q_claude@1.2.json')).toEqual({
      adapter: 'claude',
      timestamp: expect.any(String),
      status: 'skipped_prior_pass',
      rawOutput: '',
      violations: [],
      passIteration: 1,
    });
    expect(project.lines).toContain(
      '[SKIP]  review:src:q (claude@1) - Skipping @1: previously passed in iteration 1 (num_reviews > 1)',
    );
  });

  it('stays passed when another reviewer would have the slot now', async () => {
    project.reviewer('claude', 'exit 1');
    project.reviewer(
      'codex',
      `[ $n = 2 ] && echo '${JSON.stringify(fail(violation()))}' || echo '{"status":"pass"}'`,
    );
    await project.reviewRun({ ...TWO, parallel: false });
    expect(project.logs().filter((name) => name.endsWith('.json'))).toEqual([
      'review_src_q_codex@1.1.json',
      'review_src_q_codex@2.1.json',
    ]);
    project.mark('review_src_q_codex@2.1.json', fixed);
    project.write('src/a.txt', 'one!\n');
    project.answers('claude', PASS);
    const result = await project.reviewRun({ ...TWO, parallel: false });
    expect(result.status).toBe('passed');
    expect(result.gates[0]?.slots?.map(({ slot, status }) => [slot, status])).toEqual([
      ['codex@1', 'skipped'],
      ['codex@2', 'pass'],
    ]);
  });
});

describe('a slot whose file the agent has made a pass', () => {
  it('is asked all the same whether the fix is there', async () => {
    project.answers('claude', PASS);
    project.answers('codex', fail(violation()));
    await project.reviewRun(TWO);
    const name = 'review_src_q_codex@2.1.json';
    project.mark(name, fixed);
    writeFileSync(join(project.logDir, name), JSON.stringify({ ...project.file(name), status: 'pass' }));
    project.write('src/a.txt', 'one!\n');
    expect((await project.reviewRun(TWO)).status).toBe('failed');
    expect(project.calls('codex')).toHaveLength(2);
  });
});

describe('when all slots have passed and another gate has not', () => {
  it('the first looks once more', async () => {
    project.answers('claude', PASS);
    project.answers('codex', PASS);
    const config = {
      checks: [check('c', { command: 'false', cache: false })],
      entryPoints: [{ path: 'src', place: '', exclude: [], checks: ['c'], reviews: ['q'] }],
    };
    await project.reviewRun(TWO, config);
    project.write('src/a.txt', 'one!\n');
    await project.reviewRun(TWO, config);
    expect(project.calls('claude')).toHaveLength(2);
    expect(project.calls('codex')).toHaveLength(1);
    expect(project.lines).toContain('review:src:q Running @1: safety latch (all slots previously passed)');
  });
});

describe('a slot that the config has no more', () => {
  it('is not asked, but what is open in it stays open until it is answered', async () => {
    project.answers('claude', PASS);
    project.answers('codex', fail(violation()));
    await project.reviewRun(TWO);
    project.write('src/a.txt', 'one!\n');
    const result = await project.reviewRun({ ...TWO, numReviews: 1 });
    expect(result.status).toBe('failed');
    expect(result.gates[0]?.slots?.map(({ slot, status }) => [slot, status])).toEqual([
      ['claude@1', 'pass'],
      ['codex@2', 'fail'],
    ]);
    project.mark('review_src_q_codex@2.1.json', fixed);
    expect((await project.reviewRun({ ...TWO, numReviews: 1 })).status).toBe('passed');
  });
});
