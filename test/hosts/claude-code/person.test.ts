import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { answeringHooks } from '../../../src/hosts/claude-code/person';
import { transcriptFacts } from '../../../src/hosts/claude-code/transcript';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-person-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, value: JsonObject): string {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
  return file;
}

const hooks = (event: string, matcher: string | undefined, command: string): JsonObject => ({
  hooks: { [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command }] }] },
});

describe('hooks of others that could answer in the place of a person', () => {
  const found = (tool: string): string[] => answeringHooks(tool, join(dir, 'p'), join(dir, 'home'), {});
  const OWN = '. ~/.config/holdpoint/launch';

  it.each<[string, JsonObject, boolean]>([
    ['one for all tools', hooks('PermissionRequest', undefined, 'true'), true],
    ['a star', hooks('PermissionRequest', '*', 'true'), true],
    ['a list', hooks('PermissionRequest', 'Bash|AskUserQuestion', 'true'), true],
    ['a pattern', hooks('PermissionRequest', 'Ask.*', 'true'), true],
    ['a broken pattern', hooks('PermissionRequest', '(', 'true'), true],
    ['another tool', hooks('PermissionRequest', 'Bash', 'true'), false],
    ['our own', hooks('PermissionRequest', undefined, OWN), false],
    ['one for elicitations', hooks('Elicitation', undefined, 'true'), true],
    ['one that names the tool', hooks('PreToolUse', 'AskUserQuestion', 'true'), true],
    ['one that picks it by a pattern', hooks('PreToolUse', 'Ask.*', 'true'), true],
    ['one that looks at every call', hooks('PreToolUse', '*', 'true'), false],
    ['one at another event', hooks('Stop', undefined, 'true'), false],
  ])('%s', (_, settings, isFound) => {
    const file = write('p/.claude/settings.json', settings);
    expect(found('AskUserQuestion')).toEqual(isFound ? [expect.stringMatching(`^\\w+ in ${file}$`)] : []);
  });

  it.each(['p/.claude/settings.local.json', 'home/.claude/settings.json'])('in %s', (path) => {
    const file = write(path, hooks('PermissionRequest', undefined, 'true'));
    expect(found('AskUserQuestion')).toEqual([`PermissionRequest in ${file}`]);
  });

  it.each(['p/.claude/skills/x/SKILL.md', 'p/.claude/agents/x.md', 'home/.claude/commands/a/x.md'])(
    'in the head of %s',
    (path) => {
      const file = write(path, {});
      writeFileSync(
        file,
        `---\n${JSON.stringify(hooks('PermissionRequest', undefined, 'true'))}\n---\nThink.\n`,
      );
      expect(found('AskUserQuestion')).toEqual([`PermissionRequest in ${file}`]);
    },
  );

  it('in a plugin, and for another tool where that is asked about', () => {
    const installPath = join(dir, 'plugin');
    write('home/.claude/plugins/installed_plugins.json', {
      version: 2,
      plugins: { 'other@market': [{ scope: 'user', installPath }] },
    });
    const file = write('plugin/hooks/hooks.json', hooks('PermissionRequest', 'Bash', 'true'));
    expect(found('AskUserQuestion')).toEqual([]);
    expect(found('Bash')).toEqual([`PermissionRequest in ${file}`]);
  });
});

describe("the client's own record", () => {
  const transcript = (...lines: JsonObject[]): string => {
    const file = join(dir, 't.jsonl');
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return file;
  };
  const result = (over: JsonObject = {}): JsonObject => ({
    type: 'user',
    isSidechain: false,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
    toolUseResult: { answers: { q: 'Approve' } },
    permissionDecision: { decision: 'accept', source: 'user_temporary' },
    ...over,
  });

  it.each<[string, JsonObject[], string | undefined]>([
    ['a person', [result()], 'user_temporary'],
    ['a hook', [result({ permissionDecision: { source: 'hook' } })], 'hook'],
    ['the last one counts', [result({ permissionDecision: { source: 'hook' } }), result()], 'user_temporary'],
    ['a copy of the request', [result({ type: 'api-request-blob' })], undefined],
    ['the result before its decision', [result({ permissionDecision: null })], undefined],
    ['a subagent', [result({ isSidechain: true })], undefined],
    ['what only mentions the call', [result({ message: { content: 'toolu_1' } })], undefined],
    ['nothing', [], undefined],
  ])('on a call: %s', (_, lines, source) => {
    expect(transcriptFacts(transcript(...lines), { decidedOn: 'toolu_1' }).decidedOn?.source).toBe(source);
  });

  const PROMPT = '/holdpoint:approve plan';
  const at = (seconds: number): string => new Date(1_700_000_000_000 + seconds * 1000).toISOString();
  const blocked = (seconds: number): JsonObject => ({
    type: 'system',
    subtype: 'informational',
    content: `UserPromptExpansion operation blocked by hook:\nApproved: plan\n\nOriginal prompt: ${PROMPT}`,
    timestamp: at(seconds),
  });
  const queued: JsonObject = { type: 'queue-operation', operation: 'enqueue', content: PROMPT };
  const fired: JsonObject = { type: 'system', subtype: 'scheduled_task_fire', prompt: PROMPT };

  it.each<[string, JsonObject[], string | undefined]>([
    ['typed', [blocked(1)], 'typed'],
    ['by a schedule', [queued, fired, blocked(1)], 'scheduled'],
    ['from the queue', [queued, blocked(1)], 'scheduled'],
    ['typed after one that was queued', [queued, blocked(-9), blocked(1)], 'typed'],
    ['an earlier one', [blocked(-9)], undefined],
    ['another prompt', [{ ...blocked(1), content: `${blocked(1)['content']} b` }], undefined],
    ['nothing', [], undefined],
  ])('on a prompt: %s', (_, lines, origin) => {
    const ask = { promptBlocked: { prompt: PROMPT, sinceMs: 1_700_000_000_000 } };
    expect(transcriptFacts(transcript(...lines), ask).promptBlocked).toBe(origin);
  });

  it('tells of a prompt that is asked about now whether it has waited', () => {
    const ask = { promptBlocked: { prompt: PROMPT } };
    const origins = [[queued], [queued, blocked(-9)], [{ type: 'mode' }]].map(
      (lines) => transcriptFacts(transcript(...lines), ask).promptBlocked,
    );
    expect(origins).toEqual(['scheduled', undefined, undefined]);
  });

  it('waits for what the client writes of it a moment later', () => {
    const path = transcript({ type: 'mode' });
    spawn('sh', ['-c', 'sleep 0.1; printf "%s\\n" "$1" >> "$0"', path, JSON.stringify(queued)]);
    expect(transcriptFacts(path, { promptBlocked: { prompt: PROMPT } }).promptBlocked).toBe('scheduled');
  });

  it('that is not there tells nothing, after a moment', () => {
    expect(transcriptFacts(join(dir, 'none'), { decidedOn: 'toolu_1' })).toEqual({});
  });
});
