import type { HostName } from '../../core/host-name';
import type { JsonObject } from '../../core/json';

/** What the scratch project asks for, so that the event below must be held. */
export const PROBE_CONFIG = `inherit: false
requirements:
  doctor_probe:
    enabled: true
    scope: session
    trigger_tools: [{ tool: Bash, command_pattern: 'git\\s+commit' }]
`;

const COMMAND = 'git commit -m probe';
const SESSION = 'd0c7070d-0000-4000-8000-000000000001';

/** A commit that nobody has planned, in the words of a host; nothing where a host starts no command of ours. */
export function knownBad(host: HostName, cwd: string): JsonObject | undefined {
  const common = { session_id: SESSION, cwd };
  const tool_input = { command: COMMAND };
  switch (host) {
    case 'claude-code':
    case 'codex':
      return {
        ...common,
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input,
        tool_use_id: 'toolu_doctor',
      };
    case 'gemini':
      return { ...common, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input };
    case 'copilot':
      return { ...common, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input };
    case 'cursor':
      return {
        ...common,
        conversation_id: SESSION,
        hook_event_name: 'preToolUse',
        tool_name: 'Shell',
        tool_input,
        workspace_roots: [cwd],
        cursor_version: '2.4.21',
      };
    case 'opencode':
      return undefined;
  }
}

/** Whether an answer refuses, in the form of any host. */
export function isHeld(stdout: string, exitCode: number | null): boolean {
  return exitCode === 2 || /"(?:permissionDecision|decision|permission)"\s*:\s*"(?:deny|block)"/.test(stdout);
}
