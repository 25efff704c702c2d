import { readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { type Effects, possibleValues } from '../command-effects';
import { SHELLS } from '../effect-kinds';
import { type Event, MOST_PATHS, mcpToolOf, namesTooMuch, possiblePaths, type ToolCall } from '../event';
import { attempt } from '../failure';
import type { Context, Guard } from '../guard';
import { commandLineIn, isReadingTool } from '../mcp-call';
import { ALLOW_IF_WANTED } from '../messages';
import { WRITING_OPERATIONS } from '../project-paths';
import { NOTHING, type Verdict } from '../verdict';

/** Files that only Holdpoint or only a person changes. A directory stands for everything in it. */
export type Places = {
  /** State, journal, caches and what starts the hook: no agent has any business there. */
  readonly own: readonly string[];
  /** Config and settings: an agent may change them if a person allows the call. */
  readonly shared: readonly string[];
};

type ToolEvent = Event & { readonly call: ToolCall };

const MOVING = /(?:^|_)(?:delete|remove|rm|move|mv|rename|trash)/i;

/** Protects the files that the rules depend on from the agents that they hold. */
export const guard: Guard<Places> = {
  name: 'own-files',
  isQuick: () => true,
  interest: () => [
    { kind: 'tool.before', tools: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch', 'mcp__*'] },
    { kind: 'tool.before', tools: SHELLS, plain: false },
  ],
  async decide(event, given, ctx) {
    if (event.kind !== 'tool.before') return NOTHING;
    // The transcript proves that a person has approved something, so it is protected too.
    const { transcriptPath: record } = event;
    const places = record === undefined ? given : { ...given, own: [...given.own, record] };
    const tool = mcpToolOf(event.call);
    const command =
      event.call.command ?? (tool && commandLineIn(tool, event.call.input, event.cwd || ctx.projectRoot));
    if (record !== undefined && mayRewriteTranscript(record, command))
      return held({ path: record, whole: false }, record, ctx);
    if (tool !== undefined && !isReadingTool(tool, event.call.input) && namesTooMuch(event.call.input))
      return tooManyPaths();
    const effects = command === undefined ? undefined : effectsOf(command, places, ctx);
    const written = pathsWritten(event, places, ctx, command, effects);
    const reached = ({ path, whole }: Written, place: string): boolean =>
      isWithin(path, place) || (whole && isWithin(place, path) && !place.includes('/node_modules/'));
    for (const one of written) {
      const place = places.own.find((other) => reached(one, other));
      if (place !== undefined) return held(one, place, ctx);
    }
    const isOfOther = (one: Written): boolean => isLoopFile(one) || isNewWorktreeConfig(one, command);
    const shared = written.find(
      (one) => places.shared.some((place) => reached(one, place)) || isOfOther(one),
    );
    const named = shared === undefined ? ownFileNamed(command, effects) : shown(shared.path, ctx);
    if (named === undefined) return NOTHING;
    return asked(named, canAsk(event, ctx));
  },
};

/** Programs that can do anything with a file named in their arguments. */
const INTERPRETERS =
  /(?:^|[\s/;&|("'`])(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|gawk|osascript)(?=\s)/;

/** Whether an interpreter is given the name of the session's transcript. */
function mayRewriteTranscript(record: string, command = ''): boolean {
  return command.includes(basename(record)) && INTERPRETERS.test(command);
}

/** In these modes the host shows no dialog, and an unattended session has nobody to see one. */
function canAsk({ permissionMode }: Event, ctx: Context): boolean {
  if (ctx.env('CLAUDE_CODE_SESSION_ATTENDED') === '0') return false;
  return permissionMode === undefined || !['bypass', 'deny'].includes(permissionMode.canonical);
}

/** With these, git may check out files into its own directory. */
const GIT_ELSEWHERE = ['--work-tree', 'GIT_WORK_TREE=', 'core.worktree', 'checkout-index'];

function putsIntoGit(command: string): boolean {
  if (!GIT_ELSEWHERE.some((word) => command.includes(word))) return false;
  return /\.git(?![\w.-])|requirements|holdpoint/.test(command.replace(/--git-dir(?:=|\s+)\S+/g, ''));
}

/** Directories that contain files of ours: unpacking or copying into them may overwrite those. */
const OWN_DIRECTORY =
  /(?:^|\/)\.(?:git|holdpoint|claude|codex|copilot|cursor|gemini|config|jwz|zawinski)\/?$/;

/** A path that a call writes; `whole`: with everything in it, as when it is removed or moved. */
interface Written {
  readonly path: string;
  readonly whole: boolean;
}

const LOOP_FILE = /\/(?:\.idle-disabled|\.(?:jwz|zawinski)\/messages\.jsonl|\.claude\/idle-loop\.local\.md)$/;
const LOOP_STORE = /\/\.(?:jwz|zawinski)$/;

/** The files of a loop count in any directory that the agent may go to, and in the git directory. */
function isLoopFile({ path, whole }: Written): boolean {
  return LOOP_FILE.test(path) || (whole && LOOP_STORE.test(path));
}

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
  const base = isAbsolute(event.cwd) ? event.cwd : ctx.projectRoot;
  const all = [...places.own, ...places.shared];
  const paths = (text: string, whole = false): Written[] =>
    pathsBehindLinks(resolve(base, pathIn(text)), all, ctx).map((path) => ({ path, whole }));
  if (command !== undefined && effects !== undefined) {
    const { writes, unknown } = effects;
    const written = writes.flatMap(({ path, how, means }) =>
      possibleValues(path).flatMap((one) => {
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
    const intoGit = putsIntoGit(command) ? paths('.git', true) : [];
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

/** The paths that tools other than shells write. */
function pathsNamed(call: ToolCall, paths: (text: string, whole?: boolean) => Written[]): Written[] {
  const tool = mcpToolOf(call);
  if (tool !== undefined)
    return isReadingTool(tool, call.input)
      ? []
      : possiblePaths(call.input).flatMap((text) => paths(text, MOVING.test(tool)));
  return WRITING_OPERATIONS.includes(call.op) ? call.paths.flatMap((path) => paths(path)) : [];
}

/** Accepts `file://` URLs too. */
function pathIn(text: string): string {
  return text.startsWith('file://') ? text.slice('file://'.length) : text;
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

/** Our files in the git directory, which globs and searches may match. */
function filesBelow(dir: string): string[] {
  if (!/\.git\/(?:holdpoint|requirements)$/.test(dir)) return [];
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
  /write|put_contents|save-buffer|with-temp-file|\bmove\b|\breplace\b|print[^|;]*>|\bw\s+\S*\.git|open\b[^)]*>|append|transform|xform|unlink|\brm|remove|\bdelete\b|rename|truncat|copy|\bcp|mkdir|open\([^)]*,\s*(?:mode\s*=\s*)?['"][wax]|(?:open\(|\),)\s*(?:mode\s*=\s*)?['"][wax][bt+]*['"]|dump\(|touch|chmod|symlink/i;

/** The line changes directories or writes something, so its code may work on files that it does not name. */
const AFFECTS_OTHER_FILES =
  /(?:^|[\s;&|(])(?:cd|pushd)\s|<<|\btee\b|(?<![=\d&-])>>?\s*(?!\/dev\/null|&)["'$\w./~-]/;

/** These change text or lists in memory. */
const IN_MEMORY = /\bstd(?:out|err)\.write|\.append\(/g;
/** With these, `replace` may move a file. */
const MOVES_FILES = /\b(?:os|pathlib|Path)\b/;

function isChanging(code: string): boolean {
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
    ({ path, text }) => path.kind === 'unknown' && OWN_FILE_AT_PATH_END.test(text) && !isKnown(text),
  );
  if (lost !== undefined) return lost.text.replace(/["']/g, '');
  const isLost = writes.some(({ path }) => possibleValues(path).includes(undefined));
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

/** A path as written, its target, and other hard links to it among the places. */
function pathsBehindLinks(path: string, places: readonly string[], ctx: Context): string[] {
  const file = ctx.file({ path, linksOnly: true });
  const linked = file.kind === 'file' ? file.linked : undefined;
  const others = linked === undefined ? [] : places.filter((place) => isLinkTo(linked, place, ctx));
  return [path, ctx.realPath(path), ...others];
}

function isLinkTo(linked: string, place: string, ctx: Context): boolean {
  const file = ctx.file({ path: place, linksOnly: true });
  return file.kind === 'file' && file.linked === linked;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function shown(path: string, { projectRoot, home }: Context): string {
  if (path !== projectRoot && isWithin(path, projectRoot)) return path.slice(projectRoot.length + 1);
  return isWithin(path, home) ? join('~', path.slice(home.length)) : path;
}

const PERSON_ONLY = 'Only a person can change it, outside of the agent.';

/** The files of the gates among our own. They are in the directory of their logs. */
const GATES_FILE = /\/\.(?:execution_state|gauntlet-run\.lock)$/;
const CLEANS_LOGS =
  '`holdpoint gates clean` archives the logs of the gates; after a failure only a person can run it.';

/** For files that no agent may write; `place` is the one of them that the call reaches. */
function held({ path }: Written, place: string, ctx: Context): Verdict {
  const isAround = path !== place && isWithin(place, path);
  const fact = `${shown(path, ctx)} ${isAround ? 'contains' : 'is'} what Holdpoint relies on, and the call would change it.`;
  const clear =
    GATES_FILE.test(place) && isWithin(path, dirname(place)) ? 'holdpoint gates clean' : undefined;
  const next =
    clear === undefined
      ? 'Leave it as it is. If it has to change, tell the user: only a person can do that, in their own terminal.'
      : CLEANS_LOGS;
  const reason = `Held by Holdpoint: ${fact}\n${next}`;
  return {
    kind: 'deny',
    reason,
    grounds: [{ rule: 'own files', fact, ...(clear && { clear }), waive: PERSON_ONLY }],
  };
}

function tooManyPaths(): Verdict {
  const fact = `The call names more than ${MOST_PATHS.toLocaleString('en')} paths, or very deep ones, too many to check before it runs.`;
  const reason = `Held by Holdpoint: ${fact}\nMake several calls that name fewer.`;
  return {
    kind: 'deny',
    reason,
    grounds: [{ rule: 'own files', fact, clear: 'make several calls that name fewer paths' }],
  };
}

/** For files that an agent may write if a person allows it; held if the host cannot ask anybody. */
function asked(file: string, canAsk: boolean): Verdict {
  const rule = 'config and settings';
  if (canAsk) {
    const fact = `${file} decides what Holdpoint holds, and the agent wants to change it.`;
    const reason = `Holdpoint: ${fact}${ALLOW_IF_WANTED}`;
    return { kind: 'ask', reason, grounds: [{ rule, fact, waive: 'A person says yes to the call.' }] };
  }
  const fact = `${file} decides what Holdpoint holds, and in this session nobody can be asked about a change of it.`;
  const reason = `Held by Holdpoint: ${fact}\nTell the user what you want to change; they can do it themselves.`;
  return { kind: 'deny', reason, grounds: [{ rule, fact, waive: PERSON_ONLY }] };
}
