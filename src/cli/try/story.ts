import { isJsonObject, type JsonObject } from '../../core/json';
import type { ExitCode } from '../context';
import type { Output } from '../ui/output';
import type { Reply, Stage } from './stage';

/** The session that a newcomer watches, held, told why, released: events of the host, and commands of a person. */
const STORY: readonly { readonly told: string; readonly sent: JsonObject | string }[] = [
  {
    told: 'The session starts. The agent is told the rules.',
    sent: { hook_event_name: 'SessionStart', source: 'startup' },
  },
  {
    told: 'The agent reads a file. No rule is about reading, so nothing happens.',
    sent: toolCall('toolu_01', 'Read', {}),
  },
  { told: 'The agent edits without a plan.', sent: edit('toolu_02') },
  {
    told: 'A person reads the plan and approves it.',
    sent: 'req satisfy commit_plan --session 5e551011',
  },
  { told: 'The agent tries again.', sent: edit('toolu_03') },
  {
    told: 'The agent wants to end its turn, but an edit needs a changelog entry.',
    sent: { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'All done.' },
  },
  { told: 'The entry is written and recorded.', sent: 'req satisfy changelog --session 5e551011' },
  {
    told: 'The agent ends its turn.',
    sent: { hook_event_name: 'Stop', stop_hook_active: true, last_assistant_message: 'Changelog written.' },
  },
  { told: 'Somebody switches to main.', sent: 'git checkout --quiet main' },
  { told: 'The agent goes on editing there.', sent: edit('toolu_04') },
];

function toolCall(id: string, tool: string, more: JsonObject): JsonObject {
  const tool_input = { file_path: 'src/login.ts', ...more };
  return { hook_event_name: 'PreToolUse', tool_name: tool, tool_input, tool_use_id: id };
}

function edit(id: string): JsonObject {
  return toolCall(id, 'Edit', { old_string: 'a', new_string: 'b' });
}

/** Plays the session through the real hook, and prints each step as a person would watch it. */
export function playStory(stage: Stage, out: Output): ExitCode {
  out.line('A scripted agent works in it. Every event goes through the hook that a real host would call.\n');
  for (const [index, { told, sent }] of STORY.entries()) {
    out.line(`${out.style('dim', `${index + 1}.`.padStart(3))} ${out.style('bold', told)}`);
    if (typeof sent === 'string') {
      const [command = '', ...args] = sent.split(' ');
      const { stdout, stderr } = stage.run(command, args);
      out.line(`    ${out.style('cyan', `$ ${sent}`)}`);
      showQuoted(out, stdout + stderr);
    } else {
      const { verdict, text } = readReply(stage.sendEvent(sent));
      const { hook_event_name: name, tool_name: tool } = sent;
      const subject = tool === undefined ? String(name) : `${name} ${tool}`;
      out.line(`    ${out.style('dim', subject)} ${verdictMark(out, verdict)}`);
      showQuoted(out, text);
    }
    out.line();
  }
  return 0;
}

const MARKS = {
  allowed: ['green', '→ allowed'],
  denied: ['red', '→ held'],
  held: ['red', '→ held'],
  told: ['cyan', '→ allowed, and told'],
} as const;

export type Verdict = keyof typeof MARKS;

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
