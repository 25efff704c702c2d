import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import type { Verdict } from '../../../src/core/verdict';
import { STANDSTILL } from '../../../src/guards/loop/messages';
import * as scene from './scene';

const { S, S1, frame, looping, ours, outcomeOf, saying, sentence, stop } = scene;
const ONE = looping([frame(1, 10)]);
const LIVE = { sessions: { [S1]: { heartbeat: scene.NOW - 1000, wrote: true, since: 5 } } };

const QUIET = { sessions: { [S1]: { heartbeat: scene.NOW, wrote: false, since: 5 } } };

describe('a stop that another guard refuses', () => {
  test.each<[string, Verdict]>([
    ['holds', { kind: 'hold', reason: 'not yet', grounds: [] }],
    ['denies', { kind: 'deny', reason: 'no', grounds: [] }],
    ['asks', { kind: 'ask', reason: 'may I', grounds: [] }],
  ])('is not counted, and its signal not accepted, where the other %s', (_how, verdict) => {
    const earlier = [{ guard: 'gates', verdict } as const];
    expect(outcomeOf(saying(S), ONE, scene.CONFIG, { earlier })).toMatchObject({ reason: '', changes: [] });
  });

  test('is counted where the others only advise', () => {
    const earlier = [{ guard: 'gates', verdict: { kind: 'advise', toPerson: 'x', grounds: [] } } as const];
    expect(outcomeOf(stop(), ONE, scene.CONFIG, { earlier }).reason).toBe(sentence(2, 10));
  });
});

describe('a refused stop', () => {
  test('says by which rule, on which fact, what clears it and who may waive it', () => {
    const { verdict } = outcomeOf(stop(), ONE);
    expect(verdict).toMatchObject({
      kind: 'hold',
      grounds: [
        {
          rule: 'loop',
          fact: expect.stringContaining('iteration 2 of 10'),
          clear: 'holdpoint loop cancel',
          waive: expect.stringContaining('/cancel-loop'),
        },
      ],
    });
  });

  test('is a sign of life, and begins an iteration in which nothing was written yet', () => {
    expect(outcomeOf(stop(), ONE).live).toEqual({
      sessions: { [S1]: { heartbeat: scene.NOW, wrote: false, since: scene.NOW } },
    });
    expect(outcomeOf(stop(), { ...ONE, live: LIVE }).live).toEqual({
      sessions: { [S1]: { heartbeat: scene.NOW, wrote: false, since: 5 } },
    });
  });

  test('is plain where the config wants no exit code 2', () => {
    const config = { ...scene.CONFIG, output: 'exit0-json' } as const;
    expect(outcomeOf(stop(), ONE, config).verdict).toMatchObject({ reason: sentence(2, 10), plain: true });
    expect(outcomeOf(stop(), ONE).verdict).not.toHaveProperty('plain');
  });

  test('is exactly the sentence where near misses are not wanted', () => {
    const config = { ...scene.CONFIG, nearMiss: false };
    expect(outcomeOf(saying(`\`${S}\``), ONE, config).reason).toBe(sentence(2, 10));
  });
});

describe('a turn that was broken off', () => {
  test.each(['aborted', 'error'] as const)('(%s) is neither refused nor counted', (status) => {
    expect(outcomeOf(stop({ status }), ONE)).toMatchObject({ reason: '', changes: [] });
  });
});

describe('a loop that ends', () => {
  test('takes its sign of life with it, and the file when it was the last', () => {
    expect(outcomeOf(saying(S), { ...ONE, live: LIVE }).live).toBeUndefined();
    const both = { sessions: { ...LIVE.sessions, [scene.S2]: { heartbeat: 1, wrote: false, since: 1 } } };
    expect(outcomeOf(saying(S), { ...ONE, live: both }).live).toEqual({
      sessions: { [scene.S2]: { heartbeat: 1, wrote: false, since: 1 } },
    });
  });

  test.each([
    ['on completion', { file: '---\nactive: true\niteration: 2\nmax_iterations: 10\n---\n' }, S],
    ['at its bound', { file: '---\nactive: true\niteration: 10\nmax_iterations: 10\n---\n' }, 'x'],
    ['when it is corrupt', { file: '---\nactive: true\niteration: ten\nmax_iterations: 10\n---\n' }, 'x'],
  ])('takes the fallback file with it %s', (_when, world, text) => {
    const outcome = outcomeOf(saying(text), world);
    expect(outcome.reason).toBe('');
    expect(outcome.changes.length).toBeGreaterThan(0);
    expect(outcome.file).toBeUndefined();
  });
});

describe('<loop-pause>', () => {
  test('on its own line pauses, tells the person, and counts nothing', () => {
    const outcome = outcomeOf(saying('I need the key.\n<loop-pause>which key?</loop-pause>'), {
      ...ONE,
      live: LIVE,
    });
    expect(outcome.reason).toBe('');
    expect(outcome.next).toMatchObject({
      event: 'STATE',
      paused: { reason: 'which key?' },
      stack: [frame(1, 10)],
    });
    expect(scene.toPerson(outcome)).toContain('which key?');
    expect(outcome.live).toBeUndefined();
    const rested = { store: 'shared', messages: [outcome.next as JsonObject] } as const;
    expect(outcomeOf(saying(S), rested)).toMatchObject({ reason: '', writes: 0 });
  });

  test.each([
    ['in code', '`<loop-pause>x</loop-pause>`'],
    ['in prose', 'say <loop-pause>x</loop-pause> to pause'],
    ['half', '<loop-pause>x'],
    ['twice on a line', '<loop-pause>x</loop-pause><loop-pause>y</loop-pause>'],
  ])('%s does not', (_how, text) => {
    expect(outcomeOf(saying(text), ONE).reason).not.toBe('');
  });

  test('yields to a completion signal', () => {
    const text = `<loop-pause>x</loop-pause>\n\n${S}`;
    expect(outcomeOf(saying(text), ONE).next).toMatchObject({ event: 'DONE' });
  });

  test('is kept in the fallback file in a line of its own', () => {
    const file = '---\r\nactive: true\r\niteration: 2\r\nmax_iterations: 9\r\n---\r\ntask';
    const outcome = outcomeOf(saying('<loop-pause>why: "x"</loop-pause>'), { file });
    expect(outcome.file).toBe(file.replace('9\r\n---', '9\r\npaused: why: \\"x\\"\r\n---'));
    expect(outcomeOf(saying('x'), { file: outcome.file ?? '' })).toMatchObject({ reason: '', changes: [] });
  });

  test.each([true, 'soon', { reason: 'x' }, {}])('written as %j by others rests just the same', (paused) => {
    expect(outcomeOf(stop(), looping([frame(1, 10)], { paused }))).toMatchObject({ reason: '', writes: 0 });
  });

  test.each([false, null])('written as %j is no pause', (paused) => {
    expect(outcomeOf(stop(), looping([frame(1, 10)], { paused })).reason).not.toBe('');
  });
});

describe('standing still', () => {
  const quiet = { [`${scene.ROOT}/.git/index`]: { kind: 'file', size: 10, mtimeMs: 5 } } as const;

  function run(text: (round: number) => string, world: (round: number) => scene.World, rounds = 6): string[] {
    let body: JsonObject = scene.state([ours(1, 100)]);
    const said: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      const before = { store: 'shared', messages: [body], live: QUIET, ...world(round) } as const;
      const outcome = outcomeOf(saying(text(round)), before);
      said.push(
        outcome.reason === ''
          ? String(outcome.next?.['reason'])
          : outcome.reason.includes(STANDSTILL)
            ? 'told'
            : '',
      );
      if (outcome.reason === '') break;
      body = outcome.next ?? body;
    }
    return said;
  }

  test('is told after three equal iterations and ends the loop at the fifth', () => {
    expect(
      run(
        () => 'same',
        () => ({ files: quiet }),
      ),
    ).toEqual(['', '', 'told', 'told', 'NO_PROGRESS']);
  });

  test.each<[string, (round: number) => string, (round: number) => scene.World]>([
    ['other words', (round) => `round ${round}`, () => ({ files: quiet })],
    [
      'a staged file',
      () => 'same',
      (round) => ({ files: { [`${scene.ROOT}/.git/index`]: { kind: 'file', size: 10, mtimeMs: round } } }),
    ],
    [
      'a commit',
      () => 'same',
      (round) => ({
        files: {
          ...quiet,
          [`${scene.ROOT}/.git/refs/heads/main`]: { kind: 'marked', mark: `${round}`.repeat(40) },
        },
      }),
    ],
    [
      'a commit in packed references',
      () => 'same',
      (round) => ({
        files: { ...quiet, [`${scene.ROOT}/.git/packed-refs`]: { kind: 'file', size: 9, mtimeMs: round } },
      }),
    ],
    ['a tool that can write', () => 'same', () => ({ files: quiet, live: LIVE })],
  ])('is not: %s', (_what, text, world) => {
    expect(run(text, world)).toEqual(['', '', '', '', '', '']);
  });

  test('is nobody’s business in a frame that others wrote, or where it is switched off', () => {
    const other = outcomeOf(saying('same'), looping([frame(1, 10)], {}, { files: quiet }));
    expect(other.next?.['stack']).toEqual([frame(2, 10)]);
    const config = { ...scene.CONFIG, stall: false };
    const progress = { head: '', index: '10-5', text: 'x', streak: 9 };
    const still = { files: quiet, live: QUIET };
    const off = outcomeOf(saying('same'), looping([ours(1, 10, { progress })], {}, still), config);
    expect(off.reason).toBe(sentence(2, 10));
  });

  test('is nobody’s business where no signs of life are kept, so that no tool would be noted', () => {
    const world = () => ({ files: quiet, live: { sessions: {} } });
    expect(run(() => 'same', world)).toEqual(['', '', '', '', '', '']);
  });

  test('tells the person how to go on', () => {
    const progress = { head: '', index: '10-5', text: '', streak: 4 };
    const world = looping([ours(1, 10, { progress })], {}, { files: quiet, live: QUIET });
    const outcome = outcomeOf(scene.silent(), {
      ...world,
      messages: [scene.state([ours(1, 10, { progress: { ...progress, text: '0' } })])],
    });
    expect(scene.toPerson(outcome)).toContain('holdpoint loop resume');
    expect(outcome.next).toMatchObject({ reason: 'NO_PROGRESS', archived_stack: [{ iter: 1 }] });
  });
});

describe('the task', () => {
  const inside = `${scene.OWN_DIR}/loop-prompts/r1.txt`;
  const file = (text: string) => ({ kind: 'file', size: text.length, mtimeMs: 1, text }) as const;

  test('follows the sentence where the frame asks for it', () => {
    const world = looping(
      [ours(1, 10, { include_prompt: true, prompt_file: inside })],
      {},
      { files: { [inside]: file('Fix $(rm)\n\n"it"\n') } },
    );
    expect(outcomeOf(stop(), world).reason).toBe(`${sentence(2, 10)}\n\nThe task:\nFix $(rm)\n\n"it"`);
  });

  test.each([
    ['not asked for', { prompt_file: inside }],
    ['asked for, but lies nowhere', { include_prompt: true }],
  ])('does not where it is %s', (_what, more) => {
    const world = looping([ours(1, 10, more)], {}, { files: { [inside]: file('task') } });
    expect(outcomeOf(stop(), world)).toMatchObject({ reason: sentence(2, 10), odd: [] });
  });

  test.each(['/etc/passwd', `${scene.OWN_DIR}/../../secret`, '../../../etc/passwd', scene.OWN_DIR])(
    'is not read from %s',
    (prompt_file) => {
      const files = { [prompt_file]: file('secret'), '/etc/passwd': file('secret') };
      const world = looping([ours(1, 10, { include_prompt: true, prompt_file })], {}, { files });
      const outcome = outcomeOf(stop(), world);
      expect(outcome.reason).toBe(sentence(2, 10));
      expect(outcome.odd[0]).toContain(prompt_file);
    },
  );
});
