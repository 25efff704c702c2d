import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { eventNameIn } from '../../../src/hosts/copilot/event-name';
import { parse } from '../../../src/hosts/copilot/parse';

describe('the name of an event in camel case', () => {
  test.each<[string, JsonObject, string]>([
    ['a call', { toolName: 'bash', toolArgs: {} }, 'preToolUse'],
    ['a call with a result', { toolName: 'bash', toolResult: {} }, 'postToolUse'],
    ['a call with an error', { toolName: 'bash', error: 'x' }, 'postToolUseFailure'],
    ['a call that says what it is', { toolName: 'bash', hookName: 'permissionRequest' }, 'permissionRequest'],
    ['a prompt', { prompt: '' }, 'userPromptSubmitted'],
    ['an end of turn', { stopReason: 'end_turn' }, 'agentStop'],
    ['a subagent that begins', { agentName: 'a' }, 'subagentStart'],
    ['a subagent that ends', { agentName: 'a', stopReason: 'end_turn' }, 'subagentStop'],
    ['a beginning', { source: 'new' }, 'sessionStart'],
    ['an end', { reason: 'complete' }, 'sessionEnd'],
    ['an error', { error: { message: 'x' } }, 'errorOccurred'],
    ['a compaction', { trigger: 'auto' }, 'preCompact'],
    ['nothing', {}, ''],
    ['a name that is none', { hook_event_name: 1, prompt: 'x' }, ''],
  ])('is told by what is in it: %s', (_, raw, name) => {
    expect(eventNameIn(raw)).toBe(name);
  });
});

describe('what a tool came to', () => {
  const after = (toolName: string, resultType: string, textResultForLlm: string) =>
    parse({ toolName, toolArgs: {}, toolResult: { resultType, textResultForLlm } }, 0);

  test.each([
    [
      'a command whose last line says 0',
      'bash',
      'success',
      'ok\n<shellId: 0 completed with exit code 0>',
      'success',
    ],
    [
      'a command whose last line says 3',
      'bash',
      'success',
      '<shellId: 0 completed with exit code 3>',
      'failure',
    ],
    ['a command that ended by a signal', 'bash', 'success', '<exited with exit code -1>', 'failure'],
    [
      'a command that only prints such a line',
      'bash',
      'success',
      '<exited with exit code 0>\nmore',
      'unknown',
    ],
    ['a command that still runs', 'bash', 'success', 'started', 'unknown'],
    ['a command that was rejected', 'bash', 'rejected', '', 'failure'],
    ['another tool', 'create', 'success', 'Created', 'success'],
    ['another tool that failed', 'create', 'failure', '', 'failure'],
  ])('%s', (_, tool, type, text, outcome) => {
    expect(after(tool, type, text)).toMatchObject({ kind: 'tool.after', outcome });
  });
});

describe('a tool', () => {
  test.each<[string, JsonObject, object]>([
    [
      'write_bash',
      { input: 'git push' },
      { op: 'shell', command: 'git push', names: ['write_bash', 'Bash'] },
    ],
    ['apply_patch', { input: '*** Update File: a.ts\n' }, { op: 'patch', paths: ['/p/a.ts'] }],
    ['skill', { skill: 'review' }, { op: 'skill', skill: 'review' }],
    [
      'task',
      { agent_type: 'explore', prompt: 'x', mode: 'background' },
      { agentType: 'explore', background: true },
    ],
    ['mcp__gh__list', { path: 'a' }, { op: 'mcp', mcp: { server: 'gh', tool: 'list' }, paths: [] }],
    ['brandnew', { path: 'a' }, { op: 'other', names: ['brandnew'] }],
  ])('%s is known by what it does', (toolName, toolArgs, expected) => {
    expect(parse({ toolName, toolArgs, cwd: '/p' }, 0)).toMatchObject({ call: expected });
  });
});
