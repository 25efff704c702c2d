import { describe, expect, test } from 'vitest';
import type { Answer, Decision } from '../../../src/core/verdict';
import { claudeCode } from '../../../src/hosts/claude-code/index';
import { whyDropped } from '../accepted-answers';

const { parse, render } = claudeCode;

function check(event: string, output: unknown, rest: Partial<Answer> = {}): string | undefined {
  const stdout = typeof output === 'string' ? output : JSON.stringify(output);
  const answer: Answer = { stdout, stderr: '', exitCode: 0, losses: [], ...rest };
  return whyDropped(claudeCode, parse({ hook_event_name: event }, 0), answer);
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
    expect(text.split('\n').at(-1)).toBe('[Truncated: the text has 20006 characters.]');
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
    'Future cannot deliver the hold by requirements.',
  ]);
  expect(render(at(''), refusal('deny', 'No.')).losses).toStrictEqual([
    'This event cannot deliver the hold by requirements.',
  ]);
});

describe('the cap on refused stops', () => {
  test.each<[string, string | undefined, number]>([
    ['without a setting it is eight', undefined, 8],
    ['it is what is set', '3', 3],
    ['zero switches it off', '0', Number.POSITIVE_INFINITY],
    ['and so does less', '-1', Number.POSITIVE_INFINITY],
    ['spaces around it do not matter', ' 3 ', 3],
    ['an empty one is none', '', 8],
    ['nor are spaces one', '  ', 8],
    ['nor rubbish', 'many', 8],
    ['nor half a number', '3.5', 8],
    ['nor infinity', 'Infinity', 8],
    ['nor what only begins with a number', '3 or so', 8],
  ])('%s', (_, cap, expected) => {
    expect(claudeCode.stopCap(cap === undefined ? {} : { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap })).toBe(
      expected,
    );
  });
});

describe('what a person is asked and told', () => {
  const said = (event: string, decision: Partial<Decision>): unknown => {
    const whole = { id: 'd', by: ['requirements'], reason: 'r', toAgent: [], toPerson: [], ...decision };
    const answer = render(parse({ hook_event_name: event, tool_name: 'X' }, 0), whole as Decision);
    expect(whyDropped(claudeCode, parse({ hook_event_name: event }, 0), answer)).toBeUndefined();
    return JSON.parse(answer.stdout);
  };

  test('a question of ours in the place of the one that the agent has written', () => {
    const updatedInput = { questions: [] };
    expect(said('PreToolUse', { kind: 'ask', updatedInput })).toEqual(
      specific('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'r', updatedInput }),
    );
  });

  test('a note and a notification beside a denial, with nothing that a terminal would obey', () => {
    expect(said('PreToolUse', { kind: 'deny', toPerson: ['n'], notify: 'waiting\x07\x1b]0;x' })).toEqual({
      ...specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'r' }),
      systemMessage: 'n',
      terminalSequence: '\x1b]9;waiting  ]0;x\x07',
    });
  });

  test('an answer to a command that was typed', () => {
    expect(said('UserPromptExpansion', { kind: 'deny', reason: 'Approved: plan' })).toEqual({
      decision: 'block',
      reason: 'Approved: plan',
    });
  });
});
