import { relative } from 'node:path';
import { structuredPatch } from 'diff';
import { setupOf } from '../../hosts/setup-table';
import type { Context } from '../context';
import type { FileChange, FoundRival, Plan, RemovalRequest } from './plan';

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
    rivals: plan.rivals,
  };
}

/** A change as a unified diff, with `/dev/null` for a file that is not there. Line ends are not shown. */
export function diffText({ file, before, after }: FileChange): string {
  const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 3 });
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

/** Shows the changes as a diff. Of what is all ours below the home, the names. */
export function showDiff(plan: Plan, request: RemovalRequest, { out }: Context): void {
  for (const change of plan.changes) {
    for (const line of diffText(change).split('\n')) out.line(coloured(line, out));
  }
  const names = startNames(plan, request);
  if (names !== '') out.line(`What starts the hook would be written as well: ${names}`);
}

export function showInstalled(plan: Plan, request: RemovalRequest, { out }: Context): void {
  for (const { host, file, before, record } of plan.changes) {
    const what = before === undefined ? 'written' : 'our entries written, every other byte as it was';
    showDone(`${titleOf(host)}: ${shownAs(file, request)} (${what})`, out);
    if (before !== undefined && record?.backup !== undefined)
      out.line(`  as it was before: ${shownAs(record.backup, request)}`);
  }
  const names = startNames(plan, request);
  if (names !== '') showDone(`What starts the hook: ${names} (written)`, out);
}

export function showRemoved(plan: Plan, request: RemovalRequest, { out }: Context): void {
  for (const { host, file, after, keptBackup } of plan.changes) {
    const what = after === undefined ? 'removed' : 'our entries taken out, every other byte as it was';
    showDone(`${titleOf(host)}: ${shownAs(file, request)} (${what})`, out);
    if (keptBackup !== undefined) {
      const why = 'it differs from the copy of before the installation, which stays';
      out.line(`  ${why}: ${shownAs(keptBackup, request)}`);
    }
  }
  for (const { file, keptBackup } of plan.unchanged) {
    if (keptBackup === undefined) continue;
    const backup = shownAs(keptBackup, request);
    out.line(
      `${shownAs(file, request)} has nothing of ours any more; as it was before the installation: ${backup}`,
    );
  }
}

/** Names what does the same work beside ours, each program once a file. */
export function showRivals({ rivals }: Plan, request: RemovalRequest, { out }: Context): void {
  for (const [at, first] of rivals.entries()) {
    const { file, kind, program } = first;
    const isAlike = (other: FoundRival): boolean =>
      other.file === file && other.kind === kind && other.program === program;
    if (rivals.findIndex(isAlike) < at) continue;
    const lists = [...new Set(rivals.filter(isAlike).map(({ list }) => list))].join(', ');
    const place = `${shownAs(file, request)} (${lists})`;
    if (first.replaced)
      showDone(`${program}: its entries in ${place} made room for ours; uninstall gives them back`, out);
    else showWarning(rivalBeside(first, place, request), out);
  }
}

function rivalBeside({ kind, program, command, scope }: FoundRival, place: string, request: RemovalRequest) {
  const flag = scope === 'project' ? '' : ` --${scope}`;
  const replace = `'holdpoint install${flag} --replace' puts ours in its place`;
  if (kind === 'older')
    return `${place} also runs ${program}, which does the same work; what both see counts twice: ${command}\n  ${replace}, and uninstall gives it back.`;
  const effect = scope === request.scope ? 'ours was not added there' : 'the hook starts twice';
  return `${place} calls Holdpoint by a line that install did not write, so ${effect}: ${command}\n  ${replace}.`;
}

/** Names lines that start us and that nobody has noted: they are not ours to remove. */
export function showLeft({ rivals }: Plan, request: RemovalRequest, { out }: Context): void {
  for (const { kind, program, file, list, command } of rivals) {
    const place = `${shownAs(file, request)} (${list})`;
    if (kind === 'by-hand')
      showWarning(`${place} still calls Holdpoint, by a line that install did not write: ${command}`, out);
    // A command of ours has the name of the older program.
    if (program === 'agent-gauntlet') {
      const what = 'still asks the gates at the end of a turn, by a line that nobody has noted as ours';
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

function startNames({ startFiles }: Plan, request: RemovalRequest): string {
  return startFiles.map(({ file }) => shownAs(file, request)).join(', ');
}

function titleOf(host: FileChange['host']): string {
  return setupOf(host)?.title ?? host;
}

/** Relative to the project or to the home, as people write it. */
function shownAs(file: string, { ground }: RemovalRequest): string {
  if (file.startsWith(`${ground.project}/`)) return relative(ground.project, file);
  return file.startsWith(`${ground.home}/`) ? `~/${relative(ground.home, file)}` : file;
}

function coloured(line: string, out: Context['out']): string {
  if (line.startsWith('+++') || line.startsWith('---')) return out.style('bold', line);
  if (line.startsWith('+')) return out.style('green', line);
  if (line.startsWith('-')) return out.style('red', line);
  return out.style(line.startsWith('@@') ? 'cyan' : 'dim', line);
}
