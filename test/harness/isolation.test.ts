import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isolated, isolationProblem } from '../clients/isolation';
import { runningCommands } from '../clients/running-commands';

const problem = isolationProblem();
const cutOff = problem === undefined ? describe : describe.skip;

let home: string;
beforeEach(() => {
  home = join(realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-isolation-'))), "it's home");
  for (const file of ['.claude/settings.json', '.npmrc', '.nvm/node', 'code/project/a.txt']) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), `${file}\n`);
  }
});
afterEach(() => rmSync(dirname(home), { recursive: true, force: true }));

function inside(script: string, needed: readonly string[]): string {
  const [program = '', ...args] = isolated(['sh', '-c', script], home, needed);
  const { stdout, stderr, status } = spawnSync(program, args, { cwd: home, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
}

cutOff(`a program that is cut off${problem === undefined ? '' : ` [skipped: ${problem}]`}`, () => {
  it('reaches the loopback and nothing else', () => {
    expect(inside('ip -brief link', []).match(/^\w+ +\S+/gm)).toEqual(['lo               UNKNOWN']);
  });

  it('sees nothing of a home in which it needs nothing', () => {
    expect(inside(`ls -A '${home.replaceAll("'", "'\\''")}'`, ['/usr'])).toBe('');
  });

  it('sees what it needs, and no hidden file beside it', () => {
    const files = '.claude/settings.json .npmrc .nvm/node code/project/a.txt';
    const seen = inside(`cd "$PWD"; for f in ${files}; do cat "$f" 2>/dev/null || echo "no $f"; done`, [
      join(home, 'code', 'project'),
      join(home, '.nvm', 'node'),
    ]);
    expect(seen).toBe('no .claude/settings.json\n.nvm/node\ncode/project/a.txt\n');
  });

  it('leaves no process behind', () => {
    const number = `4${process.pid}`;
    inside(`sleep ${number} & exit 0`, []);
    expect(runningCommands().filter((line) => line === `sleep ${number}`)).toEqual([]);
  });
});
