import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { toolCallOf } from '../../src/core/event';
import type { Chunks, Context } from '../../src/core/guard';
import type { JsonObject } from '../../src/core/json';
import { reportBug } from '../../src/core/report-bug';
import {
  makeRig,
  preTool,
  type Rig,
  realChunks,
  type Scripted,
  scriptedChunks,
  startEvent,
  stopEvent,
} from './rig';

let rig: Rig;
afterEach(() => rig.remove());

/** Short, since a message of Node's quotes no more than ten characters of a text. */
const MARKER = 'QX7ZW';
const PLAN =
  'requirements:\n  plan:\n    enabled: true\n    trigger_tools: [Write, Bash]\n    message: Plan first.\n';
const ground = [{ rule: 'plan', fact: 'nobody has planned', clear: 'req satisfy plan' }];

/** Every event with a word of the user's in every place where one can stand. */
const EVENTS: JsonObject[] = [
  startEvent(),
  { hook_event_name: 'UserPromptSubmit', prompt: `${MARKER} prompt`, prompt_id: 'p1' },
  {
    hook_event_name: 'UserPromptExpansion',
    command_name: 'c',
    command_args: `${MARKER} args`,
    prompt: MARKER,
  },
  preTool('Write', { file_path: 'a.txt', content: `${MARKER} content` }),
  preTool('Edit', { file_path: 'a.txt', old_string: `${MARKER} old`, new_string: `${MARKER} new` }),
  preTool('Bash', { command: `echo ${MARKER}`, description: MARKER }),
  preTool('Agent', { subagent_type: 'explore', prompt: `${MARKER} task` }),
  { ...preTool('Bash'), hook_event_name: 'PostToolUse', tool_response: { stdout: MARKER, stderr: MARKER } },
  { ...preTool('Bash'), hook_event_name: 'PostToolUseFailure', error: MARKER },
  { ...preTool('Bash', { command: MARKER }), hook_event_name: 'PermissionRequest' },
  stopEvent({ last_assistant_message: `${MARKER} text`, background_tasks: [{ command: MARKER }] }),
  stopEvent({ last_assistant_message: `${MARKER} text`, stop_hook_active: true }),
  { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: MARKER },
  { hook_event_name: 'Unknown', anything: MARKER },
];
const ENV = { [`SOME_${MARKER}`]: MARKER, SECRET_TOKEN: MARKER };

const looks = (ctx: Context): unknown => [
  ctx.env('SECRET_TOKEN'),
  ctx.file({ path: 'secret.txt', maxTextBytes: 1000 }),
];
const KINDS = [
  'session.start',
  'prompt.submit',
  'prompt.expand',
  'tool.before',
  'tool.after',
  'permission.request',
  'turn.stop',
  'compact.before',
] as const;
const denies: Scripted = {
  name: 'requirements',
  interests: KINDS.map((kind) => ({ kind })),
  decide: (event, _config, ctx) => {
    looks(ctx);
    return event.kind === 'turn.stop'
      ? { kind: 'hold', reason: `not yet, you said ${MARKER}`, grounds: ground }
      : { kind: 'deny', reason: `no, you said ${MARKER}`, grounds: ground };
  },
};
const advises: Scripted = {
  ...denies,
  decide: () => ({ kind: 'advise', toAgent: MARKER, toPerson: MARKER, grounds: ground }),
};
const parsesWhatIsNoJson: Scripted = {
  ...denies,
  decide: (event, _config, ctx) => {
    ctx.change(JSON.parse(toolCallOf(event)?.newText ?? ctx.env('SECRET_TOKEN')));
    return { kind: 'nothing' };
  },
};

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe.each<[string, () => Chunks]>([
  ['held and denied', () => scriptedChunks([denies])],
  ['advised', () => scriptedChunks([advises])],
  ['failed at', () => scriptedChunks([parsesWhatIsNoJson])],
  ['failed at, and held for it', () => scriptedChunks([{ ...parsesWhatIsNoJson, onError: 'hold' }])],
  ['judged by the real requirements', () => realChunks],
])('events that are %s', (_, chunks) => {
  test('leave nothing of what was said, written or set in any file of ours', async () => {
    rig = makeRig(chunks());
    rig.write('.holdpoint/config.yaml', PLAN);
    rig.write('secret.txt', MARKER);
    for (const event of EVENTS) await rig.send(event, { env: ENV });
    const files = [...filesBelow(rig.layout.git), ...filesBelow(rig.home)];
    expect(files.some((file) => file.endsWith('journal.jsonl'))).toBe(true);
    expect(files.filter((file) => readFileSync(file, 'utf8').includes(MARKER))).toEqual([]);
  });
});

describe('a mistake of ours', () => {
  test('is reported without the text that it stumbled over', () => {
    rig = makeRig(realChunks);
    mkdirSync(rig.layout.own);
    const input = JSON.stringify({
      ...stopEvent({ last_assistant_message: MARKER }),
      session_id: 's',
      cwd: rig.root,
    });
    const error = thrownBy(() => JSON.parse(`${MARKER}\n${MARKER}`));
    const file = reportBug({
      error,
      args: ['hook'],
      input,
      env: { HOME: rig.home, TOKEN: MARKER },
      now: Date.now(),
    });
    expect(readFileSync(file ?? '', 'utf8')).toMatch(/Unexpected token .*\n {4}at /);
    const files = [...filesBelow(rig.layout.git), ...filesBelow(rig.home)];
    expect(files.filter((one) => readFileSync(one, 'utf8').includes(MARKER))).toEqual([]);
  });

  function thrownBy(work: () => unknown): unknown {
    try {
      return work();
    } catch (error) {
      return error;
    }
  }
});

describe('input that is no event', () => {
  test.each<[string, string]>([
    ['a text', `${MARKER} is no JSON`],
    ['half a document', `{"prompt": "${MARKER}`],
    ['a document with a mistake', `{"prompt": "${MARKER}", ${MARKER}: 1}`],
    ['a JSON text', `"${MARKER}"`],
    ['a document without a name', `{"prompt": "${MARKER}"}`],
  ])('is not repeated anywhere: %s', async (_, text) => {
    rig = makeRig(scriptedChunks([denies]));
    const answer = await rig.sendText(text, { env: { CLAUDE_PROJECT_DIR: rig.root } });
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toMatch(/^holdpoint: standard input .*Nothing was checked\.\n$/);
    expect(answer.stderr).not.toContain(MARKER);
    expect(rig.journal()).toHaveLength(1);
    expect(JSON.stringify(rig.journal())).not.toContain(MARKER);
  });
});
