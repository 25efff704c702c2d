import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_FILE, commandFile, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** The `script` of util-linux gives a program a terminal; that of other systems is called differently. */
const hasTerminals = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') === true;

/** Runs `req` at a terminal; each answer is typed when its question stands there. */
function atTerminal(
  args: string,
  answers: readonly (readonly [question: string, keys: string])[],
): Promise<{ shown: string; exitCode: number | null }> {
  const command = `stty cols 120 rows 40; exec '${process.execPath}' '${commandFile('req')}' ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: rig.repo,
    env: rig.environment({ TERM: 'xterm', SHELL: '/bin/sh' }),
  });
  const open = [...answers];
  let shown = '';
  let from = 0;
  child.stdout.on('data', (data: Buffer) => {
    shown += data.toString();
    const [next] = open;
    const at = next === undefined ? -1 : shown.indexOf(next[0], from);
    if (next === undefined || at < 0) return;
    from = at + next[0].length;
    open.shift();
    child.stdin.write(next[1]);
  });
  return new Promise((resolve) => child.on('close', (exitCode) => resolve({ shown, exitCode })));
}

describe.runIf(hasTerminals)('at a terminal', () => {
  it('req init asks for a preset and writes it once the person agrees', async () => {
    const ended = await atTerminal('init', [
      ['How do you want to begin?', ENTER],
      ['Which preset?', DOWN + ENTER],
      ['(strict preset)?', ENTER],
    ]);
    expect(ended.shown).toContain('Created project config (strict preset)');
    expect(ended.exitCode).toBe(0);
    expect(readFileSync(join(rig.repo, CONFIG_FILE), 'utf8')).toContain('agent_may_satisfy: false');
  });

  it('req init writes what was picked', async () => {
    const ended = await atTerminal('init', [
      ['How do you want to begin?', DOWN + ENTER],
      ['Which requirements?', `${DOWN} ${ENTER}`],
      ['(custom selection)?', ENTER],
    ]);
    expect(ended.exitCode).toBe(0);
    const text = readFileSync(join(rig.repo, CONFIG_FILE), 'utf8');
    expect([...text.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name)).toEqual([
      'commit_plan',
      'adr_reviewed',
    ]);
  });

  it.each([
    ['an interrupt', CTRL_C],
    ['the end of the input', CTRL_D],
  ])('req init ends cleanly at %s, and nothing is written', async (_what, key) => {
    const ended = await atTerminal('init', [['How do you want to begin?', key]]);
    expect(ended.shown).toContain('Cancelled; nothing was written.');
    expect(ended.exitCode).toBe(1);
    expect(existsSync(join(rig.repo, '.claude'))).toBe(false);
  });

  it('req config asks where a change counts', async () => {
    rig.write(CONFIG_FILE, 'requirements: {plan: {enabled: true}}\n');
    const ended = await atTerminal('config plan --disable', [
      ['Where does this count?', DOWN + ENTER],
      ['Write this?', ENTER],
    ]);
    expect(ended.exitCode).toBe(0);
    expect(readFileSync(join(rig.repo, CONFIG_FILE), 'utf8')).toBe(
      'requirements: {plan: {enabled: false}}\n',
    );
  });
});
