import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { asked } from './parsed';

describe('tool names', () => {
  test.each([
    ['Bash', 'shell', []],
    ['PowerShell', 'shell', []],
    ['Monitor', 'shell', []],
    ['Write', 'write', []],
    ['Edit', 'edit', []],
    ['MultiEdit', 'edit', []],
    ['NotebookEdit', 'edit', []],
    ['Read', 'read', []],
    ['Glob', 'search', []],
    ['Grep', 'search', []],
    ['LSP', 'search', []],
    ['WebFetch', 'web', []],
    ['WebSearch', 'web', []],
    ['Task', 'agent', ['Agent']],
    ['Agent', 'agent', ['Task']],
    ['Skill', 'skill', []],
    ['EnterPlanMode', 'plan', []],
    ['ExitPlanMode', 'plan', []],
    ['TodoWrite', 'task', []],
    ['TaskCreate', 'task', []],
    ['TaskUpdate', 'task', []],
    ['TaskStop', 'task', ['KillShell', 'KillBash']],
    ['KillShell', 'task', ['TaskStop', 'KillBash']],
    ['KillBash', 'task', ['TaskStop', 'KillShell']],
    ['bash', 'other', []],
    ['toString', 'other', []],
    ['mcp__server', 'other', []],
    ['mcp__server__', 'other', []],
    ['mcp____tool', 'other', []],
  ])('%s does %s and is also called %j', (name, op, aliases) => {
    const call = asked(name);
    expect(call.op).toBe(op);
    expect(call.names).toStrictEqual([name, ...aliases]);
    expect(call).not.toHaveProperty('mcp');
  });

  test.each([
    ['mcp__github__create_issue', 'github', 'create_issue'],
    ['mcp__plugin_a_b__x__y', 'plugin_a_b', 'x__y'],
  ])('%s is a tool of a server', (name, server, tool) => {
    expect(asked(name, { file_path: 'a' })).toMatchObject({ op: 'mcp', mcp: { server, tool }, paths: [] });
  });
});

describe('what a call names', () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    ['an absolute path', 'Write', { file_path: '/a/../b', content: '' }, { paths: ['/b'], newText: '' }],
    ['a relative path', 'Edit', { file_path: 'a/b', new_string: 'n' }, { paths: ['/w/a/b'], newText: 'n' }],
    ['a notebook', 'NotebookEdit', { notebook_path: 'n.ipynb' }, { paths: ['/w/n.ipynb'] }],
    ['a place to search', 'Grep', { path: 'src', pattern: 'x' }, { paths: ['/w/src'] }],
    ['a skill', 'Skill', { skill: 'review' }, { skill: 'review' }],
    ['an agent', 'Task', { subagent_type: 't', prompt: 'p' }, { agentType: 't', prompt: 'p' }],
    ['the background', 'Bash', { command: 'x', run_in_background: true }, { command: 'x', background: true }],
  ])('%s', (_, tool, input, expected) => {
    expect(asked(tool, input)).toMatchObject(expected);
  });

  test.each([
    ['', []],
    ['relative', []],
  ])('a relative path below the directory %j stays unknown', (cwd, paths) => {
    expect(asked('Read', { file_path: 'a' }, { cwd }).paths).toStrictEqual(paths);
  });
});
