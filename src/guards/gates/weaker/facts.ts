import { plural } from '../run/messages';
import { type CheckCommand, definesChecks, definitionFacts, type FileChange } from './definitions';
import { type Tests, testFile, testsIn } from './tests';

/** `facts` are losses; `changed` may be ordinary work, and never holds. */
export type Weaker = { readonly facts: readonly string[]; readonly changed: readonly string[] };

export function isWatched(path: string, checks: readonly CheckCommand[]): boolean {
  return testFile(path) !== undefined || definesChecks(path, checks);
}

/** How changes weaken the checks. It only compares text, so the result is a list to review, not a proof. */
export function weakerBy(changes: readonly FileChange[], checks: readonly CheckCommand[]): Weaker {
  const files = changes.flatMap((change) =>
    testFile(change.path) === undefined ? [] : [comparisonOf(change)],
  );
  const all = files.map((file) => ({ ...file, ...lostIn(file, files) }));
  const assertions = (side: 'was' | 'is'): number =>
    all.reduce((sum, file) => sum + file[side].asserted.length, 0);
  const hasLess = assertions('is') < assertions('was');
  const facts = all.flatMap((file) => factsOf(file, hasLess, files));
  const changed = all.flatMap(({ path, was, is, isGone, before }) => {
    const gone = isGone || before === undefined ? 0 : without(was.asserted, is.asserted).length;
    return gone === 0 || was.asserted.length > is.asserted.length
      ? []
      : [`${plural(gone, 'assertion')} changed in ${path}`];
  });
  return { facts: [...facts, ...changes.flatMap((change) => definitionFacts(change, checks))], changed };
}

function factsOf(
  file: Comparison & ReturnType<typeof lostIn>,
  hasLess: boolean,
  files: readonly Comparison[],
): string[] {
  const { path, was, is, before, isGone, deleted, isMoved } = file;
  const counts = [
    [deleted, 'test', 'deleted'],
    [
      before !== undefined || isMoved || path.endsWith('conftest.py') ? skippedIn(file, files) : 0,
      'test',
      'skipped',
    ],
    [cutIn(file), 'test', 'cut short'],
    [
      hasLess && deleted === 0 && !isGone
        ? was.asserted.length - is.asserted.length - (is.asserted.length > 0 ? rowsMore(file) : 0)
        : 0,
      'assertion',
      'removed',
    ],
  ] as const;
  return [
    ...(isLost(file, files) ? [`${path} deleted`] : []),
    ...counts.flatMap(([count, what, how]) =>
      count > 0 ? [`${plural(count, what)} ${how} in ${path}`] : [],
    ),
  ];
}

/** How many more tests come from tables than before. */
function rowsMore({ was, is }: Comparison): number {
  return Math.max(0, is.rows - was.rows);
}

/** Counts earlier tests, of any file, that are skipped now. New tests may be skipped from the start. */
function skippedIn({ was, is }: Comparison, files: readonly Comparison[]): number {
  const known = files.flatMap((file) => file.was.titles);
  const names = new Set(known);
  const fresh = without(is.skipped, was.skipped);
  const old = fresh.filter((title) => title === '' || names.has(title));
  const added = without(is.titles, known).length - without(was.titles, is.titles).length;
  return old.length + Math.max(0, fresh.length - old.length - Math.max(0, added));
}

/** None if tests were added: a new test may contain programs that exit. */
function cutIn({ was, is, before, isGone }: Comparison): number {
  return before === undefined || isGone || is.titles.length > was.titles.length ? 0 : is.cut - was.cut;
}

/** Whether a deleted file had untitled tests, such as plain assertions. Helpers and data are no tests. */
function isLost({ path, isGone, was, before = '' }: Comparison, files: readonly Comparison[]): boolean {
  if (!isGone || was.titles.length > 0 || before.trim() === '') return false;
  const isTest = was.asserted.length > 0 || (testFile(path) === 'named' && !/conftest\.py$/.test(path));
  const isThere = files.some(
    (other) => other.before === undefined && without(linesOf(before), linesOf(other.after)).length === 0,
  );
  return isTest && !isThere;
}

function linesOf(text = ''): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}

interface Comparison extends FileChange {
  readonly was: Tests;
  readonly is: Tests;
  readonly isGone: boolean;
}

function comparisonOf(change: FileChange): Comparison {
  const { path, before = '', after = '' } = change;
  return {
    ...change,
    was: testsIn(path, before),
    is: testsIn(path, after),
    isGone: change.after === undefined,
  };
}

/** A renamed test is not lost, nor is one moved to another file, if test runners find it there. */
function lostIn(file: Comparison, files: readonly Comparison[]) {
  const [lost, gained] = [without(file.was.titles, file.is.titles), without(file.is.titles, file.was.titles)];
  const others = files.filter(
    ({ path }) => path !== file.path && (testFile(file.path) === 'placed' || testFile(path) === 'named'),
  );
  const elsewhere = others.flatMap(({ was, is }) => without(is.titles, was.titles));
  const gone = without(lost, elsewhere);
  const lostElsewhere = files.flatMap(({ path, was, is }) =>
    path === file.path ? [] : without(was.titles, is.titles),
  );
  return {
    // Tests that were merged into one with a table still exist.
    deleted: Math.max(0, gone.length - gained.length - rowsMore(file)),
    isMoved: gained.some((title) => lostElsewhere.includes(title)),
  };
}

/** The items of one list minus those of another; a duplicate has to be removed twice. */
function without(items: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    if (count > 0) left.set(item, count - 1);
    return count === 0;
  });
}
