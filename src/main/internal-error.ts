import { detailOf } from '../core/failure';

/**
 * What is said of an error of our own, with the file of its report where one could be written. The report is
 * written by a chunk, which may be the very thing that is broken.
 */
export function internalError(
  error: unknown,
  args: readonly string[],
  input: string,
  load: (name: string) => unknown,
): { readonly detail: string; readonly report: string } {
  const detail = detailOf(error);
  try {
    const { reportBug } = load('report-bug') as typeof import('../core/report-bug');
    const file = reportBug({ error, args, input, env: process.env, now: Date.now() });
    return { detail, report: file === undefined ? '' : `holdpoint: please report it with ${file}\n` };
  } catch {
    return { detail, report: '' };
  }
}

export function internalErrorText({ detail, report }: ReturnType<typeof internalError>): string {
  return `holdpoint: a mistake of ours: ${detail}. The event was let through unchecked.\n${report}`;
}
