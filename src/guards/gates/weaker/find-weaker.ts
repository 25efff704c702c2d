import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../../core/failure';
import { isProgram, programPaths } from '../../../exec/programs';
import { fetchedCommits } from '../../../git/refs';
import { askGit, runGit } from '../../../git/run-git';
import { newNonce } from '../../../state/files';
import { plural } from '../run/messages';
import type { PlannedRun } from '../run/plan';
import type { CheckCommand, FileChange } from './definitions';
import { isWatched, type Weaker, weakerBy } from './facts';

const MOST_FILES = 500;
/** Only this much of a file is read: longer ones are generated, or not tests. */
const MOST_CHARS = 512 * 1024;

/** Finds weakened checks by comparing the session's first commit, at `since`, with the current files. */
export async function findWeaker(
  run: PlannedRun,
  from: string,
  since: number,
  checks: readonly CheckCommand[],
): Promise<Weaker> {
  const { root, env, gone: signal } = run;
  const { tree } = run.changes;
  const call = { cwd: root, env, signal };
  const listed = await runGit({
    ...call,
    args: ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, tree, '--'],
  });
  if (listed.code !== 0) return { facts: ['the commit at which the session began is gone'], changed: [] };
  const touched = pathsIn(listed.printed).filter(
    (path) => isWatched(path, checks) && isTouchedSince(since, join(root, path)),
  );
  const paths = await withoutFetched(touched, from, run);
  if (paths.length === 0) return { facts: [], changed: [] };
  const some = paths.slice(0, MOST_FILES).filter((path) => !path.includes('\n'));
  // For a missing object git prints `NAME missing`, so a random name separates contents of any bytes.
  const mark = `holdpoint-${newNonce()}`;
  const input = some.flatMap((path) => [from, tree].map((of) => `${of}:${path}\n${mark}\n`)).join('');
  const read = await runGit({ ...call, args: ['cat-file', '--batch'], input });
  if (read.code !== 0) return { facts: [`${plural(paths.length, 'file')} not looked at`], changed: [] };
  const contents = read.printed.split(`${mark} missing\n`).map(contentOf);
  const texts = contents.map((text) => text?.slice(0, MOST_CHARS));
  const isLong = (at: number): boolean => (contents[at]?.length ?? 0) > MOST_CHARS;
  const grown = some.filter((_, at) => texts[2 * at] !== undefined && !isLong(2 * at) && isLong(2 * at + 1));
  const changes = some.map((path, at): FileChange => {
    const [before, after] = [texts[2 * at], texts[2 * at + 1]];
    return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  });
  const { facts, changed } = weakerBy(changes, checks);
  const left = paths.length - some.length;
  const tooMany = left > 0 ? [`${plural(left, 'file')} not looked at`] : [];
  return {
    facts: [...facts, ...grown.map((path) => `${path} is now too long to look at`), ...tooMany],
    changed,
  };
}

/** Programs of checks, and git, that were put in front of others of the same name. Those of the project are its own. */
export function replacedPrograms(
  { root, env }: Pick<PlannedRun, 'root' | 'env'>,
  checks: readonly CheckCommand[],
  since: number,
): string[] {
  const words = checks.flatMap(({ command }) => command.match(/(?<![\w./-])[\w.-]+/g) ?? []);
  return [...new Set(['git', ...words])].flatMap((name) => {
    const found = programPaths(env['PATH'] ?? '', name).filter(isProgram);
    const [first = '', second] = new Map(found.map((file) => [realpathSync(file), file])).values();
    return second !== undefined && !first.startsWith(`${root}/`) && isTouchedSince(since, first)
      ? [`\`${name}\` is now ${first} instead of ${second}`]
      : [];
  });
}

const MOST_TIPS = 5;
const MOST_COMMITS = 5000;

/** Drops files that equal their version in a fetched commit merged since: other people changed them. */
async function withoutFetched(
  paths: readonly string[],
  from: string,
  { git, root, env, gone: signal, changes }: PlannedRun,
): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const ask = async (...args: string[]): Promise<string> =>
    (await runGit({ cwd: root, env, signal, args })).printed;
  const fetched = fetchedCommits(git, askGit);
  const fresh = await ask('rev-list', `--max-count=${MOST_COMMITS}`, 'HEAD', `^${from}`);
  const tips = fresh.split('\n').filter((commit) => fetched.has(commit));
  let left = paths;
  for (const tip of tips.slice(0, MOST_TIPS)) {
    const listed = await ask('diff-tree', '-r', '-z', '--no-renames', '--name-only', tip, changes.tree, '--');
    const differing = new Set(listed.split('\0'));
    left = left.filter((path) => differing.has(path));
  }
  return left;
}

/** Parses pairs of status and path. Earlier files come first, since only they can lose something. */
function pathsIn(printed: string): readonly string[] {
  const parts = printed.split('\0').slice(0, -1);
  const files = parts.flatMap((path, at) => (at % 2 === 1 ? [{ path, isNew: parts[at - 1] === 'A' }] : []));
  return [...files.filter(({ isNew }) => !isNew), ...files.filter(({ isNew }) => isNew)].map(
    ({ path }) => path,
  );
}

/** Whether a file was changed or removed after `since`; earlier changes are not the session's. */
function isTouchedSince(since: number, file: string): boolean {
  const stats = attempt(() => lstatSync(file));
  if (stats !== undefined) return stats.ctimeMs >= since;
  const parent = dirname(file);
  return parent === file || isTouchedSince(since, parent);
}

/** Git prints `HASH blob SIZE`, the content and a newline, or `NAME missing`. */
function contentOf(printed: string): string | undefined {
  const end = printed.indexOf('\n');
  return / blob \d+$/.test(printed.slice(0, end)) ? printed.slice(end + 1) : undefined;
}
