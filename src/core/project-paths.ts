import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { absolutePaths } from '../hosts/protocol';
import { startProjectOf } from '../state/sessions';
import { realPath } from './context';
import { type Effect, WRITING_OPERATIONS } from './effect-kinds';
import { type EventHeader, LONGEST_PATH, possiblePaths, type ToolCall } from './event';
import { attempt } from './failure';
import type { Context } from './guard';
import type { Invocation, ProjectWithState } from './hook';
import { type JsonObject, objectIn, textIn } from './json';
import { CONFIG_MARKERS, hasConfigMarkers, type Project, projectAbove } from './project';
import { isIgnoredBy } from './text';

/* Which paths belong to the project, and what a call does to them. */

/** The paths that are in this project once symlinks are resolved. Other projects have their own rules. */
export function projectPaths(paths: readonly string[], ctx: Context): string[] {
  const root = ctx.realPath(ctx.projectRoot);
  return paths.flatMap((path) => {
    const real = ctx.realPath(path);
    if (!isBelow(real, root)) return inLinkedTree(real, root, ctx);
    return path !== real && isBelow(path, ctx.projectRoot) ? [path, real] : [real];
  });
}

/** Maps a file of a linked work tree without config (which may not be committed) to the same file here. */
function inLinkedTree(path: string, root: string, { git, file }: Context): string[] {
  if (git === undefined) return [];
  for (let tree = dirname(path); tree !== dirname(tree); tree = dirname(tree)) {
    const found = file({ path: `${tree}/.git`, maxTextBytes: LONGEST_POINTER });
    if (found.kind === 'missing') continue;
    const isLinked = found.kind === 'file' && found.text?.startsWith(`gitdir: ${git.commonDir}/worktrees/`);
    const isOwn = CONFIG_MARKERS.some((name) => file({ path: `${tree}/${name}` }).kind !== 'missing');
    return isLinked && !isOwn ? [root + path.slice(tree.length)] : [];
  }
  return [];
}

const LONGEST_POINTER = 4096;

/** True for the directory itself. Both paths must be free of `..`. */
export function isBelow(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir === '/' ? dir : `${dir}/`);
}

/** Writing a plan is how an agent gets a requirement satisfied, so it is never held. A symlink is no plan. */
export function isPlan(path: string, { projectRoot, home, realPath, file }: Context): boolean {
  // Neither is a hard link to a file elsewhere.
  const fact = file({ path, linksOnly: true });
  if (fact.kind === 'file' && fact.linked !== undefined) return false;
  const real = realPath(path);
  const root = realPath(projectRoot);
  const dirs = [`${root}/.claude/plans`, `${root}/docs/plans`, `${realPath(home)}/.claude/plans`];
  return real.endsWith('.md') && dirs.some((dir) => isBelow(real, dir));
}

/** What Python writes beside every file that it loads, whether or not a `.gitignore` leaves it out. */
export const BYTECODE = /\/__pycache__(?:\/[^/]*\.pyc[^/]*)?$/;

const LARGEST_IGNORE = 64 * 1024;

/** Whether the project's `.gitignore` excludes a file. What we are configured by counts anyway. */
export function isIgnored(path: string, ctx: Context): boolean {
  if (BYTECODE.test(path)) return true;
  const root = [ctx.projectRoot, ctx.realPath(ctx.projectRoot)].find((one) => path.startsWith(`${one}/`));
  if (root === undefined || isConfig(path, ctx)) return false;
  const file = ctx.file({ path: join(root, '.gitignore'), maxTextBytes: LARGEST_IGNORE });
  return file.kind === 'file' && isIgnoredBy(file.text ?? '', path.slice(root.length + 1));
}

/** The effects of a call, with the files that it changes and the branches that it writes. */
export interface CallEffects {
  readonly kinds: ReadonlySet<Effect>;
  readonly paths: Readonly<Record<'edit' | 'delete' | 'config', readonly string[]>>;
  /** Branches that are written, locally or at a remote. */
  readonly branches: readonly string[];
  /** The known beginnings of branches that may be pushed to without a trace; empty for a branch that is unknown. */
  readonly mayPushTo: readonly string[];
  /** The branches on which it changes files or commits, if all of them are known. */
  readonly editedOn?: readonly string[] | undefined;
  /** How many commits it makes, as far as we can tell. */
  readonly commits: number;
  /** The call shows everything that it does, and none of it is git. */
  readonly isClear: boolean;
  /** The line is too long, or nested too deeply, to be read: it may do anything. */
  readonly isTooMuch?: true;
}

/** The effects of a file tool; for other tools see call-effects.ts. */
export function fileToolEffects(call: ToolCall, ctx: Context): CallEffects | undefined {
  if (!isFileTool(call)) return undefined;
  return toCallEffects({ changed: call.paths, removed: removes(call) ? call.paths : [] }, ctx);
}

function isFileTool({ op, command, mcp }: ToolCall): boolean {
  return command === undefined && mcp === undefined && WRITING_OPERATIONS.includes(op);
}

/**
 * Whether a file tool writes only files of the project, or plans: such a call does nothing that it does not show. Git
 * may track a file all the same that `.gitignore` excludes; only afterwards do we know.
 */
export function onlyEdits(call: ToolCall, ctx: Context): boolean {
  const isShown = (path: string): boolean =>
    (isBelow(path, ctx.projectRoot) && !isIgnored(path, ctx)) || isPlan(path, ctx);
  return isFileTool(call) && call.paths.length > 0 && call.paths.every(isShown);
}

export function removes({ op, input }: ToolCall): boolean {
  const isDelete = (value: unknown): boolean => /^\s*\*\*\* (?:Delete File|Move to): /m.test(String(value));
  return op === 'delete' || (/patch|shell/.test(op) && Object.values(input).some(isDelete));
}

interface FoundEffects {
  readonly kinds?: readonly Effect[];
  /** Absolute paths of the files that are changed, and of those that are removed. */
  readonly changed?: readonly string[];
  readonly removed?: readonly string[];
  readonly branches?: readonly string[];
  readonly mayPushTo?: readonly string[];
  readonly editedOn?: readonly string[] | undefined;
  readonly commits?: number;
  readonly isClear?: boolean;
}

/** Files outside the project count only if they are config; plans never count. */
export function toCallEffects(found: FoundEffects, ctx: Context): CallEffects {
  const {
    kinds = [],
    changed = [],
    removed = [],
    branches = [],
    mayPushTo = [],
    editedOn,
    commits = 0,
    isClear = true,
  } = found;
  const inProject = (paths: readonly string[]): string[] =>
    projectPaths(
      paths.filter((path) => !isPlan(path, ctx)),
      ctx,
    );
  const paths = {
    edit: inProject([...changed, ...removed]),
    delete: inProject(removed),
    // Settings may be a symlink to a file kept elsewhere.
    config: [...changed, ...removed].filter((path) =>
      [path, ctx.realPath(path)].some((one) => isConfig(one, ctx)),
    ),
  };
  const named = (['edit', 'delete', 'config'] as const).filter((kind) => paths[kind].length > 0);
  return { kinds: new Set([...kinds, ...named]), paths, branches, mayPushTo, editedOn, commits, isClear };
}

const PROJECT_CONFIG =
  '.holdpoint .claude/settings.json .claude/settings.local.json .claude/requirements.yaml .claude/requirements.local.yaml .claude/messages .claude/messages.local .gauntlet .codex .gemini/settings.json .github/hooks .cursor/hooks.json .opencode opencode.json';
const HOME_CONFIG =
  '.config/holdpoint .claude/settings.json .claude/requirements.yaml .claude/messages .codex .gemini/settings.json .copilot .cursor/hooks.json .config/opencode';

/** Whether a path is config of ours or of a host, in the project or in the home. */
export function isConfig(path: string, { projectRoot, home, realPath }: Context): boolean {
  const isIn = (base: string, places: string): boolean => {
    const root = base === '' ? '' : realPath(base);
    if (root === '' || !isBelow(path, root)) return false;
    const below = path.slice(root === '/' ? 1 : root.length + 1);
    return places.split(' ').some((place) => isBelow(below, place));
  };
  return isIn(projectRoot, PROJECT_CONFIG) || isIn(home, HOME_CONFIG);
}

type Call = Pick<ToolCall, 'paths' | 'command'>;
type ProjectLookup = Pick<Invocation, 'env' | 'chunks' | 'now'>;

/**
 * Other projects whose rules apply too: the one that the session started in, and every one whose files the
 * call changes. The sources that name the first can only add a project, so forging them is no use.
 */
export function otherProjects(
  header: EventHeader,
  raw: JsonObject,
  here: Project | undefined,
  invocation: ProjectLookup,
): ProjectWithState[] {
  const home = invocation.env['HOME'] ?? '';
  const others = new Map<string, ProjectWithState>();
  const add = (place: string, isMeant: (project: Project) => boolean): void => {
    if (!isAbsolute(place) || place === here?.root || others.has(place)) return;
    // What is longer does not exist, and looking at every directory of it could take minutes.
    const project = projectAbove(place.slice(0, LONGEST_PATH), home);
    if (project === undefined || project.root === here?.root || !isMeant(project)) return;
    const { layout } = project;
    if (layout !== undefined) others.set(project.root, { ...project, layout });
  };
  const start = invocation.env['CLAUDE_PROJECT_DIR'] ?? '';
  if (start !== header.cwd) add(start, ({ configured }) => configured);
  add(startProjectOf(home, header.sessionId) ?? '', ({ configured }) => configured);
  const isWatched = here?.configured === true || others.size > 0;
  for (const path of pathsChanged(header, raw, here, isWatched, invocation))
    add(path, ({ marked }) => marked);
  return [...others.values()];
}

/** Paths outside the project that the call changes, symlinks resolved, and those in a nested project. */
function pathsChanged(
  header: EventHeader,
  raw: JsonObject,
  here: Project | undefined,
  isWatched: boolean,
  invocation: ProjectLookup,
): string[] {
  if (!header.kind.startsWith('tool.') && !header.kind.startsWith('permission.')) return [];
  const { command, paths } = callIn(header, raw, invocation);
  const home = invocation.env['HOME'] ?? '';
  const unmarked = new Set<string>();
  const elsewhere = (found: readonly string[]): string[] =>
    [...new Set(found)].map((path) => realPath(path)).filter((path) => !isIn(path, here?.root, unmarked));
  if (command === undefined) return elsewhere(paths);
  const leaves = MAY_LEAVE_DIRECTORY.test(command);
  const named = [
    ...(leaves ? pathsNamed(command, header.cwd, home) : []),
    ...linksNamed(command, header.cwd),
  ];
  const candidates = elsewhere(named);
  const isHidden =
    leaves && isWatched && ASSEMBLED_PATH.some((signs) => signs.every((sign) => sign.test(command)));
  if (candidates.length === 0 && !isHidden) return [];
  return elsewhere(
    invocation.chunks.part('decide').changedPaths(command, header.cwd, candidates, invocation),
  );
}

/** Tools that change nothing. */
const READING = ['Read', 'Grep', 'Glob', 'LSP', 'WebFetch', 'WebSearch'];

/** The part of the call that shows what it changes. Claude Code's is parsed here, as most events end here. */
function callIn(header: EventHeader, raw: JsonObject, { chunks, now }: ProjectLookup): Call {
  const { host, cwd, toolNames } = header;
  if (toolNames.some((name) => READING.includes(name))) return { paths: [] };
  if (host === 'claude-code') {
    const input = objectIn(raw, 'tool_input');
    if (toolNames[0]?.startsWith('mcp__')) return { paths: absolutePaths(cwd, possiblePaths(input)) };
    const command = textIn(input, 'command');
    return {
      paths: absolutePaths(cwd, [input['file_path'], input['filePath'], input['notebook_path']]),
      ...(command !== undefined && { command }),
    };
  }
  const event = chunks.host(host).parse(raw, now, header);
  if (!('call' in event)) return { paths: [] };
  const { call } = event;
  if (call.op === 'read' || call.op === 'search') return { paths: [] };
  return call.op === 'mcp' ? { paths: absolutePaths(cwd, possiblePaths(call.input)) } : call;
}

/** Whether a path is below a project's root and not in a nested project. */
function isIn(path: string, root: string | undefined, unmarked: Set<string>): boolean {
  if (root === undefined || (path !== root && !path.startsWith(`${root}/`))) return false;
  // Too long for an existing path.
  if (path.length > LONGEST_PATH) return true;
  for (let dir = path; dir !== root && !unmarked.has(dir); dir = dirname(dir)) {
    if (hasConfigMarkers(dir)) return false;
    unmarked.add(dir);
  }
  return true;
}

/** A command line without any of these stays in its directory, except through symlinks. */
const MAY_LEAVE_DIRECTORY = /[/~$]|\.\.|\b(?:cd|pushd)\s|GIT_|git-dir|work-tree|\s-\w*C/;
/** Words that are directories even without a slash. */
const DIRECTORY_WORD = /(?:\b(?:cd|pushd)|\bGIT_\w+|--git-dir|--work-tree|\s-\w*C)[\s=]*([^\s;&|()]+)/g;
/** With one of these combinations a path may be assembled from pieces, and only the parser can tell. */
const ASSEMBLED_PATH = [[/\$/, /(?:^|[\s;&|(])(?:\w+=|for\s|read\s|set\s)/], [/\{[^\s{},]*(?:,|\.\.)/]];
/** Characters that may surround a file name. */
const AROUND = /["'<>;&|)\s]/;
const ENDS = /^["'<>]+|["';&|)\s]+$/g;
const LONGEST_NAME = 256;
const MOST_WORDS = 64;
const MOST_PLACES = 10_000;

/** Paths that a command line may name, judging by its text alone. */
function pathsNamed(command: string, cwd: string, home: string): string[] {
  const text = command.replace(/["'\\]/g, '');
  const entered = new Set([...text.matchAll(DIRECTORY_WORD)].map(([, word = '']) => word));
  const places: string[] = [];
  for (const word of new Set(text.split(/[\s;&|()<>=:,`{}]+/))) {
    const isPath = word.includes('/') || word === '..' || word === '~' || entered.has(word);
    if (!isPath || word.startsWith('-') || places.length > MOST_PLACES) continue;
    const path = word.replace(/^(?:~|\$HOME)(?=\/|$)/, home).replace(/[$*?[].*$/s, '');
    if (isAbsolute(path) || isAbsolute(cwd)) places.push(resolve(cwd, path));
  }
  return places;
}

/** Symlinks that words of a command line name. */
function linksNamed(command: string, cwd: string): string[] {
  if (!isAbsolute(cwd)) return [];
  const links: string[] = [];
  for (const word of command.split(' ', MOST_WORDS)) {
    if (word === '' || word.startsWith('-') || word.length > LONGEST_NAME) continue;
    const path = `${cwd}/${AROUND.test(word) ? word.replace(ENDS, '') : word}`;
    if (isLink(path)) links.push(path);
  }
  return links;
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) ?? false;
}
