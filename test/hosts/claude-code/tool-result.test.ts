import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { parsed, ran } from './parsed';

describe('the outcome of a tool', () => {
  test.each<[string, Json | undefined, string]>([
    ['no response', undefined, 'success'],
    ['a text', 'done', 'success'],
    ['output', { stdout: 'x', interrupted: false }, 'success'],
    ['success', { success: true }, 'success'],
    ['an interruption', { interrupted: true }, 'failure'],
    ['an error', { is_error: true }, 'failure'],
    ['an error of an MCP server', { isError: true }, 'failure'],
    ['no success', { success: false }, 'failure'],
    ['a start in the background', { stdout: '', backgroundTaskId: 'b1' }, 'unknown'],
  ])('%s', (_, response, outcome) => {
    expect(ran(response).outcome).toBe(outcome);
  });

  test('a failure event is one, whatever else it says', () => {
    const raw = { hook_event_name: 'PostToolUseFailure', error: 'Exit code 1', is_interrupt: true };
    expect(parsed('tool.after', { ...raw, tool_response: { success: true } })).toMatchObject({
      outcome: 'failure',
      error: 'Exit code 1',
      interrupted: true,
    });
  });
});

describe('the response of a tool', () => {
  test.each<[string, JsonObject, Json]>([
    ['tool_response', { tool_response: 'a', tool_result: 'b', tool_output: 'c' }, 'a'],
    ['else tool_result', { tool_result: 'b', tool_output: 'c' }, 'b'],
    ['else tool_output', { tool_output: 'c' }, 'c'],
    ['else nothing', {}, null],
  ])('is %s', (_, raw, expected) => {
    expect(ran(undefined, raw).response.raw).toStrictEqual(expected);
  });

  test.each<[string, Json, string | undefined]>([
    ['a text', 'x', 'x'],
    ['the output of a command', { stdout: 'out', stderr: '' }, 'out'],
    ['both outputs of a command', { stdout: 'out', stderr: 'err' }, 'out\nerr'],
    ['blocks', [{ type: 'text', text: 'a' }, 4, { type: 'image' }, { text: 'b' }], 'a\nb'],
    ['blocks of an agent', { content: [{ type: 'text', text: 'a' }] }, 'a'],
    ['the content of a file, which is no text of the tool', { content: 'file' }, undefined],
    ['a number', 4, undefined],
  ])('has the text of %s', (_, response, text) => {
    expect(ran(response).response.text).toBe(text);
  });

  test('names changed files once, absolute', () => {
    const bashEditDiff = {
      changedFiles: ['a', 3, '/x/b'],
      files: [{ filePath: '/w/a' }, { filePath: 'c' }, 1],
    };
    expect(ran({ bashEditDiff, filePath: 'd' }).changedPaths).toStrictEqual(['/w/a', '/x/b', '/w/c', '/w/d']);
    expect(ran({ bashEditDiff: [] })).not.toHaveProperty('changedPaths');
  });
});
