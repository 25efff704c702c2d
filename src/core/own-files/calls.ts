import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Effects } from '../command-effects';
import { WRITING_OPERATIONS } from '../effect-kinds';
import { MOST_PATHS, mcpToolOf, namesTooMuch, possiblePaths, type ToolCall } from '../event';
import { attempt } from '../failure';
import type { Context } from '../guard';
import { commandLineIn, isReadingTool, leavesFiles } from '../mcp-call';
import { NOTHING, type Verdict } from '../verdict';
import {
  asked,
  canAsk,
  held,
  isLoopFile,
  type Places,
  pathsTo,
  type ToolEvent,
  verdictOn,
  type Written,
} from './guard';

/** The guard of our own files for command lines and for tools of MCP servers. */
export function decideCall(event: ToolEvent, places: Places, ctx: Context): Verdict {
  const { call, transcriptPath: record } = event;
  const tool = mcpToolOf(call);
  const command = call.command ?? (tool && commandLineIn(tool, call.input, event.cwd || ctx.projectRoot));
  if (record !== undefined && mayRewriteTranscript(record, command))
    return held({ path: record, whole: false }, record, ctx);
  if (tool !== undefined && !isReadingTool(tool, call.input) && namesTooMuch(call.input))
    return refused('own files', tooManyPaths(), 'Make several calls that name fewer.');
  const effects = command === undefined ? undefined : effectsOf(command, places, ctx);
  if (typesAsPerson(call, command, effects)) return refused('approvals', TYPED, 'Ask the user to run it.');
  const written = pathsWritten(event, places, ctx, command, effects);
  const isOther = (one: Written): boolean => isLoopFile(one) || isNewWorktreeConfig(one, command);
  const verdict = verdictOn(written, places, event, ctx, isOther);
  if (verdict !== undefined) return verdict;
  const named = ownFileNamed(command, effects);
  return named === undefined ? NOTHING : asked(named, canAsk(event, ctx));
}

const tooManyPaths = (): string =>
  `The call names more than ${MOST_PATHS.toLocaleString('en')} paths, or very deep ones, too many to check before it runs.`;
const TYPED = 'The call would run a command of Holdpoint in another terminal, as if a person had typed it.';

/** Programs that can do anything with a file named in their arguments. */
const INTERPRETERS =
  /(?:^|[\s/;&|("'`])(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|gawk|osascript)(?=\s)/;

/** What may change a file without a word of `CHANGING`. */
const HIDDEN_CHANGE = /\b(?:exec|eval|decode|mmap|__import__|getattr)\b|base64|['"]r\+|\bos\./;

/** Whether an interpreter is given the name of the session's transcript, and may do more than read it. */
function mayRewriteTranscript(record: string, command = ''): boolean {
  return (
    command.includes(basename(record)) &&
    INTERPRETERS.test(command) &&
    (isChanging(command) || HIDDEN_CHANGE.test(command))
  );
}

/** Programs that type a text into another terminal, perhaps a person's, or run it there. */
const OTHER_TERMINAL =
  /^(?:\S*\/)?(?:tmux|screen|zellij|kitt(?:y|en)|wezterm|xdotool|ydotool|wtype|osascript)\s/;
/** Commands of ours that a person alone may run, and one that approves if a person runs it. */
const OF_PEOPLE =
  /\b(?:holdpoint|req)\s+(?:\w+\s+)?(?:approve|satisfy|pause|trust|cancel|suspend|demote|leave|join|uninstall)\b/;

/** Whether a call would have a command of ours run where it counts as a person's. */
function typesAsPerson({ mcp }: ToolCall, command = '', effects?: Effects): boolean {
  if (!OF_PEOPLE.test(command)) return false;
  if (mcp !== undefined && /tmux|iterm|keys|osascript|applescript/i.test(`${mcp.server} ${mcp.tool}`))
    return true;
  return effects?.unknown.some(({ text }) => OTHER_TERMINAL.test(text) && OF_PEOPLE.test(text)) === true;
}

/** With these, git may check out files into its own directory. */
const GIT_ELSEWHERE = ['--work-tree', 'GIT_WORK_TREE=', 'core.worktree', 'checkout-index'];

function putsIntoGit(command: string, { writes, unknown }: Effects): boolean {
  if (!GIT_ELSEWHERE.some((word) => command.includes(word))) return false;
  if (!writes.some(({ how }) => how === 'git') && !unknown.some(({ kind }) => kind === 'code')) return false;
  return /(?:\.git|requirements)(?![\w.-])|holdpoint/.test(command.replace(/--git-dir(?:=|\s+)\S+/g, ''));
}

/** Directories that contain files of ours: unpacking or copying into them may overwrite those. */
const OWN_DIRECTORY =
  /(?:^|\/)\.(?:git|holdpoint|claude|codex|copilot|cursor|gemini|config|jwz|zawinski)\/?$/;

const CONFIG = /\/(?:\.(?:holdpoint|gauntlet|isdlc)(?:\/|$)|\.claude\/(?:requirements|settings)[^/]*$)/;

/** A work tree that the line itself adds is not a project yet, but its config will rule there. */
function isNewWorktreeConfig({ path }: Written, command = ''): boolean {
  return command.includes('worktree') && /\bworktree\s+add\b/.test(command) && CONFIG.test(path);
}

function pathsWritten(
  event: ToolEvent,
  places: Places,
  ctx: Context,
  command?: string,
  effects?: Effects,
): Written[] {
  const { call } = event;
  const paths = (text: string, whole = false): Written[] => pathsTo(text, whole, event, places, ctx);
  if (command !== undefined && effects !== undefined) {
    const { writes, unknown } = effects;
    const written = writes.flatMap(({ path, how, means }) =>
      path.flatMap((one) => {
        // Files that git picks by itself are checked after the call; formatting keeps a file's meaning.
        if (one === undefined || how === 'format' || (how === 'git' && means === undefined)) return [];
        // These act on a symlink itself, not on its target.
        if (['rm', 'mv', 'ln'].includes(how)) {
          const isInto = how !== 'rm' && means === undefined && ctx.file({ path: one }).kind === 'directory';
          const whole = !isInto || OWN_DIRECTORY.test(one);
          return [one, join(ctx.realPath(dirname(one)), basename(one))].map((path) => ({ path, whole }));
        }
        const fills = OWN_DIRECTORY.test(one) && !['mkdir', 'touch', 'attributes'].includes(how);
        return paths(one, fills);
      }),
    );
    const intoGit = putsIntoGit(command, effects) ? paths('.git', true) : [];
    // Nobody gives these paths to a program that has nothing to do with them.
    const told = unknown.flatMap(({ kind, text }) =>
      kind === 'program'
        ? text.split(/[\s='"]+/).flatMap((word) => (/\.git\//.test(word) ? paths(word) : []))
        : [],
    );
    return [...written, ...intoGit, ...told, ...pathsNamed(call, paths)];
  }
  return pathsNamed(call, paths);
}

const MOVING = /(?:^|_)(?:delete|remove|rm|move|mv|rename|trash)/i;

/** The paths that tools other than shells write. */
function pathsNamed(call: ToolCall, paths: (text: string, whole?: boolean) => Written[]): Written[] {
  const tool = mcpToolOf(call);
  if (tool !== undefined)
    return leavesFiles(tool, call.mcp?.server ?? '', call.input)
      ? []
      : possiblePaths(call.input).flatMap((text) => paths(text, MOVING.test(tool)));
  return WRITING_OPERATIONS.includes(call.op) ? call.paths.flatMap((path) => paths(path)) : [];
}

function effectsOf(command: string, places: Places, ctx: Context): Effects {
  const watched = (): string[] => {
    const there = [...places.own, ...places.shared].filter((path) => ctx.file({ path }).kind !== 'missing');
    const searches = /[*?[]|\b(?:find|xargs)\b/.test(command);
    return searches ? there.flatMap((path) => [path, ...filesBelow(path)]) : there;
  };
  return ctx.effects({ command, testCommands: [], watched, offline: true });
}

const MOST_BELOW = 200;

/** Our files in the git directory and the home, which globs and searches may match. */
function filesBelow(dir: string): string[] {
  if (!/\/(?:\.git\/(?:holdpoint|requirements)|\.config\/holdpoint)$/.test(dir)) return [];
  const found = attempt(() => readdirSync(dir, { recursive: true })) ?? [];
  return found.slice(0, MOST_BELOW).map((name) => join(dir, String(name)));
}

/** Our files as code names them. */
const OWN_FILE_IN_CODE =
  /\.holdpoint(?![\w.-])|\.git\/(?:holdpoint|requirements|refs|packed-refs)|\.config\/holdpoint|\.claude\/(?:settings|sessions|plugins|dev-mods)|\.(?:codex|cursor)\/hooks|\.gemini\/settings|\.github\/hooks/;
/** The same at the end of a path whose beginning is unknown. */
const OWN_FILE_AT_PATH_END =
  /(?:^|[/}"')])(?:\.?hold(?:point|\w*[*?[][\w*?[\]]*)(?:\/|["']?$)|requ(?:irements|\w*[*?[][\w*?[\]]*)\/(?:[^/\s]*\.json|[^/\s]*\*|["']?$))/;
/** A path without shell syntax is known unless the line changes directory, even if the file name in it is not. */
const PLAIN_PATH = /^[\w./-]*$/;
const GOES_ELSEWHERE = /\b(?:cd|pushd|popd|execdir|chdir)\b|\s-C/;
/** Directories from which Claude Code loads programs, under names only it may know, such as a session id. */
const LOADED_BY_HOST = /\.claude\/(?:plugins|dev-mods)(?![\w-])/;
const CHANGING =
  /write|put_contents|save-buffer|with-temp-file|\bmove\b|\breplace\b|print[^|;]*>|\bw\s+\S*\.git|open\b[^)]*>|append|transform|xform|unlink|(?<!-)\brm(?:\b|Sync|tree|dir)|remove|\bdelete\b|rename|truncat|copy|\bcp|mkdir|open(?:Sync)?\([^)]*,\s*(?:mode\s*=\s*)?['"][wax]|(?:open\(|\),)\s*(?:mode\s*=\s*)?['"][wax][bt+]*['"]|dump\(|touch|chmod|symlink/i;

/** The line changes directories or writes something, so its code may work on files that it does not name. */
const AFFECTS_OTHER_FILES =
  /(?:^|[\s;&|(])(?:cd|pushd)\s|<<|\btee\b|(?<![=\d&-])>>?\s*(?!\/dev\/null|&)["'$\w./~-]/;

/** These change text or lists in memory. */
const IN_MEMORY = /\bstd(?:out|err)\.write|\.append\(/g;
/** With these, `replace` may move a file. */
const MOVES_FILES = /\b(?:os|pathlib|Path)\b/;

export function isChanging(code: string): boolean {
  const lasting = code.replace(IN_MEMORY, '');
  const unmoved = MOVES_FILES.test(code) ? lasting : lasting.replace(/\.replace(?:All)?\(/g, '');
  // In Python, a `>` after `print(` compares.
  return CHANGING.test(/^(?:\S*\/)?python/.test(code) ? unmoved.replace(/\bprint\(/g, '') : unmoved);
}

/** The file of ours that code names, to the end of its name. */
function nameIn(code: string): string | undefined {
  const found = OWN_FILE_IN_CODE.exec(code);
  return found === null
    ? undefined
    : found[0] + (/^[\w./-]*/.exec(code.slice(found.index + found[0].length))?.[0] ?? '');
}

/** Joins concatenated string literals. */
function withJoinedTexts(code: string): string {
  return code.replace(/["']\s*[.+]\s*["']/g, '');
}

/** The file of ours that a call names, if it runs code that we cannot follow. */
function ownFileNamed(command: string | undefined, effects: Effects | undefined): string | undefined {
  if (command === undefined || effects === undefined) return undefined;
  const { writes, unknown } = effects;
  const isKnown = (text: string): boolean => PLAIN_PATH.test(text) && !GOES_ELSEWHERE.test(command);
  const lost = writes.find(
    ({ path, text }) => path.includes(undefined) && OWN_FILE_AT_PATH_END.test(text) && !isKnown(text),
  );
  if (lost !== undefined) return lost.text.replace(/["']/g, '');
  const isLost = writes.some(({ path }) => path.includes(undefined));
  if (isLost && LOADED_BY_HOST.test(command)) return LOADED_BY_HOST.exec(command)?.[0];
  // New names in an archive are not followed.
  const isRenamed = command.includes('--transform') || command.includes('--xform');
  if (!isLost && unknown.length === 0 && !isRenamed) return undefined;
  const joined = withJoinedTexts(command);
  if (!OWN_FILE_IN_CODE.test(joined) || !CHANGING.test(joined)) return undefined;
  // What one command passes to another is not followed either.
  if (isRenamed || /\bxargs\b/.test(command)) return nameIn(joined);
  const texts = unknown.map(({ text }) => withJoinedTexts(text));
  const read = texts.length > 0 && AFFECTS_OTHER_FILES.test(command) ? [joined] : texts;
  const changing = read.find((text) => OWN_FILE_IN_CODE.test(text) && isChanging(text));
  return changing && nameIn(changing);
}

function refused(rule: string, fact: string, clear: string): Verdict {
  return { kind: 'deny', reason: `Held by Holdpoint: ${fact}\n${clear}`, grounds: [{ rule, fact, clear }] };
}
