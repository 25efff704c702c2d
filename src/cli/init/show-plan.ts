import { relative } from 'node:path';
import { setupOf } from '../../hosts/setup-table';
import { diffText } from '../install/diff-text';
import type { FileChange } from '../install/plan';
import { LAUNCH_FILE } from '../install/start-line';
import { type Output, printable } from '../ui/output';
import * as say from './messages';
import type { InitPlan } from './plan';
import { OWN_CONFIG } from './taken';

/** Prints what would be written: new files whole; of settings, the difference or, in short, how much it is. */
export function showPlan(
  { config, ignore, install, launch }: InitPlan,
  root: string,
  whole: boolean,
  out: Output,
): void {
  if (config !== undefined) showFile(OWN_CONFIG, 'new', config.trimEnd().split('\n'), out);
  if (ignore.lines.length > 0) {
    const what = ignore.before === undefined ? 'new' : 'lines added at its end';
    showFile('.gitignore', what, ignore.lines, out);
  }
  for (const change of install?.changes ?? []) {
    if (whole) showDiff(change, root, out);
    else showInShort(change, root, out);
  }
  if (launch !== undefined) showFile(`~/${LAUNCH_FILE}`, 'new', [say.LAUNCH], out);
}

function showFile(name: string, what: string, lines: readonly string[], out: Output): void {
  out.line(heading(name, what, out));
  for (const line of lines) out.line(`  ${out.style('dim', '│')} ${printable(line)}`);
  out.line();
}

/** Every line of what a host's settings get. */
export function showDiff(change: FileChange, root: string, out: Output): void {
  out.line(heading(relative(root, change.file), titleOf(change), out));
  for (const line of diffText(change).trimEnd().split('\n')) {
    const style = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
    out.line(`  ${out.style(style, line)}`);
  }
  out.line();
}

function showInShort(change: FileChange, root: string, out: Output): void {
  const lines = diffText(change).split('\n');
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  const [added, removed] = [count('+'), count('-')];
  const amount = say.linesAdded(added) + (removed === 0 ? '' : `, ${removed} taken out`);
  out.line(heading(relative(root, change.file), titleOf(change), out));
  out.line(
    `  ${out.style('dim', '│')} ${amount}; no other byte changes, and \`holdpoint uninstall\` undoes it`,
  );
  out.line();
}

function titleOf({ host, before }: FileChange): string {
  const title = setupOf(host)?.title ?? host;
  return before === undefined ? `new, hooks of ${title}` : `hooks of ${title}`;
}

function heading(name: string, what: string, out: Output): string {
  return `${out.style('bold', name)} ${out.style('dim', `(${what})`)}`;
}
