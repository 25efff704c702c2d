import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processState } from '../../src/exec/processes';
import { commandFile, type Ended, makeRig, type Rig, runNow } from './rig';
import { until } from './stop-hook-project';

const CONFIG = `base_branch: main
cli: { default_preference: [claude, codex] }
entry_points: [{ path: src, reviews: [q] }]
`;
const JSON_1 = 'review_src_q_claude@1.1.json';

let rig: Rig;
let bin: string;

const gauntlet = (args: readonly string[], input = ''): Ended =>
  runNow('agent-gauntlet', args, input, { cwd: rig.repo, env: rig.environment({ PATH: bin }) });
const logDir = (name = ''): string => join(rig.repo, 'gauntlet_logs', name);
const violation = (line: number, issue: string): object => ({
  file: 'src/a.txt',
  line,
  issue,
  fix: 'Take it out',
  priority: 'high',
  status: 'new',
});

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\ncat > '${bin}/${name}.prompt'\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

function prints(name: string, text: string): void {
  writeFileSync(join(bin, `${name}.answer`), text);
  program(name, `cat '${bin}/${name}.answer'`);
}

beforeEach(() => {
  rig = makeRig(CONFIG, '.gauntlet/config.yml');
  bin = join(rig.dir, 'bin');
  mkdirSync(bin);
  for (const tool of ['git', 'sh', 'cat', 'sleep', 'mv']) {
    const found = execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    symlinkSync(found, join(bin, tool));
  }
  rig.write('.gauntlet/reviews/q.md', '---\nmodel: sonnet\n---\nBe strict.\n');
  rig.write('.gitignore', 'gauntlet_logs\n');
  rig.write('src/a.txt', 'one\n');
  rig.git('add', '.');
  rig.git('commit', '-qm', 'start');
  rig.git('branch', 'main');
  rig.write('src/a.txt', 'one\ntwo\nthree\n');
});
afterEach(() => rig.remove());

it('a reviewer sees what the agent has committed to the base branch itself', () => {
  prints('claude', objecting());
  const event = { session_id: 's', cwd: rig.repo };
  const hook = (more: object) => rig.hook({ ...event, ...more }, { env: { PATH: bin } });
  rig.git('checkout', '-q', 'main');
  hook({ hook_event_name: 'SessionStart', source: 'startup' });
  rig.git('commit', '-qam', 'work');
  const stop = { hook_event_name: 'Stop', stop_hook_active: false, prompt_id: 'p' };
  expect(hook(stop).json).toMatchObject({ decision: 'block', status: 'failed' });
  expect(readFileSync(`${bin}/claude.prompt`, 'utf8')).toContain('\n+two\n+three\n');
});

it('a reviewer sees a change that replace refs would hide', () => {
  prints('claude', objecting());
  const [before, after] = [rig.git('rev-parse', 'main:src/a.txt'), rig.git('hash-object', '-w', 'src/a.txt')];
  rig.git('replace', before.trim(), after.trim());
  expect(gauntlet(['run']).exitCode).toBe(1);
  expect(readFileSync(`${bin}/claude.prompt`, 'utf8')).toContain('\n+two\n+three\n');
});

/** Three violations in a marked block, the last of them outside of the difference. */
function objecting(): string {
  const violations = [violation(2, 'Two is bad'), violation(3, 'Three too'), violation(1, 'One was there')];
  return `I read it.\n\n\`\`\`json\n${JSON.stringify({ status: 'fail', violations })}\n\`\`\`\n`;
}

describe('a reviewer that objects', () => {
  it('fails the run with what concerns the difference, and its file holds the rest of the story', () => {
    prints('claude', objecting());
    const ended = gauntlet(['run']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('[FAIL]  review:src:q (claude@1)');
    expect(ended.stderr).toContain(`Review: ${logDir(JSON_1)}`);
    expect(rig.readJson(logDir(JSON_1))).toMatchObject({
      adapter: 'claude',
      status: 'fail',
      rawOutput: objecting(),
      violations: [violation(2, 'Two is bad'), violation(3, 'Three too')],
    });
    const log = readFileSync(logDir('review_src_q_claude@1.1.log'), 'utf8');
    expect(log).toContain('1 out-of-scope violations filtered');
  });

  it('is content with reasons: all skipped, the run passes with warnings and tells them', () => {
    prints('claude', objecting());
    gauntlet(['run']);
    mark('skipped', 'It is a list of numbers');
    prints('claude', '{"status":"pass","message":"ok"}');
    const ended = gauntlet(['run']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('Status: Passed with warnings');
    expect(ended.stderr).toContain('⊘ Skipped: review:src:q (claude@1) - src/a.txt:2 - Two is bad');
    expect(ended.stderr).toContain('Reason: It is a list of numbers');
    expect(readdirSync(logDir()).filter((name) => !name.startsWith('.'))).toEqual(['previous']);
  });

  it('is not got round by silence: without an answer to its findings no run passes', () => {
    prints('claude', objecting());
    gauntlet(['run']);
    rig.write('src/a.txt', 'one\nother\n');
    prints('claude', '{"status":"pass","message":"ok"}');
    const ended = gauntlet(['run', '--json']);
    expect(ended.exitCode).toBe(1);
    expect(ended.json).toMatchObject({ status: 'failed', gates: [{ id: 'review:src:q', status: 'fail' }] });
    mark('fixed', 'Taken out', 'review_src_q_claude@1.2.json');
    expect(gauntlet(['run']).stderr).toContain('✓ Fixed: review:src:q (claude@1) - src/a.txt:2 - Two is bad');
  });
});

it('a finding that is skipped without a reason is still open, and the run says so', () => {
  prints('claude', objecting());
  gauntlet(['run']);
  mark('skipped', ' ');
  prints('claude', '{"status":"pass","message":"ok"}');
  const ended = gauntlet(['run']);
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toContain(
    `${logDir(JSON_1)} has a violation skipped without a reason in "result" (Two is bad). It counts as open.`,
  );
});

it('reads a review with Windows line ends, last line of the front matter included', () => {
  const text = '---\nmodel: sonnet\ncli_preference: [claude]\nnum_reviews: 2\n---\nBe strict.\n';
  rig.write('.gauntlet/reviews/q.md', text.replaceAll('\n', '\r\n'));
  expect(gauntlet(['validate']).stdout).toContain('All config files are valid.');
});

describe('a reviewer that cannot be asked', () => {
  it('is named where none is installed, and nothing is blamed on the code', () => {
    const ended = gauntlet(['review']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(
      /no healthy adapters available \(claude: Command not found; codex: Command not found\)/,
    );
  });

  it('does not keep the agent from stopping', () => {
    const ended = gauntlet(['stop-hook'], '{"stop_hook_active":false}');
    expect(ended.exitCode).toBe(0);
    expect(ended.json).toMatchObject({
      decision: 'approve',
      status: 'infrastructure_error',
      message: expect.stringContaining('claude: Command not found'),
    });
  });

  it('gives its slot to the next when its quota is used up', () => {
    rig.write('.gauntlet/config.yml', CONFIG.replace('codex] }', 'codex], check_usage_limit: true }'));
    prints('claude', 'Claude AI usage limit reached');
    prints('codex', objecting());
    expect(gauntlet(['run']).exitCode).toBe(1);
    expect(existsSync(logDir('review_src_q_codex@1.1.json'))).toBe(true);
    expect(readFileSync(join(bin, 'claude.prompt'), 'utf8')).toBe('hello');
  });
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s during a review leaves no reviewer and hinders no later run',
  async (signal) => {
    program('claude', `echo $$ > '${bin}/pid.tmp'; mv '${bin}/pid.tmp' '${bin}/pid'; sleep 60`);
    const child = spawn(process.execPath, [commandFile('agent-gauntlet'), 'run'], {
      cwd: rig.repo,
      env: rig.environment({ PATH: bin }),
      stdio: 'ignore',
    });
    const closed = new Promise((resolve) => child.on('close', resolve));
    await until(() => existsSync(join(bin, 'pid')));
    child.kill(signal);
    expect(await closed).toBe(signal === 'SIGTERM' ? 143 : null);
    const reviewer = Number(readFileSync(join(bin, 'pid'), 'utf8'));
    await until(() => processState(reviewer) === 'dead');
    prints('claude', '{"status":"pass"}');
    expect(gauntlet(['run']).exitCode).toBe(0);
  },
);

function mark(status: string, result: string, name = JSON_1): void {
  const content = rig.readJson(logDir(name)) as { violations: object[] };
  const violations = content.violations.map((one) => ({ ...one, status, result }));
  writeFileSync(logDir(name), JSON.stringify({ ...content, violations }));
}
