import { type Dialect, eventStream, type Step } from '../scripted-server';

function partOf(step: Step): object {
  return 'say' in step ? { text: step.say } : { functionCall: { name: step.tool, args: step.input } };
}

const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
const answerOf = (part: object): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
  usageMetadata,
});

/** Google's generateContent API, as far as Gemini CLI needs it. What is asked without tools is no turn. */
export const generateContent: Dialect = {
  isTurn: (path, body) =>
    path.includes(':streamGenerateContent') && (body as { tools?: unknown }).tools !== undefined,
  reply: (step) => eventStream([answerOf(partOf(step))]),
  aside: { type: 'application/json', text: JSON.stringify(answerOf({ text: '{"next_speaker":"user"}' })) },
};
