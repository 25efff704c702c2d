import { SESSION } from './events';
import {
  at,
  type Circumstances,
  deniedBecause,
  type Ended,
  type HostDocument,
  makeRig,
  type Rig,
  runNow,
} from './rig';

/** A project in the directory of the older program, with a plan, and the hook as a host calls it. */
export interface WorkflowProject {
  readonly rig: Rig;
  state(state: unknown): void;
  stored(): unknown;
  hook(event: HostDocument, how?: Circumstances & { readonly only?: string }): Ended;
}

export const STATE_FILE = '.isdlc/state.json';
export const PLAN_FILE = 'docs/isdlc/tasks.md';

export function workflowProject({ plan = true }: { plan?: boolean } = {}): WorkflowProject {
  const rig = makeRig('');
  rig.write('.isdlc/.keep', '');
  if (plan) rig.write(PLAN_FILE, '- [ ] T0001 build it\n');
  return {
    rig,
    state: (state) =>
      rig.write(STATE_FILE, typeof state === 'string' ? state : JSON.stringify(state, null, 2)),
    stored: () => rig.readJson(STATE_FILE),
    hook: (event, { only, cwd = rig.dir, env } = {}) =>
      runNow(
        'hook',
        only === undefined ? [] : ['--only', only],
        JSON.stringify({ cwd: rig.repo, ...event }),
        {
          cwd,
          env: rig.environment({ CLAUDE_PROJECT_DIR: rig.repo, ...env }),
        },
      ),
  };
}

/** A workflow in a phase that has been begun. */
export function inPhase(phase: string, more: object = {}, record: object = {}): HostDocument {
  return {
    active_workflow: { type: 'feature', current_phase: phase, ...more },
    phases: { [phase]: { status: 'in_progress', ...record } },
  };
}

const before = { session_id: SESSION, hook_event_name: 'PreToolUse' };
const after = { session_id: SESSION, hook_event_name: 'PostToolUse' };

export function task(agent: string, prompt: string, more: HostDocument = {}): HostDocument {
  const tool_input = { subagent_type: agent, prompt, description: '' };
  return { ...before, tool_name: 'Task', tool_input, ...more };
}

export function tasked(
  agent: string,
  prompt: string,
  result: unknown,
  more: HostDocument = {},
): HostDocument {
  return { ...task(agent, prompt), ...after, tool_response: result, ...more };
}

export function bash(command: string, more: HostDocument = {}): HostDocument {
  return { ...before, tool_name: 'Bash', tool_input: { command }, ...more };
}

export function bashed(command: string, result: unknown, more: HostDocument = {}): HostDocument {
  return { ...bash(command), ...after, tool_response: result, ...more };
}

/** A command that ended with another code than 0. */
export function bashFailed(command: string, error: string, more: HostDocument = {}): HostDocument {
  return { ...bash(command), hook_event_name: 'PostToolUseFailure', error, ...more };
}

export function skill(name: string, args: string, more: HostDocument = {}): HostDocument {
  return { ...before, tool_name: 'Skill', tool_input: { skill: name, args }, ...more };
}

export function skilled(name: string, args: string, more: HostDocument = {}): HostDocument {
  return { ...skill(name, args), ...after, tool_response: 'Launching skill', ...more };
}

export function write(file_path: string, content: string, more: HostDocument = {}): HostDocument {
  return { ...before, tool_name: 'Write', tool_input: { file_path, content }, ...more };
}

export function edit(file_path: string, old_string: string, new_string: string): HostDocument {
  return { ...before, tool_name: 'Edit', tool_input: { file_path, old_string, new_string } };
}

export function stop(active = false, more: HostDocument = {}): HostDocument {
  return { session_id: SESSION, hook_event_name: 'Stop', stop_hook_active: active, ...more };
}

/** Fails unless the event was denied for a reason that holds every one of the texts. */
export function expectDenied(ended: Ended, ...texts: string[]): void {
  const reason = deniedBecause(ended);
  if (ended.exitCode !== 0) throw new Error(`exit ${ended.exitCode}`);
  for (const text of texts) if (!reason.includes(text)) throw new Error(`no "${text}" in: ${reason}`);
  if (reason.split('\n').length > 10) throw new Error(`more than ten lines: ${reason}`);
}

/** Fails unless the event was let through without a word. */
export function expectAllowed({ stdout, stderr, exitCode }: Ended): void {
  if (stdout !== '' || exitCode !== 0) throw new Error(`not allowed: ${exitCode} ${stdout}${stderr}`);
}

/** Everything that an answer tells the agent or the person. */
export function told({ json }: Ended): string {
  return [at(json, 'hookSpecificOutput', 'additionalContext'), at(json, 'systemMessage')]
    .filter(Boolean)
    .join('\n');
}
