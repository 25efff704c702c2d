import type { EventBody, ToolOutcome } from '../../core/event';
import type { Json, JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import { flagIn, lines, listIn, numberIn, objectIn, present, textIn } from '../loose-fields';
import { absolutePaths } from '../paths';
import { toolCallIn } from './tool-call';

/** The body of PostToolUse and PostToolUseFailure. */
export function toolResultIn(raw: JsonObject, cwd: string, failed: boolean): EventBody {
  const response = raw['tool_response'] ?? raw['tool_result'] ?? raw['tool_output'] ?? null;
  const facts = isJsonObject(response) ? response : {};
  const changed = changedPathsIn(facts, cwd);
  return present({
    kind: 'tool.after' as const,
    call: toolCallIn(raw, cwd),
    outcome: failed ? ('failure' as const) : outcomeOf(facts),
    response: present({ raw: response, text: textOf(response) }),
    changedPaths: changed.length > 0 ? changed : undefined,
    durationMs: numberIn(raw, 'duration_ms'),
    error: failed ? textIn(raw, 'error') : undefined,
    interrupted: flagIn(raw, 'is_interrupt') ?? flagIn(facts, 'interrupted'),
  });
}

/** A command sent to the background has only been started: how it ends is not in its response. */
function outcomeOf(response: JsonObject): ToolOutcome {
  const bad =
    response['interrupted'] === true ||
    response['is_error'] === true ||
    response['isError'] === true ||
    response['success'] === false ||
    (numberIn(response, 'exit_code') ?? numberIn(response, 'exitCode') ?? 0) !== 0;
  if (bad) return 'failure';
  return textIn(response, 'backgroundTaskId') ? 'unknown' : 'success';
}

function changedPathsIn(response: JsonObject, cwd: string): string[] {
  const diff = objectIn(response, 'bashEditDiff');
  const files = listIn(diff, 'files').filter(isJsonObject);
  return absolutePaths(cwd, [
    ...listIn(diff, 'changedFiles'),
    ...files.map((file) => file['filePath']),
    response['filePath'],
  ]);
}

/** What the tool said: plain text, a command's output, or text blocks. */
function textOf(response: Json): string | undefined {
  if (typeof response === 'string') return response;
  const facts = isJsonObject(response) ? response : { content: response };
  const blocks = listIn(facts, 'content').filter(isJsonObject);
  const errors = textIn(facts, 'stderr') || undefined;
  return lines([textIn(facts, 'stdout'), errors, ...blocks.map((block) => textIn(block, 'text'))]);
}
