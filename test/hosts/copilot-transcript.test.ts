import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { transcriptFacts } from '../../src/hosts/copilot/transcript';

const dir = mkdtempSync(join(tmpdir(), 'holdpoint-transcript-'));
const file = join(dir, 'events.jsonl');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;
const prompt = line({ type: 'user.message', data: { content: 'Go.' } });
const said = (content: string, more: object = {}, data: object = {}): string =>
  line({ type: 'assistant.message', data: { content, toolRequests: [], ...data }, ...more });
const tool = line({ type: 'tool.execution_complete', data: { success: true } });
const called = (timestamp: string | number): string =>
  line({ type: 'assistant.turn_end', data: {} }) +
  line({ type: 'hook.start', data: { hookType: 'agentStop', input: { timestamp } } });
const NOW = '2026-11-15T10:03:31.628Z';
const end = called(Date.parse(NOW));
const stop = { hook_event_name: 'Stop', timestamp: NOW };
const last = () => transcriptFacts(file, { lastText: true }, stop).lastText;

describe('the last words', () => {
  test.each<[string, string, object]>([
    [
      'are those of the last message',
      prompt + said('One.') + said('Two.') + end,
      { kind: 'text', text: 'Two.' },
    ],
    [
      'are the agent’s own',
      prompt + said('Mine.') + said('Sub.', { agentId: 'a' }),
      { kind: 'text', text: 'Mine.' },
    ],
    ['are none before a tool', prompt + said('I run it.') + tool + end, { kind: 'none' }],
    ['are none with a call', prompt + said('I run it.', {}, { toolRequests: [{}] }) + end, { kind: 'none' }],
    ['are none after a prompt', said('Old.') + prompt + end, { kind: 'none' }],
    [
      'are not those of an earlier stop, however long the file stays like that',
      prompt + said('Old.') + called(NOW.replace('31', '29')),
      { kind: 'unread', why: 'has not been written yet' },
    ],
    [
      'pass over a line that is not whole',
      `${prompt + said('One.')}{"type":"assis`,
      { kind: 'text', text: 'One.' },
    ],
  ])('%s', (_, text, expected) => {
    writeFileSync(file, text);
    expect(last()).toStrictEqual(expected);
  });

  test('cannot be told where there is no file', () => {
    expect(transcriptFacts(join(dir, 'none'), { lastText: true, tokensFrom: 7 }, stop)).toMatchObject({
      lastText: { kind: 'unread' },
      tokens: { used: 0, until: 7 },
    });
  });

  test.each([
    ['before a call is noted', prompt + tool],
    ['after an earlier stop', prompt + said('Old.') + called(NOW.replace('31', '29'))],
    ['where there is no file yet', undefined],
  ])('are waited for %s', async (_, before) => {
    if (before === undefined) rmSync(file);
    else writeFileSync(file, before);
    const appender = fileURLToPath(new URL('claude-code/append-later.mjs', import.meta.url));
    const { NODE_EXTRA_CA_CERTS: _ca, ...env } = process.env;
    const child = spawn(process.execPath, [appender, file, prompt + said('Done.') + end], {
      stdio: 'pipe',
      env,
    });
    await new Promise((ready) => child.stdout.once('data', ready));
    child.stdin.end('go');
    expect(last()).toStrictEqual({ kind: 'text', text: 'Done.' });
    await new Promise((gone) => child.once('close', gone));
  });
});
