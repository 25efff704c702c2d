import { resolve } from 'node:path';
import type { EventBody, ToolOutcome } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import type { Operation, ToolCall } from '../../domain/tool-call';
import { namesFor } from '../familiar-names';
import { nameIn, numberIn, objectIn, present, textIn } from '../loose-fields';
import { patchPaths } from '../patch-paths';
import { absolutePaths } from '../paths';

const TOOLS: Readonly<Record<string, Operation>> = {
  bash: 'shell',
  write: 'write',
  edit: 'edit',
  multiedit: 'edit',
  apply_patch: 'patch',
  patch: 'patch',
  read: 'read',
  glob: 'search',
  grep: 'search',
  list: 'search',
  webfetch: 'web',
  websearch: 'web',
  task: 'agent',
  skill: 'skill',
  todowrite: 'task',
  plan_exit: 'plan',
};

/** Names that rules have for a tool, where its operation alone does not tell them. */
const KNOWN: Readonly<Record<string, string>> = {
  glob: 'Glob',
  grep: 'Grep',
  webfetch: 'WebFetch',
  websearch: 'WebSearch',
  todowrite: 'TodoWrite',
  plan_exit: 'ExitPlanMode',
  question: 'AskUserQuestion',
};

function operationOf(tool: string): Operation {
  return Object.hasOwn(TOOLS, tool) ? (TOOLS[tool] ?? 'other') : 'other';
}

export function namesOf(tool: string): string[] {
  const known = Object.hasOwn(KNOWN, tool) ? KNOWN[tool] : undefined;
  return [...namesFor(tool, operationOf(tool)), ...(known === undefined ? [] : [known])];
}

/** A command may name the directory that it runs in; all else is relative to the session's. */
export function directoryIn(raw: JsonObject): string {
  const directory = textIn(raw, 'directory') ?? '';
  const within = raw['tool'] === 'bash' ? nameIn(objectIn(raw, 'args'), 'workdir') : undefined;
  return within === undefined ? directory : resolve(directory, within);
}

/** The tool call in a document of `tool.execute.before` or `after`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool') ?? '';
  const args = objectIn(raw, 'args');
  const op = operationOf(nativeName);
  const delegates = op === 'agent';
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: nameIn(raw, 'callID'),
    input: op === 'edit' ? withUsualNames(args) : args,
    command: op === 'shell' ? textIn(args, 'command') : undefined,
    paths: targets(op, args, cwd),
    newText: op === 'write' ? textIn(args, 'content') : op === 'edit' ? textIn(args, 'newString') : undefined,
    agentType: delegates ? nameIn(args, 'subagent_type') : undefined,
    prompt: delegates ? textIn(args, 'prompt') : undefined,
    skill: op === 'skill' ? (nameIn(args, 'name') ?? nameIn(args, 'skill')) : undefined,
  });
}

/** What an edit makes of a file is judged by the names that other hosts have for its parts. */
function withUsualNames(args: JsonObject): JsonObject {
  const { filePath, oldString, newString, replaceAll } = args;
  return present({
    file_path: filePath,
    old_string: oldString,
    new_string: newString,
    replace_all: replaceAll,
    ...args,
  });
}

function targets(op: Operation, args: JsonObject, cwd: string): string[] {
  if (op === 'shell') return [];
  const patch = op === 'patch' ? (textIn(args, 'patchText') ?? '') : '';
  return absolutePaths(cwd, [args['filePath'], args['path'], ...patchPaths(patch)]);
}

/** The body of `tool.execute.after`, which comes only for calls that did not throw. */
export function toolResultIn(raw: JsonObject, cwd: string): EventBody {
  const call = toolCallIn(raw, cwd);
  const output = textIn(raw, 'output');
  return {
    kind: 'tool.after',
    call,
    outcome: call.op === 'shell' ? outcomeOf(objectIn(raw, 'metadata')) : 'success',
    response: present({ raw: raw['metadata'] ?? null, text: output }),
  };
}

/** A command that was ended for taking too long has no exit code. */
function outcomeOf(metadata: JsonObject): ToolOutcome {
  const code = numberIn(metadata, 'exit');
  return code === undefined ? 'unknown' : code === 0 ? 'success' : 'failure';
}
