import { isJsonObject, type Json } from '../../../src/core/json';
import type { Answer, Dialect } from '../model-server';

/** OpenAI's Responses API, as far as Codex needs it. */
export const responses: Dialect = {
  messages: (path, { input }) =>
    path.endsWith('/responses') && Array.isArray(input) ? input.filter(isJsonObject) : undefined,
  isAnswer: ({ type, role }) => type === 'function_call' || role === 'assistant',
  stream: (answer, id) => [
    { type: 'response.created', response: { id: `response-${id}` } },
    ...itemsOf(answer, id).map((item) => ({ type: 'response.output_item.done', item })),
    {
      type: 'response.completed',
      response: { id: `response-${id}`, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ],
  aside: {},
};

function itemsOf({ text, calls }: Answer, id: string): Json[] {
  const content = [{ type: 'output_text', text }];
  const words = { type: 'message', role: 'assistant', id: `message-${id}`, content };
  const uses = calls.map(({ name, input }, index) => ({
    type: 'function_call',
    id: `function-${id}-${index}`,
    call_id: `call-${id}-${index}`,
    name,
    arguments: JSON.stringify(input),
  }));
  return text === '' ? uses : [words, ...uses];
}
