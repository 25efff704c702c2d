import { expect, test } from 'vitest';
import { eventNameIn } from '../../../src/hosts/claude-code/event-name';

const tool = { tool_name: 'Bash', tool_input: { command: 'ls' } };

test.each([
  ['its name', { hook_event_name: 'Stop', ...tool }, 'Stop'],
  ['a name that nobody knows', { hook_event_name: 'Later', ...tool }, 'Later'],
  ['a tool and its input: it has not run', tool, 'PreToolUse'],
  ['a response: it has', { ...tool, tool_response: '' }, 'PostToolUse'],
  ['an empty response: it has', { ...tool, tool_response: null }, 'PostToolUse'],
  ['a result, as older scripts call it', { ...tool, tool_result: 'x' }, 'PostToolUse'],
  ['the flag of a stop', { stop_hook_active: false }, 'Stop'],
])('an event is told by %s', (_, raw, name) => expect(eventNameIn(raw)).toBe(name));

test.each([
  ['nothing known', { hello: 1 }],
  ['no input', { tool_name: 'Bash' }],
  ['an input that is null', { tool_name: 'Bash', tool_input: null }],
  ['an input that is a text', { tool_name: 'Bash', tool_input: 'ls' }],
  ['an input that is a list', { tool_name: 'Bash', tool_input: [] }],
  ['a tool without a name', { tool_name: '', tool_input: {} }],
  ['a tool whose name is no text', { tool_name: 3, tool_input: {} }],
  ['an error, which says nothing of when', { ...tool, error: 'x' }],
  ['a tool and a stop at once', { ...tool, stop_hook_active: true }],
  ['a flag that is none', { stop_hook_active: 'no' }],
  ['a name that is no text', { ...tool, hook_event_name: 3 }],
  ['an empty name', { ...tool, hook_event_name: '' }],
])('a document with %s is no event', (_, raw) => expect(eventNameIn(raw)).toBe(''));
