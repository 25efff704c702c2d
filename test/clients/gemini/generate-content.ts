import { isJsonObject, type JsonObject } from '../../../src/core/json';
import type { Answer, Dialect } from '../model-server';

/** Google's generateContent API, as far as Gemini CLI needs it. What is asked without tools is no turn. */
export const generateContent: Dialect = {
  messages: (path, { contents, tools }) =>
    path.includes(':streamGenerateContent') && tools !== undefined && Array.isArray(contents)
      ? contents.filter(isJsonObject)
      : undefined,
  isAnswer: ({ role }) => role === 'model',
  stream: (answer) => [documentOf(answer)],
  aside: documentOf({ text: '{"next_speaker":"user"}', calls: [] }),
};

function documentOf({ text, calls }: Pick<Answer, 'text' | 'calls'>): JsonObject {
  const words = text === '' ? [] : [{ text }];
  const uses = calls.map(({ name, input: args }) => ({ functionCall: { name, args } }));
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [...words, ...uses] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}
