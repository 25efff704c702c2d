import { expect, test } from 'vitest';
import { HOST_VARIABLES } from '../../../../src/core/host-name';
import { reviewerEnvironment } from '../../../../src/guards/gates/review/reviewers';

test.each(Object.entries(HOST_VARIABLES))('a reviewer does not find the session of %s', (_, variables) => {
  const names = [...variables.session, ...variables.agent];
  const env = { PATH: '/bin', OPENAI_API_KEY: 'k', ...Object.fromEntries(names.map((name) => [name, 'x'])) };
  const left = reviewerEnvironment(env);
  expect(names.filter((name) => name in left)).toStrictEqual([]);
  expect(left).toMatchObject({ PATH: '/bin', OPENAI_API_KEY: 'k', HOLDPOINT_DISABLE: '1' });
});
