import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectContext } from '../../core/guard';
import type { Computed } from './findings';
import { run } from './run-line';

const GIT_MS = 3000;
const LARGEST_FILE = 1024 * 1024;
const MAIN_BRANCHES = ['main', 'master'];
const FALLBACKS = ['origin/main', 'origin/master', 'main', 'master'];

/**
 * How many lines a branch has changed: against the branch it grew from, staged, unstaged, and in
 * files that git does not know yet. The main branch has no size.
 */
export async function branchSize(branch: string, context: EffectContext): Promise<Computed> {
  if (MAIN_BRANCHES.includes(branch)) return { kind: 'none' };
  const base = (await nearestBranch(branch, context)) ?? (await firstThatExists(FALLBACKS, context));
  if (base === undefined) return { kind: 'none' };
  const diffs = [
    ['diff', '--numstat', `${base}...HEAD`],
    ['diff', '--numstat', '--cached'],
    ['diff', '--numstat'],
  ];
  const counts = await Promise.all(diffs.map(async (args) => linesIn(await git(args, context))));
  const untracked = await git(['ls-files', '--others', '--exclude-standard', '-z'], context);
  if (counts.some((count) => count === undefined) || untracked === undefined) {
    return { kind: 'failed', why: 'git did not tell what has changed' };
  }
  const [committed = 0, staged = 0, unstaged = 0] = counts;
  const fresh = newLines(untracked.split('\0').filter(Boolean), context.projectRoot);
  const value = committed + staged + unstaged + fresh;
  const summary = `${committed} committed, ${staged} staged, ${unstaged} unstaged, ${fresh} in new files`;
  return { kind: 'value', value, summary, base };
}

/** The other feature or fix branch from which the fewest commits lead here. */
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
      return { name, count: count ? Number(count) : Number.POSITIVE_INFINITY };
    }),
  );
  const [nearest] = distances
    .filter(({ count }) => count < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.count - b.count);
  return nearest?.name;
}

async function firstThatExists(
  names: readonly string[],
  context: EffectContext,
): Promise<string | undefined> {
  for (const name of names) {
    if ((await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], context)) !== undefined)
      return name;
  }
  return undefined;
}

async function git(args: readonly string[], context: EffectContext): Promise<string | undefined> {
  const ended = await run('git', args, GIT_MS, context);
  return ended.kind === 'exited' && ended.code === 0 ? ended.stdout : undefined;
}

/** Added and removed lines of a numstat; a binary file counts none. */
function linesIn(numstat: string | undefined): number | undefined {
  return numstat?.split('\n').reduce((sum, line) => {
    const [added, removed] = line.split('\t').map(Number);
    return sum + (added || 0) + (removed || 0);
  }, 0);
}

function newLines(files: readonly string[], root: string): number {
  return files.reduce((sum, file) => sum + linesOf(join(root, file)), 0);
}

function linesOf(file: string): number {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > LARGEST_FILE) return 0;
    const text = readFileSync(file, 'utf8');
    return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  } catch {
    return 0;
  }
}
