import type { EventBody, ToolOutcome } from '../../core/event';
import type { Json, JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import type { ToolCall } from '../../core/tool-call';
import { lines, objectIn, present, textIn } from '../loose-fields';
import { absolutePaths } from '../paths';
import { toolCallIn } from './tool-call';

/** How the client ends the text of a command that failed; there is no field for it. */
const FAILED = /^(?:Exit Code: -?[1-9]|Signal: )/m;
const CANCELLED = /^(?:<untrusted_context>\s*)?Command was (?:automatically )?cancelled/;

/** The body of AfterTool, which comes after failures as well. */
export function toolResultIn(raw: JsonObject, cwd: string): EventBody {
  const response = objectIn(raw, 'tool_response');
  const call = toolCallIn(raw, cwd);
  const text = textOf(response['llmContent']);
  const changed = absolutePaths(cwd, [objectIn(response, 'returnDisplay')['filePath']]);
  const failure = isJsonObject(response['error']) ? textIn(response['error'], 'message') : undefined;
  return present({
    kind: 'tool.after' as const,
    call,
    outcome: outcomeOf(call, response, text ?? ''),
    response: present({ raw: raw['tool_response'] ?? null, text }),
    changedPaths: changed.length > 0 ? changed : undefined,
    error: failure,
  });
}

/** A command that shows no failure may have failed all the same: its text can be cut or summed up. */
function outcomeOf({ op }: ToolCall, { error }: JsonObject, text: string): ToolOutcome {
  if (error !== undefined && error !== null) return 'failure';
  if (op !== 'shell') return 'success';
  return FAILED.test(text) || CANCELLED.test(text) ? 'failure' : 'unknown';
}

function textOf(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  const parts = (Array.isArray(content) ? content : [content]).filter(isJsonObject);
  return lines(parts.map((part) => textIn(part, 'text')));
}
