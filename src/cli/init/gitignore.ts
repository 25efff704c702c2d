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

/** The lines that `.gitignore` lacks. Lines are only ever appended. */
export function missingLines(root: string): string[] {
  const written = (ignoreFileOf(root) ?? '').split(/\r?\n/).map((line) => line.trim());
  const missing = WANTED.filter(({ line, example }) => !written.includes(line) && !isIgnored(root, example));
  return missing.map(({ line }) => line);
}

/** Only .gitignore files of the repository count: a user's own excludes do not apply to anyone else. */
function isIgnored(root: string, example: string): boolean {
  const result = askGit(root, ['check-ignore', '--no-index', '--verbose', '--', example]);
  const source = result?.split('\t')[0]?.replace(/:\d+:.*$/, '');
  return source !== undefined && /(?:^|\/)\.gitignore$/.test(source) && !/:\d+:!/.test(result ?? '');
}

function appended(before: Buffer, lines: readonly string[]): Buffer {
  const text = before.toString('latin1');
  // New lines get the last line's ending.
  const end = /\r\n(?:[^\n]*)$/.test(text) ? '\r\n' : '\n';
  const isOpen = text !== '' && !text.endsWith('\n');
  return Buffer.concat([before, Buffer.from(`${isOpen ? end : ''}${lines.join(end)}${end}`)]);
}

/** The text of `.gitignore`; `undefined` if it is missing or unreadable. */
export function ignoreFileOf(root: string): string | undefined {
  return attempt(() => readFileSync(join(root, '.gitignore'), 'utf8'));
}

/** Appends the lines to `.gitignore`: all of them or, on a full disk, none. */
export function extendIgnore(root: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  withResolvedPath(root, '.gitignore', (place) => {
    const { path } = place;
    const mode = place.kind === 'found' ? place.stats.mode & 0o777 : undefined;
    const now = mode === undefined ? Buffer.alloc(0) : readFileSync(path);
    const text = mode === undefined ? undefined : '';
    const problem = whyNotWritable({ path, text, mode: mode ?? 0o666 });
    if (problem !== undefined) throw cannotRun(problem);
    // The bytes need not be text.
    const temporary = writeTemporary(path, appended(now, lines), true, mode ?? 0o644);
    try {
      if (mode !== undefined) keepOwner(path, temporary);
      renameSync(temporary, path);
    } catch (error) {
      discard(temporary);
      throw error;
    }
  });
}
