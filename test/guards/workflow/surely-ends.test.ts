import { expect, test } from 'vitest';
import { branchWrite, type Guarded } from '../../../src/guards/workflow/branch-writes';
import { menusIn } from '../../../src/guards/workflow/menus';
import { claimsCompletion, ordersToAdvance } from '../../../src/guards/workflow/orders';
import { surelyEnds } from '../../../src/guards/workflow/surely-ends';
import { countsIn, coverageIn } from '../../../src/guards/workflow/tests/counts';
import { errorLine, normalisedError } from '../../../src/guards/workflow/tests/error-line';
import { parse } from '../../../src/hosts/claude-code/parse';
import { effectsOf } from '../../../src/shell';

const LONG = 'x'.repeat(9000);
const before = { hook_event_name: 'PreToolUse', tool_name: 'Bash' };
const after = { ...before, hook_event_name: 'PostToolUse', tool_input: { command: 'npm test' } };

test.each([
  ['a short command', { ...before, tool_input: { command: 'ls' } }, true],
  ['a long command', { ...before, tool_input: { command: LONG } }, false],
  ['a long prompt', { ...before, tool_name: 'Task', tool_input: { prompt: LONG } }, false],
  ['a long file', { ...before, tool_name: 'Write', tool_input: { file_path: '/a', content: LONG } }, true],
  ['a short output', { ...after, tool_response: 'ok' }, true],
  ['a long output', { ...after, tool_response: { stdout: LONG, stderr: '' } }, false],
  ['a long error', { ...after, hook_event_name: 'PostToolUseFailure', error: LONG }, false],
  ['a long prompt of a person', { hook_event_name: 'UserPromptSubmit', prompt: LONG }, false],
  ['a stop', { hook_event_name: 'Stop', stop_hook_active: false }, true],
])('%s', (_, raw, sure) => {
  expect(surelyEnds(parse({ session_id: 's', cwd: '/w', ...raw }, 0))).toBe(sure);
});

const GUARDED: Guarded = { repository: '/w/.git', branches: ['main'], watchesDefault: true };

const SHAPES = [
  '\n',
  ' ',
  '\t\n',
  '1',
  '=',
  'rm ',
  'git ',
  'and ',
  'mark a ',
  'advance ',
  'Tests: ',
  '1. ',
  ':1',
  '"',
  "-m '",
  '.i',
];

test.each(SHAPES)('nothing but %j, as long as is not watched, is done in a moment', (shape) => {
  const text = shape.repeat(Math.floor(8192 / shape.length));
  const start = Date.now();
  branchWrite(effectsOf(text, { cwd: '/w' }), GUARDED);
  branchWrite(effectsOf(`git${text}`, { cwd: '/w' }), GUARDED);
  ordersToAdvance(`and${text}`, ['06-implementation']);
  claimsCompletion(`and${text}`, ['06-implementation']);
  countsIn(text);
  coverageIn(`TOTAL${text}`);
  normalisedError(errorLine(`fail ${text.slice(0, 250)}`));
  menusIn(text);
  expect(Date.now() - start).toBeLessThan(2000);
});
