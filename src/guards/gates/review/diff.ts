import { fail, type Result, succeed } from '../../../core/failure';
import { runCommand } from '../../../exec/run';
import { emptyTree } from '../../../git/base';
import { changedSince } from '../../../git/changes';
import { findGit } from '../../../git/find-git';
import { readHead, readHeadCommit } from '../../../git/head';
import { askGit, runGit, withoutGitVariables } from '../../../git/run-git';
import { ciOf, type ReviewJob } from '../detect';
import { readGateCache, readState, treesOf } from '../run/cache';
import { type GateContext, heldSince, isReusable } from '../run/plan';
import { allLeftOut, linesLeftOut, noDiff, someLeftOut } from './messages';

/** What is shown to a reviewer. */
export interface ReviewDiff {
  readonly files: readonly FileDiff[];
  /** More than anybody could hold: then some files are missing. */
  readonly cut: boolean;
}

const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_MS = 120_000;
const OPTIONS = [
  ...['-c', 'core.quotepath=off', 'diff-tree', '-r', '-p', '-M', '--no-commit-id'],
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/'],
];

const endsByRun = new WeakMap<GateContext, Promise<DiffEnds>>();

/** The differences that one review may look at, each taken when it is first wanted. */
export class ReviewDiffs {
  readonly #job: ReviewJob;
  readonly #context: GateContext;
  #whole: Promise<Result<ReviewDiff, string>> | undefined;
  #notPassed: Promise<Result<ReviewDiff, string>> | undefined;
  #sinceLastRun: Promise<ReviewDiff | undefined> | undefined;

  constructor(job: ReviewJob, context: GateContext) {
    this.#job = job;
    this.#context = context;
  }

  /** Everything this run is about. */
  whole(): Promise<Result<ReviewDiff, string>> {
    this.#whole ??= wholeDiff(this.#job, this.#context);
    return this.#whole;
  }

  /** The same without files that are as they were when this review passed. */
  notPassed(): Promise<Result<ReviewDiff, string>> {
    this.#notPassed ??= this.whole().then((whole) => withoutPassed(whole, this.#job, this.#context));
    return this.#notPassed;
  }

  /** What has changed since the session's last run; `undefined` where that cannot be told. */
  sinceLastRun(): Promise<ReviewDiff | undefined> {
    this.#sinceLastRun ??= diffSince(this.#job, this.#context);
    return this.#sinceLastRun;
  }
}

async function diffSince(job: ReviewJob, context: GateContext): Promise<ReviewDiff | undefined> {
  const { previousTree, changes, select } = context;
  const isNarrowed = select.commit !== undefined || select.base !== undefined;
  if (previousTree === undefined || isNarrowed || !/^[0-9a-f]{40,64}$/.test(previousTree)) return undefined;
  if (previousTree === changes.tree) return { files: [], cut: false };
  const taken = await diffBetween([[previousTree, changes.tree]], job, context);
  return taken.ok ? taken.value : undefined;
}

async function wholeDiff(job: ReviewJob, context: GateContext): Promise<Result<ReviewDiff, string>> {
  const ends = endsByRun.get(context) ?? endsOfRun(context);
  endsByRun.set(context, ends);
  return diffBetween(await ends, job, context);
}

async function withoutPassed(
  whole: Result<ReviewDiff, string>,
  job: ReviewJob,
  context: GateContext,
): Promise<Result<ReviewDiff, string>> {
  const changed = whole.ok ? await changedSincePass(job, context) : undefined;
  if (!whole.ok || changed === undefined) return whole;
  return succeed({ ...whole.value, files: whole.value.files.filter(({ file }) => changed.has(file)) });
}

/** The files that have changed since this review passed; `undefined` where it has not. */
async function changedSincePass(
  job: ReviewJob,
  context: GateContext,
): Promise<ReadonlySet<string> | undefined> {
  const { logDir, base, select, root, changes, env, signal } = context;
  const place = findGit(root);
  if (place === undefined || !select.cache || !isReusable(job, select)) return undefined;
  const trees = treesOf(readGateCache(logDir), [job], base.commit);
  const [tree] = trees;
  const since = await changedSince(readHead(place, askGit), changes, trees, env, signal);
  const files = tree === undefined ? undefined : since.get(tree);
  return files && new Set(files);
}

async function diffBetween(
  ends: DiffEnds,
  job: ReviewJob,
  context: GateContext,
): Promise<Result<ReviewDiff, string>> {
  let why = 'there is nothing to compare with';
  for (const words of ends) {
    const ended = await runCommand({
      command: 'git',
      args: [...OPTIONS, ...words, '--', ...pathspecs(job)],
      cwd: findGit(context.root)?.root ?? context.root,
      env: { ...withoutGitVariables(context.env), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
      timeoutMs: LONGEST_MS,
      maxBytesInMemory: MOST_BYTES,
      signal: context.signal,
    });
    if (ended.kind === 'exited' && ended.code === 0) {
      const about = new Set(job.files);
      const files = splitDiff(ended.stdout).filter(({ file }) => about.has(file));
      return succeed({ files, cut: ended.cut });
    }
    why = ended.stderr.split('\n', 1)[0] || ended.kind;
  }
  return fail(noDiff(why));
}

/** What git need not look at is left out; which files count is decided later, one by one. */
function pathspecs({ scopes }: ReviewJob): readonly string[] {
  if (scopes.some(({ path, glob }) => glob || path === '.')) return [];
  return scopes.map(({ path }) => `:(top,literal)${path}`);
}

/** Between what a difference is taken: words for git, the first that it understands count. */
export type DiffEnds = readonly (readonly string[])[];

/** What this run is about as a whole, in the same terms as its list of changed files. */
export async function endsOfRun(context: GateContext): Promise<DiffEnds> {
  const { select, env, base, changes } = context;
  const { sha } = ciOf(env);
  const empty = emptyTree(changes.tree.length);
  if (select.commit !== undefined) return endsOfCommit(select.commit);
  if (sha !== undefined && select.uncommitted !== true && !sha.startsWith('-')) {
    const since = base.commit === undefined ? [empty, sha] : ['--merge-base', base.commit, sha];
    return [since, ...endsOfCommit(sha)];
  }
  const head = headOf(context);
  if (head === undefined) return [[empty, changes.tree]];
  if (select.uncommitted === true) return [[head, changes.tree]];
  const starts = [...new Set([beginning(context, head), base.commit].flatMap((commit) => commit ?? []))];
  const ends: string[][] = [];
  for (const start of starts) ends.push([await commonCommit(start, head, context), changes.tree]);
  return ends.length > 0 ? ends : [[empty, changes.tree]];
}

function endsOfCommit(commit: string): DiffEnds {
  return commit.startsWith('-')
    ? []
    : [
        [`${commit}^1`, commit],
        ['--root', commit],
      ];
}

/** Where an open session has begun, if that still matters. */
function beginning({ rerun, select, logDir, base }: GateContext, head: string): string | undefined {
  return rerun && select.base === undefined ? heldSince(readState(logDir), base, head) : undefined;
}

function headOf({ root }: GateContext): string | undefined {
  const place = findGit(root);
  return place === undefined ? undefined : readHeadCommit(readHead(place, askGit), askGit);
}

async function commonCommit(start: string, head: string, context: GateContext): Promise<string> {
  if (start === head) return head;
  const { root, env, signal } = context;
  const { printed } = await runGit({ cwd: root, args: ['merge-base', start, head], env, signal });
  return printed.split('\n', 1)[0] || start;
}

/** About a hundred thousand tokens; more than that few reviewers take, and none reads with care. */
const MOST_CHARACTERS = 300_000;
/** Less of a file than this tells nothing. */
const LEAST_OF_A_FILE = 1000;

/**
 * The difference as it is shown to a reviewer. What is too long for the whole is cut in the longest files
 * first, and said, so that the reviewer can read these files themselves.
 */
export function fitDiff(files: readonly FileDiff[], most = MOST_CHARACTERS): string {
  const shares = sharesOf(files, most);
  const cut = files.filter((file) => (shares.get(file) ?? 0) < file.text.length);
  const parts = files.map((file) => shown(file, shares.get(file) ?? 0));
  return [...(cut.length > 0 ? [someLeftOut(cut.map(({ file }) => file))] : []), ...parts].join('');
}

/** Everybody gets an equal part; what short files leave of theirs goes to the longer ones. */
function sharesOf(files: readonly FileDiff[], most: number): ReadonlyMap<FileDiff, number> {
  const shares = new Map<FileDiff, number>();
  const byLength = [...files].sort((a, b) => a.text.length - b.text.length);
  let left = most;
  byLength.forEach((file, at) => {
    const equal = Math.floor(left / (byLength.length - at));
    const isWhole = file.text.length <= equal;
    const share = isWhole ? file.text.length : equal < LEAST_OF_A_FILE ? 0 : equal;
    shares.set(file, share);
    left -= share;
  });
  return shares;
}

function shown({ file, text }: FileDiff, share: number): string {
  if (text.length <= share) return text.endsWith('\n') ? text : `${text}\n`;
  if (share === 0) return allLeftOut(file);
  const kept = text.slice(0, text.lastIndexOf('\n', share) + 1);
  return `${kept}${linesLeftOut(text.slice(kept.length).split('\n').length - 1)}`;
}

/** What a difference says of one file. */
export interface FileDiff {
  /** Its name now; of a deleted file, the one it had. */
  readonly file: string;
  /** With all its headers, as git printed it. */
  readonly text: string;
  /** The numbers, in the file as it is now, of the lines that were added. */
  readonly added: ReadonlySet<number>;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;
const NAMING = [
  ['+++ ', 'b/'],
  ['--- ', 'a/'],
  ['rename to ', ''],
  ['copy to ', ''],
] as const;

/** Cuts what git printed into files. A line of content never begins as a header does. */
export function splitDiff(printed: string): readonly FileDiff[] {
  return printed
    .split(/^(?=diff --git )/m)
    .filter((text) => text.startsWith('diff --git '))
    .map((text) => {
      const lines = text.split('\n');
      return { file: nameOf(lines), text, added: addedIn(lines) };
    });
}

function addedIn(lines: readonly string[]): ReadonlySet<number> {
  const added = new Set<number>();
  let next = 0;
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) next = Number(hunk[1]);
    else if (next === 0) continue;
    else if (line.startsWith('+')) added.add(next++);
    else if (line.startsWith(' ')) next++;
  }
  return added;
}

/** Some kinds of changes have no lines of their own to name the file; then the first one has to do. */
function nameOf(lines: readonly string[]): string {
  const begin = lines.findIndex((line) => line.startsWith('@@ '));
  const heads = begin < 0 ? lines : lines.slice(0, begin);
  for (const [head, prefix] of NAMING) {
    const line = heads.find((one) => one.startsWith(head));
    const name = line?.slice(head.length).replace(/\t$/, '');
    if (name !== undefined && name !== '/dev/null') return unquoted(name).slice(prefix.length);
  }
  return nameInFirst((lines[0] ?? '').slice('diff --git '.length));
}

/** `a/NAME b/NAME`: both are the same here, so the second is half of it. */
function nameInFirst(rest: string): string {
  return unquoted(rest.slice((rest.length + 1) / 2)).slice(2);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  v: '\v',
  f: '\f',
};

/** git puts names with odd characters between quotes; bytes written as numbers make characters only together. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const parts = [...name.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)].map(([whole, sign]) => {
    if (sign === undefined) return Buffer.from(whole);
    return sign.length === 3 ? Buffer.from([Number.parseInt(sign, 8)]) : Buffer.from(ESCAPES[sign] ?? sign);
  });
  return Buffer.concat(parts).toString('utf8');
}
