import type { HostName } from '../domain/host-name';
import type { JsonObject } from '../domain/json';

/** How the names of Gemini's own events begin. No patterns: every event comes by here. */
const OF_GEMINI = [
  'BeforeAgent',
  'BeforeTool',
  'BeforeModel',
  'AfterAgent',
  'AfterTool',
  'AfterModel',
  'PreCompress',
];
/** Names that Gemini shares with others; it gives the transcript at all of them. */
const MAYBE_OF_GEMINI = /^(?:Session|Notification)/;

/**
 * The host that sent a document. What stdin shows beats what the command line says, since a command
 * installed for one host is also run by others. Without either it is Claude Code, which others imitate.
 */
export function senderOf(raw: JsonObject, asked: HostName | undefined): HostName {
  return markedIn(raw, asked) ?? asked ?? 'claude-code';
}

/** Only what a single host writes is a mark. OpenCode's documents are written by a file of ours. */
function markedIn(raw: JsonObject, asked: HostName | undefined): HostName | undefined {
  const given = (key: string): boolean => typeof raw[key] === 'string';
  if (given('cursor_version')) return 'cursor';
  if (raw['opencode'] === 1) return 'opencode';
  if (given('prompt_id')) return 'claude-code';
  if (given('turn_id') && given('model')) return 'codex';
  const event = String(raw['hook_event_name']);
  if (OF_GEMINI.some((name) => event.startsWith(name))) return 'gemini';
  // Several hosts tell the time, but never Claude Code.
  if (raw['timestamp'] === undefined || (asked !== undefined && asked !== 'claude-code')) return undefined;
  return given('transcript_path') && MAYBE_OF_GEMINI.test(event) ? 'gemini' : 'copilot';
}
