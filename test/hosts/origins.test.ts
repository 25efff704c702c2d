import { describe, expect, test } from 'vitest';
import type { EventOf } from '../../src/core/event';
import type { JsonObject } from '../../src/core/json';
import { host as codex } from '../../src/hosts/codex/index';
import { host as copilot } from '../../src/hosts/copilot/index';
import { host as cursor } from '../../src/hosts/cursor/index';
import { host as gemini } from '../../src/hosts/gemini/index';
import type { OtherHost } from '../../src/hosts/host';
import { host as opencode } from '../../src/hosts/opencode/index';
import { decisions } from './fixtures';

type Forms = readonly [OtherHost, (text: string) => JsonObject, JsonObject];

const FORMS: readonly Forms[] = [
  [codex, (prompt) => ({ hook_event_name: 'UserPromptSubmit', prompt }), { hook_event_name: 'Stop' }],
  [gemini, (prompt) => ({ hook_event_name: 'BeforeAgent', prompt }), { hook_event_name: 'AfterAgent' }],
  [copilot, (prompt) => ({ hook_event_name: 'UserPromptSubmit', prompt }), { hook_event_name: 'Stop' }],
  [cursor, (prompt) => ({ hook_event_name: 'beforeSubmitPrompt', prompt }), { hook_event_name: 'stop' }],
  [opencode, (text) => ({ hook: 'chat.message', text }), { hook: 'session.idle' }],
];

describe.each(FORMS)('$name', (host, prompt, stop) => {
  const origin = (text: string, more: JsonObject = {}): string =>
    (host.parse({ ...prompt(text), ...more }, 0) as EventOf<'prompt.submit'>).origin;

  test('what was typed is a person’s', () => {
    expect(origin('/review it')).toBe('human');
    expect(origin('<div> is wrong here')).toBe('human');
  });

  test.each([
    ['hold by requirements', decisions['hold by requirements']],
    ['hold by the loop alone', decisions['hold by the loop alone']],
  ])('a refused stop (%s) that comes back as a prompt is not', (_, decision) => {
    const { stdout } = host.render(
      host.parse(stop, 0),
      decision ?? { kind: 'nothing', toAgent: [], toPerson: [] },
    );
    const answer = JSON.parse(stdout) as Record<string, string>;
    const words = answer['reason'] ?? answer['followup_message'] ?? answer['prompt'] ?? '';
    const back = host.name === 'codex' ? `<hook_prompt hook_run_id="1">${words}</hook_prompt>` : words;
    expect(origin(back)).toBe('continuation');
    if (host.name !== 'codex') expect(origin(`Of another hook.\n${back}`)).toBe('continuation');
  });

  test('what the program says itself is a machine’s', () => {
    expect(origin('<system_notification>\nAgent 1 has ended.</system_notification>')).toBe('machine');
  });

  test('what a subagent is told is a machine’s, where the host tells of subagents', () => {
    const marks = { agent_id: 'a', rootSessionID: 'r' };
    const told = host.name === 'gemini' || host.name === 'cursor' ? 'human' : 'machine';
    expect(origin('/review it', marks)).toBe(told);
  });
});
