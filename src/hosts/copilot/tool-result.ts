import type { EventBody, ToolOutcome } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import { present, textIn } from '../loose-fields';
import { member, named } from './fields';
import { toolCallIn } from './tool-call';

/** The client's own last line below what a command wrote; the command cannot write behind it. */
const EXIT_CODE = /<(?:shellId: \S+ )?(?:completed|exited) with exit code (-?\d+)>\s*$/;

/** The body of the events that follow a tool call. */
export function toolResultIn(raw: JsonObject, cwd: string): EventBody {
  const call = toolCallIn(raw, cwd);
  const result = member(raw, 'toolResult', 'tool_result') ?? raw['tool_response'] ?? null;
  const text = isJsonObject(result)
    ? named(result, 'textResultForLlm', 'text_result_for_llm')
    : textIn(raw, 'tool_response');
  const type = isJsonObject(result) ? named(result, 'resultType', 'result_type') : undefined;
  const failed = result === null && raw['error'] !== undefined;
  return present({
    kind: 'tool.after' as const,
    call,
    outcome: failed ? ('failure' as const) : outcomeOf(type, call.op === 'shell', text ?? ''),
    response: present({ raw: result, text }),
    error: failed ? (textIn(raw, 'error') ?? '') : undefined,
  });
}

/** A command that ran counts as a success there, however it ended. */
function outcomeOf(type: string | undefined, isCommand: boolean, text: string): ToolOutcome {
  if (type === undefined) return 'unknown';
  if (type !== 'success') return 'failure';
  if (!isCommand) return 'success';
  const code = EXIT_CODE.exec(text)?.[1];
  return code === undefined ? 'unknown' : Number(code) === 0 ? 'success' : 'failure';
}
