import { isJsonObject, type Json, type JsonObject } from '../../../core/json';

/** One request to the model, as far as a script cares. */
export interface Asked {
  /** Everything that the model was told, the system prompt included. */
  readonly all: string;
  /** What came after the model's last answer: results of tools, feedback, prompts. */
  readonly news: string;
  /** Whether a tool call was refused or failed since then. */
  readonly hasErrors: boolean;
  /** The first words of the conversation; a subagent has a conversation of its own. */
  readonly opening: string;
  /** Requests without tools are for titles, summaries and probes. */
  readonly hasTools: boolean;
}

export function readRequest(body: JsonObject): Asked {
  const messages = Array.isArray(body['messages']) ? body['messages'].filter(isJsonObject) : [];
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const fresh = messages.slice(lastAnswer + 1);
  const opening = messages.find(({ role }) => role === 'user');
  const textsOf = (list: readonly JsonObject[]): string =>
    list.map(({ content }) => textOf(content)).join('\n');
  return {
    all: `${textOf(body['system'])}\n${textsOf(messages)}`,
    news: textsOf(fresh),
    hasErrors: fresh.some(({ content }) => Array.isArray(content) && content.some(isErrorBlock)),
    opening: textOf(opening?.['content']),
    hasTools: Array.isArray(body['tools']) && body['tools'].length > 0,
  };
}

/** Content is a text, or a list of blocks that have text or content of their own. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (!isJsonObject(content)) return '';
  return textOf(content['text'] ?? content['content']);
}

function isErrorBlock(block: Json): boolean {
  return isJsonObject(block) && block['is_error'] === true;
}
