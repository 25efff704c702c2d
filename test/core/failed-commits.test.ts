import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/core/verdict';
import { type DocumentRef, type Durability, projectLockFile } from '../../src/state/documents';
import { holdElsewhere } from './foreign-lock';
import {
  makeRig,
  preTool,
  type Rig,
  type Scripted,
  scriptedChunks,
  spoken,
  startEvent,
  stopEvent,
} from './rig';

let rig: Rig;
let undo: (() => Promise<void>)[] = [];
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};
beforeEach(() => {
  undo = [];
});
afterEach(async () => {
  for (const step of undo) await step();
  rig.remove();
});

const ground = [{ rule: 'r', fact: 'f' }];
const note = (path: string, durability: Durability = 'durable'): DocumentRef => {
  return { base: 'git', path, format: 'json', durability };
};
const speaks = (verdict: Verdict, ref: DocumentRef = note('note.json')): Scripted => ({
  name: 'requirements',
  decide: (_event, _config, { change }) => {
    change({ document: ref, what: 'note', apply: () => 'noted' });
    return verdict;
  },
});
const deny = { kind: 'deny', reason: 'not before the plan', grounds: ground } as const;
const hold = { kind: 'hold', reason: 'not yet', grounds: ground } as const;

/** Ways in which nothing can be written below our own directory, also for root. */
const HINDRANCES: [string, string, () => Promise<void>][] = [
  [
    'the lock is held by another living process',
    'lock.timeout',
    async () => {
      const lock = await holdElsewhere(projectLockFile(rig.layout));
      undo.push(() => lock.release());
    },
  ],
  [
    'a plain file is where our directory should be',
    'state.write-failed',
    async () => writeFileSync(rig.layout.own, 'in the way'),
  ],
];

describe.each(HINDRANCES)('when %s', (_, code, hinder) => {
  test('a deny stands, and the failure is told', async () => {
    play(speaks(deny));
    await hinder();
    const answer = await rig.send(preTool());
    expect(spoken(answer)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('the plan'),
      },
    });
    expect(answer).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^holdpoint: .*(lock|holdpoint)/),
    });
    expect(existsSync(join(rig.root, '.git/note.json'))).toBe(false);
  });

  test('a refused stop falls, and the person is told why', async () => {
    play(speaks(hold));
    await hinder();
    const answer = await rig.send(stopEvent());
    expect(answer.exitCode).toBe(0);
    expect(spoken(answer)).toEqual({
      systemMessage: expect.stringContaining(
        `requirements would hold it: the hold could not be recorded (${code})`,
      ),
    });
  });

  test('what nobody holds is let through', async () => {
    play(speaks({ kind: 'nothing' }));
    await hinder();
    expect(await rig.send(preTool())).toMatchObject({ stdout: '', exitCode: 0 });
  });
});

describe('when the lock is free again', () => {
  test('a stop is refused as before', async () => {
    play({ ...speaks(hold), interests: [{ kind: 'turn.stop' }] });
    const lock = await holdElsewhere(projectLockFile(rig.layout));
    undo.push(() => lock.release());
    await rig.send(stopEvent());
    expect(rig.journal()).toMatchObject([{ decision: 'advise', failures: [{ code: 'lock.timeout' }] }]);
    await lock.release();
    expect(spoken(await rig.send(stopEvent()))).toMatchObject({ decision: 'block' });
    expect(existsSync(projectLockFile(rig.layout))).toBe(false);
  });
});

describe('when one document alone cannot be written', () => {
  const inBlocked = (durability: Durability): DocumentRef => note('requirements/x.json', durability);
  const blockDirectory = (): void => writeFileSync(join(rig.root, '.git/requirements'), 'in the way');

  test('a hold that rests on it falls', async () => {
    play(speaks(hold, inBlocked('durable')));
    blockDirectory();
    expect(spoken(await rig.send(stopEvent()))).toEqual({
      systemMessage: expect.stringContaining('could not be recorded'),
    });
  });

  test('a hold stands if it was bookkeeping, and it is counted', async () => {
    play(speaks(hold, inBlocked('bookkeeping')));
    blockDirectory();
    const answer = await rig.send(stopEvent());
    expect(spoken(answer)).toMatchObject({ decision: 'block' });
    expect(answer.stderr).toContain('requirements');
    expect(rig.record()).toMatchObject({ stops: { in_row: 1 }, degraded: [] });
  });

  test('a deny stands, and the session is marked', async () => {
    play({ ...speaks(deny, inBlocked('durable')), interests: [{ kind: 'tool.before' }] });
    blockDirectory();
    expect((await rig.send(preTool())).stdout).toContain('"permissionDecision":"deny"');
    expect(rig.record()?.degraded).toHaveLength(1);
    expect((await rig.send(startEvent())).stdout).toMatch(/failed in an earlier session/);
  });

  const uses = (pass: DocumentRef, other: DocumentRef, fails = false): Scripted => ({
    name: 'requirements',
    decide: (_event, _config, { change }) => {
      const apply = () => {
        if (fails) throw new Error('cannot be used up');
        return 'used';
      };
      change({ document: pass, what: 'used a pass', apply, holdIfUnwritten: 'its pass could be used again' });
      change({ document: other, what: 'note', apply: () => 'noted' });
      return { kind: 'nothing' };
    },
  });

  test('a call whose single-use pass was used up in another goes on', async () => {
    play(uses(note('pass.json'), inBlocked('durable')));
    blockDirectory();
    expect((await rig.send(preTool())).stdout).toBe('');
    expect(existsSync(join(rig.root, '.git/pass.json'))).toBe(true);
  });

  test.each([
    ['in it', inBlocked('durable'), note('note.json'), false],
    ['although its file was written', note('note.json'), note('note.json'), true],
  ])('a call whose single-use pass was not used up is held, %s', async (_, pass, other, fails) => {
    play(uses(pass, other, fails));
    if (!fails) blockDirectory();
    expect((await rig.send(preTool())).stdout).toContain('its pass could be used again');
  });

  test('the file in the way is untouched', async () => {
    play(speaks(deny, inBlocked('durable')));
    blockDirectory();
    await rig.send(preTool());
    expect(readFileSync(join(rig.root, '.git/requirements'), 'utf8')).toBe('in the way');
  });
});

describe('the registry in the home directory', () => {
  test('that cannot be written changes no decision', async () => {
    play(speaks({ kind: 'advise', toAgent: 'welcome', grounds: ground }));
    writeFileSync(join(rig.home, '.claude'), 'in the way');
    const answer = await rig.send(startEvent());
    expect(answer.stdout).toContain('welcome');
    expect(answer.stderr).toContain('sessions.json');
    rmSync(join(rig.home, '.claude'));
    await rig.send(startEvent());
    expect(existsSync(join(rig.home, '.claude/sessions.json'))).toBe(true);
  });
});
