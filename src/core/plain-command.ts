import type { EventHeader } from './event';
import { isJsonObject, type JsonObject } from './json';
import type { Project } from './project';

/** No quotes, variables, patterns, redirections or substitutions: what stands there is what the shell sees. */
const PLAIN = /^[\w\s.,/:=@%+&|;-]*$/;
const SEPARATORS = /[\s&|;=]+/;
/** Names of ours, of hosts and of git in a path, and words for the directory itself or one above it. */
const OURS =
  /(?:^|\/)(?:\.(?:git|holdpoint|claude|codex|gemini|github|cursor|opencode|config|gauntlet|isdlc|jwz|zawinski)|\.|\.\.|holdpoint|req|agent-gauntlet)(?:\/|$)/;

/**
 * Whether a call runs a command line of plain words none of which names anything of ours, a host's or git's. Then the
 * words are exactly what splitting gives, so nothing has to be parsed to know that it does not touch our files by name.
 */
export function isPlainCall(raw: JsonObject, { cwd }: EventHeader, { root, home }: Project): boolean {
  const input = raw['tool_input'];
  const command = isJsonObject(input) ? input['command'] : undefined;
  if (typeof command !== 'string' || !PLAIN.test(command)) return false;
  if (cwd !== root && (!cwd.startsWith(`${root}/`) || OURS.test(cwd.slice(root.length)))) return false;
  const isAbove = (word: string): boolean =>
    word.startsWith('/') && [root, home].some((place) => `${place}/`.startsWith(word.replace(/\/*$/, '/')));
  return !command.split(SEPARATORS).some((word) => OURS.test(word) || isAbove(word));
}
