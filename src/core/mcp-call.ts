import { commandLine } from '../hosts/parse';
import { LONGEST_PATH, type ToolCall } from './event';
import { isJsonObject, type Json } from './json';

/* What an MCP call is about. Only names tell: of the tool, and of its arguments. */

/** The tool of an MCP server that is called. A host may not tell the server from it; the last part says what it does. */
export function mcpToolOf({ op, mcp, names }: ToolCall): string | undefined {
  if (mcp !== undefined) return mcp.tool;
  return op === 'mcp' || op === 'other'
    ? names.find((name) => name.startsWith('mcp__'))?.slice(5)
    : undefined;
}

/** MCP tools say by their name alone what they do. */
const READING =
  /(?:^|_)(?:read|get|list|search|find|stat|info|view|show|query|fetch|tree|(?:diff|log|describe|check|validate|lint|hover|diagnostics?|grep|ripgrep|glob|head|tail|count|exists|definitions?|references|symbols?|outline)(?=_|$))/;

/** A name that begins or ends so says what it does, whatever it does it to. */
const ACTING =
  /^(?:copy|restore|revert|sync|generate|import|reset|convert|reformat|optimize|swap|move|make|install|extract|rebase|stash|checkout|switch|clone|pull)_|_(?:patch|swap|restore|revert|put|reset|sync)$|_then_/;

const WRITING =
  /(?:^|_)(?:replace|edit|write|save|insert|append|apply|rename|move|delete|exec\w*|run|command|to_(?:file|disk|path))(?=_|$)|^(?:create|update|add|set|put|patch|remove|send|submit|upload)_|_(?:and|or)_(?:create|update|add|set|put|patch|accept|approve|submit|send|commit|push|merge|store|upsert|change|modify|transform|format|fix|check)(?=_|$)/;

/** After a verb that says less for sure than `get` or `list`, these are verbs too. */
const PERHAPS_WRITING =
  /^(?!(?:get|list|read|fetch|show)_).*_(?:modify|transform|refactor|fix|format|accept|approve|commit|push|merge|update|add|remove|create|set)(?=_|$)|^check_in$/;

/** After these a verb is mostly a noun, unless it is the last word: `list_save_points`. */
const NOUNS_FOLLOW = /^(?:get|list|show)_(?!(?:.*_)?(?:and|or|then|to)_)/;

/** Wherever they stand in a name; what was deleted or replaced before may well be read. */
const ALWAYS_WRITING =
  /(?:replace|delete|remove|rename|save|mutate)(?!d|ment)|(?:re|over)?write(?!rs?(?:_|$))|(?:insert|append|alter)(?!ed|nat)|substitut|(?:^|_)sub(?=_|$)/;

/** The name of a tool in small letters, with its words apart, however it is spelled. */
export function plainToolName(tool: string): string {
  return tool.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-./\s]+/g, '_').toLowerCase();
}

export function isReadingTool(tool: string): boolean {
  const name = plainToolName(tool);
  const verbs = NOUNS_FOLLOW.test(name) ? name.slice(name.lastIndexOf('_') + 1) : name;
  if (WRITING.test(verbs) || ALWAYS_WRITING.test(verbs)) return false;
  return !PERHAPS_WRITING.test(name) && !ACTING.test(name) && READING.test(name);
}

const RUNNING =
  /^(?!.*(?:sql|query)).*(?:^|_)(?:exec\w*|run|shell|bash|zsh|terminal|command|cmd|process|pty)(?=_|$)/;
const DIRECTORY_KEYS = [
  'cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'working_dir',
  'directory',
];

/** The command line that an MCP tool is given to run, such as `execute_command`. */
export function commandLineIn(call: ToolCall, cwd: string): string | undefined {
  const tool = mcpToolOf(call);
  if (tool === undefined || !RUNNING.test(plainToolName(tool))) return undefined;
  const { command = call.input['cmd'], args } = call.input;
  const hasArguments = typeof command === 'string' && Array.isArray(args) && args.length > 0;
  const key = DIRECTORY_KEYS.find((name) => typeof call.input[name] === 'string');
  return commandLine(
    hasArguments ? [command, ...args] : command,
    cwd,
    key === undefined ? undefined : call.input[key],
  );
}

const PATH_KEY = /path|file|uri|dir|dest|source|target|location/i;

/** The texts of a call that name a file: by their key, or since they begin as an absolute path does. */
export function pathsNamedIn(value: Json, key = ''): string[] {
  if (typeof value === 'string') {
    const isText = value === '' || value.length > LONGEST_PATH || value.includes('\n');
    const isAddress = /^[a-z][a-z+.-]+:\/\//i.test(value) && !value.startsWith('file://');
    if (isText || isAddress || !(PATH_KEY.test(key) || /^(?:\/|file:\/\/)/.test(value))) return [];
    return [value.replace(/^file:\/\//, '')];
  }
  if (Array.isArray(value)) return value.flatMap((one) => pathsNamedIn(one, key));
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, one]) => pathsNamedIn(one ?? null, name))
    : [];
}
