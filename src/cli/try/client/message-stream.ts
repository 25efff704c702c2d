import type { JsonObject } from '../../../core/json';
import type { Turn } from './turn';

type Answer = Extract<Turn, { kind: 'answer' }>;

/** An answer as one document of Anthropic's messages API. `id` has to differ from answer to answer. */
export function messageOf(answer: Answer, id: string, model: string): JsonObject {
  const { text, calls, inputTokens } = answer;
  const words = text === '' ? [] : [{ type: 'text', text }];
  const uses = calls.map(({ name, input }, index) => ({
    type: 'tool_use',
    id: `toolu_${id}_${index}`,
    name,
    input,
  }));
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...words, ...uses],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 10 },
  };
}

/** The same answer as the events of a stream, one block after the other. */
export function streamOf(answer: Answer, id: string, model: string): string {
  const message = messageOf(answer, id, model);
  const events: JsonObject[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  ];
  for (const [index, block] of (message['content'] as JsonObject[]).entries()) {
    const isText = block['type'] === 'text';
    const delta = isText
      ? { type: 'text_delta', text: block['text'] ?? '' }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
    events.push(
      {
        type: 'content_block_start',
        index,
        content_block: { ...block, ...(isText ? { text: '' } : { input: {} }) },
      },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    );
  }
  const ending = { stop_reason: message['stop_reason'] ?? null, stop_sequence: null };
  events.push(
    { type: 'message_delta', delta: ending, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  );
  return events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
