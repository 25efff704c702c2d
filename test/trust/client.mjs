// A client as Claude Code is one, as far as hooks see it: reads the settings' hooks, calls them by /bin/sh at every
// event, obeys what they answer, and really runs what they allow. Takes a plan on standard input, prints what happened.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

const { project, home, session, steps, attended = true } = JSON.parse(readFileSync(0, 'utf8'));
const transcript = join(home, 'transcript.jsonl');
const LAYERS = [
  ['user_settings', join(home, '.claude/settings.json')],
  ['project_settings', join(project, '.claude/settings.json')],
  ['local_settings', join(project, '.claude/settings.local.json')],
];
let cwd = project;
let calls = 0;
const seen = [];

const textOf = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};
let texts = LAYERS.map(([, file]) => textOf(file));
let settings = texts.map(parsed);

const environment = () => ({
  PATH: process.env.PATH,
  HOME: home,
  TMPDIR: process.env.TMPDIR,
  SHELL: '/bin/bash',
  GIT_CONFIG_NOSYSTEM: '1',
  CLAUDECODE: '1',
  AI_AGENT: 'claude-code_2.1.325',
  CLAUDE_PID: String(process.pid),
  CLAUDE_CODE_SESSION_ID: session,
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  CLAUDE_CODE_SESSION_ATTENDED: attended ? '1' : '0',
  ...Object.assign({}, ...settings.map(({ env }) => env ?? {})),
});

function hooksFor(event, subject) {
  if (settings.some(({ disableAllHooks }) => disableAllHooks === true)) return [];
  const groups = settings.flatMap(({ hooks }) => (Array.isArray(hooks?.[event]) ? hooks[event] : []));
  const matches = ({ matcher = '' }) =>
    ['', '*'].includes(matcher) || new RegExp(`^(?:${matcher})$`).test(subject ?? '');
  const commands = groups.filter(matches).flatMap(({ hooks }) => hooks ?? []);
  return [
    ...new Map(commands.filter(({ type }) => type === 'command').map((one) => [one.command, one])).values(),
  ];
}

/** All hooks of an event; the strictest answer counts. */
function tell(event, fields, subject) {
  const document = {
    session_id: session,
    transcript_path: transcript,
    cwd,
    permission_mode: 'default',
    hook_event_name: event,
    ...fields,
  };
  const answers = hooksFor(event, subject).map(({ command, args, timeout = 60, async: inBackground }) => {
    const how = {
      cwd,
      input: JSON.stringify(document),
      encoding: 'utf8',
      env: { ...environment(), CLAUDE_PROJECT_DIR: project },
      timeout: timeout * 1000,
    };
    const run =
      args === undefined ? spawnSync('/bin/sh', ['-c', command], how) : spawnSync(command, args, how);
    // Of a hook in the background, or one that was too slow, nothing counts.
    return inBackground || run.error
      ? { status: 0 }
      : { ...parsed(run.stdout.trim() || '{}'), status: run.status, stderr: run.stderr };
  });
  const told = answers.flatMap(({ systemMessage }) => systemMessage ?? []);
  const said = answers.map(({ hookSpecificOutput }) => hookSpecificOutput ?? {});
  const by = (word) => said.find(({ permissionDecision }) => permissionDecision === word);
  const refused = answers.find(({ status, decision }) => status === 2 || decision === 'block');
  const kind = by('deny') || refused ? 'deny' : by('ask') ? 'ask' : 'pass';
  const reason =
    by('deny')?.permissionDecisionReason ??
    by('ask')?.permissionDecisionReason ??
    refused?.reason ??
    refused?.stderr;
  seen.push({
    event,
    tool: fields.tool_name,
    kind,
    reason,
    told,
    stderr: answers.map(({ stderr }) => stderr).join(''),
  });
  return kind;
}

/** The settings are looked at after every step; a change that a hook refuses waits for the next one. */
function lookAtSettings() {
  const now = LAYERS.map(([, file]) => textOf(file));
  const changed = LAYERS.filter((_, index) => now[index] !== texts[index]);
  if (changed.length === 0) return;
  texts = now;
  const kinds = changed.map(([source, file_path]) => tell('ConfigChange', { source, file_path }, source));
  if (!kinds.includes('deny')) settings = now.map(parsed);
}

const noted = (line) => appendFileSync(transcript, `${JSON.stringify({ sessionId: session, ...line })}\n`);
const placed = (path) => (isAbsolute(path) ? path : join(project, path));
const write = (path, text) => {
  mkdirSync(dirname(placed(path)), { recursive: true });
  writeFileSync(placed(path), text);
  return { success: true };
};
const TOOLS = {
  Bash({ command }) {
    const run = spawnSync('/bin/bash', ['-c', `${command}\ncode=$?; pwd > ${home}/pwd; exit $code`], {
      cwd,
      env: environment(),
      encoding: 'utf8',
      timeout: 30_000,
    });
    cwd = textOf(join(home, 'pwd')).trim() || cwd;
    return { stdout: run.stdout + run.stderr, interrupted: false, failed: run.status !== 0 };
  },
  Write: ({ file_path, content }) => write(file_path, content),
  // Like the real one, it runs the marked lines of a command file without a word to any hook.
  Skill({ skill, args = '' }) {
    const text = textOf(join(cwd, '.claude/commands', `${skill}.md`)).replaceAll('$ARGUMENTS', args);
    for (const [, command] of text.matchAll(/!`([^`]+)`/g)) TOOLS.Bash({ command });
    return { success: true, commandName: skill };
  },
  Edit: ({ file_path, old_string, new_string }) =>
    write(file_path, textOf(placed(file_path)).replace(old_string, new_string)),
  NotebookEdit: ({ notebook_path, new_source }) => write(notebook_path, new_source),
  mcp__files__write_file: ({ path, content }) => write(path, content),
  Task: () => ({ content: 'done' }),
};

function call({ tool, input: given, agent }) {
  // The tools of this client take absolute paths only.
  const { file_path } = given;
  const input = { ...given, ...(file_path && { file_path: placed(file_path) }) };
  const id = `toolu_${++calls}`;
  const fields = {
    tool_name: tool,
    tool_input: input,
    tool_use_id: id,
    ...(agent && { agent_id: agent, agent_type: 'general-purpose' }),
  };
  noted({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name: tool, input }] } });
  if (tell('PreToolUse', fields, tool) !== 'pass') return { ran: false };
  const { failed = false, ...response } = TOOLS[tool](input);
  noted({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: failed }] } });
  if (failed) tell('PostToolUseFailure', { ...fields, error: `Exit code 1\n${response.stdout}` }, tool);
  else tell('PostToolUse', { ...fields, tool_response: response }, tool);
  lookAtSettings();
  return { ran: true, output: response.stdout };
}

tell('SessionStart', { source: 'startup' }, 'startup');
tell('UserPromptSubmit', { prompt: 'Do the work.', prompt_id: 'p1' });
const results = steps.map((step) => {
  if (step.prompt !== undefined) return tell('UserPromptSubmit', { prompt: step.prompt, prompt_id: 'p2' });
  if (step.stop)
    return tell('Stop', { stop_hook_active: false, prompt_id: 'p1', last_assistant_message: 'Done.' });
  return call(step);
});
const stop = tell('Stop', { stop_hook_active: false, prompt_id: 'p1', last_assistant_message: 'Done.' });
process.stdout.write(JSON.stringify({ results, stop, seen }));
