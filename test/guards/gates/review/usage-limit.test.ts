import { expect, it } from 'vitest';
import { saysUsageLimit } from '../../../../src/guards/gates/review/reviewers';

it.each([
  ['Claude AI usage limit reached|1760000000', true],
  ['QUOTA EXCEEDED for requests per day', true],
  ['Your quota will reset after 3h', true],
  ['Credit balance is too low', true],
  ["You're out of extra usage · resets 3pm", true],
  ['You are out of usage', true],
  ["You've hit your limit · resets 7pm", true],
  ['Error: connection refused', false],
  ['', false],
])('%j: %s', (line, limited) => {
  expect(saysUsageLimit(`starting\n${line}\n`, 'the question')).toBe(limited);
});

it('what is repeated of the question does not count', () => {
  expect(saysUsageLimit('user: asked\n+  // usage limit\n', 'review:\n+  // usage limit\nend')).toBe(false);
});
