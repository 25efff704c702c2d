import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../../core/failure';
import { isProgram, programPaths } from '../../../exec/programs';
import { fetchedCommits, fetchedTips, isInHistory } from '../../../git/refs';
import { askGit, runGit } from '../../../git/run-git';
import { newNonce } from '../../../state/files';
import { commitsMade } from '../run/candidates';
import { plural } from '../run/messages';
import type { PlannedRun } from '../run/plan';
import type { SessionBaseline } from '../session-baseline';
import { isWatched, type Weaker, weakerBy } from './facts';
import type { CheckCommand, FileChange } from './settings';
import { testFile } from './tests';

const DIFF = ['diff-tree', '-r', '-z', '--no-renames'];
const MOST_FILES = 500;
/** Only this much of a file is read: longer ones are generated, or not tests. */
const MOST_CHARS = 512 * 1024;

/** Finds weakened checks by comparing a commit from before the session with the current files. */
export async function findWeaker(
  run: PlannedRun,
  from: string,
  session: SessionBaseline,
  checks: readonly CheckCommand[],
): Promise<Weaker> {
  const { root, env, gone: signal, changes: now } = run;
  const call = { cwd: root, env, signal };
  const listed = await runGit({ ...call, args: [...DIFF, from, now.tree, '--'] });
  if (listed.code !== 0) return { facts: ['the commit at which the session began is gone'], changed: [] };
  const touched = filesIn(listed.printed).filter(({ path, isNew }) => {
    // A directory that is moved keeps the times of its files, and tests in new files take nothing away.
    const isHarmless = isNew && testFile(path) !== undefined && !path.endsWith('conftest.py');
    return isWatched(path, checks) && (isHarmless || isTouchedSince(session.at, join(root, path)));
  });
  const files = await withoutFetched(touched, from, session, run);
  // Earlier files come first, since only they can lose something.
  const sorted = [...files].sort((one, other) => Number(one.isNew) - Number(other.isNew));
  if (sorted.length === 0) return { facts: [], changed: [] };
  const some = sorted.slice(0, MOST_FILES).filter(({ path }) => !path.includes('\n'));
  // For a missing object git prints `NAME missing`, so a random name separates contents of any bytes.
  const mark = `holdpoint-${newNonce()}`;
  const input = some
    .flatMap(({ path, since = from }) => [since, now.tree].map((of) => `${of}:${path}\n${mark}\n`))
    .join('');
  const read = await runGit({ ...call, args: ['cat-file', '--batch'], input });
  if (read.code !== 0) return { facts: [`${plural(sorted.length, 'file')} not looked at`], changed: [] };
  const contents = read.printed.split(`${mark} missing\n`).map(contentOf);
  const texts = contents.map((text) => text?.slice(0, MOST_CHARS));
  const isLong = (at: number): boolean => (contents[at]?.length ?? 0) > MOST_CHARS;
  const grown = some.filter((_, at) => texts[2 * at] !== undefined && !isLong(2 * at) && isLong(2 * at + 1));
  const changes = some.map(({ path }, at): FileChange => {
    const [before, after] = [texts[2 * at], texts[2 * at + 1]];
    return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  });
  const { facts, changed } = weakerBy(changes, checks);
  const left = sorted.length - some.length;
  const tooMany = left > 0 ? [`${plural(left, 'file')} not looked at`] : [];
  return {
    facts: [...facts, ...grown.map(({ path }) => `${path} is now too long to look at`), ...tooMany],
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

/**
 * Drops files that equal their version in a fetched commit merged or picked since, unless another commit of the session
 * made it. The others are compared with that version, if nothing of before the session is missing in it.
 */
async function withoutFetched(
  files: readonly ListedFile[],
  from: string,
  session: SessionBaseline,
  { git, root, env, gone: signal, changes }: PlannedRun,
): Promise<readonly ListedFile[]> {
  if (files.length === 0) return files;
  const ask = async (input: string, ...args: string[]): Promise<string> =>
    (await runGit({ cwd: root, env, signal, args, input })).printed;
  const versionsIn = async (commits: Iterable<string>): Promise<ReadonlySet<string>> => {
    const listed = await ask(`${[...commits].slice(-MOST_COMMITS).join('\n')}\n`, ...DIFF, '--stdin');
    return new Set(filesIn(listed).map(({ path, blob }) => `${blob} ${path}`));
  };
  const made = commitsMade(session, git);
  const picked = commitsMade(session, git, /^cherry-pick:/);
  const sources = picked.size === 0 ? [] : await sourcesOf(picked, fetchedTips(git, askGit), ask);
  const foreign = sources.filter((commit) => !made.has(commit));
  const fetched = fetchedCommits(git, askGit);
  const fresh = await ask('', 'rev-list', `--max-count=${MOST_COMMITS}`, 'HEAD', `^${from}`);
  const tips = fresh.split('\n').filter((commit) => fetched.has(commit));
  if (tips.length + foreign.length === 0) return files;
  const brought = await versionsIn(foreign);
  const own = await versionsIn(
    foreign.length === 0 ? made : [...made].filter((commit) => !picked.has(commit)),
  );
  const isOwn = ({ blob, path }: ListedFile): boolean => own.has(`${blob} ${path}`);
  let left = files.filter((file) => isOwn(file) || !brought.has(`${file.blob} ${file.path}`));
  for (const tip of tips.slice(0, MOST_TIPS)) {
    const differing = await ask('', ...DIFF, tip, changes.tree, '--');
    const before = new Map(filesIn(differing).map(({ path, was }) => [path, was]));
    left = left.filter((file) => before.has(file.path) || isOwn(file));
    if (tip !== tips[0] || !isInHistory(root, from, [tip], askGit)) continue;
    left = left.map((file) => {
      const was = before.get(file.path);
      return was === undefined || own.has(`${was} ${file.path}`) ? file : { ...file, since: tip };
    });
  }
  return left;
}

/** The commits of remote branches from which others were picked: the time at which a commit was written stays. */
async function sourcesOf(
  picked: ReadonlySet<string>,
  tips: ReadonlySet<string>,
  ask: (input: string, ...args: string[]) => Promise<string>,
): Promise<readonly string[]> {
  const list = async (commits: ReadonlySet<string>, ...args: string[]): Promise<string[][]> => {
    const format = ['--format=%at %ae %H', `--max-count=${MOST_COMMITS}`];
    const printed = await ask(`${[...commits].join('\n')}\n`, 'log', '--stdin', ...format, ...args);
    return printed.split('\n').map((line) => line.split(/ (?=\S+$)/));
  };
  const times = new Set((await list(picked, '--no-walk')).map(([time]) => time));
  const found = await list(tips, '^HEAD');
  return found.flatMap(([time, commit = '']) => (times.has(time) ? [commit] : []));
}

/** `since`: the commit to compare with, if not the one that all are compared with. */
type ListedFile = ReturnType<typeof filesIn>[number] & { readonly since?: string };

/** Parses the raw lines of `diff-tree -z`. The blob of a file that is gone is all zeros. */
function filesIn(printed: string) {
  const lines = printed.matchAll(/:\d+ \d+ ([\da-f]+) ([\da-f]+) ([A-Z])\0([^\0]+)/g);
  return Array.from(lines, ([, was = '', blob = '', status, path = '']) => {
    return { path, was, blob, isNew: status === 'A' };
  });
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
