import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';
import { claudeCode } from './claude-code/index';
import type { Host } from './host';

/** Events that only Gemini CLI has, and events that others have too; there it always names the transcript. */
const GEMINI = /^(?:Before(?:Agent|Tool|Model)|After(?:Agent|Tool|Model)|PreCompress)/;
const MAYBE_GEMINI = /^(?:Session|Notification)/;

/** The host of that name. `load` brings any but Claude Code, which is always there. */
export function hostCalled(name: HostName, load: (name: HostName) => Host): Host {
  return name === 'claude-code' ? claudeCode : load(name);
}

/**
 * The host that sent a document. What the document shows beats the name on the command line, since a command installed
 * for one host is also run by others. Without either it is Claude Code, which others imitate.
 */
export function senderOf(raw: JsonObject, asked: HostName | undefined): HostName {
  return markedSender(raw, asked) ?? asked ?? 'claude-code';
}

/** The host whose mark the document has: something that only this host writes. */
function markedSender(raw: JsonObject, asked: HostName | undefined): HostName | undefined {
  if (typeof raw['cursor_version'] === 'string') return 'cursor';
  if (raw['opencode'] === 1) return 'opencode';
  if (typeof raw['prompt_id'] === 'string') return 'claude-code';
  if (typeof raw['turn_id'] === 'string' && typeof raw['model'] === 'string') return 'codex';
  const event = String(raw['hook_event_name']);
  if (GEMINI.test(event)) return 'gemini';
  // Several hosts send a time, but never Claude Code.
  if (raw['timestamp'] === undefined || (asked !== undefined && asked !== 'claude-code')) return undefined;
  const hasTranscript = typeof raw['transcript_path'] === 'string';
  return hasTranscript && MAYBE_GEMINI.test(event) ? 'gemini' : 'copilot';
}
