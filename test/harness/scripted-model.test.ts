import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import {
  bash,
  call,
  type Script,
  type ScriptedModel,
  say,
  startModel,
  write,
} from '../clients/scripted-model';

const models: ScriptedModel[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
});

async function ask(script: Script, body: JsonObject): Promise<Response> {
  const model = await startModel(script);
  models.push(model);
  return fetch(`${model.url}/v1/messages?beta=true`, { method: 'POST', body: JSON.stringify(body) });
}

const TOOLS = { tools: [{ name: 'Bash' }], model: 'm' };

/** Puts a stream together again, as a client does. */
function blocksOf(stream: string): unknown[] {
  const blocks: { input?: unknown; text?: string }[] = [];
  for (const part of stream.trim().split('\n\n')) {
    const [name, data] = part.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
    const event = JSON.parse(data ?? '');
    expect(event.type).toBe(name);
    if (event.type === 'content_block_start') blocks[event.index] = event.content_block;
    const block = blocks[event.index];
    if (event.type !== 'content_block_delta' || block === undefined) continue;
    if (event.delta.type === 'text_delta') block.text = `${block.text}${event.delta.text}`;
    else block.input = JSON.parse(event.delta.partial_json);
  }
  return blocks;
}

describe('the scripted model', () => {
  it('streams words and several calls at once, each call with an id of its own', async () => {
    const turn = { ...call(bash('ls'), write('a', 'b')), text: 'Looking.' };
    const response = await ask(() => turn, { ...TOOLS, stream: true });
    const blocks = blocksOf(await response.text());
    expect(blocks).toMatchObject([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', name: 'Write', input: { file_path: 'a', content: 'b' } },
    ]);
    expect(new Set(blocks.map((block) => (block as { id?: string }).id)).size).toBe(3);
  });

  it('answers with one document where no stream is asked for', async () => {
    const response = await ask(() => say('Done.'), TOOLS);
    expect(await response.json()).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'Done.' }],
      stop_reason: 'end_turn',
    });
  });

  it('fails as the service does', async () => {
    const refused = { kind: 'error', status: 429, type: 'rate_limit_error', text: 'slow down' } as const;
    const response = await ask(() => refused, TOOLS);
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow down' },
    });
  });

  it('shows a script what came after its last answer, and whether a call was refused', async () => {
    const seen: unknown[] = [];
    const messages = [
      { role: 'user', content: 'Begin.' },
      { role: 'assistant', content: [{ type: 'text', text: 'I begin.' }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', is_error: true, content: [{ type: 'text', text: 'No.' }] }],
      },
    ];
    const script: Script = (asked) => {
      seen.push(asked);
      return say('Well.');
    };
    await ask(script, { ...TOOLS, system: [{ type: 'text', text: 'Be good.' }], messages });
    expect(seen).toEqual([
      {
        all: 'Be good.\nBegin.\nI begin.\nNo.',
        news: 'No.',
        opening: 'Begin.',
        hasErrors: true,
        hasTools: true,
      },
    ]);
  });

  it('is not asked for titles and probes', async () => {
    const response = await ask(() => say('wrong'), { model: 'm', messages: [] });
    expect(await response.json()).toMatchObject({ content: [{ text: 'Scripted' }] });
  });
});
