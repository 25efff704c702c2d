import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/core/decision';
import { parse } from '../../../src/hosts/claude-code/parse';
import { render } from '../../../src/hosts/claude-code/render';

const at = (hook_event_name: string) => parse({ hook_event_name, tool_name: 'Bash' }, 0);
const silent = { toAgent: [], toPerson: [] };
const long = 'x'.repeat(20_000);

function refusal(kind: 'hold' | 'ask' | 'deny', reason: string): Decision {
  return { kind, id: 'd1', by: ['requirements'], reason, ...silent };
}

describe('exact bytes', () => {
  test('of a denied tool call', () => {
    expect(render(at('PreToolUse'), refusal('deny', 'No "plan".'))).toStrictEqual({
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No \\"plan\\"."}}\n',
      stderr: '',
      exitCode: 0,
      losses: [],
    });
  });

  test('of a denied permission', () => {
    expect(render(at('PermissionRequest'), refusal('deny', 'No.')).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"No."}}}\n',
    );
  });

  test('of a stop that the loop alone refuses', () => {
    const reason = '[ITERATION 1/10] Weiter: "ü"';
    expect(render(at('Stop'), { kind: 'hold', id: 'd1', by: ['loop'], reason, ...silent })).toStrictEqual({
      stdout: '{"decision": "block", "reason": "[ITERATION 1/10] Weiter: \\"ü\\""}\n',
      stderr: `${reason}\n`,
      exitCode: 2,
      losses: [],
    });
  });

  test('of a stop that the loop and another refuse', () => {
    const decision: Decision = { kind: 'hold', id: 'd1', by: ['gates', 'loop'], reason: 'R', ...silent };
    expect(render(at('Stop'), decision)).toMatchObject({
      stdout: '{"decision":"block","reason":"R"}\n',
      exitCode: 0,
      stderr: '',
    });
  });

  test('of a stop that the loop refuses after the gates passed: the report is left out', () => {
    const report = { status: 'passed', message: 'ok' };
    const decision: Decision = { kind: 'hold', id: 'd1', by: ['loop'], reason: 'R', report, ...silent };
    expect(render(at('Stop'), decision).stdout).toBe('{"decision": "block", "reason": "R"}\n');
  });

  test('of a report, whose members may come in any order', () => {
    const report = { message: 'ok', status: 'passed' };
    expect(render(at('Stop'), { kind: 'nothing', report, ...silent, toPerson: ['n'] }).stdout).toBe(
      '{"decision":"approve","status":"passed","message":"ok","systemMessage":"n"}\n',
    );
  });
});

describe('length', () => {
  const textOf = (stdout: string, ...path: string[]): string =>
    path.reduce((value, key) => value[key], JSON.parse(stdout));

  test.each([
    ['advice to the agent', ['hookSpecificOutput', 'additionalContext']],
    ['a note to the person', ['systemMessage']],
  ])('of %s is cut where the host would, and says so in its last line', (_, path) => {
    const decision: Decision = {
      kind: 'advise',
      id: 'd1',
      toAgent: [long, 'tail'],
      toPerson: [long, 'tail'],
    };
    const text = textOf(render(at('PreToolUse'), decision).stdout, ...path);
    expect(text.length).toBe(9_900);
    expect(text.split('\n').at(-1)).toBe('[Cut here: the text has 20006 characters.]');
  });

  test.each([
    ['PreToolUse', ['hookSpecificOutput', 'permissionDecisionReason']],
    ['PermissionRequest', ['hookSpecificOutput', 'decision', 'message']],
    ['UserPromptSubmit', ['reason']],
  ])('of the reason for a denial at %s is cut too', (event, path) => {
    const text = textOf(render(at(event), refusal('deny', long)).stdout, ...path);
    expect(text.length).toBe(9_900);
  });

  test('of the reason for a hold is left alone', () => {
    expect(textOf(render(at('Stop'), refusal('hold', long)).stdout, 'reason')).toBe(long);
    expect(render(at('TaskCompleted'), refusal('hold', long)).stderr).toBe(`${long}\n`);
  });

  test('is cut between characters, not inside one', () => {
    for (const shift of ['', 'x']) {
      const decision: Decision = {
        kind: 'advise',
        id: 'd1',
        toAgent: [shift + '🚦'.repeat(9_000)],
        toPerson: [],
      };
      const text = textOf(
        render(at('SessionStart'), decision).stdout,
        'hookSpecificOutput',
        'additionalContext',
      );
      expect(Buffer.from(text).toString()).toBe(text);
    }
  });

  test('of 9,900 characters is delivered whole', () => {
    const whole = 'x'.repeat(9_900);
    expect(textOf(render(at('UserPromptSubmit'), refusal('deny', whole)).stdout, 'reason')).toBe(whole);
  });
});

test('remarks that are empty say nothing', () => {
  const decision: Decision = { kind: 'advise', id: 'd1', toAgent: [''], toPerson: ['', ''] };
  expect(render(at('PreToolUse'), decision)).toStrictEqual({
    stdout: '',
    stderr: '',
    exitCode: 0,
    losses: [],
  });
});

test('what an unknown event cannot carry is lost by name', () => {
  expect(render(at('Future'), refusal('deny', 'No.')).losses).toStrictEqual([
    'Future cannot carry the deny by requirements.',
  ]);
  expect(render(at(''), refusal('deny', 'No.')).losses).toStrictEqual([
    'This event cannot carry the deny by requirements.',
  ]);
});
