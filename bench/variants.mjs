// What is measured: node alone, and the hook with one event each.
import { join } from 'node:path';
import { SESSIONS } from './scene.mjs';

/**
 * Each has a name, a command, a directory, and for events what is on standard input and a fit answer.
 * Calls of tools have one document for every round, each with another id: one that was counted
 * already would write nothing.
 */
export function variantsIn(scene, hook, rounds) {
  const node = process.execPath;
  const event = (name, bodyOf, expects) => ({
    name,
    command: [node, hook],
    cwd: scene.repo,
    inputs: Array.from({ length: rounds + 2 }, (_, round) => {
      const body = { cwd: scene.repo, transcript_path: '', ...bodyOf(round) };
      return scene.write(`${name} ${round}.json`, JSON.stringify(body));
    }),
    expects,
  });
  const tool = (session_id, tool_name, cwd) => (round) => ({
    cwd,
    session_id,
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input: { file_path: join(cwd, 'a.ts'), old_string: 'a', new_string: 'b' },
    tool_use_id: `toolu_bench_${round}`,
  });
  const stop = () => ({ session_id: SESSIONS.quiet, hook_event_name: 'Stop', stop_hook_active: false });
  const loopStop = (session_id) => (round) => ({
    cwd: scene.looping,
    session_id,
    hook_event_name: 'Stop',
    stop_hook_active: false,
    prompt_id: `prompt ${round}`,
    last_assistant_message: `This was round ${round}.`,
  });

  return [
    { name: 'node -e 0', command: [node, '-e', '0'], cwd: scene.repo },
    { name: 'node empty.cjs', command: [node, scene.write('empty.cjs', '')], cwd: scene.repo },
    event('no guard concerned', tool(SESSIONS.quiet, 'Read', scene.repo), isSilent),
    event('four requirements deny', tool(SESSIONS.denied, 'Edit', scene.repo), denies),
    event('four requirements allow', tool(SESSIONS.satisfied, 'Edit', scene.repo), isSilent),
    event('allow, 1,000 sessions seen', tool(SESSIONS.satisfied, 'Edit', scene.crowded), isSilent),
    event('stop allowed', stop, isSilent),
    event('stop held by a loop', loopStop(SESSIONS.looping), loops),
    event("stop beside another's loop", loopStop(SESSIONS.quiet), isSilent),
    event('no project', tool(SESSIONS.quiet, 'Edit', scene.nowhere), allows),
  ];
}

function isSilent({ status, stdout, stderr }) {
  return status === 0 && stdout === '' && stderr === '';
}

/** Without a project there is no journal, so a word on standard error is no fault. */
function allows({ status, stdout }) {
  return status === 0 && stdout === '';
}

function denies({ status, stdout }) {
  return status === 0 && stdout.includes('"permissionDecision":"deny"');
}

function loops({ status, stdout }) {
  return status === 2 && stdout.startsWith('{"decision": "block", "reason": "[ITERATION ');
}
