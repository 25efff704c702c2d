import { describe, expect, it } from 'vitest';
import type { Wish } from '../../src/core/stead';
import { answerTogether, type Waiting } from '../../src/server/answer-together';
import type { Judged, Outcome, Recall } from '../../src/server/judge-event';

const layout = { root: '/p', git: '/p/.git', own: '/p/.git/holdpoint', home: '/h' };
const wishFor = (line: string): Wish => ({ layout, changes: [], lines: [{ line }] });
const says = (stdout: string): Outcome => ({ exitCode: 0, stdout, stderr: '' });

/** Everything that happens, in its order. */
const happened: string[] = [];

function waiting(name: string, judge: (recall: Recall) => Judged): Waiting {
  return {
    judge: (recall) => {
      happened.push(`${name} judged`);
      return judge(recall);
    },
    tell: (outcome) => {
      happened.push(`${name}: ${'left' in outcome ? `left, ${outcome.left}` : outcome.stdout}`);
    },
  };
}

function play(all: readonly Waiting[], unfulfilled: readonly Wish[] = []): string[] {
  happened.length = 0;
  answerTogether(all, (wishes) => {
    happened.push(`${wishes.length} settled`);
    return new Set(unfulfilled);
  });
  return happened;
}

describe('events that have come together', () => {
  it('are answered after what all of them want was written once', () => {
    const [a, b] = ['a', 'b'].map((name) =>
      waiting(name, () => ({ outcome: says('denied'), wishes: [wishFor(name), wishFor(name)] })),
    ) as [Waiting, Waiting];
    expect(play([a, b])).toEqual(['a judged', 'b judged', '4 settled', 'a: denied', 'b: denied']);
  });

  it('do not wait for the writing where they want nothing', () => {
    const quiet = waiting('quiet', () => ({ outcome: says(''), wishes: [] }));
    const left = waiting('left', () => ({ outcome: { left: 'effect' }, wishes: [] }));
    const counted = waiting('counted', () => ({ outcome: says('denied'), wishes: [wishFor('x')] }));
    const first = ['counted judged', 'quiet judged', 'quiet: ', 'left judged', 'left: left, effect'];
    expect(play([counted, quiet, left])).toEqual([...first, '1 settled', 'counted: denied']);
    expect(play([quiet])).toEqual(['quiet judged', 'quiet: ']);
  });

  it('are left where what they want could not be written whole, and only those', () => {
    const [well, badly] = [wishFor('well'), wishFor('badly')];
    const all = [
      waiting('a', () => ({ outcome: says('denied'), wishes: [well] })),
      waiting('b', () => ({ outcome: says('denied'), wishes: [well, badly] })),
    ];
    expect(play(all, [badly]).slice(3)).toEqual(['a: denied', 'b: left, unwritten']);
  });
});

describe('what was found out for one', () => {
  const asking = (name: string, question: string, look: () => unknown): Waiting =>
    waiting(name, (recall) => ({ outcome: says(String(recall(question, look))), wishes: [] }));

  it('serves the others who ask the same, also where it is nothing', () => {
    let looks = 0;
    const look = (): void => void looks++;
    play([asking('a', 'git', look), asking('b', 'git', look), asking('c', 'config', look)]);
    expect(looks).toBe(2);
  });

  it('serves nobody who comes later', () => {
    let looks = 0;
    const look = (): number => ++looks;
    expect(play([asking('a', 'git', look)]).at(-1)).toBe('a: 1');
    expect(play([asking('a', 'git', look)]).at(-1)).toBe('a: 2');
  });

  it('is looked up again where that has thrown', () => {
    const careful = (name: string, look: () => unknown): Waiting =>
      waiting(name, (recall) => {
        try {
          return { outcome: says(String(recall('git', look))), wishes: [] };
        } catch {
          return { outcome: { left: 'mistake' }, wishes: [] };
        }
      });
    const fails = (): never => {
      throw new Error('gone');
    };
    const said = play([careful('a', fails), careful('b', () => 'there')]);
    expect(said.filter((line) => line.includes(':'))).toEqual(['a: left, mistake', 'b: there']);
  });
});
