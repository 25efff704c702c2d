import { join } from 'node:path';
import { runCommand } from '../../../exec/run';
import { emptyTree } from '../../../git/base';
import { changedSince, commonCommit, SUBMODULES } from '../../../git/changes';
import { fetchedTips } from '../../../git/refs';
import { askGit, gitArguments, gitEnvironment } from '../../../git/run-git';
import { isBinaryFile } from '../../../state/files';
import type { ReviewJob } from '../detect';
import { readGateCache, treesOf } from '../run/cache';
import { plural } from '../run/messages';
import { type GateContext, isNarrowed, isReusable } from '../run/plan';

/** Thrown if a review cannot be done at all; its message becomes the gate's message. */
export class NoReview extends Error {}

export interface ReviewDiff {
  readonly files: readonly FileDiff[];
  /** The diff exceeded the size limit, so some files are missing. */
  readonly cut: boolean;
}

const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_MS = 120_000;
const OPTIONS = [
  ...['-c', 'core.quotepath=off', 'diff-tree', '-r', '-p', '-M', '--no-commit-id'],
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/', SUBMODULES],
];

/** The diffs a review may need, each made on first use. They throw `NoReview` if git cannot make them. */
export function reviewDiffs(job: ReviewJob, context: GateContext) {
  /** All changes that this run checks. */
  const whole = once(async () => diffBetween(await endsOfRun(context), job, context));
  return {
    whole,
    /** Without files that are unchanged since this review passed. */
    notPassed: once(async () => withoutPassed(await whole(), job, context)),
    /** What has changed since the session's last run; `undefined` if that is unknown. */
    sinceLastRun: once(() => diffSinceLastRun(job, context)),
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function diffSinceLastRun(job: ReviewJob, context: GateContext): Promise<ReviewDiff | undefined> {
  const { state, changes, select } = context;
  const previous = state?.working_tree_ref ?? '';
  const isNarrowed = select.commit !== undefined || select.base !== undefined;
  if (isNarrowed || !/^[0-9a-f]{40,64}$/.test(previous)) return undefined;
  if (previous === changes.tree) return { files: [], cut: false };
  return diffBetween([[previous, changes.tree]], job, context).catch(() => undefined);
}

async function withoutPassed(whole: ReviewDiff, job: ReviewJob, context: GateContext): Promise<ReviewDiff> {
  const { git, logDir, kept, base, select, changes, env, signal } = context;
  if (!select.cache || !isReusable(job, select)) return whole;
  const trees = treesOf(readGateCache(logDir, kept.cache ?? ''), [job], base.commit);
  const since = await changedSince(git, changes, trees, env, signal);
  const changed = since.get(trees[0] ?? '');
  return changed ? { ...whole, files: whole.files.filter(({ file }) => changed.includes(file)) } : whole;
}

async function diffBetween(ends: DiffEnds, job: ReviewJob, context: GateContext): Promise<ReviewDiff> {
  let why = 'there is nothing to compare with';
  for (const words of ends) {
    const ended = await runDiff([...words, '--', ...pathspecs(job)], context);
    if (ended.kind === 'exited' && ended.code === 0) {
      const about = new Set(job.files);
      const files = splitDiff(ended.stdout).filter(({ file }) => about.has(file));
      return { files: await withHiddenText(files, words, context), cut: ended.cut };
    }
    why = ended.stderr.split('\n', 1)[0] || ended.kind;
  }
  throw new NoReview(`git could not list the changes to review: ${why}`);
}

function runDiff(args: readonly string[], { git, env, signal }: GateContext) {
  return runCommand({
    command: 'git',
    args: gitArguments([...OPTIONS, ...args]),
    cwd: git.root,
    env: gitEnvironment(env),
    timeoutMs: LONGEST_MS,
    maxBytesInMemory: MOST_BYTES,
    signal,
  });
}

/** All that git prints of a binary file, and of any file that git attributes declare to be one. */
const NOT_SHOWN = /\nBinary files [^\n]* differ\n/;

export function isNotShown(diff: string): boolean {
  return NOT_SHOWN.test(diff);
}

/** Shows text that git attributes such as `-diff` or a NUL byte hide: an agent can add them. Binary files stay as they are. */
async function withHiddenText(
  files: readonly FileDiff[],
  words: readonly string[],
  context: GateContext,
): Promise<readonly FileDiff[]> {
  const isHidden = ({ file, text }: FileDiff): boolean =>
    isNotShown(text) && !isBinaryFile(join(context.git.root, file));
  const hidden = files.filter(isHidden).map(({ file }) => `:(top,literal)${file}`);
  if (hidden.length === 0) return files;
  const { stdout } = await runDiff(['--text', ...words, '--', ...hidden], context);
  const shown = new Map(splitDiff(stdout).map((one) => [one.file, one]));
  return files.map((one) => {
    const text = shown.get(one.file);
    return text === undefined || !isHidden(one)
      ? one
      : { ...text, text: text.text.replaceAll('\0', '\u2400') };
  });
}

/** Only narrows what git looks at; which files count is decided later, one by one. */
function pathspecs({ scopes }: ReviewJob): readonly string[] {
  if (scopes.some(({ path, glob }) => glob || path === '.')) return [];
  return scopes.map(({ path }) => `:(top,literal)${path}`);
}

/** Alternative arguments that tell git what to compare: the first that work are used. */
type DiffEnds = readonly (readonly string[])[];

/** What to compare for the whole run, consistent with its list of changed files. */
async function endsOfRun(context: GateContext): Promise<DiffEnds> {
  const { commit: head, root, env, signal } = context;
  const { ends, tree } = context.changes;
  const [from = '', to] = ends;
  if (to !== tree) return [ends];
  const starts = [...new Set([baseBefore(context) ?? from, from])];
  return Promise.all(
    starts.map(async (start) => [(await commonCommit(root, start, head, env, signal)) || start, tree]),
  );
}

/** The base when the session began, if it has moved since, and not by a fetch: that would hide the work behind it. */
function baseBefore({ session, base, select, git, changes }: GateContext): string | undefined {
  if (session === undefined || session.base === base.commit || isNarrowed(select)) return undefined;
  if (fetchedTips(git, askGit).has(base.commit ?? '')) return undefined;
  return session.base ?? emptyTree(changes.tree.length);
}

/** About 100,000 tokens: few reviewers accept more, and none reads more with care. */
const MOST_CHARACTERS = 300_000;
/** A shorter part of a file's diff would be useless. */
const LEAST_OF_A_FILE = 1000;

/** If the diff is too long, the longest files are cut first, with a note to read those files directly. */
export function fitDiff(files: readonly FileDiff[], most = MOST_CHARACTERS): string {
  const shares = sharesOf(files, most);
  const cut = files.filter((file) => (shares.get(file) ?? 0) < file.text.length);
  const parts = files.map((file) => shown(file, shares.get(file) ?? 0));
  return `${cut.length > 0 ? cutNote(cut) : ''}${parts.join('')}`.replace(REORDERING, escaped);
}

/** Characters that make a text look different from what a compiler reads. */
const REORDERING = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

function cutNote(cut: readonly FileDiff[]): string {
  const names = cut.slice(0, 50).map(({ file }) => file);
  const more = cut.length > 50 ? ` and ${cut.length - 50} more` : '';
  return `[This diff is too long to be shown whole. Parts are left out of: ${names.join(', ')}${more}. Read these files themselves.]\n\n`;
}

/** Every file gets an equal share; what short files leave unused goes to the longer ones. */
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
  if (share === 0) return `[… the diff of ${file} is left out …]\n`;
  const kept = text.slice(0, text.lastIndexOf('\n', share) + 1);
  const left = text.slice(kept.length).split('\n').length - 1;
  return `${kept}[… ${plural(left, 'more line')} of this file's diff left out …]\n`;
}

export interface FileDiff {
  /** The current name; for a deleted file, its last one. */
  readonly file: string;
  /** As git printed it, with all headers. */
  readonly text: string;
  /** Line numbers of added lines in the current file. */
  readonly added: ReadonlySet<number>;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;
/** Header lines that name the file, best first, with the prefix of the name. */
const NAMING = { '+++ ': 'b/', '--- ': 'a/', 'rename to ': '', 'copy to ': '' };

/**
 * Splits git's output into files. Content lines begin with `+`, `-` or a space, so never like a header; but they may
 * contain other line ends than `\n`, which `^` would match.
 */
export function splitDiff(printed: string): readonly FileDiff[] {
  return printed
    .split(/(?=diff --git )(?<![^\n])/)
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

/** Some changes have no header that names the file; then the `diff --git` line is used. */
function nameOf(lines: readonly string[]): string {
  const begin = lines.findIndex((line) => line.startsWith('@@ '));
  const heads = begin < 0 ? lines : lines.slice(0, begin);
  for (const [head, prefix] of Object.entries(NAMING)) {
    const line = heads.find((one) => one.startsWith(head));
    const name = line?.slice(head.length).replace(/\t$/, '');
    if (name !== undefined && name !== '/dev/null') return unquoted(name).slice(prefix.length);
  }
  // `a/NAME b/NAME`: both names are equal here, so the second is the second half.
  const both = (lines[0] ?? '').slice('diff --git '.length);
  return unquoted(both.slice((both.length + 1) / 2)).slice(2);
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', v: '\v', f: '\f' };

/** Unescapes a name that git has quoted; several octal bytes may form one character. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const parts = [...name.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)].map(([whole, sign]) => {
    if (sign === undefined) return Buffer.from(whole);
    return sign.length === 3 ? Buffer.from([Number.parseInt(sign, 8)]) : Buffer.from(ESCAPES[sign] ?? sign);
  });
  return Buffer.concat(parts).toString('utf8');
}
