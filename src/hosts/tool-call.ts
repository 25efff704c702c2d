import { isAbsolute, resolve } from 'node:path';
import type { Operation, ToolCall } from '../core/event';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { digest } from '../core/text';
import { type Loose, lines, listIn, objectsIn, present, textIn } from './fields';

/** A host's tools by what they do. */
export type Tools = Readonly<Partial<Record<Operation, readonly string[]>>>;

/** What a tool of the host's own does; undefined where the host has no such tool. */
export function operationIn(tools: Tools, name: string): Operation | undefined {
  return (Object.keys(tools) as Operation[]).find((op) => tools[op]?.includes(name));
}

/** What a host tells about a call. Members that belong to another kind of call are ignored. */
type CallFacts = Loose<Omit<ToolCall, 'newText' | 'isInexact'>> & {
  /** The text of a patch. */
  readonly patch?: string | undefined;
  /** The host changes a file only where an edit fits it to the letter. */
  readonly isExact?: boolean;
};

/** A tool call out of what a host tells about it. */
export function toolCallFrom(facts: CallFacts): ToolCall {
  const { nativeName, names, op, input, paths, callId, patch, mcp, background, isExact = false } = facts;
  return present({
    nativeName,
    names,
    op,
    callId,
    input: op === 'edit' && !isExact ? withUsualNames(input) : input,
    command: op === 'shell' ? facts.command : undefined,
    paths,
    newText: patch === undefined ? newTextIn(op, input) : addedLines(patch),
    isInexact: !isExact && (op === 'edit' || op === 'write') ? true : undefined,
    agentType: op === 'agent' ? facts.agentType : undefined,
    prompt: op === 'agent' ? facts.prompt : undefined,
    skill: op === 'skill' ? facts.skill : undefined,
    mcp,
    background,
  });
}

/**
 * An id for a call to which the host gives none. Every process derives the same id from the same document, and the same
 * call made again gets another, since the time is part of it. Before and after a call the ids differ: nobody can tell
 * which of several equal calls has ended.
 */
export function derivedCallId(tool: string, input: JsonObject, time: Json | undefined): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  return `derived-${time}-${digest(`${tool} ${JSON.stringify(input)}`)}`.slice(0, 64);
}

/** The names by which configs, written for Claude Code, mention what a tool of another host does. */
const USUAL_TOOLS: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  shell: ['Bash'],
  write: ['Write'],
  edit: ['Edit'],
  patch: ['Edit', 'Write', 'MultiEdit'],
  // To delete a file is to change it.
  delete: ['Edit', 'Write', 'MultiEdit'],
  read: ['Read'],
  agent: ['Agent', 'Task'],
  skill: ['Skill'],
};

/** Tools whose operation alone does not tell their usual name. */
const SAME_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Grep: ['grep', 'rg', 'grep_search'],
  Glob: ['glob'],
  WebFetch: ['webfetch', 'web_fetch'],
  WebSearch: ['websearch', 'web_search', 'google_web_search'],
  TodoWrite: ['todowrite', 'update_todo', 'write_todos', 'update_plan'],
  EnterPlanMode: ['enter_plan_mode', 'plan_enter'],
  ExitPlanMode: ['exit_plan_mode', 'plan_exit'],
  AskUserQuestion: ['ask_user', 'question', 'request_user_input'],
};

/** The host's own name for a tool first, then those that rules may have for it. */
export function namesFor(nativeName: string, op: Operation): string[] {
  const same = Object.keys(SAME_TOOLS).filter((name) => SAME_TOOLS[name]?.includes(nativeName));
  return [...new Set([nativeName, ...(USUAL_TOOLS[op] ?? []), ...same])];
}

/** The server and tool in a name like `mcp__server__tool`. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server && tool ? { server, tool } : undefined;
}

/**
 * Every name that rules may have for an MCP tool whose host joins server and tool by a character that both may contain:
 * all ways to split it count.
 */
export function mcpNamesOf(joined: string, separator: string): string[] {
  const parts = joined.split(separator);
  return parts
    .slice(1)
    .map((_, at) => [parts.slice(0, at + 1).join(separator), parts.slice(at + 1).join(separator)])
    .filter(([server, tool]) => server !== '' && tool !== '')
    .map(([server, tool]) => `mcp__${server}__${tool}`);
}

/**
 * The texts among `found` as absolute paths, each once. A relative path without a known directory is dropped: our own
 * process may run anywhere.
 */
export function absolutePaths(cwd: string, found: readonly (Json | undefined)[]): string[] {
  const paths = found.flatMap((path) => {
    if (typeof path !== 'string' || path === '') return [];
    return isAbsolute(path) || isAbsolute(cwd) ? [resolve(cwd, path)] : [];
  });
  return [...new Set(paths)];
}

const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;
/** `-c`, alone or among other letters as in `-lc`. */
const RUNS_TEXT = /^-[a-z]*c$/;

/**
 * A command as one line for a shell that starts in `cwd`. A list of words is either a shell with a line, or a program
 * with arguments. Where the call names another directory, the line goes there first.
 */
export function commandLine(value: Json | undefined, cwd: string, dir?: Json): string | undefined {
  const line = typeof value === 'string' ? value : lineOf(value);
  const [there] = absolutePaths(cwd, [dir]);
  if (line === undefined || there === undefined || there === resolve(cwd)) return line;
  return `cd ${quoted(there)} && ${line}`;
}

function lineOf(value: Json | undefined): string | undefined {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  if (words.length === 0) return undefined;
  const [program = '', flag = '', line] = words;
  if (SHELL.test(program) && RUNS_TEXT.test(flag) && line !== undefined) return line;
  return words.map(quoted).join(' ');
}

/** A word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Programs that apply patches ignore blanks before a line that names a file. */
const PATCHED_FILE = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The paths that the text of an `apply_patch` names, as it names them. */
export function patchPaths(patch: string): string[] {
  return [...patch.matchAll(PATCHED_FILE)].map(([, path = '']) => path.trim());
}

function addedLines(patch: string): string {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  return added.map((line) => line.slice(1)).join('\n');
}

/** What hosts call the parts of an edit, by the names that rules know. */
const EDIT_PARTS: Readonly<Record<string, readonly string[]>> = {
  file_path: ['filePath', 'path'],
  old_string: ['oldString', 'old_str'],
  new_string: ['newString', 'new_str', 'new_source'],
  replace_all: ['replaceAll', 'allow_multiple'],
};

/** The input of an edit with its parts under the usual names too, also in a list of edits. */
function withUsualNames(input: JsonObject): JsonObject {
  const usual = Object.entries(EDIT_PARTS).map(([name, others]) => [
    name,
    [name, ...others].map((key) => input[key]).find((value) => value !== undefined),
  ]);
  const edits = listIn(input, 'edits').map((edit) => (isJsonObject(edit) ? withUsualNames(edit) : edit));
  return { ...present(Object.fromEntries(usual)), ...input, ...(edits.length > 0 && { edits }) };
}

/** What a tool that writes or edits puts into a file, as far as its input tells. */
function newTextIn(op: Operation, input: JsonObject): string | undefined {
  if (op === 'write')
    return textIn(input, 'content') ?? textIn(input, 'contents') ?? textIn(input, 'file_text');
  if (op !== 'edit') return undefined;
  const usual = withUsualNames(input);
  return lines([usual, ...objectsIn(usual, 'edits')].map((edit) => textIn(edit, 'new_string')));
}
