import { describe, expect, test } from 'vitest';
import type { EventOf } from '../../../src/core/event';
import type { Json, JsonObject } from '../../../src/core/json';
import { NEAR_MISS } from '../../../src/guards/loop/messages';
import * as scene from './scene';

const { S, frame, grind, issue, looping, saying, sentence, state, stop } = scene;

/** What the host sees: the reason of a refused stop, or nothing. */
type Answer = readonly [n: number, max: number] | 'passes';

interface Row {
  readonly world: scene.World;
  readonly event?: EventOf<'turn.stop'>;
  readonly answer: Answer;
  /** What the new state has to hold; `undefined` when nothing may be written. */
  readonly next: JsonObject | undefined;
  readonly warns?: boolean;
  /** The signal stood where it does not count, and the agent hears of it. */
  readonly nearMiss?: boolean;
}

const L = (iter: Json, max: Json): scene.World => looping([frame(iter, max)]);
const at = (updated_at: string): scene.World => looping([frame(1, 10)], { updated_at });
const done = (reason: string): JsonObject => ({ event: 'DONE', reason, stack: [] });
const FENCED = `x\n\`\`\`\n${S}\n\`\`\``;

const ROWS: Readonly<Record<string, Row>> = {
  '1 no store, no file': { world: {}, answer: 'passes', next: undefined },
  '2 an empty stack, DONE': {
    world: looping([], { event: 'DONE' }),
    answer: 'passes',
    next: undefined,
  },
  '3 STATE [L(1,10)], 11:59, text "working"': {
    world: L(1, 10),
    answer: [2, 10],
    next: {
      event: 'STATE',
      run_id: 'loop-1767268740-4711',
      updated_at: '2026-01-01T12:00:00Z',
      stack: [{ iter: 2, max: 10 }],
    },
  },
  '4 text "x⏎S"': { world: L(1, 10), event: saying(`x\n${S}`), answer: 'passes', next: done('COMPLETE') },
  '5 STUCK on its own line': {
    world: L(1, 10),
    event: saying('x\n<loop-done>STUCK</loop-done>'),
    answer: 'passes',
    next: done('STUCK'),
  },
  '6 MAX_ITERATIONS on its own line': {
    world: L(1, 10),
    event: saying('<loop-done>MAX_ITERATIONS</loop-done>'),
    answer: 'passes',
    next: done('MAX_ITERATIONS'),
  },
  '7 S in a fence': {
    nearMiss: true,
    world: L(1, 10),
    event: saying(FENCED),
    answer: [2, 10],
    next: { stack: [{ iter: 2 }] },
  },
  '8 S inside prose': {
    nearMiss: true,
    world: L(1, 10),
    event: saying(`I will say ${S} later`),
    answer: [2, 10],
    next: { event: 'STATE', stack: [{ iter: 2 }] },
  },
  '10 L(10,10), text "x"': {
    world: L(10, 10),
    event: saying('x'),
    answer: 'passes',
    next: done('MAX_ITERATIONS'),
  },
  '12 L(9,10), text "x"': {
    world: L(9, 10),
    event: saying('x'),
    answer: [10, 10],
    next: { stack: [{ iter: 10 }] },
  },
  '13 updated_at 10:00:00Z (7200 s)': {
    world: at('2026-01-01T10:00:00Z'),
    answer: [2, 10],
    next: { stack: [{ iter: 2 }] },
  },
  '14 updated_at 09:59:59Z': {
    world: at('2026-01-01T09:59:59Z'),
    answer: 'passes',
    next: { ...done('STALE'), archived_stack: [frame(1, 10)] },
    warns: true,
  },
  '15 updated_at …11:59:00+00:00': {
    world: at('2026-01-01T11:59:00+00:00'),
    answer: [2, 10],
    next: { stack: [{ iter: 2 }] },
  },
  '17 updated_at "soon"': { world: at('soon'), answer: 'passes', next: done('STALE'), warns: true },
  '18 no updated_at': {
    world: { store: 'shared', messages: [{ schema: 1, event: 'STATE', stack: [frame(1, 10)] }] },
    answer: [2, 10],
    next: { updated_at: '2026-01-01T12:00:00Z', stack: [{ iter: 2 }] },
  },
  '19 iter "abc"': {
    world: L('abc', 10),
    answer: 'passes',
    next: { event: 'ABORT', stack: [] },
    warns: true,
  },
  '20 iter -1': { world: L(-1, 10), answer: 'passes', next: { event: 'ABORT', stack: [] }, warns: true },
  '20 iter 1.5': { world: L(1.5, 10), answer: 'passes', next: { event: 'ABORT', stack: [] }, warns: true },
  '22 a frame without iter and max': {
    world: looping([{ mode: 'loop' }]),
    answer: [1, 10],
    next: { stack: [{ mode: 'loop', iter: 1, max: 10 }] },
  },
  '23 the body is not JSON': {
    world: { store: 'shared', messages: [state([frame(1, 10)]), 'hello'] },
    answer: 'passes',
    next: undefined,
    warns: true,
  },
  '24 event ABORT with frames': {
    world: looping([frame(1, 10)], { event: 'ABORT' }),
    answer: 'passes',
    next: { event: 'ABORT', stack: [] },
  },
  '25 event DONE with frames': {
    world: looping([frame(1, 10)], { event: 'DONE' }),
    answer: 'passes',
    next: undefined,
  },
  '26 an issue frame, issue-complete': {
    world: looping([issue(1)]),
    event: saying(scene.ISSUE_DONE),
    answer: 'passes',
    next: done('COMPLETE'),
  },
  '27 a loop frame, issue-complete': {
    world: L(1, 10),
    event: saying(scene.ISSUE_DONE),
    answer: [2, 10],
    next: { stack: [{ iter: 2 }] },
  },
  '28 [grind(1,100), issue(2,10)], text S': {
    world: looping([grind(1), issue(2)]),
    event: saying(S),
    answer: 'passes',
    next: { event: 'STATE', run_id: 'loop-1767268740-4711', stack: [grind(1)] },
  },
  '30 grind(1,100), issue-complete': {
    world: looping([grind(1)]),
    event: saying(scene.ISSUE_DONE),
    answer: [2, 100],
    next: { stack: [{ iter: 2 }] },
  },
  '31 grind, NO_MORE_ISSUES': {
    world: looping([grind(1)]),
    event: saying(scene.GRIND_DONE),
    answer: 'passes',
    next: done('NO_MORE_ISSUES'),
  },
  '32 [grind(1,100), issue(10,10)], text "x"': {
    world: looping([grind(1), issue(10)]),
    event: saying('x'),
    answer: 'passes',
    next: done('MAX_ITERATIONS'),
  },
  '32 the same where the outer loop resumes': {
    world: looping([grind(1, 100, { on_child_done: 'resume' }), issue(10)]),
    event: saying('x'),
    answer: [2, 100],
    next: { event: 'STATE', stack: [{ mode: 'grind', iter: 2 }] },
  },
  '38 the fallback file, active: false': {
    world: { file: '---\nactive: false\niteration: 1\nmax_iterations: 10\n---\ntask\n' },
    answer: 'passes',
    next: undefined,
  },
  '40 the state of session S2': {
    world: looping([frame(1, 10)], { session_id: scene.S2 }),
    answer: 'passes',
    next: undefined,
  },
  '41 a background task is running': {
    world: L(1, 10),
    event: stop({ backgroundTasks: [{ status: 'running' }] }),
    answer: 'passes',
    next: undefined,
  },
  '42 no words on stdin; the transcript ends with S': {
    world: looping([frame(1, 10)], {}, { transcript: { lastText: { kind: 'text', text: S } } }),
    event: scene.silent(),
    answer: 'passes',
    next: done('COMPLETE'),
  },
  '46 stop_hook_active': {
    world: L(1, 10),
    event: stop({ continuing: true }),
    answer: [2, 10],
    next: { stack: [{ iter: 2 }] },
  },
  '47 a store that cannot be read': {
    world: {
      documents: {
        'messages:messages.jsonl': {
          kind: 'unreadable',
          file: '/work-tree/.jwz/messages.jsonl',
          why: 'EACCES',
        },
      },
    },
    answer: 'passes',
    next: undefined,
    warns: true,
  },
  '50 mode "weird"': {
    world: looping([frame(1, 10, { mode: 'weird' })]),
    event: saying(S),
    answer: [2, 10],
    next: { stack: [{ mode: 'weird', iter: 2 }] },
    warns: true,
  },
};

describe('scenario', () => {
  test.each(Object.entries(ROWS))(
    '%s',
    (_name, { world, event = stop(), answer, next, warns = false, nearMiss = false }) => {
      const outcome = scene.outcomeOf(event, world);
      const [first = '', ...more] = outcome.reason.split('\n\n');
      expect(first).toBe(answer === 'passes' ? '' : sentence(...answer));
      expect(more).toEqual(nearMiss ? [NEAR_MISS] : []);
      if (answer === 'passes') expect(outcome.verdict.kind).toBe('nothing');
      if (next === undefined) expect(outcome.writes).toBe(0);
      else expect(outcome.next).toMatchObject(next);
      expect(outcome.odd.length > 0).toBe(warns);
    },
  );

  test('37 the fallback file: only the line of the iteration is another', () => {
    const file =
      '---\nactive: true\nmode: loop\niteration: 5\nmax_iterations: 10\n---\n\nThe task: iteration: 5\n';
    const outcome = scene.outcomeOf(saying('x'), { file });
    expect(outcome.reason).toBe(sentence(6, 10));
    expect(outcome.file).toBe(file.replace('\niteration: 5\nmax', '\niteration: 6\nmax'));
  });

  test('38 a fallback file that is not active is removed', () => {
    const file = '---\nactive: false\n---\n';
    expect(scene.outcomeOf(stop(), { file }).file).toBeUndefined();
  });

  test('51 an issue frame with a worktree that exists: the block follows, and all fields are kept', () => {
    const path = '/work-tree/.worktrees/idle/auth-7';
    const top = issue(1, 10, { worktree_path: path, branch: 'idle/issue/auth-7', base_ref: 'main' });
    const files = { [path]: { kind: 'directory', mtimeMs: 1 } } as const;
    const { reason, next } = scene.outcomeOf(stop(), looping([top], {}, { files }));
    const [first, ...block] = reason.split('\n\n').join('\n').split('\n');
    expect(first).toBe(sentence(2, 10));
    expect(block.slice(0, 4)).toEqual([
      'WORKTREE CONTEXT:',
      `- Working directory: ${path}`,
      '- Branch: idle/issue/auth-7',
      '- Issue: auth-7',
    ]);
    expect(block.at(4)).toContain('absolute');
    expect(next?.['stack']).toEqual([{ ...top, iter: 2 }]);
  });
});
