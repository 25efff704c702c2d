// What is measured: node alone, and the hook with one event each.
import { join } from 'node:path';
import { SESSIONS } from './scene.mjs';

/** Each has a name, a command, a directory, and for events what is on standard input and a fit answer. */
export function variantsIn(scene, hook) {
  const node = process.execPath;
  const event = (name, body, expects) => ({
    name,
    command: [node, hook],
    cwd: scene.repo,
    input: scene.write(`${name}.json`, JSON.stringify({ cwd: scene.repo, transcript_path: '', ...body })),
    expects,
  });
  const tool = (session_id, tool_name) => ({
    session_id,
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input: { file_path: join(scene.repo, 'a.ts'), old_string: 'a', new_string: 'b' },
    tool_use_id: 'toolu_bench',
  });
  const stop = { session_id: SESSIONS.quiet, hook_event_name: 'Stop', stop_hook_active: false };

  return [
    { name: 'node -e 0', command: [node, '-e', '0'], cwd: scene.repo },
    { name: 'node empty.cjs', command: [node, scene.write('empty.cjs', '')], cwd: scene.repo },
    event('no guard concerned', tool(SESSIONS.quiet, 'Read'), isSilent),
    event('requirements deny', tool(SESSIONS.denied, 'Edit'), denies),
    event('requirements allow', tool(SESSIONS.satisfied, 'Edit'), isSilent),
    event('stop allowed', stop, isSilent),
    event('no project', { ...tool(SESSIONS.quiet, 'Edit'), cwd: scene.nowhere }, allows),
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
