import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readText } from '../../core/failure';
import type { EffectContext, EffectRunner } from '../../core/guard';
import { countIn, isJsonObject, type Json, type JsonObject, textIn, textsIn } from '../../core/json';
import { durationText } from '../../core/text';
import { runCommand } from '../../exec/run';
import { emptyTree } from '../../git/base';
import { isBinaryFile } from '../../state/files';
import { CLOCK_LAG_MS } from './concerns';
import { type Finding, findingKey, type GatherInput } from './judge';
import type { Evidence } from './section';

/** Finds out what the guard cannot know: dynamic values and evidence, all in parallel, and changed files. */
export const runEffect: EffectRunner = async (name, input, context) => {
  if (name === 'changes' && isJsonObject(input)) {
    return changedSince(input, context);
  }
  if (name !== 'gather' || !isJsonObject(input)) throw new Error(`there is no effect ${name}`);
  const { branch, asks } = input as unknown as GatherInput;
  const found = asks.map(async (ask): Promise<[string, Json]> => {
    const find = (): Promise<Finding> => {
      if ('evidence' in ask) return findEvidence(ask.evidence, context);
      return ask.calculator === 'branch_size'
        ? branchSize(branch, context)
        : byCommand(ask.calculator, context);
    };
    return [findingKey(branch, ask.name), { ...(await find()) }];
  });
  return Object.fromEntries(await Promise.all(found));
};

/** A rule may be about files that come last, behind packages that git does not ignore. */
const MOST_CHANGES = 20_000;
const MOST_TIPS = 10;
const CHANGED_IN = '--no-replace-objects diff --name-status -z --find-renames'.split(' ');
/** Of a merge, only files that differ from all parents. */
const COMMITTED_IN =
  '--no-replace-objects log --ignore-missing --format= --name-only -z --no-renames -c --root'.split(' ');
/** Overrides git settings that would hide changes. */
const STATUS =
  '--no-replace-objects --no-optional-locks -c core.fsmonitor=false -c core.trustctime=true -c core.checkStat=default status --porcelain -z -uall --ignore-submodules=none';

/**
 * Files changed since a point in time: those that differ from HEAD, and those that new commits (`tips`, not `known`)
 * changed since `from`, or since the empty tree. Uncommitted changes from before are excluded by the files' times.
 * `isRefused`: git refuses to work in the project at all.
 */
async function changedSince(input: JsonObject, context: EffectContext): Promise<Json> {
  const [since, from, head] = [countIn(input, 'since'), textIn(input, 'from'), textIn(input, 'head')];
  const [tips, known] = [textsIn(input, 'tips'), textsIn(input, 'known')];
  const written = (path: string): number => changedAt(join(context.projectRoot, path), context.projectRoot);
  const listed = await run('git', STATUS.split(' '), STATUS_MS, context);
  const { trouble, stderr } = listed;
  // The session is not to blame for who owns the files.
  const isRefused = trouble === 'exit code 128' && !stderr.includes('dubious ownership');
  if (trouble !== undefined) return { files: [], trouble, isRefused };
  const open = changesIn(listed.stdout).filter(({ path }) => !isWorkTree(path, context.projectRoot));
  const isSuspect = ({ path, isTracked }: ChangedFile): boolean =>
    isTracked === true && written(path) >= since - CLOCK_LAG_MS;
  // Git lists no difference for what neither its index nor the commit has.
  const equal = await equalFiles(open.filter(isSuspect), textsIn(input, 'commits'), context);
  // Git lists an inner repository as one entry, and its directory does not tell when a file in it changed.
  const inner = open.filter(({ path }) => existsSync(join(context.projectRoot, path, '.git')));
  for (const { path } of inner.slice(0, MOST_REPOSITORIES)) open.push(...(await changedBelow(path, context)));
  open.push(...(await hiddenFiles(context)));
  const isOpen = new Set(open.map(({ path }) => path));
  const committed = await Promise.all(
    tips.slice(0, MOST_TIPS).map(async (tip) => {
      const base = from ?? emptyTree(tip.length);
      const [differing, touched] = await Promise.all([
        git([...CHANGED_IN, base, tip, '--'], context),
        git([...COMMITTED_IN, tip, '--not', ...known, '--'], context),
      ]);
      // A branch that was not checked out before differs in more files than the new commits changed.
      const isTouched = new Set(touched?.split('\0'));
      // A checked-out file without changes since the commit has the time at which it was written.
      const at = (path: string): number => (tip === head && !isOpen.has(path) ? written(path) : Date.now());
      return statusesIn(differing ?? '')
        .filter(({ path }) => touched === undefined || isTouched.has(path))
        .map((one) => ({ ...one, at: at(one.path), ...(tip !== head && { tip }) }));
    }),
  );
  const differing = open.filter((one) => !equal.has(one));
  const files = [...differing.map((one) => ({ ...one, at: written(one.path) })), ...committed.flat()];
  const late = files.filter(({ at }) => at >= since - CLOCK_LAG_MS);
  // A directory is named only if no file in it is.
  const isNamed = ({ path }: ChangedFile): boolean =>
    path.endsWith('/') && late.some((other) => other.path !== path && other.path.startsWith(path));
  return { files: late.filter((one) => !isNamed(one)).slice(0, MOST_CHANGES) };
}

const MOST_COMMITS = 10;
const DIFFERING =
  '--no-replace-objects --no-optional-locks -c core.fsmonitor=false -c core.trustctime=true -c core.checkStat=default diff --name-only -z --no-renames --no-ext-diff --ignore-submodules=none';

/** The files that are as in one of the commits, such as after `git checkout main -- src/a.js`. */
async function equalFiles(
  files: readonly ChangedFile[],
  commits: readonly string[],
  context: EffectContext,
): Promise<ReadonlySet<ChangedFile>> {
  const some = files.slice(0, MOST_COMPARED);
  const paths = some.map(({ path }) => `:(top,literal)${path}`);
  const listed = await Promise.all(
    commits
      .slice(0, some.length === 0 ? 0 : MOST_COMMITS)
      .map((commit) => git([...DIFFERING.split(' '), commit, '--', ...paths], context)),
  );
  const differing = listed.flatMap((one) => (one === undefined ? [] : [new Set(one.split('\0'))]));
  return new Set(some.filter(({ path }) => differing.some((paths) => !paths.has(path))));
}

const MOST_COMPARED = 500;

interface ChangedFile {
  readonly path: string;
  readonly isGone: boolean;
  /** It is in git's index, and it is there. */
  readonly isTracked?: boolean;
}

/** Parses `git status --porcelain -z`: two letters before each path. */
function changesIn(listed: string): ChangedFile[] {
  const parts = listed.split('\0').filter(Boolean);
  const open: ChangedFile[] = [];
  for (let at = 0; at < parts.length; at++) {
    const [, code = '', path = ''] = /^(..) (.*)$/s.exec(parts[at] ?? '') ?? [];
    open.push({ path, isGone: code.includes('D'), isTracked: /^[ AM][ M]$/.test(code) });
    // The old name of a renamed file follows. Its content is still there.
    if (/^[RC]/.test(code)) open.push({ path: parts[++at] ?? '', isGone: false });
  }
  return open;
}

/** Parses `git diff --name-status -z`: a letter, then the path; for a renamed file the old path and the new one. */
function statusesIn(listed: string): ChangedFile[] {
  return Array.from(listed.matchAll(/(?:[RC]\d+\0([^\0]+)|([A-Z]))\0([^\0]+)\0/g)).flatMap(
    ([, old, code, path = '']) => [
      ...(old === undefined ? [] : [{ path: old, isGone: false }]),
      { path, isGone: code === 'D' },
    ],
  );
}

/** Someone else may work in another work tree. Git lists a new directory with a slash at the end. */
function isWorkTree(path: string, root: string): boolean {
  return path.endsWith('/') && /^gitdir: .*\/worktrees\//.test(readText(join(root, path, '.git')) ?? '');
}

const MOST_REPOSITORIES = 10;

async function changedBelow(path: string, context: EffectContext): Promise<ChangedFile[]> {
  const listed = await git(['-C', path, ...STATUS.split(' ')], context);
  return changesIn(listed ?? '').map((one) => ({ ...one, path: join(path, one.path) }));
}

/** Files that git was told to assume unchanged or to skip, listed with a lowercase letter or an S. */
async function hiddenFiles(context: EffectContext): Promise<ChangedFile[]> {
  const listed = (await git(['ls-files', '-v', '-z'], context)) ?? '';
  const isThere = (path: string): boolean =>
    lstatSync(join(context.projectRoot, path), { throwIfNoEntry: false }) !== undefined;
  const hidden = listed
    .split('\0')
    .filter((line) => /^[a-zS] /.test(line))
    .map((line) => line.slice(2))
    .map((path) => ({ path, isGone: !isThere(path) }));
  // What a sparse checkout leaves out was not removed.
  const isAnyGone = hidden.some(({ isGone }) => isGone);
  const sparse = isAnyGone ? await git(['config', 'core.sparseCheckout'], context) : undefined;
  return hidden.filter(({ isGone }) => !isGone || sparse?.trim() !== 'true');
}

/**
 * When a file was last changed in any way, removed from its directory, or moved together with a directory. A moved
 * directory has a newer ctime than mtime, because its own content did not change.
 */
function changedAt(file: string, root: string): number {
  let at: number | undefined;
  for (let path = file; path.length > root.length; path = dirname(path)) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && (at === undefined || stat.ctimeMs > stat.mtimeMs + CLOCK_LAG_MS))
      at = Math.max(at ?? 0, Math.floor(stat.ctimeMs));
  }
  return at ?? Math.floor(lstatSync(root, { throwIfNoEntry: false })?.ctimeMs ?? 0);
}

/** The value is the first number that the command prints. A number such as `1,200` may mean two things. */
async function byCommand(command: string, context: EffectContext): Promise<Finding> {
  const { stdout, trouble } = await runLine(command, context);
  if (trouble !== undefined) return { kind: 'failed', why: `\`${command}\` failed (${trouble})` };
  const value = Number(/-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?/i.exec(stdout)?.[0] ?? Number.NaN);
  if (!Number.isFinite(value)) return { kind: 'failed', why: `\`${command}\` printed no number` };
  return { kind: 'value', value, summary: '', base: '' };
}

const MOST_FILES = 500;
const LARGEST_BYTES = 512 * 1024;
const DEEPEST = 6;

/** Whether the evidence exists: a command that succeeds, or a file that meets the conditions. */
async function findEvidence(evidence: Evidence, context: EffectContext): Promise<Finding> {
  const { command } = evidence;
  if (command === undefined) return inFiles(evidence, context.projectRoot);
  const { trouble, kind } = await runLine(command, context);
  if (trouble === undefined) return { kind: 'shown' };
  const how = kind === 'exited' ? `with ${trouble}` : `(${trouble})`;
  return { kind: 'lacking', why: `\`${command}\` failed ${how}` };
}

/** What a file lacks as evidence, and how many conditions it meets. */
interface MissingEvidence {
  readonly met: number;
  readonly why: string;
}

/** One file must meet all conditions; if none does, the one that meets most of them says what is missing. */
function inFiles(evidence: Evidence, root: string): Finding {
  const files = evidence.dirs.flatMap((dir) => markdownIn(join(root, dir), 0)).slice(0, MOST_FILES);
  let nearest: MissingEvidence = { met: -1, why: `there is no Markdown file in ${evidence.dirs.join(', ')}` };
  for (const file of files) {
    const lack = missingEvidence(file, evidence);
    if (lack === undefined) return { kind: 'shown' };
    if (lack.met > nearest.met) nearest = lack;
  }
  return { kind: 'lacking', why: nearest.why };
}

function missingEvidence(
  file: string,
  { markers, verdict, maxAgeSeconds }: Evidence,
): MissingEvidence | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  const isReadable = stat !== undefined && stat.size <= LARGEST_BYTES;
  const age = (Date.now() - (stat?.mtimeMs ?? 0)) / 1000;
  if (isReadable && maxAgeSeconds !== undefined && age > maxAgeSeconds)
    return { met: 1, why: `the evidence is older than ${durationText(maxAgeSeconds)}` };
  const text = isReadable ? readText(file) : undefined;
  if (text === undefined) return { met: 0, why: `${file} cannot be read` };
  const missing = markers.filter((marker) => !text.includes(marker));
  const met = 2 + markers.length - missing.length;
  if (missing.length > 0) return { met, why: `no file contains "${missing[0]}"` };
  const lacksVerdict = verdict !== undefined && !saysVerdict(verdictIn(text), verdict);
  return lacksVerdict ? { met, why: `no file says "${verdict}" under "## Verdict"` } : undefined;
}

/** The text from the heading `## Verdict` to the next heading of its level or above. */
function verdictIn(text: string): string {
  const [, after = ''] = text.split(/^##[ \t]+Verdict[ \t\r]*$/m);
  return after.split(/^##?[ \t]/m)[0] ?? '';
}

/** Whether a text has the verdict as a word of its own that no "not" precedes. */
function saysVerdict(text: string, verdict: string): boolean {
  for (let at = text.indexOf(verdict); at >= 0; at = text.indexOf(verdict, at + 1)) {
    const before = text.slice(Math.max(0, at - 24), at);
    const isWord = !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(text.slice(at + verdict.length));
    if (isWord && !/(?:^|[^\p{L}\p{N}])not[\s*_"'`-]+$/iu.test(before)) return true;
  }
  return false;
}

function markdownIn(dir: string, depth: number): string[] {
  if (depth > DEEPEST) return [];
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return markdownIn(path, depth + 1);
      return entry.isFile() && entry.name.endsWith('.md') ? [path] : [];
    });
  } catch {
    return [];
  }
}

const GIT_MS = 3000;
/** Longer than for other calls, since the end of a turn may wait: what git cannot list would not be held. */
const STATUS_MS = 20_000;
const LARGEST_FILE = 1024 * 1024;
const MAIN_BRANCHES = ['main', 'master'];
const FALLBACKS = ['origin/main', 'origin/master', 'main', 'master'];

/**
 * How many lines a branch has changed: compared with the branch it started from, staged, unstaged, and in untracked
 * files. The main branch has no size.
 */
async function branchSize(branch: string, context: EffectContext): Promise<Finding> {
  if (MAIN_BRANCHES.includes(branch)) return { kind: 'none' };
  const base = (await nearestBranch(branch, context)) ?? (await mainBranch(context));
  if (base === undefined) return { kind: 'none' };
  const diffs = [[`${base}...HEAD`], ['--cached'], []];
  const counts = await Promise.all(diffs.map((what) => changedLines(what, context)));
  const untracked = await git(['ls-files', '--others', '--exclude-standard', '-z'], context);
  if (counts.some((count) => count === undefined) || untracked === undefined) {
    return { kind: 'failed', why: 'git could not list the changes' };
  }
  const [committed = 0, staged = 0, unstaged = 0] = counts;
  const files = untracked.split('\0').filter(Boolean);
  const fresh = files.reduce((sum, file) => sum + linesOf(join(context.projectRoot, file)), 0);
  const value = committed + staged + unstaged + fresh;
  const summary = `${committed} committed, ${staged} staged, ${unstaged} unstaged, ${fresh} in new files`;
  return { kind: 'value', value, summary, base };
}

/** The other feature or fix branch whose merge base with HEAD is the fewest commits back. */
async function nearestBranch(branch: string, context: EffectContext): Promise<string | undefined> {
  const listed = await git(
    ['for-each-ref', '--format=%(refname:short)', 'refs/heads/feature', 'refs/heads/fix'],
    context,
  );
  const others = (listed ?? '').split('\n').filter((name) => name !== '' && name !== branch);
  const distances = await Promise.all(
    others.slice(0, 50).map(async (name) => {
      const base = await git(['merge-base', name, 'HEAD'], context);
      const count = base && (await git(['rev-list', '--count', `${base.trim()}..HEAD`], context));
      return count ? [{ name, count: Number(count) }] : [];
    }),
  );
  return distances.flat().sort((a, b) => a.count - b.count)[0]?.name;
}

async function mainBranch(context: EffectContext): Promise<string | undefined> {
  for (const name of FALLBACKS) {
    const args = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`];
    if ((await git(args, context)) !== undefined) return name;
  }
  return undefined;
}

async function git(args: readonly string[], context: EffectContext): Promise<string | undefined> {
  const { trouble, stdout } = await run('git', args, GIT_MS, context);
  return trouble === undefined ? stdout : undefined;
}

const MOST_HIDDEN = 1000;

/** Added and removed lines, also of text that git attributes such as `-diff` hide. A binary file counts as zero. */
async function changedLines(what: readonly string[], context: EffectContext): Promise<number | undefined> {
  const listed = await git(['diff', '--numstat', '-z', ...what], context);
  const hidden = (listed ?? '')
    .split('\0')
    .flatMap((row) => (row.startsWith('-\t-\t') ? [row.slice(4)] : []))
    .filter((path) => path !== '' && !isBinaryFile(join(context.projectRoot, path)))
    .slice(0, MOST_HIDDEN);
  if (listed === undefined || hidden.length === 0) return linesIn(listed);
  const paths = hidden.map((path) => `:(top,literal)${path}`);
  const diff = await git([...AS_TEXT, ...what, '--', ...paths], context);
  if (diff === undefined) return undefined;
  const counts = Array.from(
    diff.matchAll(HUNK),
    ([, removed = 1, added = 1]) => Number(removed) + Number(added),
  );
  return counts.reduce((sum, count) => sum + count, linesIn(listed) ?? 0);
}

/** A numstat has no counts for these files, even with `--text`. */
const AS_TEXT = 'diff --text --unified=0 --no-color --no-ext-diff --no-textconv'.split(' ');
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm;

function linesIn(numstat: string | undefined): number | undefined {
  return numstat?.split('\0').reduce((sum, line) => {
    const [added, removed] = line.split('\t').map(Number);
    return sum + (added || 0) + (removed || 0);
  }, 0);
}

function linesOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > LARGEST_FILE) return 0;
  const text = readText(file) ?? '';
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

const LONGEST_MS = 60_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Runs a command line from the user's config in the project, with a shell. */
const runLine = (line: string, context: EffectContext) => run('/bin/sh', ['-c', line], LONGEST_MS, context);

/** Runs a program; `trouble` says what went wrong. */
async function run(program: string, args: readonly string[], timeoutMs: number, context: EffectContext) {
  const { projectRoot, env, deadline, signal } = context;
  const left = Math.max(1, deadline - Date.now());
  const ended = await runCommand({
    command: program,
    args,
    cwd: projectRoot,
    env,
    timeoutMs: Math.min(timeoutMs, left),
    maxBytesInMemory: MOST_BYTES,
    ...(signal && { signal }),
  });
  const how = ended.kind === 'exited' ? `exit code ${ended.code}` : ended.kind;
  const trouble = ended.kind === 'exited' && ended.code === 0 ? undefined : how;
  return { kind: ended.kind, stdout: ended.stdout, stderr: ended.stderr, trouble };
}
