import { setImmediate as nextRound } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Waiting } from '../../src/server/answer-together';
import { type Reception, reception } from '../../src/server/reception';

let answered: Waiting[][];
let letIn: Reception;
beforeEach(() => {
  answered = [];
  letIn = reception((all) => answered.push([...all]));
});

const visitor = (): Waiting => ({
  judge: () => ({ outcome: { left: '' }, wishes: [] }),
  tell: () => undefined,
});
const sizes = (): number[] => answered.map((all) => all.length);

describe('whoever speaks', () => {
  it('is answered in the same round where nobody else is at the door', async () => {
    const one = visitor();
    letIn()(one);
    expect(answered).toEqual([]);
    await nextRound();
    expect(answered).toEqual([[one]]);
  });

  it('is answered together with those who spoke in the same round, in their order', async () => {
    const [first, second, third] = [visitor(), visitor(), visitor()];
    const [speakFirst, speakSecond] = [letIn(), letIn()];
    speakSecond(second);
    speakFirst(first);
    letIn()(third);
    await nextRound();
    expect(answered).toEqual([[second, first, third]]);
  });

  it('waits for those whom Node lets in one by one', async () => {
    const all = [visitor(), visitor(), visitor(), visitor()];
    let speak = letIn();
    for (const one of all) {
      speak(one);
      if (one !== all.at(-1)) speak = letIn();
      expect(answered).toEqual([]);
      if (one !== all.at(-1)) await nextRound();
    }
    await nextRound();
    expect(answered).toEqual([all]);
  });

  it('waits a single round for one who never speaks, and nobody later waits for that one', async () => {
    const speak = letIn();
    letIn();
    speak(visitor());
    await nextRound();
    expect(sizes()).toEqual([]);
    await nextRound();
    expect(sizes()).toEqual([1]);
    letIn()(visitor());
    await nextRound();
    expect(sizes()).toEqual([1, 1]);
  });
});

it('of many who come at once 32 are answered at a time', async () => {
  for (const speak of Array.from({ length: 70 }, () => letIn())) speak(visitor());
  for (let round = 0; round < 3; round++) await nextRound();
  expect(sizes()).toEqual([32, 32, 6]);
});
