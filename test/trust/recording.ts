import { fileURLToPath } from 'node:url';

/** The events of an ordinary session, as Claude Code sent them; test/clients/claude-code/recorded.test.ts makes it. */
export const RECORDED = fileURLToPath(new URL('../fixtures/sessions/claude-code.jsonl', import.meta.url));

export interface RecordedEvent {
  readonly hook_event_name: string;
  readonly tool_name?: string;
  readonly tool_response?: unknown;
}
