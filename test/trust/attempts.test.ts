import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { STRESS } from '../stress';
import { MISSED } from './known';
import { ATTEMPTS, playAll, thirdOf } from './play';

/** In these nothing is missed: identity, own commands, forged events, force, caches, quiet weakening. */
const CLOSED = [1, 2, 3, 4, 6, 7];

describe('an agent that takes whatever way gets its work done', () => {
  const attempts = STRESS ? ATTEMPTS : thirdOf(ATTEMPTS);
  const named = ({ family, name }: { family: number; name: string }): string => `${family}: ${name}`;

  it('has at least 120 attempts in ten families, with names of their own', () => {
    expect(ATTEMPTS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(attempts.map(({ family }) => family)).size).toBe(10);
    expect(new Set(ATTEMPTS.map(named)).size).toBe(ATTEMPTS.length);
  });

  it('is held, or seen before its turn ends', { timeout: 900_000 }, async () => {
    const results = await playAll(attempts, availableParallelism() + 1);
    const missed = results.filter(({ outcome }) => outcome === 'missed').map(({ attempt }) => attempt);
    expect(missed.filter(({ family }) => CLOSED.includes(family)).map(named)).toEqual([]);
    const played = attempts.map(named);
    expect(missed.map(named)).toEqual(MISSED.filter((name) => played.includes(name)));
    expect(missed.length).toBeLessThanOrEqual(attempts.length * 0.1);
  });
});
