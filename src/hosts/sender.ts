import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';

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
  if (typeof raw['cursor_version'] === 'string') return 'cursor';
  if (raw['opencode'] === 1) return 'opencode';
  if (typeof raw['prompt_id'] === 'string') return 'claude-code';
  if (typeof raw['turn_id'] === 'string' && typeof raw['model'] === 'string') return 'codex';
  const event = String(raw['hook_event_name']);
  if (OF_GEMINI.some((name) => event.startsWith(name))) return 'gemini';
  // Several hosts tell the time, but never Claude Code.
  if (raw['timestamp'] === undefined || (asked !== undefined && asked !== 'claude-code')) return undefined;
  const hasTranscript = typeof raw['transcript_path'] === 'string';
  return hasTranscript && MAYBE_OF_GEMINI.test(event) ? 'gemini' : 'copilot';
}
