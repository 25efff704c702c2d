import { plural } from '../run/messages';
import { definesChecks, definitionFacts, hasMovedSettings, testDirectories } from './definitions';
import type { CheckCommand, FileChange } from './settings';
import { assertionsMade, isPrecise, type Tests, testFile, testsIn } from './tests';

/** `facts` are losses; `changed` may be ordinary work, and never holds. */
export type Weaker = { readonly facts: readonly string[]; readonly changed: readonly string[] };

export function isWatched(path: string, checks: readonly CheckCommand[]): boolean {
  return testFile(path) !== undefined || definesChecks(path, checks);
}

/** How changes weaken the checks. It only compares text, so the result is a list to review, not a proof. */
export function weakerBy(changes: readonly FileChange[], checks: readonly CheckCommand[]): Weaker {
  const compared = changes.flatMap((change) =>
    testFile(change.path) === undefined ? [] : [comparisonOf(change)],
  );
  const directories = testDirectories(
    checks,
    compared.map(({ path }) => path),
  );
  const titles = titlesOf(compared, directories);
  const files = compared.map((file) => ({ ...file, ...lostIn(file, titles, compared) }));
  const [fewer, loosened] = [fewerIn(files, () => true), fewerIn(files, isPrecise)];
  const facts = files.flatMap((file, at) => factsOf(file, fewer[at] ?? 0, loosened[at] ?? 0, titles));
  const changed = files.flatMap(({ path, was, is, isGone, before, unsaid }) =>
    isGone || before === undefined || unsaid.length === 0 || was.asserted.length > is.asserted.length
      ? []
      : [`${plural(unsaid.length, 'assertion')} changed in ${path}`],
  );
  const defined = changes.flatMap((change) =>
    hasMovedSettings(change, changes) ? [] : definitionFacts(change, checks),
  );
  return { facts: [...facts, ...defined], changed };
}

type Judged = Comparison & ReturnType<typeof lostIn>;

/** How many assertions less each file makes, those of new tests aside; none if there are as many in all files. */
function fewerIn(files: readonly Judged[], isCounted: (line: string) => boolean): readonly number[] {
  const [before, after] = (['was', 'is'] as const).map((side) =>
    assertionsMade(
      files.map((file) => file[side]),
      isCounted,
    ),
  );
  const fewer = files.map(({ is, fresh }, at) => {
    const inNew = is.asserted.filter(({ line, title }) => fresh.has(title) && isCounted(line));
    return (before?.[at] ?? 0) - (after?.[at] ?? 0) + inNew.length;
  });
  if (fewer.reduce((sum, count) => sum + count, 0) <= 0) return [];
  if (files.every(({ fresh }) => fresh.size === 0)) return fewer;
  // An assertion may have moved to a new test.
  const said = counted(files.flatMap((file) => file.said));
  return fewer.map((count, at) =>
    Math.min(count, without(files[at]?.unsaid ?? [], said).filter(isCounted).length),
  );
}

function factsOf(file: Judged, fewer: number, loosened: number, titles: Titles): string[] {
  const { path, is, before, isGone, deleted, isMoved, fresh } = file;
  const merged = fresh.size === 0 && is.asserted.length > 0 ? rowsMore(file) : 0;
  const keepsTests = deleted === 0 && !isGone;
  const removed = keepsTests ? Math.max(0, fewer - merged) : 0;
  const counts = [
    [deleted, 'test', 'deleted'],
    [
      before !== undefined || isMoved || path.endsWith('conftest.py') ? skippedIn(file, titles) : 0,
      'test',
      'skipped',
    ],
    [cutIn(file) + endedIn(file), 'test', 'cut short'],
    [removed, 'assertion', 'removed'],
    [keepsTests ? loosened - merged - removed : 0, 'assertion', 'loosened'],
  ] as const;
  return [
    ...(isLost(file) ? [`${path} deleted`] : []),
    ...counts.flatMap(([count, what, how]) =>
      count > 0 ? [`${plural(count, what)} ${how} in ${path}`] : [],
    ),
  ];
}

/** How many more tests come from tables than before. */
function rowsMore({ was, is }: Comparison): number {
  return Math.max(0, is.rows.written - was.rows.written);
}

/** Rows of tables that make no tests any more; none if they may be elsewhere. */
function rowsLost({ was, is, lost, gained }: Comparison, { rows }: Titles): number {
  const made = Math.max(0, gained.length - lost.length);
  return rows.unknown > 0
    ? 0
    : Math.max(0, Math.min(was.rows.written - is.rows.written - made, -rows.written));
}

/** Counts earlier tests, of any file, that are skipped now. New tests may be skipped from the start. */
function skippedIn({ was, is, lost, before }: Comparison, { known, skipped }: Titles): number {
  const fresh = without(is.skipped, before === undefined ? skipped : counted(was.skipped));
  const old = fresh.filter((title) => title === '' || known.has(title));
  const added = without(is.titles, known).length - lost.length;
  const rows = is.rows.skipped - was.rows.skipped - Math.max(0, is.rows.written - was.rows.written);
  return Math.max(0, rows) + old.length + Math.max(0, fresh.length - old.length - Math.max(0, added));
}

/** A new test may contain programs that exit. None if it cannot be told which tests are new. */
function cutIn({ was, is, before, isGone, fresh }: Judged): number {
  if (before === undefined || isGone || (is.titles.length > was.titles.length && fresh.size === 0)) return 0;
  return Math.max(0, is.cut.filter((title) => !fresh.has(title)).length - was.cut.length);
}

function endedIn({ path, was, is, before, isGone }: Comparison): number {
  const isOld = before !== undefined || path.endsWith('conftest.py');
  const kind = is.titles.length > was.titles.length ? 'endedOutside' : 'ended';
  // Even a new file of Go decides about the tests beside it.
  const blind = is.isBlind && !was.isBlind ? 1 : 0;
  return isGone ? 0 : Math.max(blind, isOld ? is[kind] - was[kind] : 0);
}

/** Whether a deleted file had untitled tests, such as plain assertions. Helpers and data are no tests. */
function isLost({ path, isGone, was, before = '', heir }: Judged): boolean {
  if (!isGone || was.titles.length > 0 || before.trim() === '') return false;
  const isTest = was.asserted.length > 0 || (testFile(path) === 'named' && !/conftest\.py$/.test(path));
  return isTest && heir === undefined;
}

/** The new file with most lines of a deleted one, which was renamed: it checks at least as much. */
function heirOf(
  { before: text = '', was }: Comparison,
  files: readonly Comparison[],
): Comparison | undefined {
  const lines = linesOf(text);
  const isAsStrict = ({ asserted, skipped, cut, ended }: Tests): boolean =>
    asserted.length >= was.asserted.length &&
    skipped.length <= was.skipped.length &&
    cut.length + ended <= was.cut.length + was.ended;
  return files.find(
    ({ before, after = '', is }) =>
      before === undefined &&
      isAsStrict(is) &&
      without(lines, counted(linesOf(after))).length <= lines.length / 2,
  );
}

function linesOf(text: string): readonly string[] {
  return text.match(/\S.*/g) ?? [];
}

interface Comparison extends FileChange {
  readonly was: Tests;
  readonly is: Tests;
  readonly isGone: boolean;
  /** Titles that this file has no more, and those that are new in it. */
  readonly lost: readonly string[];
  readonly gained: readonly string[];
  /** Lines that assert something and are gone, and those that are new. */
  readonly unsaid: readonly string[];
  readonly said: readonly string[];
}

function comparisonOf(change: FileChange): Comparison {
  const { path, before = '', after = '' } = change;
  const [was, is] = [testsIn(path, before), testsIn(path, after)];
  const [lines, now] = [was, is].map(({ asserted }) => asserted.map(({ line }) => line)) as [
    string[],
    string[],
  ];
  return {
    ...change,
    was,
    is,
    isGone: change.after === undefined,
    lost: without(was.titles, counted(is.titles)),
    gained: without(is.titles, counted(was.titles)),
    unsaid: without(lines, counted(now)),
    said: without(now, counted(lines)),
  };
}

type Counts = ReadonlyMap<string, number>;

/**
 * The titles of all files: earlier ones, lost ones, skipped ones, and new ones where the runner of a file's tests looks.
 * `rows`: how many more of them there are in all tables.
 */
function titlesOf(files: readonly Comparison[], directories: readonly string[]) {
  const gainedIn = (isFound: (path: string) => boolean): Counts =>
    counted(files.filter(({ path }) => isFound(path)).flatMap(({ gained }) => gained));
  const isNamed = (path: string): boolean => testFile(path) === 'named';
  const isInside = (path: string): boolean => directories.some((directory) => path.startsWith(directory));
  const [anywhere, byName] = [gainedIn(() => true), gainedIn(isNamed)];
  const [inside, insideByName] = [gainedIn(isInside), gainedIn((path) => isNamed(path) && isInside(path))];
  const more = (key: keyof Tests['rows']): number =>
    files.reduce((sum, { was, is }) => sum + is.rows[key] - was.rows[key], 0);
  return {
    rows: { written: more('written'), unknown: more('unknown') },
    known: counted(files.flatMap(({ was }) => was.titles)),
    lost: counted(files.flatMap(({ lost }) => lost)),
    skipped: counted(files.flatMap(({ was }) => was.skipped)),
    gainedFor: (path: string): Counts =>
      isInside(path) ? (isNamed(path) ? insideByName : inside) : isNamed(path) ? byName : anywhere,
  };
}

type Titles = ReturnType<typeof titlesOf>;

/** A renamed test is not lost, nor is one moved to another file, if test runners find it there. */
function lostIn(file: Comparison, titles: Titles, files: readonly Comparison[]) {
  const { path, lost, gained, isGone } = file;
  const found = titles.gainedFor(path);
  const gone = without(lost, found);
  const heir = isGone && (gone.length > 0 || lost.length === 0) ? heirOf(file, files) : undefined;
  const renamed = heir?.gained.filter((title) => found.has(title) && !titles.lost.has(title)) ?? gained;
  return {
    // Tests that were merged into one with a table still exist.
    deleted: Math.max(0, gone.length - renamed.length - rowsMore(file)) + rowsLost(file, titles),
    isMoved: gained.some((title) => titles.lost.has(title)),
    /** Titles of new tests; none where tests were perhaps only renamed. */
    fresh: new Set(lost.length > 0 ? [] : gained.filter((title) => !titles.lost.has(title))),
    heir,
  };
}

function counted(items: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The items of a list minus those of another; a duplicate has to be removed twice. */
function without(items: readonly string[], others: Counts): readonly string[] {
  const used = new Map<string, number>();
  return items.filter((item) => {
    const count = (used.get(item) ?? 0) + 1;
    used.set(item, count);
    return count > (others.get(item) ?? 0);
  });
}
