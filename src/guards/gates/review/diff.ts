import type { Result } from '../../../core/failure';
import { fail, succeed } from '../../../core/failure';
import { runCommand } from '../../../exec/run';
import { changedSince } from '../../../git/changes';
import { findGit } from '../../../git/find-git';
import { readHead } from '../../../git/head';
import { askGit, withoutGitVariables } from '../../../git/run-git';
import type { ReviewJob } from '../detect/jobs';
import { readGateCache, treesOf } from '../run/cache';
import type { GateContext } from '../run/gate-context';
import { isReusable } from '../run/plan';
import { type DiffEnds, endsOfRun } from './diff-ends';
import { noDiff } from './messages';
import { type FileDiff, splitDiff } from './parse-diff';

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
