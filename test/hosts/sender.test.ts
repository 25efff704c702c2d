import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HOST_NAMES, type HostName } from '../../src/core/host-name';
import type { JsonObject } from '../../src/core/json';
import { senderOf } from '../../src/hosts/sender';

const EVENTS = new URL('../fixtures/events/', import.meta.url);

test.each([undefined, ...HOST_NAMES])(
  'a document of Claude Code is taken for one, although asked for %s',
  (asked) => {
    expect(senderOf({ hook_event_name: 'Stop', prompt_id: 'p1' }, asked)).toBe('claude-code');
  },
);

test('a document without a mark is of whoever was asked for, else of Claude Code', () => {
  expect(senderOf({}, undefined)).toBe('claude-code');
  for (const asked of HOST_NAMES) expect(senderOf({}, asked)).toBe(asked);
});

const MARKED: readonly (readonly [string, JsonObject, HostName])[] = [
  ['a version of Cursor', { cursor_version: '2', hook_event_name: 'stop' }, 'cursor'],
  ['a turn and a model', { turn_id: 't', model: 'm', hook_event_name: 'Stop' }, 'codex'],
  ['an event that only Gemini has', { hook_event_name: 'BeforeToolSelection' }, 'gemini'],
  [
    'a time and a transcript at a start',
    { hook_event_name: 'SessionStart', timestamp: 't', transcript_path: '/t' },
    'gemini',
  ],
  ['a time at a start without a transcript', { hook_event_name: 'SessionStart', timestamp: 't' }, 'copilot'],
  ['a time at a tool of Claude Code', { hook_event_name: 'PreToolUse', timestamp: 't' }, 'copilot'],
  ['a time and no name', { sessionId: 's', timestamp: 1, toolName: 'bash' }, 'copilot'],
];

test.each(MARKED)('%s shows the sender where the line is of Claude Code', (_, raw, sender) => {
  expect(senderOf(raw, undefined)).toBe(sender);
  expect(senderOf(raw, 'claude-code')).toBe(sender);
});

test('a time alone does not beat a line of another host', () => {
  expect(senderOf({ hook_event_name: 'NewEvent', timestamp: 't' }, 'gemini')).toBe('gemini');
});

const prefixes: Readonly<Record<string, HostName>> = { claude: 'claude-code' };

test.each(readdirSync(EVENTS))('%s is known when it comes to the line of its host', (file) => {
  const raw: JsonObject = JSON.parse(readFileSync(new URL(file, EVENTS), 'utf8'));
  const prefix = file.split('-', 1)[0] ?? '';
  const host = prefixes[prefix] ?? (prefix as HostName);
  expect(senderOf(raw, host)).toBe(host);
});
