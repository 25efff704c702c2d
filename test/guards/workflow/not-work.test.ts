import { describe, expect, it } from 'vitest';
import { isWork } from '../../../src/guards/workflow/place';

describe('tests may depend on a file', () => {
  it.each<[string, boolean]>([
    ['/r/src/a.ts', true],
    ['/r/docs.ts', true],
    ['/r/src/docs/a.ts', true],
    ['/r/a.mdx', true],
    ['/r/docs/a.md', false],
    ['/r/docs/guide/page.html', false],
    ['/r/README.md', false],
    ['/r/src/deep/NOTES.md', false],
    ['/r/.isdlc/state.json', false],
    ['/r/.holdpoint/config.yaml', false],
    ['/elsewhere/a.ts', false],
    ['/rr/a.ts', false],
  ])('%s: %s', (path, expected) => {
    expect(isWork(path, '/r')).toBe(expected);
  });
});
