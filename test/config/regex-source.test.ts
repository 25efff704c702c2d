import { expect, test } from 'vitest';
import { regexSource, regexTrouble } from '../../src/config/section';

test.each([
  ['git\\s+commit', 'git commit -m x', true],
  ['(?i)GIT', 'a git', true],
  ['(?P<verb>push|pull) (?P=verb)', 'push push', true],
  ['\\Agit', 'legit', false],
  ['\\Agit', 'git', true],
  ['push\\Z', 'git push', true],
  ['push\\Z', 'git push x', false],
  ['C:\\\\Apps', 'C:\\Apps', true],
])('%s on %s: %s', (pattern, command, matches) => {
  expect(new RegExp(regexSource(pattern), 'i').test(command)).toBe(matches);
});

test.each(['git (', '[', '*', '(?<=', '\\k<x>(?<y>)'])('%s is refused', (pattern) => {
  expect(regexTrouble(pattern)).toContain('is not a valid regular expression: ');
});
