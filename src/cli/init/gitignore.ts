import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/failure';
import { askGit } from '../../git/run-git';
import { discard, writeTemporary } from '../../state/files';
import { cannotRun } from '../context';
import { keepOwner, whyNotWritable, withResolvedPath } from '../install/files';

/** What git should ignore: the local config, the logs of the gates, the backups of an installation. */
const WANTED: readonly { readonly line: string; readonly example: string }[] = [
  { line: '/.holdpoint/config.local.yaml', example: '.holdpoint/config.local.yaml' },
  { line: '/.holdpoint/logs/', example: '.holdpoint/logs/.execution_state' },
  { line: '*.holdpoint-backup', example: '.claude/settings.json.holdpoint-backup' },
];

export const OWN_LINES: readonly string[] = WANTED.map(({ line }) => line);

/** `.gitignore` before and after the change. Lines are only ever appended. */
export type IgnoreChange = ReturnType<typeof ignoreChange>;

export function ignoreChange(root: string) {
  const before = bytesOf(join(root, '.gitignore'));
  const missing = WANTED.filter(({ line, example }) => !isIgnored(root, before, line, example));
  const lines = missing.map(({ line }) => line);
  return { before, lines, after: appended(before ?? Buffer.alloc(0), lines) };
}

/** Only .gitignore files of the repository count: a user's own excludes do not apply to anyone else. */
function isIgnored(root: string, before: Buffer | undefined, line: string, example: string): boolean {
  const written = (before?.toString('latin1') ?? '').split(/\r?\n/);
  if (written.some((one) => one.trim() === line)) return true;
  const result = askGit(root, ['check-ignore', '--no-index', '--verbose', '--', example]);
  const source = result?.split('\t')[0]?.replace(/:\d+:.*$/, '');
  return source !== undefined && /(?:^|\/)\.gitignore$/.test(source) && !/:\d+:!/.test(result ?? '');
}

export function appended(before: Buffer, lines: readonly string[]): Buffer {
  if (lines.length === 0) return before;
  const text = before.toString('latin1');
  // New lines get the last line's ending.
  const end = /\r\n(?:[^\n]*)$/.test(text) ? '\r\n' : '\n';
  const isOpen = text !== '' && !text.endsWith('\n');
  return Buffer.concat([before, Buffer.from(`${isOpen ? end : ''}${lines.join(end)}${end}`)]);
}

/** The bytes of a file; `undefined` if it is missing or unreadable. */
export function bytesOf(file: string): Buffer | undefined {
  return attempt(() => readFileSync(file));
}

/** Appends the lines to `.gitignore`: all of them or, on a full disk, none. */
export function extendIgnore(root: string, { before, after, lines }: IgnoreChange): void {
  if (lines.length === 0) return;
  withResolvedPath(root, '.gitignore', (place) => {
    const { path } = place;
    const mode = place.kind === 'found' ? place.stats.mode & 0o777 : undefined;
    // Read it again, to keep what was added since the plan was made.
    const now = mode === undefined ? Buffer.alloc(0) : readFileSync(path);
    const text = mode === undefined ? undefined : '';
    const problem = whyNotWritable({ path, text, mode: mode ?? 0o666 });
    if (problem !== undefined) throw cannotRun(problem);
    // The bytes need not be text.
    const bytes = Buffer.concat([now, after.subarray(before?.length ?? 0)]);
    const temporary = writeTemporary(path, bytes, true, mode ?? 0o644);
    try {
      if (mode !== undefined) keepOwner(path, temporary);
      renameSync(temporary, path);
    } catch (error) {
      discard(temporary);
      throw error;
    }
  });
}
