import { plural } from '../run/messages';
import { type CheckCommand, definesChecks, definitionFacts, type FileChange } from './definitions';
import { type Tests, testFile, testsIn } from './tests';

/** What has become weaker. `facts` are losses; `changed` may be ordinary work, and is only said. */
export type Weaker = { readonly facts: readonly string[]; readonly changed: readonly string[] };

/** Whether a file has to be looked at. */
export function isWatched(path: string, checks: readonly CheckCommand[]): boolean {
  return testFile(path) !== undefined || definesChecks(path, checks);
}

/** What changes to files mean for what the checks can find. Texts tell much, not all: it is a list to look at. */
export function weakerBy(changes: readonly FileChange[], checks: readonly CheckCommand[]): Weaker {
  const files = changes.flatMap((change) =>
    testFile(change.path) === undefined ? [] : [comparisonOf(change)],
  );
  const all = files.map((file) => ({ ...file, ...lostIn(file, files) }));
  const assertions = (side: 'was' | 'is'): number =>
    all.reduce((sum, file) => sum + file[side].asserted.length, 0);
  const hasLess = assertions('is') < assertions('was');
  const facts = all.flatMap((file) => factsOf(file, hasLess));
  const changed = all.flatMap(({ path, was, is, isGone, before }) => {
    const gone = isGone || before === undefined ? 0 : without(was.asserted, is.asserted).length;
    return gone === 0 || was.asserted.length > is.asserted.length
      ? []
      : [`${plural(gone, 'assertion')} changed in ${path}`];
  });
  return { facts: [...facts, ...changes.flatMap((change) => definitionFacts(change, checks))], changed };
}

function factsOf(file: Comparison & ReturnType<typeof lostIn>, hasLess: boolean): string[] {
  const { path, was, is, before, isGone, deleted, isMoved } = file;
  const counts = [
    [deleted, 'test', 'deleted'],
    [before !== undefined || isMoved ? is.skipped - was.skipped : 0, 'test', 'skipped'],
    [cutIn(file), 'test', 'cut short'],
    [
      hasLess && deleted === 0 && !isGone ? was.asserted.length - is.asserted.length : 0,
      'assertion',
      'removed',
    ],
  ] as const;
  return [
    ...(isLost(file) ? [`${path} deleted`] : []),
    ...counts.flatMap(([count, what, how]) =>
      count > 0 ? [`${plural(count, what)} ${how} in ${path}`] : [],
    ),
  ];
}

/** A new test may start programs that end. */
function cutIn({ was, is, before, isGone }: Comparison): number {
  return before === undefined || isGone || is.titles.length > was.titles.length ? 0 : is.cut - was.cut;
}

/** A file of tests without titles, such as plain assertions, is gone. */
function isLost({ isGone, was, before = '' }: Comparison): boolean {
  return isGone && was.titles.length === 0 && before.trim() !== '';
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

/** A test that has another title is the same one; one that is in another file now was moved, if a runner finds it there. */
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
    deleted: Math.max(0, gone.length - gained.length),
    isMoved: gained.some((title) => lostElsewhere.includes(title)),
  };
}

/** The items of one list without those of another; what is there twice has to be taken away twice. */
function without(items: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return items.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
