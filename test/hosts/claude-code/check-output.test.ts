import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/core/decision';
import { checkOutput } from '../../../src/hosts/claude-code/check-output';
import { parse } from '../../../src/hosts/claude-code/parse';

function check(event: string, output: unknown, rest: Partial<Answer> = {}): string | undefined {
  const stdout = typeof output === 'string' ? output : JSON.stringify(output);
  const answer: Answer = { stdout, stderr: '', exitCode: 0, losses: [], ...rest };
  return checkOutput(parse({ hook_event_name: event }, 0), answer);
}

const specific = (hookEventName: unknown, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
});

describe('sound answers', () => {
  test.each<[string, string, unknown]>([
    ['silence', 'PreToolUse', ''],
    [
      'a denial',
      'PreToolUse',
      specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'r' }),
    ],
    ['a changed input', 'PreToolUse', specific('PreToolUse', { updatedInput: {} })],
    ['context', 'PostToolUseFailure', specific('PostToolUseFailure', { additionalContext: 'x' })],
    ['a note', 'SessionStart', { systemMessage: 'x' }],
    [
      'a refused stop',
      'Stop',
      { decision: 'block', reason: 'r', status: 's', message: 'm', stopReason: 'r' },
    ],
    ['an approved stop', 'Stop', { decision: 'approve', status: 's', message: 'm' }],
    ['a refused prompt', 'UserPromptSubmit', { decision: 'block', reason: 'r' }],
    [
      'a denied permission',
      'PermissionRequest',
      specific('PermissionRequest', { decision: { behavior: 'deny' } }),
    ],
    ['one document and a newline', 'Stop', '{"systemMessage":"x"}\n'],
  ])('%s', (_, event, output) => {
    expect(check(event, output)).toBeUndefined();
  });

  test.each(['Stop', 'ConfigChange', 'TaskCreated', 'TaskCompleted', 'TeammateIdle'])(
    'exit code 2 with a reason at %s',
    (event) => {
      expect(check(event, '', { exitCode: 2, stderr: 'why\n' })).toBeUndefined();
    },
  );
});

describe('answers that the host would throw away', () => {
  const text = 'x'.repeat(10_001);
  test.each<[string, string, unknown]>([
    ['plain text', 'PreToolUse', 'no'],
    ['broken JSON', 'Stop', '{"decision":"block"'],
    ['text before the document', 'Stop', 'note {"systemMessage":"x"}'],
    ['two documents', 'Stop', '{"systemMessage":"x"}\n{"systemMessage":"x"}'],
    ['a list', 'Stop', []],
    ['a text', 'Stop', '"x"'],
    ['null', 'Stop', 'null'],
    ['only a newline', 'Stop', '\n'],
    ['the name of another event', 'PreToolUse', specific('PostToolUse', { additionalContext: 'x' })],
    ['no name of the event', 'PreToolUse', { hookSpecificOutput: { additionalContext: 'x' } }],
    ['a name that is no text', 'PreToolUse', specific(7, {})],
    ['an allowed call', 'PreToolUse', specific('PreToolUse', { permissionDecision: 'allow' })],
    ['an unknown verdict', 'PreToolUse', specific('PreToolUse', { permissionDecision: 'block' })],
    ['a reason that is no text', 'PreToolUse', specific('PreToolUse', { permissionDecisionReason: 1 })],
    ['an input that is a list', 'PreToolUse', specific('PreToolUse', { updatedInput: [] })],
    ['a changed input after the call', 'PostToolUse', specific('PostToolUse', { updatedInput: {} })],
    ['a verdict after the call', 'PostToolUse', specific('PostToolUse', { permissionDecision: 'deny' })],
    ['a verdict at the top', 'PreToolUse', { decision: 'block', reason: 'r' }],
    ['context that is no text', 'SessionStart', specific('SessionStart', { additionalContext: [] })],
    ['context that is too long', 'SessionStart', specific('SessionStart', { additionalContext: text })],
    ['a note that is too long', 'SessionStart', { systemMessage: text }],
    ['a note that is no text', 'Stop', { systemMessage: {} }],
    ['context at a stop, which would continue it', 'Stop', specific('Stop', { additionalContext: 'x' })],
    ['an unknown decision', 'Stop', { decision: 'deny', reason: 'r' }],
    ['a refusal without a reason', 'Stop', { decision: 'block' }],
    ['a reason without a refusal', 'Stop', { decision: 'approve', reason: 'r' }],
    ['a reason that is null', 'Stop', { decision: 'block', reason: null }],
    ['a status that is no text', 'Stop', { decision: 'approve', status: 1 }],
    ['an end of the run', 'Stop', { continue: false }],
    ['an approved prompt', 'UserPromptSubmit', { decision: 'approve' }],
    [
      'a granted permission',
      'PermissionRequest',
      specific('PermissionRequest', { decision: { behavior: 'allow' } }),
    ],
    ['no behavior', 'PermissionRequest', specific('PermissionRequest', { decision: { message: 'm' } })],
    ['a decision that is a text', 'PermissionRequest', specific('PermissionRequest', { decision: 'deny' })],
    [
      'context at a permission',
      'PermissionRequest',
      specific('PermissionRequest', { additionalContext: 'x' }),
    ],
    ['a member of every object', 'SessionStart', '{"constructor":1}'],
    ['a member without a name', 'SessionStart', '{"":1}'],
    ['anything at the end of a session', 'SessionEnd', { systemMessage: 'x' }],
    ['anything at the end of a subagent', 'SubagentStop', { decision: 'block', reason: 'r' }],
    ['anything before compaction', 'PreCompact', { systemMessage: 'x' }],
    ['anything at an unknown event', 'Future', { systemMessage: 'x' }],
  ])('%s', (_, event, output) => {
    expect(check(event, output)).toMatch(/./);
  });

  test('exit code 2 without a reason', () => {
    expect(check('Stop', '', { exitCode: 2, stderr: ' \n' })).toMatch(/exit code 2/);
  });

  test.each(['PreToolUse', 'SessionEnd', 'UserPromptSubmit', 'Future'])('exit code 2 at %s', (event) => {
    expect(check(event, '', { exitCode: 2, stderr: 'why' })).toMatch(/exit code 2/);
  });
});
