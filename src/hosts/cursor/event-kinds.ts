import type { EventKind } from '../../core/event';

/**
 * By the name in lower case, so that the names of Claude Code, whose settings Cursor can run, are there too.
 * What is fired beside `preToolUse` for the same call is left out: one call would be decided twice.
 */
const KINDS: Readonly<Record<string, EventKind>> = {
  sessionstart: 'session.start',
  sessionend: 'session.end',
  beforesubmitprompt: 'prompt.submit',
  userpromptsubmit: 'prompt.submit',
  pretooluse: 'tool.before',
  posttooluse: 'tool.after',
  posttoolusefailure: 'tool.after',
  subagentstart: 'subagent.start',
  subagentstop: 'subagent.stop',
  precompact: 'compact.before',
  stop: 'turn.stop',
  afterfileedit: 'file.changed',
};

/** The kind of a native event; a name from a newer client is `other`. */
export function kindOf(hostEvent: string): EventKind {
  const name = hostEvent.toLowerCase();
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'other') : 'other';
}
