import type { HostDocument, Rig } from './rig';

/** The session of most scenarios, and the key under which its state stands. */
export const SESSION = 'cad0ac4d-3933-45ad-9a1c-14aec05bb940';
export const KEY = 'cad0ac4d';
export const OTHER_SESSION = 'aaaaaaaa-0000-4000-8000-000000000000';

/** Claude Code's documents, as the scenarios need them; `more` overrides any member. */
export interface Events {
  pre(tool: string, input: HostDocument, more?: HostDocument): HostDocument;
  post(tool: string, input: HostDocument, more?: HostDocument): HostDocument;
  postFailure(tool: string, input: HostDocument, more?: HostDocument): HostDocument;
  stop(active: boolean, more?: HostDocument): HostDocument;
  start(source: string, more?: HostDocument): HostDocument;
  end(more?: HostDocument): HostDocument;
}

export function eventsIn({ repo }: Pick<Rig, 'repo'>): Events {
  const event = (name: string, members: HostDocument, more: HostDocument = {}): HostDocument => {
    return { session_id: SESSION, hook_event_name: name, ...members, cwd: repo, ...more };
  };
  const tool = (name: string) => (tool_name: string, tool_input: HostDocument, more?: HostDocument) =>
    event(name, { tool_name, tool_input }, more);
  return {
    pre: tool('PreToolUse'),
    post: tool('PostToolUse'),
    postFailure: tool('PostToolUseFailure'),
    stop: (active, more) => event('Stop', { stop_hook_active: active }, more),
    start: (source, more) => event('SessionStart', { source }, more),
    end: (more) => event('SessionEnd', { reason: 'clear' }, more),
  };
}

/** The edit that most scenarios try. */
export const EDIT: HostDocument = { file_path: 'a' };
