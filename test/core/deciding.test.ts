import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type DocumentRef, documentKey } from '../../src/core/document';
import { outcome } from '../../src/core/guard';
import type { Json } from '../../src/core/json';
import { documentIn, type Snapshot } from '../../src/core/snapshot';
import type { Spoken } from '../../src/core/verdict';
import { NOTHING } from '../../src/core/verdict';
import { REGISTRY } from '../../src/state/sessions';
import { makeRig, preTool, type Rig, type Scripted, SILENT, scriptedChunks, spoken, stopEvent } from './rig';

let rig: Rig;
afterEach(() => rig.remove());
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};
const document = (path: string): DocumentRef => ({ base: 'git', path, format: 'json', keeping: 'durable' });
const ground = [{ rule: 'r', fact: 'f' }];

describe('the guards', () => {
  test('speak in the order of the config, and each hears those before it', async () => {
    const heard: [string, readonly Spoken[]][] = [];
    const guard = (name: 'requirements' | 'workflow' | 'loop'): Scripted => ({
      name,
      decide: (_event, _config, _snapshot, { earlier }) => {
        heard.push([name, [...earlier]]);
        return outcome({ kind: 'advise', toAgent: `from ${name}`, grounds: ground });
      },
    });
    const answer = await play(guard('requirements'), guard('workflow'), guard('loop')).send(preTool());
    expect(heard.map(([name, earlier]) => [name, earlier.map((one) => one.guard)])).toEqual([
      ['requirements', []],
      ['workflow', ['requirements']],
      ['loop', ['requirements', 'workflow']],
    ]);
    expect(heard[2]?.[1][0]?.verdict).toMatchObject({ kind: 'advise', toAgent: 'from requirements' });
    expect(spoken(answer)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext: 'from requirements\n\nfrom workflow\n\nfrom loop',
      },
    });
  });

  test('get their own part of the config', async () => {
    const got: Json[] = [];
    const guard = (name: 'requirements' | 'gates', config: Json): Scripted => ({
      name,
      config,
      decide: (_event, mine) => {
        got.push(mine);
        return outcome(NOTHING);
      },
    });
    await play(guard('requirements', { a: 1 }), guard('gates', { b: 2 })).send(preTool());
    expect(got).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('are not loaded for an event that does not concern them', async () => {
    const decide = (): never => {
      throw new Error('asked');
    };
    play({ name: 'gates', interests: [{ kind: 'tool.before', tools: ['Edit'] }], decide });
    expect(await rig.send(preTool('Bash'))).toMatchObject(SILENT);
    expect((await rig.send(preTool('Edit'))).stderr).toContain('asked');
  });

  test('that say nothing leave nothing behind', async () => {
    expect(await play({ name: 'gates' }).send(preTool())).toMatchObject(SILENT);
    expect(rig.journal()).toEqual([]);
  });
});

describe('what a guard needs', () => {
  test('is read until it asks for nothing new, so that one document may name another', async () => {
    let seen: Snapshot | undefined;
    let asked = 0;
    play({
      name: 'workflow',
      needs: (_event, _config, known) => {
        asked++;
        const first = documentIn(known, document('first.json'));
        const next = first.kind === 'present' ? [document(String(first.value))] : [];
        return {
          documents: [document('first.json'), ...next],
          env: ['WANTED'],
          files: [{ path: 'a.txt', maxTextBytes: 3 }],
        };
      },
      decide: (_event, _config, snapshot) => {
        seen = snapshot;
        return outcome(NOTHING);
      },
    });
    rig.write('.git/first.json', '"second.json"');
    rig.write('.git/second.json', '{"deep":true}');
    rig.write('a.txt', 'abcdef');
    await rig.send(preTool(), { env: { WANTED: 'w', SECRET: 's' } });
    expect(asked).toBe(3);
    expect(seen && documentIn(seen, document('second.json'))).toMatchObject({
      kind: 'present',
      value: { deep: true },
    });
    expect(seen?.env).toEqual({ WANTED: 'w' });
    expect(seen?.files.get('a.txt')).toMatchObject({ kind: 'file', size: 6, text: 'abc' });
  });

  test('is not read for ever, though each answer leads to another question', async () => {
    let asked = 0;
    play({ name: 'workflow', needs: () => ({ documents: [document(`${asked++}.json`)] }) });
    expect(await rig.send(preTool())).toMatchObject(SILENT);
    expect(asked).toBeLessThan(10);
  });

  test.each<[string, (number | undefined)[], string]>([
    ['one guard wants only its size, the next its text', [undefined, 100], 'abcdef'],
    ['one guard wants its start, the next more of it', [2, 100], 'abcdef'],
    ['one guard wants more than the next', [100, 2], 'abcdef'],
    ['of an empty one too', [undefined, 100], ''],
  ])('holds as much of a file as anybody asked for: %s', async (_, lengths, expected) => {
    const facts: unknown[] = [];
    const guard = (name: 'requirements' | 'gates', bytes: number | undefined): Scripted => ({
      name,
      needs: () => ({ files: [{ path: 'a.txt', ...(bytes !== undefined && { maxTextBytes: bytes }) }] }),
      decide: (_event, _config, snapshot) => {
        facts.push(snapshot.files.get('a.txt'));
        return outcome(NOTHING);
      },
    });
    play(guard('requirements', lengths[0]), guard('gates', lengths[1]));
    rig.write('a.txt', expected);
    await rig.send(preTool());
    expect(facts).toEqual([
      expect.objectContaining({ text: expected }),
      expect.objectContaining({ text: expected }),
    ]);
  });

  test('tells of live sessions, even where the registry was read as a document before', async () => {
    let seen: Snapshot | undefined;
    play({
      name: 'requirements',
      needs: (_event, _config, known) =>
        known.documents.has(documentKey(REGISTRY)) ? { sessions: true } : { documents: [REGISTRY] },
      decide: (_event, _config, snapshot) => {
        seen = snapshot;
        return outcome(NOTHING);
      },
    });
    await rig.send(preTool(), { env: { CLAUDE_PID: String(process.pid) } });
    expect(seen?.hostProcess.pid).toBe(process.pid);
  });
});

describe('a document that moves between reading and writing', () => {
  const counter = document('counter.json');
  const valueIn = (snapshot: Snapshot): number => {
    const found = documentIn(snapshot, counter);
    return found.kind === 'present' ? Number(found.value) : 0;
  };

  test('makes the guard decide again on what is there now, and nothing is lost', async () => {
    const decidedOn: number[] = [];
    play({
      name: 'requirements',
      needs: () => ({ documents: [counter] }),
      decide: (_event, _config, snapshot) => {
        const value = valueIn(snapshot);
        decidedOn.push(value);
        if (decidedOn.length === 1) writeFileSync(join(rig.root, '.git/counter.json'), '41');
        const apply = (current: Json | undefined): Json => Math.max(Number(current ?? 0), value + 1);
        return outcome({ kind: 'deny', reason: `saw ${value}`, grounds: ground }, [
          { document: counter, what: 'count', apply },
        ]);
      },
    });
    rig.write('.git/counter.json', '1');
    const answer = await rig.send(preTool());
    expect(decidedOn).toEqual([1, 41]);
    expect(answer.stdout).toContain('saw 41');
    expect(readFileSync(join(rig.root, '.git/counter.json'), 'utf8').trim()).toBe('42');
    expect(rig.journal()).toHaveLength(1);
  });

  test('may make a guard ask for work that it had not asked for before', async () => {
    const calls: string[] = [];
    play(
      {
        name: 'requirements',
        needs: () => ({ documents: [counter] }),
        decide: (_event, _config, snapshot) => {
          if (valueIn(snapshot) > 0) return outcome(NOTHING);
          writeFileSync(join(rig.root, '.git/counter.json'), '1');
          const change = { document: document('other.json'), what: 'held', apply: () => 'held' };
          return outcome({ kind: 'hold', reason: 'not yet', grounds: ground }, [change]);
        },
      },
      {
        name: 'gates',
        effect: async () => {
          calls.push('ran');
          return 'red';
        },
        decide: (_event, _config, _snapshot, { earlier, effectResult }) => {
          if (earlier.some(({ verdict }) => verdict.kind === 'hold')) return outcome(NOTHING);
          if (effectResult === undefined) return { kind: 'effect', name: 'run', input: null };
          return outcome({ kind: 'hold', reason: `gates are ${String(effectResult)}`, grounds: ground });
        },
      },
    );
    const answer = await rig.send(stopEvent());
    expect(calls).toEqual(['ran']);
    expect(spoken(answer)).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('gates are red'),
    });
  });
});
