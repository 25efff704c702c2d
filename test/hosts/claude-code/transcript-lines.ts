import type { Json, JsonObject } from '../../../src/core/json';

type Content = string | readonly JsonObject[];

/** Lines of a transcript, as the client writes them. */
export const line = (entry: JsonObject): string => `${JSON.stringify(entry)}\n`;

export const words = (text: string): JsonObject => ({ type: 'text', text });
export const call = (): JsonObject => ({ type: 'tool_use', id: 'c', name: 'Bash', input: {} });

export function said(id: string, content: Content, facts: JsonObject = {}): string {
  const { usage, ...entry } = facts;
  const message = { id, role: 'assistant', content: content as Json, ...(usage !== undefined && { usage }) };
  return line({ isSidechain: false, message, type: 'assistant', uuid: 'u', ...entry });
}

export const asked = (content: Content, facts: JsonObject = {}): string =>
  line({ isSidechain: false, type: 'user', message: { role: 'user', content: content as Json }, ...facts });

export const result = (text = 'ok'): string =>
  asked([{ type: 'tool_result', tool_use_id: 'c', content: text }]);

export const noise = (size = 10): string =>
  line({ type: 'attachment', attachment: { type: 'prompt_snapshot', text: 'x'.repeat(size) } }) +
  line({ type: 'system', subtype: 'stop_hook_summary' }) +
  line({ type: 'last-prompt', lastPrompt: 'go' });
