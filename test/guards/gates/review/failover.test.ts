import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processState } from '../../../../src/exec/processes';
import { entry } from '../configs';
import { fail, makeReviewProject, PASS, type ReviewProject, violation } from './review-project';

let project: ReviewProject;
beforeEach(() => {
  project = makeReviewProject();
});
afterEach(() => project.remove());

describe('a review that nobody answers', () => {
  it('is an error that names who is missing, without a log', async () => {
    const result = await project.reviewRun({ preference: ['claude', 'codex'] });
    expect(result.status).toBe('infrastructure_error');
    expect(result.gates[0]).toEqual({
      id: 'review:src:q',
      place: '',
      status: 'error',
      message: expect.stringMatching(
        /no healthy adapters available \(claude: Command not found; codex: Command not found\)/,
      ),
      durationMs: expect.any(Number),
    });
    expect(project.logs()).toEqual(['console.1.log']);
  });

  it.each([
    ['crashes', 'echo boom >&2; exit 3', 'Exited with code 3: boom'],
    ['prints no JSON', 'echo looks good to me', 'No valid JSON object found in output'],
    ['has JSON but crashes', `echo '{"status":"fail","violations":[]}'; exit 1`, 'Exited with code 1'],
    ['is killed', 'kill -9 $$', 'Ended by signal SIGKILL'],
    ['is out of quota', 'echo "You have hit your usage limit." >&2; exit 1', 'Usage limit exceeded'],
  ])('is an error and no failure when the reviewer %s', async (_, script, why) => {
    project.reviewer('claude', script);
    const result = await project.reviewRun();
    expect(result.status).toBe('infrastructure_error');
    expect(result.gates[0]?.message).toContain(`claude@1: ${why}`);
    expect(result.gates[0]?.message).toContain('Expected: 1, Completed: 0');
    expect(project.logs()).toEqual(['console.1.log', 'review_src_q_claude@1.1.log']);
    expect(project.log('review_src_q_claude@1.1.log')).toContain(`Result: error - ${why}`);
  });

  it('ends at its timeout, with everything that it started', async () => {
    const pid = join(project.path, 'pid');
    project.reviewer('claude', `sleep 60 & echo $! > '${pid}'; wait`);
    const result = await project.reviewRun({ timeout: 0.5 });
    expect(result.gates[0]?.message).toContain('claude@1: Timed out after 0.5s');
    const sleeper = Number(project.read('../bin/pid'));
    expect(processState(sleeper)).toBe('dead');
  });
});

it('when the time of the run is over nobody else is asked', async () => {
  project.reviewer('claude', 'sleep 60');
  project.answers('codex', PASS);
  const deadline = Date.now() + 1500;
  const result = await project.reviewRun({ preference: ['claude', 'codex'] }, {}, { deadline });
  expect(result.status).toBe('infrastructure_error');
  expect(result.gates[0]?.message).toContain('claude@1: The run was out of time');
  expect(project.calls('codex')).toEqual([]);
});

describe('another reviewer takes over', () => {
  const both = { preference: ['claude', 'codex'] } as const;

  it.each([
    ['usage limit', 'echo "Credit balance is too low"; exit 1', {}],
    ['crash', 'exit 9', {}],
    ['timeout', 'sleep 30', { timeout: 0.3 }],
    ['garbage', 'echo {', {}],
  ])('after a %s', async (_, script, parts) => {
    project.reviewer('claude', script);
    project.answers('codex', fail(violation()));
    const result = await project.reviewRun({ ...both, ...parts });
    expect(result.status).toBe('failed');
    expect(project.file('review_src_q_codex@1.1.json').adapter).toBe('codex');
    expect(project.lines.join('\n')).toMatch(/review:src:q \(claude@1\): .*; asking codex instead\./);
  });

  it('and one without quota is left alone for a while, in later runs too', async () => {
    project.reviewer('claude', 'echo "usage limit reached" >&2; exit 1');
    project.answers('codex', PASS);
    await project.reviewRun(both);
    await project.reviewRun(both);
    expect(project.calls('claude')).toHaveLength(1);
    expect(project.calls('codex')).toHaveLength(2);
    const [entryOf] = Object.values(JSON.parse(project.log('.reviewer-health.json') ?? '{}'));
    expect(entryOf).toEqual({ until: expect.stringMatching(/Z$/), reason: 'Usage limit exceeded' });
    const alone = await project.reviewRun();
    expect(alone.gates[0]?.message).toMatch(/claude: Usage limit exceeded, asked again after \d{4}-/);
    expect(project.calls('claude')).toHaveLength(1);
  });

  it('but not because a difference speaks of limits', async () => {
    project.write('src/a.txt', 'usage limit reached\n');
    project.reviewer('claude', `cat '${project.root}/src/a.txt' >&2; exit 1`);
    const result = await project.reviewRun();
    expect(result.gates[0]?.message).toContain('Exited with code 1');
    expect(project.log('.reviewer-health.json')).toBeUndefined();
  });
});

describe('the question about quota', () => {
  const preference = ['claude', 'codex'] as const;
  const probing = { reviewers: { preference, checkUsageLimit: true } };

  it('is put once a run to those who are needed, however many reviews there are', async () => {
    project.answers('claude', PASS);
    project.answers('codex', PASS);
    const config = {
      ...probing,
      entryPoints: [entry({ path: 'src', reviews: ['q'] }), entry({ path: '.', reviews: ['q'] })],
    };
    expect((await project.reviewRun({ preference }, config)).status).toBe('passed');
    const hello = (program: string): number =>
      project.calls(program).filter(({ prompt }) => prompt === 'hello').length;
    expect([hello('claude'), hello('codex')]).toEqual([1, 0]);
    expect(project.calls('claude')).toHaveLength(3);
  });

  it('tells any other trouble in its own words', async () => {
    project.reviewer('claude', 'echo "Error: not logged in" >&2; exit 1');
    const result = await project.reviewRun({ preference: ['claude'] }, probing);
    expect(result.gates[0]?.message).toContain('claude: Error: Error: not logged in');
  });
});
