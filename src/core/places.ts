import { dirname } from 'node:path';
import type { ToolCall } from './event';
import type { Context } from './guard';
import type { Effect } from './moments';
import { MARKS } from './project';

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
    const isOwn = MARKS.some((name) => file({ path: `${tree}/${name}` }).kind !== 'missing');
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

/** The effects of a call, with the files that it changes and the branches that it writes. */
export interface Doing {
  readonly kinds: ReadonlySet<Effect>;
  readonly paths: Readonly<Record<'edit' | 'delete' | 'config', readonly string[]>>;
  /** Branches that are written, locally or at a remote. */
  readonly branches: readonly string[];
  /** The branches on which files are changed, if the line switches branches before changing any. */
  readonly editedOn?: readonly string[] | undefined;
  /** How many commits it makes, as far as we can tell. */
  readonly commits: number;
  /** The call shows everything that it does, and none of it is git. */
  readonly isClear: boolean;
}

export const WRITING: readonly string[] = ['write', 'edit', 'patch', 'delete'];

/** The effects of a file tool; for other tools see doing.ts. */
export function ofFileTool(call: ToolCall, ctx: Context): Doing | undefined {
  if (call.command !== undefined || call.mcp !== undefined || !WRITING.includes(call.op)) return undefined;
  return doing({ changed: call.paths, removed: removes(call) ? call.paths : [] }, ctx);
}

function removes({ op, input }: ToolCall): boolean {
  const isDelete = (value: unknown): boolean =>
    typeof value === 'string' && /^\s*\*\*\* (?:Delete File|Move to): /m.test(value);
  return op === 'delete' || (op === 'patch' && Object.values(input).some(isDelete));
}

interface Found {
  readonly kinds?: readonly Effect[];
  /** Absolute paths of the files that are changed, and of those that are removed. */
  readonly changed?: readonly string[];
  readonly removed?: readonly string[];
  readonly branches?: readonly string[];
  readonly editedOn?: readonly string[] | undefined;
  readonly commits?: number;
  readonly isClear?: boolean;
}

/** Files outside the project count only if they are config; plans never count. */
export function doing(found: Found, ctx: Context): Doing {
  const {
    kinds = [],
    changed = [],
    removed = [],
    branches = [],
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
  return { kinds: new Set([...kinds, ...named]), paths, branches, editedOn, commits, isClear };
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
