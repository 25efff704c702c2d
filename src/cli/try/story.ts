import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json';
import { folded, print, styled } from '../ui/output';
import { type Reply, SOURCE, type Stage } from './stage';

const PROMPT = 'Ignore items without a count.';

/** What the agent does, and the sentence that explains it to the person watching. */
interface Step {
  readonly told: string;
  readonly does:
    | { readonly tool: 'Read' | 'Edit'; readonly input: Readonly<Record<string, string>> }
    | { readonly command: string }
    | { readonly says: string };
}

/** The session that a newcomer watches: held, told why, released. */
const STORY: readonly Step[] = [
  {
    told: 'The agent reads a file. No rule is about reading, so nothing happens.',
    does: { tool: 'Read', input: { file_path: SOURCE } },
  },
  edit('It edits the file.', 'price * count', 'price + (count ?? 0)'),
  { told: 'It does as told: a branch of its own …', does: { command: 'git switch --create no-count' } },
  { told: '… and a plan, which it records.', does: { command: 'req satisfy commit_plan' } },
  edit('It tries again, and makes a mistake.', 'price * count', 'price + (count ?? 0)'),
  { told: 'It wants to end its turn. The checks run.', does: { says: 'Done.' } },
  edit('It fixes what the test found.', 'price + (count', 'price * (count'),
  { told: 'It ends its turn.', does: { says: 'Fixed: the price is multiplied again.' } },
];

function edit(told: string, old_string: string, new_string: string): Step {
  return { told, does: { tool: 'Edit', input: { file_path: SOURCE, old_string, new_string } } };
}

/** Plays the session through the real hook, and prints each step as a person would watch it. */
export function playStory(stage: Stage): void {
  print('A scripted agent works in it. Every event goes through the hook that a real host would call.\n');
  print(`${styled('bold', 'A person asks:')} ${PROMPT}`);
  showReply('SessionStart', stage.sendEvent({ hook_event_name: 'SessionStart', source: 'startup' }));
  for (const [index, step] of STORY.entries()) {
    showStep(index + 1, step);
    const isRetry = STORY.slice(0, index).some(({ does }) => 'says' in does);
    play(step, `toolu_0${index}`, isRetry, stage);
  }
}

function play({ does }: Step, id: string, isRetry: boolean, stage: Stage): void {
  if ('command' in does) {
    const { stdout, stderr } = stage.run(does.command, 'agent');
    showQuoted(stdout + stderr);
    print();
  } else if ('says' in does) {
    const event = { hook_event_name: 'Stop', stop_hook_active: isRetry, last_assistant_message: does.says };
    showReply('Stop', stage.sendEvent(event));
  } else {
    const { tool, input } = does;
    const event = { tool_name: tool, tool_input: input, tool_use_id: id };
    const verdict = showReply('PreToolUse', stage.sendEvent({ ...event, hook_event_name: 'PreToolUse' }));
    if (verdict === 'held' || tool !== 'Edit') return;
    const file = join(stage.repository, SOURCE);
    const { old_string: before = '', new_string: after = '' } = input;
    writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
    stage.sendEvent({ ...event, hook_event_name: 'PostToolUse', tool_response: {} });
  }
}

function showStep(number: number, { told, does }: Step): void {
  print(`${styled('dim', `${number}.`.padStart(3))} ${styled('bold', told)}`);
  if ('command' in does) print(`    ${styled('cyan', `$ ${does.command}`)}`);
  else if ('tool' in does) print(`    ${styled('cyan', `${does.tool} ${does.input['file_path']}`)}`);
  else print(`    ${styled('cyan', `“${does.says}”`)}`);
}

/** Prints quoted text behind a vertical bar. */
export function showQuoted(text: string): void {
  for (const line of text
    .trimEnd()
    .split('\n')
    .flatMap((one) => folded(one, 6)))
    print(`    ${styled('dim', '│')} ${styled('dim', line)}`.trimEnd());
}

function showReply(event: string, { stdout }: Reply): 'held' | 'allowed' {
  const answer = stdout === '' ? {} : (JSON.parse(stdout) as JsonObject);
  const specific = isJsonObject(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  const isHeld = specific['permissionDecision'] === 'deny' || answer['decision'] === 'block';
  const reason = specific['permissionDecisionReason'] ?? answer['reason'];
  const said = reason ?? specific['additionalContext'] ?? answer['systemMessage'];
  const verdict = isHeld ? 'held' : 'allowed';
  const mark = styled(isHeld ? 'red' : 'green', `→ ${verdict}`);
  print(`    ${styled('dim', event)} ${mark}`);
  if (said !== undefined) showQuoted(String(said));
  print();
  return verdict;
}
