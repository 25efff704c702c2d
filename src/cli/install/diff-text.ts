import { structuredPatch } from 'diff';
import type { FileChange } from './plan';

const CONTEXT_LINES = 3;

/** A change as a unified diff, with `/dev/null` for a file that is not there. Line ends are not shown. */
export function diffText({ file, before, after }: FileChange): string {
  const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: CONTEXT_LINES });
  const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;
  return [
    `--- ${before === undefined ? '/dev/null' : file}`,
    `+++ ${after === undefined ? '/dev/null' : file}`,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
      ...lines.map((line) => line.replace(/\r$/, '')),
    ]),
  ].join('\n');
}
