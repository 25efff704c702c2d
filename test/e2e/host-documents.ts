import type { HostName } from '../../src/core/host-name';
import { SESSION } from './events';
import { at, type Ended, type HostDocument } from './rig';

/** What a host sends, and how its answers are read, as far as the scenarios for all hosts go. */
export interface HostForms {
  readonly name: HostName;
  shell(cwd: string, command: string): HostDocument;
  edit(cwd: string, path: string): HostDocument;
  ran(cwd: string, command: string): HostDocument;
  prompt(cwd: string, text: string): HostDocument;
  start(cwd: string): HostDocument;
  stop(cwd: string, continuing: boolean, text: string): HostDocument;
  unknown(cwd: string): HostDocument;
  /** The reason of a denied call, of a held stop, and of a question; undefined where there is none. */
  denied(ended: Ended): unknown;
  held(ended: Ended): unknown;
  context(ended: Ended): unknown;
}

const codexEvent = (cwd: string, hook_event_name: string, members: HostDocument): HostDocument => ({
  session_id: SESSION,
  turn_id: 'turn-1',
  transcript_path: null,
  cwd,
  hook_event_name,
  model: 'gpt',
  permission_mode: 'default',
  ...members,
});

const bash = (command: string): HostDocument => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'c1',
});

export const codex: HostForms = {
  name: 'codex',
  shell: (cwd, command) => codexEvent(cwd, 'PreToolUse', bash(command)),
  edit: (cwd, path) => {
    const command = `*** Begin Patch\n*** Update File: ${path}\n@@\n+x\n*** End Patch\n`;
    return codexEvent(cwd, 'PreToolUse', {
      tool_name: 'apply_patch',
      tool_input: { command },
      tool_use_id: 'c2',
    });
  },
  ran: (cwd, command) => codexEvent(cwd, 'PostToolUse', { ...bash(command), tool_response: '' }),
  prompt: (cwd, prompt) => codexEvent(cwd, 'UserPromptSubmit', { prompt }),
  start: (cwd) => codexEvent(cwd, 'SessionStart', { source: 'startup', turn_id: undefined }),
  stop: (cwd, stop_hook_active, last_assistant_message) =>
    codexEvent(cwd, 'Stop', { stop_hook_active, last_assistant_message }),
  unknown: (cwd) => codexEvent(cwd, 'Brandnew', {}),
  denied: ({ json }) =>
    at(json, 'hookSpecificOutput', 'permissionDecision') === 'deny'
      ? at(json, 'hookSpecificOutput', 'permissionDecisionReason')
      : undefined,
  held: ({ json }) => (at(json, 'decision') === 'block' ? at(json, 'reason') : undefined),
  context: ({ json }) => at(json, 'hookSpecificOutput', 'additionalContext'),
};

/** The client tells every event's time. */
let ticks = 0;
const geminiEvent = (cwd: string, hook_event_name: string, members: HostDocument): HostDocument => ({
  session_id: SESSION,
  transcript_path: '/nowhere/session.jsonl',
  cwd,
  hook_event_name,
  timestamp: new Date(1_700_000_000_000 + ticks++).toISOString(),
  ...members,
});

const run = (command: string): HostDocument => ({ tool_name: 'run_shell_command', tool_input: { command } });
const refused = ({ json }: Ended): unknown =>
  at(json, 'decision') === 'deny' ? at(json, 'reason') : undefined;

export const gemini: HostForms = {
  name: 'gemini',
  shell: (cwd, command) => geminiEvent(cwd, 'BeforeTool', run(command)),
  edit: (cwd, file_path) =>
    geminiEvent(cwd, 'BeforeTool', { tool_name: 'write_file', tool_input: { file_path, content: 'x' } }),
  ran: (cwd, command) =>
    geminiEvent(cwd, 'AfterTool', { ...run(command), tool_response: { llmContent: 'Output: (empty)' } }),
  prompt: (cwd, prompt) => geminiEvent(cwd, 'BeforeAgent', { prompt }),
  start: (cwd) => geminiEvent(cwd, 'SessionStart', { source: 'startup' }),
  stop: (cwd, stop_hook_active, prompt_response) =>
    geminiEvent(cwd, 'AfterAgent', { prompt: 'go', prompt_response, stop_hook_active }),
  unknown: (cwd) => geminiEvent(cwd, 'Brandnew', {}),
  denied: refused,
  held: refused,
  context: ({ json }) => at(json, 'hookSpecificOutput', 'additionalContext'),
};
