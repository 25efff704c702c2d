import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import type { InstallTarget } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import type { Context } from '../context';
import { table } from '../ui/output';
import type { FileChange, FoundDuplicate, Plan, RemovalRequest } from './plan';
import { displayPath, type Remains } from './remains';

export function planJson(plan: Plan, { scope, hosts }: RemovalRequest, dryRun: boolean): object {
  return {
    scope,
    hosts,
    dry_run: dryRun,
    changes: plan.changes.map(({ host, file, before, after, record }) => ({
      host,
      file,
      action: before === undefined ? 'created' : after === undefined ? 'removed' : 'changed',
      ...(record?.backup !== undefined && { backup: record.backup }),
    })),
    start_files: plan.startFiles.map(({ file, action }) => ({ file, action })),
    unchanged: plan.unchanged.map(({ host, file, keptBackup }) => ({
      host,
      file,
      ...(keptBackup !== undefined && { keptBackup }),
    })),
    rivals: plan.duplicates,
  };
}

/** A unified diff, with `/dev/null` for a missing file. Changes of line ends are not shown. */
export function diffText({ file, before, after }: FileChange): string {
  const patch = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 3 });
  const hunks = formatPatch(patch, OMIT_HEADERS).replaceAll('\r\n', '\n');
  const names = [before, after].map((text) => (text === undefined ? '/dev/null' : file));
  return `--- ${names[0]}\n+++ ${names[1]}\n${hunks}`.replace(/\n+$/, '');
}

/** Shows a diff of the settings; of launcher files only the names. */
export function showDiff(plan: Plan, { target }: RemovalRequest, { out }: Context): void {
  for (const change of plan.changes) {
    for (const line of diffText(change).split('\n')) out.line(coloured(line, out));
  }
  const names = startNames(plan, target);
  if (names !== '') out.line(`Also written, to start the hooks: ${names}`);
}

export function showInstalled(plan: Plan, { target }: RemovalRequest, { out }: Context): void {
  for (const { host, file, before, record } of plan.changes) {
    const what = before === undefined ? 'written' : 'entries added, nothing else changed';
    showDone(`${setupOf(host).title}: ${displayPath(file, target)} (${what})`, out);
    if (before !== undefined && record?.backup !== undefined)
      out.line(`  backup: ${displayPath(record.backup, target)}`);
  }
  const names = startNames(plan, target);
  if (names !== '') showDone(`Launcher: ${names} (written)`, out);
}

export function showRemoved(plan: Plan, { target }: RemovalRequest, { out }: Context): void {
  for (const { host, file, after, keptBackup } of plan.changes) {
    const what = after === undefined ? 'removed' : 'entries removed, nothing else changed';
    showDone(`${setupOf(host).title}: ${displayPath(file, target)} (${what})`, out);
    if (keptBackup !== undefined) {
      const why = 'it differs from the backup made at install, which is kept';
      out.line(`  ${why}: ${displayPath(keptBackup, target)}`);
    }
  }
  for (const { file, keptBackup } of plan.unchanged) {
    if (keptBackup === undefined) continue;
    const backup = displayPath(keptBackup, target);
    out.line(`${displayPath(file, target)} has no entries to remove; backup made at install: ${backup}`);
  }
}

/** Lists duplicates, each program once per file. */
export function showDuplicates({ duplicates }: Plan, request: RemovalRequest, { out }: Context): void {
  for (const [at, first] of duplicates.entries()) {
    const { file, kind, program } = first;
    const isAlike = (other: FoundDuplicate): boolean =>
      other.file === file && other.kind === kind && other.program === program;
    if (duplicates.findIndex(isAlike) < at) continue;
    const lists = [...new Set(duplicates.filter(isAlike).map(({ list }) => list))].join(', ');
    const place = `${displayPath(file, request.target)} (${lists})`;
    if (first.replaced)
      showDone(`${program}: its entries in ${place} were replaced; uninstall restores them`, out);
    else showWarning(duplicateText(first, place, request), out);
  }
}

function duplicateText(
  { kind, program, command, scope }: FoundDuplicate,
  place: string,
  request: RemovalRequest,
) {
  const flag = scope === 'project' ? '' : ` --${scope}`;
  const replace = `'holdpoint install${flag} --replace' replaces it`;
  if (kind === 'older')
    return `${place} also runs ${program}, which does the same work, so events are counted twice: ${command}\n  ${replace}, and uninstall restores it.`;
  const effect = scope === request.scope ? 'no other line was added there' : 'the hook starts twice';
  return `${place} calls Holdpoint by a line that install did not write, so ${effect}: ${command}\n  ${replace}.`;
}

export function showPurged(doomed: readonly Remains[], dryRun: boolean, { out }: Context): void {
  for (const { path, what } of doomed)
    showDone(`${path}: ${what} (${dryRun ? 'would be removed' : 'removed'})`, out);
}

/** Lists what is left, and how to remove it. */
export function showRemains(remains: readonly Remains[], { out }: Context): void {
  if (remains.length === 0) return;
  out.line();
  out.line('Still here:');
  for (const line of table(remains.map(({ path, what }) => [`  ${path}`, what]))) out.line(line);
  const user = remains.some(({ of }) => of === 'user');
  const project = remains.some(({ of }) => of === 'project');
  if (project) out.line("'holdpoint uninstall --purge' removes what belongs to this project.");
  if (user) out.line("'holdpoint uninstall --purge --user' also removes what all projects share.");
}

/** Warns about lines that start Holdpoint but are not in the install records, so are not removed. */
export function showLeft({ duplicates }: Plan, { target }: RemovalRequest, { out }: Context): void {
  for (const { kind, program, file, list, command } of duplicates) {
    const place = `${displayPath(file, target)} (${list})`;
    if (kind === 'by-hand')
      showWarning(`${place} still calls Holdpoint, by a line that install did not write: ${command}`, out);
    // `agent-gauntlet` is also the name of one of our programs, so this line may still call us.
    if (program === 'agent-gauntlet') {
      const what = 'still runs the gates at the end of a turn, by a line that install did not write';
      showWarning(`${place} ${what}: ${command}`, out);
    }
  }
}

export function showDone(text: string, out: Context['out']): void {
  out.line(`${out.style('green', '✓')} ${text}`);
}

export function showWarning(text: string, out: Context['out']): void {
  out.line(`${out.style('yellow', '!')} ${text}`);
}

function startNames({ startFiles }: Plan, target: InstallTarget): string {
  return startFiles.map(({ file }) => displayPath(file, target)).join(', ');
}

function coloured(line: string, out: Context['out']): string {
  if (line.startsWith('+++') || line.startsWith('---')) return out.style('bold', line);
  if (line.startsWith('+')) return out.style('green', line);
  if (line.startsWith('-')) return out.style('red', line);
  return out.style(line.startsWith('@@') ? 'cyan' : 'dim', line);
}
