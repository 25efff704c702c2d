import { isJsonObject, type JsonObject } from '../../core/json';
import type { Output } from '../ui/output';
import type { Reply } from './stage';
import type { Scene } from './story';

/** Prints one moment as a person would watch it: what the agent did, what was decided, what it read. */
export function tell(out: Output, number: number, scene: Scene, reply: Reply): void {
  out.line(`${out.style('dim', `${number}.`.padStart(3))} ${out.style('bold', scene.told)}`);
  if (scene.kind === 'command') {
    out.line(`    ${out.style('cyan', `$ ${[scene.command, ...scene.args].join(' ')}`)}`);
    indent(out, reply.stdout + reply.stderr);
  } else {
    const { verdict, text } = readReply(reply);
    out.line(`    ${out.style('dim', subjectOf(scene.event))} ${marked(out, verdict)}`);
    indent(out, text);
  }
  out.line();
}

/** What became of an event. */
export type Told = 'allowed' | 'denied' | 'held' | 'told';

export function marked(out: Output, verdict: Told): string {
  switch (verdict) {
    case 'allowed':
      return out.style('green', '→ goes on');
    case 'denied':
      return out.style('red', '→ denied');
    case 'held':
      return out.style('red', '→ held');
    case 'told':
      return out.style('cyan', '→ goes on, and reads');
  }
}

function readReply({ stdout }: Reply): { verdict: Told; text: string } {
  if (stdout === '') return { verdict: 'allowed', text: '' };
  const answer = JSON.parse(stdout) as JsonObject;
  const specific = isJsonObject(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  if (specific['permissionDecision'] === 'deny') {
    return { verdict: 'denied', text: String(specific['permissionDecisionReason']) };
  }
  if (answer['decision'] === 'block') return { verdict: 'held', text: String(answer['reason']) };
  return { verdict: 'told', text: String(specific['additionalContext'] ?? answer['systemMessage'] ?? '') };
}

function subjectOf(event: JsonObject): string {
  return [event['hook_event_name'], event['tool_name']].filter((part) => typeof part === 'string').join(' ');
}

/** Text of somebody else, set off from ours. */
export function indent(out: Output, text: string): void {
  for (const line of text.trimEnd().split('\n'))
    if (line !== '') out.line(`    ${out.style('dim', '│')} ${out.style('dim', line)}`);
}
