import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReviewerName } from '../../../../src/guards/gates/review/reviewers';
import { entry } from '../configs';
import { fail, makeReviewProject, PASS, type ReviewProject, violation } from './review-project';

let project: ReviewProject;
beforeEach(() => {
  project = makeReviewProject();
});
afterEach(() => project.remove());

describe('a review', () => {
  it('passes, archives its files and says who looked', async () => {
    project.answers('claude', PASS);
    const result = await project.reviewRun();
    expect(result.status).toBe('passed');
    expect(project.logs('previous')).toEqual([
      'console.1.log',
      'review_src_q_claude@1.1.json',
      'review_src_q_claude@1.1.log',
    ]);
    expect(project.lines).toContainEqual(expect.stringMatching(/^\[PASS\] {2}review:src:q \(claude@1\) \(/));
    expect(result.gates[0]).toMatchObject({ id: 'review:src:q', status: 'pass', message: 'Passed' });
  });

  it('fails with what lies in the difference, and keeps the whole of what the reviewer printed', async () => {
    project.write('src/b.txt', 'x\ny\n');
    const printed = `Here it is:\n\`\`\`json\n${JSON.stringify(
      fail(violation(), violation({ file: 'src/b.txt', line: '2', issue: 'No y' }), violation({ line: 99 })),
    )}\n\`\`\`\nBye {}`;
    project.answers('claude', printed);
    const result = await project.reviewRun();
    const json = join(project.logDir, 'review_src_q_claude@1.1.json');
    expect(result.status).toBe('failed');
    expect(project.file('review_src_q_claude@1.1.json')).toEqual({
      adapter: 'claude',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      status: 'fail',
      rawOutput: printed,
      violations: [violation(), violation({ file: 'src/b.txt', line: 2, issue: 'No y' })],
    });
    expect(project.lines).toContain(`      Review: ${json}`);
    expect(result.gates[0]).toMatchObject({
      status: 'fail',
      message: 'Found 2 violations',
      reviews: [json],
      telling: [
        '1. src/a.txt:1 - Two is too much',
        '   Fix: Say one',
        '2. src/b.txt:2 - No y',
        '   Fix: Say one',
      ],
    });
  });

  it('shows text that git attributes or a NUL byte hide, but no binary file', async () => {
    project.write('src/.gitattributes', '*.txt -diff\n*.js binary\n');
    project.write('src/b.js', 'x\ny\n');
    project.write('src/c.bin', 'a\0b\n');
    project.write('src/d.js', `//\0\n${'some code;\n'.repeat(9)}/*\u202e*/\n`);
    const files = ['src/b.js', 'src/c.bin', 'src/d.js'];
    project.answers('claude', fail(violation(), ...files.map((file) => violation({ file, line: 2 }))));
    const result = await project.reviewRun();
    expect(result.gates[0]).toMatchObject({ status: 'fail', message: 'Found 4 violations' });
    const [call] = project.calls('claude');
    expect(call?.prompt).toContain('+x\n+y\n');
    expect(call?.prompt).toContain('+//\u2400\n+some code;\n');
    expect(call?.prompt).toContain('+/*\\u202e*/\n');
    expect(call?.prompt).toContain('and b/src/c.bin differ');
  });

  it('tells in its log what was printed and how it was understood', async () => {
    project.answers('claude', fail(violation(), violation({ line: 99 })));
    await project.reviewRun();
    const log = project.log('review_src_q_claude@1.1.log') ?? '';
    const lines = log
      .replaceAll(/^\[\d{4}-[^\]]*Z\] /gm, '')
      .trimEnd()
      .split('\n');
    expect(lines).toEqual([
      'Starting review: q',
      'Entry point: src',
      'Changed files: 1',
      'Dispatching to claude@1',
      '--- Review Output (claude) ---',
      JSON.stringify(fail(violation(), violation({ line: 99 }))),
      '--- Parsed Result (claude) ---',
      'Status: FAIL',
      `Review: ${join(project.logDir, 'review_src_q_claude@1.1.json')}`,
      '1. src/a.txt:1 - Two is too much',
      '   Fix: Say one',
      'Note: 1 out-of-scope violations filtered',
      'Review result (claude@1): fail - Found 1 violation',
      'Result: fail - Found 1 violation',
    ]);
  });

  it('passes when nothing of what is objected to lies in the difference', async () => {
    project.answers('claude', fail(violation({ line: 7 }), violation({ file: 'other.txt' })));
    const result = await project.reviewRun();
    expect(result.status).toBe('passed');
    expect(result.gates[0]?.message).toBe('Passed (2 out-of-scope violations filtered)');
  });

  it('fails on a refusal that names nothing, in words that can be answered', async () => {
    project.answers('claude', { status: 'fail', message: 'I do not like it' });
    expect((await project.reviewRun()).status).toBe('failed');
    expect(project.file('review_src_q_claude@1.1.json').violations).toEqual([
      { file: 'unknown', issue: 'I do not like it', priority: 'high', status: 'new' },
    ]);
  });
});

describe('what a reviewer is given', () => {
  it('is the prompt, the form of the answer and the difference, untracked files included', async () => {
    project.write('src/new.txt', 'fresh\n');
    project.answers('claude', PASS);
    await project.reviewRun({ prompt: 'Be strict.' });
    const [call] = project.calls('claude');
    expect(call?.prompt).toMatch(/^Be strict\.\n\nAnswer with exactly one JSON object/);
    const diff = call?.prompt.slice(call.prompt.indexOf('\n\n--- DIFF ---\n')) ?? '';
    expect(diff).toContain('-one\n+two\n');
    expect(diff).toContain('+++ b/src/new.txt');
    expect(diff).toContain('+fresh');
  });

  it('has the commits of the branch, and nothing of what came to the base since', async () => {
    project.git('commit', '-qam', 'mine');
    project.git('checkout', '-q', 'main');
    project.write('src/theirs.txt', 'theirs\n');
    project.git('add', '.');
    project.git('commit', '-qm', 'theirs');
    project.git('push', '-q', 'origin', 'main');
    project.git('checkout', '-q', 'feat');
    project.answers('claude', PASS);
    await project.reviewRun();
    expect(project.calls('claude')[0]?.prompt).toContain('+two');
    expect(project.calls('claude')[0]?.prompt).not.toContain('theirs');
  });

  it('leaves out what the entry point excludes or does not reach', async () => {
    project.write('src/gen/big.txt', 'generated\n');
    project.write('docs/d.md', 'docs\n');
    project.answers('claude', PASS);
    await project.reviewRun(
      {},
      { entryPoints: [entry({ path: 'src', exclude: ['src/gen'], reviews: ['q'] })] },
    );
    expect(project.calls('claude')[0]?.prompt).not.toMatch(/generated|docs/);
  });

  it('is cut file by file where it is too long, and says so', async () => {
    project.write('src/long.txt', 'a line of text\n'.repeat(40_000));
    project.answers('claude', fail(violation({ file: 'src/long.txt', line: 39_999 })));
    const result = await project.reviewRun();
    const prompt = project.calls('claude')[0]?.prompt ?? '';
    expect(prompt.length).toBeLessThan(310_000);
    expect(prompt).toContain('Parts are left out of: src/long.txt.');
    expect(prompt).toContain('+two');
    expect(prompt).toMatch(/\[… \d+ more lines of this file's diff left out …\]/);
    expect(result.gates[0]?.message).toBe('Found 1 violation');
  });

  it('is only the commit that was asked for', async () => {
    project.git('commit', '-qam', 'mine');
    project.write('src/a.txt', 'three\n');
    project.answers('claude', PASS);
    await project.reviewRun({}, {}, { select: { cache: true, commit: 'HEAD' } });
    expect(project.calls('claude')[0]?.prompt).toContain('+two');
    expect(project.calls('claude')[0]?.prompt).not.toContain('three');
  });

  it('is only what is not committed, if that was asked for', async () => {
    project.git('commit', '-qam', 'mine');
    project.write('src/a.txt', 'three\n');
    project.answers('claude', PASS);
    await project.reviewRun({}, {}, { select: { cache: true, uncommitted: true } });
    expect(project.calls('claude')[0]?.prompt).toContain('-two\n+three');
  });

  it('is only what has changed since the review passed', async () => {
    project.write('src/old.txt', 'seen\n');
    project.answers('claude', PASS);
    await project.reviewRun({ cache: true });
    project.write('src/new.txt', 'unseen\n');
    await project.reviewRun({ cache: true });
    expect(project.calls('claude')[1]?.prompt).toContain('unseen');
    expect(project.calls('claude')[1]?.prompt).not.toContain('+seen');
  });

  it('comes with an environment in which no hook of ours speaks', async () => {
    project.answers('claude', PASS);
    const env = {
      ...project.env,
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      NODE_EXTRA_CA_CERTS: '',
      HOLDPOINT_NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    };
    await project.reviewRun({}, {}, { env });
    const { env: given } = project.calls('claude')[0] ?? { env: {} };
    expect(given).toMatchObject({
      GAUNTLET_STOP_HOOK_ACTIVE: '1',
      HOLDPOINT_DISABLE: '1',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    });
    expect(Object.keys(given)).not.toContain('CLAUDECODE');
  });
});

describe('the model of a review reaches', () => {
  it.each<[ReviewerName, string, string[]]>([
    ['claude', 'claude', ['-p', '--model', 'm1', '--allowedTools', 'Read,Glob,Grep']],
    ['codex', 'codex', ['-m', 'm1', '-']],
    ['gemini', 'gemini', ['--output-format', 'text', '-m', 'm1']],
    ['cursor', 'agent', ['--model', 'm1']],
    ['github-copilot', 'copilot', ['--deny-tool', 'write', '--model', 'm1']],
  ])('%s', async (name, program, part) => {
    project.answers(program, PASS);
    const preference = { reviewers: { preference: [name], checkUsageLimit: false } };
    expect((await project.reviewRun({ model: 'm1', preference: [name] }, preference)).status).toBe('passed');
    expect(project.calls(program)[0]?.args.join(' ')).toContain(part.join(' '));
  });
});

describe('several reviewers', () => {
  it('take the slots in turn, and one objection fails the review', async () => {
    project.answers('claude', PASS);
    project.answers('codex', fail(violation()));
    const result = await project.reviewRun({ preference: ['claude', 'codex'], numReviews: 3 });
    expect(result.status).toBe('failed');
    expect(result.gates[0]?.slots?.map(({ slot, status }) => [slot, status])).toEqual([
      ['claude@1', 'pass'],
      ['codex@2', 'fail'],
      ['claude@3', 'pass'],
    ]);
  });

  it('must all have answered', async () => {
    project.reviewer('claude', `[ $n = 1 ] || exit 5; echo '{"status":"pass"}'`);
    const result = await project.reviewRun({ numReviews: 2, parallel: false });
    expect(result.status).toBe('infrastructure_error');
    expect(result.gates[0]?.message).toMatch(/Expected: 2, Completed: 1\. claude@2: Exited with code 5/);
  });
});

it('the files of a review can be read by their owner, whatever the reviewer printed', async () => {
  project.reviewer('claude', `printf '\\033[31mred\\033[0m \\377 {"status":"pass"}'`);
  expect((await project.reviewRun()).status).toBe('passed');
  const file = join(project.logDir, 'previous/review_src_q_claude@1.1.json');
  expect(existsSync(file) && statSync(file).size).toBeGreaterThan(0);
});
