import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_FILE, makeRig, type Rig } from './rig';
import { type Answer, hasTerminals, runAtTerminal } from './terminal';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

const atTerminal = (args: string, answers: readonly Answer[]) => runAtTerminal(rig, 'req', args, answers);

describe.runIf(hasTerminals)('at a terminal (where script can make one)', () => {
  it('req init asks for a preset and writes it once the person agrees', async () => {
    const ended = await atTerminal('init', [
      ['How do you want to start?', ENTER],
      ['Which preset?', DOWN + ENTER],
      ['(strict preset)?', ENTER],
    ]);
    expect(ended.shown).toContain('Created project config (strict preset)');
    expect(ended.exitCode).toBe(0);
    expect(readFileSync(join(rig.repo, CONFIG_FILE), 'utf8')).toContain('agent_may_satisfy: false');
  });

  it('req init writes what was picked', async () => {
    const ended = await atTerminal('init', [
      ['How do you want to start?', DOWN + ENTER],
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
    const ended = await atTerminal('init', [['How do you want to start?', key]]);
    expect(ended.shown).toContain('Cancelled; nothing was written.');
    expect(ended.exitCode).toBe(1);
    expect(existsSync(join(rig.repo, '.claude'))).toBe(false);
  });

  it('req config asks where a change counts', async () => {
    rig.write(CONFIG_FILE, 'requirements: {plan: {enabled: true}}\n');
    const ended = await atTerminal('config plan --disable', [
      ['Where should this apply?', DOWN + ENTER],
      ['Write this?', ENTER],
    ]);
    expect(ended.exitCode).toBe(0);
    expect(readFileSync(join(rig.repo, CONFIG_FILE), 'utf8')).toBe(
      'requirements: {plan: {enabled: false}}\n',
    );
  });
});
