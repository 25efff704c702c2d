import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askGit } from '../../git/run-git';

/** What git shall pass over: a person's own config, the logs of the gates, copies that an installation keeps. */
const WANTED: readonly { readonly line: string; readonly example: string }[] = [
  { line: '/.holdpoint/config.local.yaml', example: '.holdpoint/config.local.yaml' },
  { line: '/.holdpoint/logs/', example: '.holdpoint/logs/console.1.log' },
  { line: '*.holdpoint-backup', example: '.claude/settings.json.holdpoint-backup' },
];

export interface IgnoreChange {
  readonly before: Buffer | undefined;
  /** The lines to be added; none where git passes over all of it already. */
  readonly lines: readonly string[];
  readonly after: Buffer;
}

/** Works out what `.gitignore` lacks. Lines are only ever added at its end; no byte before them changes. */
export function ignoreChange(root: string): IgnoreChange {
  const before = bytesOf(join(root, '.gitignore'));
  const lines = WANTED.filter(({ line, example }) => !isIgnored(root, before, line, example)).map(
    ({ line }) => line,
  );
  return { before, lines, after: appended(before ?? Buffer.alloc(0), lines) };
}

/** Only what the repository itself says counts: a person's own settings do not reach anybody else. */
function isIgnored(root: string, before: Buffer | undefined, line: string, example: string): boolean {
  const written = (before?.toString('latin1') ?? '').split(/\r?\n/);
  if (written.some((one) => one.trim() === line)) return true;
  const told = askGit(root, ['check-ignore', '--no-index', '--verbose', '--', example]);
  const source = told?.split('\t')[0]?.replace(/:\d+:.*$/, '');
  return source !== undefined && /(?:^|\/)\.gitignore$/.test(source) && !/:\d+:!/.test(told ?? '');
}

/** With the lines at its end. */
export function appended(before: Buffer, lines: readonly string[]): Buffer {
  if (lines.length === 0) return before;
  const text = before.toString('latin1');
  // As the last line ends, so do the new ones.
  const end = /\r\n(?:[^\n]*)$/.test(text) ? '\r\n' : '\n';
  const isOpen = text !== '' && !text.endsWith('\n');
  return Buffer.concat([before, Buffer.from(`${isOpen ? end : ''}${lines.join(end)}${end}`)]);
}

export function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
