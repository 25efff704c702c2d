import { expect, test } from 'vitest';
import { actorIn } from '../../../src/cli/req/context';

test.each(['CLAUDECODE', 'AI_AGENT', 'CODEX_SESSION_ID', 'GEMINI_CLI', 'COPILOT_CLI', 'OPENCODE'])(
  'a shell with %s is an agent’s',
  (name) => {
    expect(actorIn({ [name]: '1' })).toBe('agent');
    expect(actorIn({ [name]: '' })).toBe('person');
  },
);

test('a shell without any mark is a person’s', () => {
  expect(actorIn({ PATH: '/bin', CLAUDE_CODE_SESSION_ID: 's' })).toBe('person');
});
