import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../core/json';
import { ownDist, shellWord } from '../install/launch';

const SESSION = '5e551011-0000-4000-8000-000000000001';

/** The file that the agent is asked to change. */
export const SOURCE = 'src/price.js';

const FILES = {
  'package.json': '{ "scripts": { "test": "node --test" } }\n',
  [SOURCE]: 'exports.total = (items) => items.reduce((sum, { price, count }) => sum + price * count, 0);\n',
  'test/price.test.js': `const { test } = require('node:test');
const { strictEqual } = require('node:assert');
const { total } = require('../src/price');

test('total adds up prices', () => strictEqual(total([{ price: 5, count: 2 }]), 10));
`,
};

export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export type Stage = ReturnType<typeof buildStage>;

/** A scratch repository and home; nothing else is read or written. Leaves nothing behind if it throws. */
export function buildStage() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-try-')));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  try {
    return { ...setUp(join(scratch, 'shop'), join(scratch, 'home')), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function setUp(repository: string, home: string) {
  const bin = join(home, 'bin');
  const path = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(':');
  const env = { PATH: path, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  mkdirSync(bin, { recursive: true });
  for (const name of ['holdpoint', 'req']) {
    const words = [process.execPath, join(ownDist(), `${name}.cjs`)].map(shellWord).join(' ');
    const script = `#!/bin/sh\nexec ${words} "$@"\n`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  }
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), text);
  }
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: repository, env });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('-c', 'user.name=try', '-c', 'user.email=try@example.invalid', 'commit', '--quiet', '-m', 'first');
  // Make it look like a clone.
  git('remote', 'add', 'origin', repository);
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  /** Runs a command line; for the agent, with the environment of the agent's shell. */
  const run = (line: string, who: 'person' | 'agent' = 'person', input?: string): Reply => {
    const agent = who === 'agent' && { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION };
    const options = { cwd: repository, env: { ...env, ...agent }, input, encoding: 'utf8' } as const;
    const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', line], options);
    return { stdout, stderr, exitCode: status };
  };
  return {
    repository,
    run,
    sendEvent: (event: JsonObject): Reply =>
      run('holdpoint hook', 'agent', JSON.stringify({ session_id: SESSION, cwd: repository, ...event })),
  };
}
