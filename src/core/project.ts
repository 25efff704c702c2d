import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { findGit } from '../git/find-git';
import type { Layout } from '../state/layout';
import { layoutOf, OWN_DIR } from '../state/layout';
import type { GitPlace } from './git-head';

/** The project that an event belongs to, and where its state lives. */
export interface Project {
  readonly root: string;
  readonly home: string;
  readonly git: GitPlace | undefined;
  /** Absent where nothing can be kept: neither git nor a directory of ours. */
  readonly layout: Layout | undefined;
  /** Whether config of its own stands in it. */
  readonly marked: boolean;
  /** Whether there is any config for it, be it only the person's own. */
  readonly configured: boolean;
}

const CONFIG_MARKS = ['.claude/requirements.yaml', '.claude/requirements.local.yaml', '.gauntlet', '.isdlc'];
const GLOBAL_CONFIGS = ['.config/holdpoint/config.yaml', '.claude/requirements.yaml'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Upward from the event's directory, then the host's project variable. A hook's own directory
 * says nothing: hosts start hooks wherever the agent last was. An agent that has wandered into
 * another repository, for which nothing is agreed, still works for the project it was started in.
 */
export function findProject(cwd: string, env: Environment): Project | undefined {
  const home = env['HOME'] ?? '';
  const here = isAbsolute(cwd) ? projectAbove(cwd, home) : undefined;
  if (here?.marked) return here;
  const start = env['CLAUDE_PROJECT_DIR'] ?? '';
  const started = isAbsolute(start) ? projectAbove(start, home) : undefined;
  const elsewhere = started?.marked === true && started.git?.commonDir !== here?.git?.commonDir;
  return here === undefined || elsewhere ? started : here;
}

/**
 * The nearest root that has a config; a nested repository without one belongs to the project
 * around it. Where nobody has a config, the nearest root.
 */
export function projectAbove(start: string, home: string): Project | undefined {
  let nearest: Project | undefined;
  let from = start;
  for (;;) {
    const git = findGit(from);
    const root = git?.root ?? rootByOwnDir(from);
    if (root === undefined) return nearest;
    const isHome = isSame(root, home);
    const hasOwnDir = existsSync(`${root}/${OWN_DIR}`);
    const marked = !isHome && (hasOwnDir || CONFIG_MARKS.some((mark) => existsSync(`${root}/${mark}`)));
    const project = projectAt(root, isHome ? root : home, git, marked, hasOwnDir);
    if (marked) return project;
    nearest ??= project;
    from = dirname(root);
    if (from === root) return nearest;
  }
}

/** Where nobody says what the home is, one inside our own directory takes its place: never the one we run in. */
function projectAt(
  root: string,
  given: string,
  git: GitPlace | undefined,
  marked: boolean,
  hasOwnDir: boolean,
): Project {
  const found = layoutOf(root, git, given, hasOwnDir);
  const home = isAbsolute(given) ? given : join(found?.own ?? root, 'home');
  const configured = marked || GLOBAL_CONFIGS.some((file) => existsSync(`${home}/${file}`));
  const layout = found === undefined || found.home === home ? found : { ...found, home };
  return { root, home, git, layout, marked, configured };
}

/** The root has its links resolved, the home is as the environment has it. Mostly their names tell already. */
function isSame(root: string, home: string): boolean {
  if (root.startsWith(`${home}/`) || home.startsWith(`${root}/`)) return false;
  try {
    return root === home || (isAbsolute(home) && root === realpathSync.native(home));
  } catch {
    return false;
  }
}

function rootByOwnDir(start: string): string | undefined {
  for (let dir = start; ; ) {
    if (existsSync(`${dir}/${OWN_DIR}`)) return dir;
    const parent = dirname(dir);
    if (parent === dir) return undefined;
    dir = parent;
  }
}
