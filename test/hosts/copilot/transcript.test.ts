import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { transcriptFacts } from '../../../src/hosts/copilot/transcript';

const dir = mkdtempSync(join(tmpdir(), 'holdpoint-transcript-'));
const file = join(dir, 'events.jsonl');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;
const prompt = line({ type: 'user.message', data: { content: 'Go.' } });
const said = (content: string, more: object = {}, data: object = {}): string =>
  line({ type: 'assistant.message', data: { content, toolRequests: [], ...data }, ...more });
const tool = line({ type: 'tool.execution_complete', data: { success: true } });
const end = line({ type: 'assistant.turn_end', data: {} }) + line({ type: 'hook.start', data: {} });
const last = () => transcriptFacts(file, { lastText: true }).lastText;

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
    ['are none before a tool', prompt + said('I run it.') + tool, { kind: 'none' }],
    ['are none with a call', prompt + said('I run it.', {}, { toolRequests: [{}] }), { kind: 'none' }],
    ['are none after a prompt', said('Old.') + prompt, { kind: 'none' }],
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
    expect(transcriptFacts(join(dir, 'none'), { lastText: true, tokensFrom: 7 })).toMatchObject({
      lastText: { kind: 'unread' },
      tokens: { used: 0, until: 7 },
    });
  });

  test('are waited for, since they are written a moment later', async () => {
    writeFileSync(file, prompt + tool);
    const appender = fileURLToPath(new URL('../claude-code/append-later.mjs', import.meta.url));
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const child = spawn(process.execPath, [appender, file, said('Done.')], { stdio: 'pipe', env });
    await new Promise((ready) => child.stdout.once('data', ready));
    child.stdin.end('go');
    expect(last()).toStrictEqual({ kind: 'text', text: 'Done.' });
    await new Promise((gone) => child.once('close', gone));
  });
});
