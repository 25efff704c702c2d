import { type Dialect, eventStream, type Step } from '../scripted-server';

const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

function itemOf(step: Step, number: number): object {
  if ('say' in step) {
    const content = [{ type: 'output_text', text: step.say }];
    return { type: 'message', role: 'assistant', id: `message-${number}`, content };
  }
  const call = { name: step.tool, arguments: JSON.stringify(step.input) };
  return { type: 'function_call', id: `function-${number}`, call_id: `call-${number}`, ...call };
}

/** OpenAI's Responses API, as far as Codex needs it. */
export const responses: Dialect = {
  isTurn: (path) => path.endsWith('/responses'),
  reply: (step, number) =>
    eventStream([
      { type: 'response.created', response: { id: `response-${number}` } },
      { type: 'response.output_item.done', item: itemOf(step, number) },
      { type: 'response.completed', response: { id: `response-${number}`, usage: USAGE } },
    ]),
  aside: { type: 'application/json', text: '{}' },
};
