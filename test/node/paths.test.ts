import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withOwnRequire } from './own-require';

type Paths = typeof import('../../src/node/paths');

let paths: Paths;

withOwnRequire(
  () => import('../../src/node/paths'),
  (loaded) => {
    paths = loaded;
  },
);

/** Paths of few parts, among them everything that a path may have to be tidied of. */
const part = fc.constantFrom('', '.', '..', '...', 'a', 'b c', '.git', 'a.', 'ü', '\\\\', 'a.ts');
const anyPath = fc
  .tuple(fc.boolean(), fc.array(part, { maxLength: 5 }), fc.boolean())
  .map(([isRooted, parts, ends]) => `${isRooted ? '/' : ''}${parts.join('/')}${ends ? '/' : ''}`);

describe('the stand-ins say of any path what Node says', () => {
  it.each(['isAbsolute', 'dirname', 'basename', 'normalize'] as const)('%s', (name) => {
    fc.assert(
      fc.property(anyPath, (one) => {
        expect(paths[name](one)).toBe(path[name](one));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['join', 'resolve'] as const)('%s', (name) => {
    const some = fc.array(anyPath, { maxLength: 4 });
    fc.assert(
      fc.property(some, (all) => {
        expect(paths[name](...all)).toBe(path[name](...all));
      }),
      { numRuns: 5000 },
    );
  });

  it('relative', () => {
    const below = fc
      .tuple(anyPath, anyPath)
      .map(([from, rest]): [string, string] => [from, `${from}/${rest}`]);
    const pair = fc.oneof(fc.tuple(anyPath, anyPath), below);
    const agrees = ([from, to]: [string, string]): void => {
      expect(paths.relative(from, to)).toBe(path.relative(from, to));
    };
    fc.assert(fc.property(pair, agrees), { numRuns: 5000 });
  });

  it('basename without an ending', () => {
    fc.assert(
      fc.property(anyPath, part, (one, end) => {
        expect(paths.basename(one, end)).toBe(path.basename(one, end));
      }),
    );
  });

  it('sep', () => expect(paths.sep).toBe(path.sep));
});
