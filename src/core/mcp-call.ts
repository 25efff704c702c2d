import { commandLine } from '../hosts/protocol';
import { LONGEST_PATH } from './event';
import { isJsonObject, type Json, type JsonObject } from './json';

/* What an MCP call does. Only the names of the tool and of its arguments can tell. */

const READING =
  /(?:^|_)(?:read|get|list|search|find|stat|info|view|show|query|fetch|tree|(?:diff|log|describe|check|validate|lint|hover|diagnostics?|grep|ripgrep|glob|head|tail|count|exists|definitions?|references|symbols?|outline)(?=_|$))/;

/** Names that begin or end like this change something, whatever their object. */
const ACTING =
  /^(?:copy|restore|revert|sync|generate|import|reset|convert(?!_to_(?:markdown|text)$)|reformat|optimize|swap|move|make|install|extract(?!_(?:code|text)$)|rebase|stash|checkout|switch|clone|pull)_|_(?:patch|swap|restore|revert|put|reset|sync)$|_then_/;

const WRITING =
  /(?:^|_)(?:replace|edit|write|save|insert|append|apply|rename|move|delete|exec\w*|run|command|to_(?:file|disk|path))(?=_|$)|^(?:create|update|add|set|put|patch|remove|send|submit|upload)_|_(?:and|or)_(?:create|update|add|set|put|patch|accept|approve|submit|send|commit|push|merge|store|upsert|change|modify|transform|format|fix|check)(?=_|$)/;

/** These are verbs too, unless the name begins with a verb as clear as `get` or `list`. */
const PERHAPS_WRITING =
  /^(?!(?:get|list|read|fetch|show)_).*_(?:modify|transform|refactor|fix|format|accept|approve|commit|push|merge|update|add|remove|create|set)(?=_|$)|^check_in$/;

/** After these, a verb is usually a noun, unless it is the last word: `list_save_points`. */
const NOUNS_FOLLOW = /^(?:get|list|show)_(?!(?:.*_)?(?:and|or|then|to)_)/;

/** Anywhere in a name, except in past forms: what was deleted or replaced may well be read. */
const ALWAYS_WRITING =
  /(?:replace|delete|remove|rename|save|mutate)(?!d|ment)|(?:re|over)?write(?!rs?(?:_|$))|(?:insert|append|alter)(?!ed|nat)|substitut|(?:^|_)sub(?=_|$)/;

/** A tool's name in lower case, with `_` between its words, however it is spelled. */
export function plainToolName(tool: string): string {
  return tool.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-./\s]+/g, '_').toLowerCase();
}

/** An argument that makes a mostly reading tool write. */
const ASKS_TO_WRITE =
  /"(?:fix|write|apply|in_?place|overwrite|save)":true|"(?:action|command|operation|mode)":"(?:delete|edit|write|str_replace|create|insert|update|remove|replace|move|rename|fix|apply)"|"(?:out(?:put)?|save|write|dest\w*)_?(?:path|file)\w*":"/i;

/** Only its name and the names of its arguments show what an MCP tool does. */
export function isReadingTool(tool: string, input: JsonObject): boolean {
  const name = plainToolName(tool);
  return READING.test(name) && !isWriting(name, input);
}

/** Tools that are told which files to look at. They may do more, so these are not sure to only read. */
const LOOKING =
  /(?:^|__)(?:(?:analy[sz]e|ask|chat|compare|consult|explain|index|ocr|parse|probe|summari[sz]e)(?!.*_(?:and|or|then)_)(?=_|$)|(?!(?:change|fix|format|implement|modify|refactor|transform)_)(?:[a-z0-9]+_)*(?:analy[sz]e|blame|breakpoints?|context|details|help|hierarchy|package_api|scan|screenshot|to_(?:markdown|text))$|extract_(?:code|text)$|(?:re)?run_tests?$|build_project$|(?:code_?)?review(?:_(?:code|files?|changes|diff))?$|(?:open|close)_(?:document|files?)(?:_in_editor)?$|(?:(?:terraform|tofu|tf)_)?plan$)/;
/** Remarks on a change. They name its files, and change nothing in them. */
const REMARKING =
  /^(?!.*(?:accept|apply|fix|implement))(?:.*_)?(?:(?:pull|merge)_request|[pm]r|pending|draft)_(?:review|comment|note|thread|discussion|reply)(?!.*_(?:and|then)_)/;
/** Verbs that say nothing about the files that are named. What tests do to them is seen afterwards. */
const ABOUT_FILES =
  /(?:^|_)(?:(?:re)?run(?=_tests?$)|(?:set|add|remove|delete|toggle|clear)(?=_breakpoints?$))/;
const UPLOADING = /(?:^|_)(?:file_upload|upload_files?)$/;
const BRINGS_TEXT = /"[^"]*(?:content|data|text|body|base64|dest|target|overwrite)[^"]*":/i;
const STAGING = /(?:^|_)git_(?:add|stage|unstage)$/;

/** Whether the files that a tool names stay as they are. */
export function leavesFiles(tool: string, server: string, input: JsonObject): boolean {
  const name = plainToolName(tool);
  if (STAGING.test(`${plainToolName(server)}_${name}`)) return true;
  if (UPLOADING.test(name)) return !BRINGS_TEXT.test(JSON.stringify(input));
  if (REMARKING.test(name)) return true;
  const verbs = name.replace(ABOUT_FILES, '');
  const isLooking = READING.test(name) || LOOKING.test(name) || input['relevant_files'] !== undefined;
  return isLooking && !isWriting(verbs, input);
}

function isWriting(name: string, input: JsonObject): boolean {
  const verbs = NOUNS_FOLLOW.test(name) ? name.slice(name.lastIndexOf('_') + 1) : name;
  if (WRITING.test(verbs) || ALWAYS_WRITING.test(verbs)) return true;
  return PERHAPS_WRITING.test(name) || ACTING.test(name) || ASKS_TO_WRITE.test(JSON.stringify(input));
}

const RUNNING =
  /^(?!.*(?:sql|query)).*(?:^|_)(?:exec\w*|run|spawn|eval|keys|shell|bash|zsh|terminal|command|cmd|process|pty|repl)(?=_|$)/;
const COMMAND_KEYS =
  'command cmd commandLine command_line input keys script argv commands data text program executable line shell bash run'.split(
    ' ',
  );
/** Languages as tools name them, and how a command line runs code in one. */
const LANGUAGES: readonly (readonly [name: RegExp, ...words: string[]])[] = [
  [/python|jupyter|^execute_code $/, 'python3', '-c'],
  [/node|javascript|typescript|(?:^|[_ ])[jt]s(?=[_ ]|$)/, 'node', '-e'],
  [/ruby/, 'ruby', '-e'],
  [/perl/, 'perl', '-e'],
  [/php/, 'php', '-r'],
  [/shell|bash/, 'bash', '-c'],
];
const PROGRAM_OF_TOOL = /(?:^|_)(git|gt|gh|glab|jj)(?=_|$)/;
const DIRECTORY_KEYS = 'cwd workdir working_directory workingDirectory working_dir directory'.split(' ');

/** The command line that an MCP tool is given to run, such as `execute_command`. */
export function commandLineIn(called: string, input: JsonObject, cwd: string): string | undefined {
  const tool = plainToolName(called);
  if (!RUNNING.test(tool)) return undefined;
  const key = DIRECTORY_KEYS.find((name) => typeof input[name] === 'string');
  const line = commandLine(commandIn(tool, input), cwd);
  return commandLine(line && withProgram(tool, line), cwd, key === undefined ? undefined : input[key]);
}

/** A tool for one program is given a whole line, or only what follows the program's name: both are read. */
function withProgram(tool: string, line: string): string {
  const [, program] = PROGRAM_OF_TOOL.exec(tool) ?? [];
  const isWhole = program === undefined || line.trimStart().startsWith(`${program} `);
  return isWhole ? line : `${line}\n${program} ${line}`;
}

function commandIn(tool: string, input: JsonObject): Json | undefined {
  const { code, commands, languageId, language = languageId, args = input['arguments'] } = input;
  if (typeof code === 'string') {
    const [, ...words] =
      LANGUAGES.find(([name]) => name.test(`${tool} ${language ?? ''}`.toLowerCase())) ?? [];
    return words.length === 0 ? undefined : [...words, code];
  }
  // Each of several commands is a line by itself.
  const given: JsonObject = { ...input, ...(Array.isArray(commands) && { commands: commands.join('\n') }) };
  const isGiven = (value: Json | undefined): boolean => typeof value === 'string' || Array.isArray(value);
  const command = COMMAND_KEYS.map((name) => given[name]).find(isGiven);
  if (command === undefined && PROGRAM_OF_TOOL.test(tool)) return args;
  if (typeof command !== 'string') return command;
  if (typeof args === 'string') return `${command} ${args}`;
  return Array.isArray(args) && args.length > 0 ? [command, ...args] : command;
}

const PATH_KEY = /path|file|uri|dir|dest|source|target|location/i;
/** What such a key has may be a file, or a kind or a name: `"source": "text"`. */
const PERHAPS_PATH_KEY = /^(?:source|target|location)$/i;

/**
 * The strings in a call that name a file: by their key, or because they look like an absolute path. Not recursive, since
 * an agent can nest lists as deeply as it likes.
 */
export function pathsNamedIn(value: Json): string[] {
  const paths: string[] = [];
  const open: Named[] = [['', value]];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [key, member] = one;
    if (typeof member !== 'string') for (const inner of membersOf(member, key)) open.push(inner);
    else if (isPathIn(member, key)) paths.push(member.replace(/^file:\/\//, ''));
  }
  return paths;
}

type Named = readonly [key: string, value: Json];

function membersOf(value: Json, key: string): Named[] {
  if (Array.isArray(value)) return value.map((one) => [key, one]);
  return isJsonObject(value) ? Object.entries(value).map(([name, one]) => [name, one ?? null]) : [];
}

function isPathIn(text: string, key: string): boolean {
  const isText = text === '' || text.length > LONGEST_PATH || text.includes('\n');
  const isAddress = /^[a-z][a-z+.-]+:\/\//i.test(text) && !text.startsWith('file://');
  const isWord = PERHAPS_PATH_KEY.test(key) && /^[a-z]+$/.test(text);
  return !isText && !isAddress && !isWord && (PATH_KEY.test(key) || /^(?:\/|file:\/\/)/.test(text));
}
