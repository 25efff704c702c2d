// A server for the model context protocol with one tool, `note`, that appends to the file named on its command line.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const TOOL = {
  name: 'note',
  description: 'Notes a line',
  inputSchema: { type: 'object', properties: { line: { type: 'string' } } },
};

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: { line } }) => {
    appendFileSync(process.argv[2], `${line}\n`);
    return { content: [{ type: 'text', text: 'NOTED' }] };
  },
};

for await (const text of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) continue;
  const result = ANSWERS[method]?.(params ?? {}) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
