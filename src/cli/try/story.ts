import { isJsonObject, type JsonObject } from '../../core/json';
import type { ExitCode } from '../context';
import type { Output } from '../ui/output';
import type { Reply, Stage } from './stage';

/** One step of the scripted session: an event of the host, or a command of the person. */
type Scene = { readonly told: string } & (
  | { readonly kind: 'event'; readonly event: JsonObject }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
);

/** The short id of the stage's session. */
const KEY = '5e551011';

/** The session that a newcomer watches: held, told why, released. */
const STORY: readonly Scene[] = [
  event('The session starts. The agent is told what was agreed.', {
    hook_event_name: 'SessionStart',
    source: 'startup',
  }),
  event('The agent reads a file. Nobody asked about reading, so nothing happens.', {
    hook_event_name: 'PreToolUse',
    tool_name: 'Read',
    tool_input: { file_path: 'src/login.ts' },
    tool_use_id: 'toolu_01',
  }),
  event('The agent edits without a plan.', edit('toolu_02')),
  command('A person looks at the plan and says that it is fine.', 'req satisfy commit_plan --session', KEY),
  event('The agent tries again.', edit('toolu_03')),
  event('The agent wants to end its turn, but the edit called for a changelog entry.', {
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: 'All done.',
  }),
  command('The entry is written and recorded.', 'req satisfy changelog --session', KEY),
  event('The agent ends its turn.', {
    hook_event_name: 'Stop',
    stop_hook_active: true,
    last_assistant_message: 'Changelog written.',
  }),
  command('Somebody switches to main.', 'git checkout --quiet main'),
  event('The agent goes on editing there.', edit('toolu_04')),
];

function event(told: string, sent: JsonObject): Scene {
  return { kind: 'event', told, event: sent };
}

function command(told: string, line: string, ...more: string[]): Scene {
  const [program = '', ...args] = [...line.split(' '), ...more];
  return { kind: 'command', told, command: program, args };
}

function edit(id: string): JsonObject {
  return {
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: 'src/login.ts', old_string: 'a', new_string: 'b' },
    tool_use_id: id,
  };
}

/** Plays the session through the real hook, and prints each step as a person would watch it. */
export function playStory(stage: Stage, out: Output): ExitCode {
  out.line('A scripted agent works in it. Every event goes through the hook that a real host would call.\n');
  for (const [index, scene] of STORY.entries()) {
    out.line(`${out.style('dim', `${index + 1}.`.padStart(3))} ${out.style('bold', scene.told)}`);
    if (scene.kind === 'command') {
      const { stdout, stderr } = stage.run(scene.command, scene.args);
      out.line(`    ${out.style('cyan', `$ ${[scene.command, ...scene.args].join(' ')}`)}`);
      showQuoted(out, stdout + stderr);
    } else {
      const { verdict, text } = readReply(stage.sendEvent(scene.event));
      const { hook_event_name: name, tool_name: tool } = scene.event;
      const subject = tool === undefined ? String(name) : `${name} ${tool}`;
      out.line(`    ${out.style('dim', subject)} ${verdictMark(out, verdict)}`);
      showQuoted(out, text);
    }
    out.line();
  }
  return 0;
}

const MARKS = {
  allowed: ['green', '→ goes on'],
  denied: ['red', '→ denied'],
  held: ['red', '→ held'],
  told: ['cyan', '→ goes on, and reads'],
} as const;

/** What became of an event. */
export type Verdict = keyof typeof MARKS;

/** The verdict as it is printed behind an event. */
export function verdictMark(out: Output, verdict: Verdict): string {
  const [style, text] = MARKS[verdict];
  return out.style(style, text);
}

/** Prints text that is not ours behind a bar. */
export function showQuoted(out: Output, text: string): void {
  for (const line of text.trimEnd().split('\n'))
    if (line !== '') out.line(`    ${out.style('dim', '│')} ${out.style('dim', line)}`);
}

function readReply({ stdout }: Reply): { verdict: Verdict; text: string } {
  if (stdout === '') return { verdict: 'allowed', text: '' };
  const answer = JSON.parse(stdout) as JsonObject;
  const specific = isJsonObject(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  if (specific['permissionDecision'] === 'deny')
    return { verdict: 'denied', text: String(specific['permissionDecisionReason']) };
  if (answer['decision'] === 'block') return { verdict: 'held', text: String(answer['reason']) };
  return { verdict: 'told', text: String(specific['additionalContext'] ?? answer['systemMessage'] ?? '') };
}
