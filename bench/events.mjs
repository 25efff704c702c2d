// Claude Code's documents, with the members that it sends.

const TAIL = '-1111-4111-8111-111111111111';

/** An id like a real one: its beginning tells sessions apart, and numbers in a row are not alike. */
export function sessionCalled(number) {
  return `${hexOf(number)}${TAIL}`;
}

/** Spread like the beginnings of random ids: a run of plain numbers would be stored in another way. */
function hexOf(number) {
  return (Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
}

/** A whole document; `members` may override any part. */
export function documentOf({ place, session, turn }, members) {
  return {
    session_id: session,
    transcript_path: `${place.home}/.claude/projects/bench/${session}.jsonl`,
    cwd: place.root,
    prompt_id: promptOf(turn),
    permission_mode: 'default',
    ...members,
  };
}

function promptOf(turn) {
  return `${hexOf(turn + 1)}-2222-4222-8222-222222222222`;
}

export function edit({ place, turn }) {
  const tool_input = {
    file_path: `${place.root}/a.ts`,
    old_string: 'a',
    new_string: 'b',
    replace_all: false,
  };
  return { hook_event_name: 'PreToolUse', tool_name: 'Edit', tool_input, tool_use_id: `toolu_${turn}` };
}

export function read({ place, turn }) {
  const tool_input = { file_path: `${place.root}/a.ts` };
  return { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input, tool_use_id: `toolu_${turn}` };
}

/** A call of any tool before it is run. */
export function call(tool_name, tool_input) {
  return ({ turn }) => ({
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input,
    tool_use_id: `toolu_${turn}`,
  });
}

export function bash(command) {
  return call('Bash', { command, description: 'as planned' });
}

/** The same call once it has ended well. */
export function after(before, tool_response) {
  return (scene) => ({ ...before(scene), hook_event_name: 'PostToolUse', tool_response, duration_ms: 10 });
}

/** The same call once it has failed. */
export function failed(before, error) {
  return (scene) => ({ ...before(scene), hook_event_name: 'PostToolUseFailure', error, is_interrupt: false });
}

/** A host asks whether it may. */
export function asked(before) {
  return (scene) => ({ ...before(scene), hook_event_name: 'PermissionRequest', permission_suggestions: [] });
}

export function prompt() {
  return { hook_event_name: 'UserPromptSubmit', prompt: 'Write the parser as the plan has it.' };
}

export function stop({ turn }) {
  return {
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: `This was round ${turn}.`,
    background_tasks: [],
    session_crons: [],
  };
}

export function brokenOff() {
  return { hook_event_name: 'StopFailure', error: 'rate_limit', error_details: '429 too many requests' };
}

export function start() {
  return { hook_event_name: 'SessionStart', source: 'startup' };
}

export function end() {
  return { hook_event_name: 'SessionEnd', reason: 'other' };
}

export function compaction() {
  return { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: null };
}

export function configChange({ place }) {
  const file_path = `${place.root}/.claude/settings.json`;
  return { hook_event_name: 'ConfigChange', source: 'project_settings', file_path };
}
