import { summaries } from './summary-table';

/** How many tests did what. */
export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/**
 * The numbers in the output of a test run; `undefined` where it has none. Several summaries of one kind, as
 * of the parts of a monorepo, are added up. Where kinds disagree the one that tells of failures counts.
 */
export function countsIn(output: string): Counts | undefined {
  let passed: number | undefined;
  let failed: number | undefined;
  let skipped = 0;
  for (const pattern of summaries()) {
    const found = sumOf(output, pattern);
    if (found === undefined) continue;
    passed = most(passed, found.passed);
    failed = most(failed, found.failed);
    skipped = Math.max(skipped, found.skipped);
  }
  if (passed === undefined && failed === undefined) return undefined;
  return { passed: passed ?? 0, failed: failed ?? 0, skipped };
}

interface Sum {
  readonly passed: number | undefined;
  readonly failed: number | undefined;
  readonly skipped: number;
}

function sumOf(output: string, pattern: RegExp): Sum | undefined {
  let sum: Sum | undefined;
  for (const { 0: whole, groups = {} } of output.matchAll(pattern)) {
    if (!SAYS_SOMETHING.test(whole)) continue;
    const one = told(whole, groups);
    sum =
      sum === undefined
        ? one
        : {
            passed: added(sum.passed, one.passed),
            failed: added(sum.failed, one.failed),
            skipped: sum.skipped + one.skipped,
          };
  }
  return sum;
}

/** All groups of a pattern may be optional; without a number or a mark the line is another one. */
const SAYS_SOMETHING = /\d|^ok|^FAIL|^---|^not ok/;

function told(whole: string, groups: Record<string, string | undefined>): Sum {
  const bad = numbered(groups['failed']);
  const worse = numbered(groups['errors']);
  return {
    passed: numbered(groups['passed']) ?? restOf(groups, bad, worse) ?? goPackage(whole),
    failed: added(bad, worse) ?? (whole.startsWith('FAIL\t') ? 1 : undefined),
    skipped: numbered(groups['skipped']) ?? 0,
  };
}

function added(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}

/** A group that is no number is a mark, and stands for one. */
function numbered(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) : 1;
}

/** What is left of the total has passed. */
function restOf(groups: Record<string, string | undefined>, failed = 0, errors = 0): number | undefined {
  const total = numbered(groups['total']);
  return total === undefined
    ? undefined
    : Math.max(0, total - failed - errors - (numbered(groups['skipped']) ?? 0));
}

function goPackage(whole: string): number | undefined {
  return whole.startsWith('ok  \t') ? 1 : undefined;
}

function most(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}

const coverages = (): readonly RegExp[] => [
  /^[ \t]*All files\s*\|\s*(\d+(?:\.\d+)?)/m,
  /^TOTAL\s.*?\s(\d+(?:\.\d+)?)%/m,
  /coverage: (\d+(?:\.\d+)?)% of statements/,
  /^(\d+(?:\.\d+)?)% coverage,/m,
  /Lines\s*:\s*(\d+(?:\.\d+)?)%/,
];

/** The percentage of code that the tests went through, where the output tells. */
export function coverageIn(output: string): number | undefined {
  for (const pattern of coverages()) {
    const found = pattern.exec(output)?.[1];
    if (found !== undefined) return Number(found);
  }
  return undefined;
}
