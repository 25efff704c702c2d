import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import type { InstallTarget } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { styled, table } from '../ui/output';
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
      backup: record?.backup,
    })),
    start_files: plan.startFiles.map(({ file, action }) => ({ file, action })),
    unchanged: plan.unchanged.map(({ host, file, keptBackup }) => ({ host, file, keptBackup })),
    rivals: plan.duplicates,
  };
}

type TextChange = Pick<FileChange, 'file' | 'before' | 'after'>;

/** A unified diff, with `/dev/null` for a missing file. Changes of line ends are not shown. */
export function diffText({ file, before, after }: TextChange): string {
  const patch = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 3 });
  const hunks = formatPatch(patch, OMIT_HEADERS).replaceAll('\r\n', '\n');
  const names = [before, after].map((text) => (text === undefined ? '/dev/null' : file));
  return `--- ${names[0]}\n+++ ${names[1]}\n${hunks}`.replace(/\n+$/, '');
}

/** A diff of the settings; of launcher files only the names. */
export function diffLines(plan: Plan, { target }: RemovalRequest): string[] {
  const names = startNames(plan, target);
  const also = names === '' ? [] : [`Also written, to start the hooks: ${names}`];
  return [...plan.changes.flatMap(colouredDiff), ...also];
}

export function installedLines(plan: Plan, { target }: RemovalRequest): string[] {
  const names = startNames(plan, target);
  return [
    ...plan.changes.flatMap(({ host, file, before, record, duplicates }) => {
      const others = duplicates.some(({ replaced }) => replaced) ? '' : ', nothing else changed';
      const what = before === undefined ? 'written' : `entries added${others}`;
      const line = doneLine(`${setupOf(host).title}: ${displayPath(file, target)} (${what})`);
      if (before === undefined || record?.backup === undefined) return [line];
      return [line, `  backup: ${displayPath(record.backup, target)}`];
    }),
    ...(names === '' ? [] : [doneLine(`Launcher: ${names} (written)`)]),
  ];
}

export function removedLines(plan: Plan, { target }: RemovalRequest): string[] {
  return [
    ...plan.changes.flatMap(({ host, file, after, keptBackup }) => {
      const what = after === undefined ? 'removed' : 'entries removed, nothing else changed';
      const line = doneLine(`${setupOf(host).title}: ${displayPath(file, target)} (${what})`);
      if (keptBackup === undefined) return [line];
      const why = 'it differs from the backup made at install, which is kept';
      return [line, `  ${why}: ${displayPath(keptBackup, target)}`];
    }),
    ...plan.unchanged.flatMap(({ file, keptBackup }) => {
      if (keptBackup === undefined) return [];
      const backup = displayPath(keptBackup, target);
      return [`${displayPath(file, target)} has no entries to remove; backup made at install: ${backup}`];
    }),
  ];
}

/** The duplicates, each program once per file. */
export function duplicateLines({ duplicates }: Plan, request: RemovalRequest): string[] {
  return duplicates.flatMap((first, at) => {
    const { file, kind, program } = first;
    const isAlike = (other: FoundDuplicate): boolean =>
      other.file === file && other.kind === kind && other.program === program;
    if (duplicates.findIndex(isAlike) < at) return [];
    const lists = [...new Set(duplicates.filter(isAlike).map(({ list }) => list))].join(', ');
    const place = `${displayPath(file, request.target)} (${lists})`;
    return first.replaced
      ? doneLine(`${program}: its entries in ${place} were replaced; uninstall restores them`)
      : warningLine(duplicateText(first, place, request));
  });
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

/** What is left, and how to remove it. */
export function remainsLines(remains: readonly Remains[]): string[] {
  if (remains.length === 0) return [];
  const has = (of: Remains['of']): boolean => remains.some((one) => one.of === of);
  return [
    '',
    'Still here:',
    ...table(remains.map(({ path, what }) => [`  ${path}`, what])),
    ...(has('project') ? ["'holdpoint uninstall --purge' removes what belongs to this project."] : []),
    ...(has('user') ? ["'holdpoint uninstall --purge --user' also removes what all projects share."] : []),
  ];
}

/** Warnings about lines that start Holdpoint but are not in the install records, so are not removed. */
export function leftLines({ duplicates }: Plan, { target }: RemovalRequest): string[] {
  return duplicates.flatMap(({ kind, program, file, list, command }) => {
    const place = `${displayPath(file, target)} (${list})`;
    const by = `by a line that install did not write: ${command}`;
    return [
      ...(kind === 'by-hand' ? [warningLine(`${place} still calls Holdpoint, ${by}`)] : []),
      // `agent-gauntlet` is also the name of one of our programs, so this line may still call us.
      ...(program === 'agent-gauntlet'
        ? [warningLine(`${place} still runs the gates at the end of a turn, ${by}`)]
        : []),
    ];
  });
}

export function doneLine(text: string): string {
  return `${styled('green', '✓')} ${text}`;
}

export function warningLine(text: string): string {
  return `${styled('yellow', '!')} ${text}`;
}

function startNames({ startFiles }: Plan, target: InstallTarget): string {
  return startFiles.map(({ file }) => displayPath(file, target)).join(', ');
}

export function colouredDiff(change: TextChange): string[] {
  return diffText(change)
    .split('\n')
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---')) return styled('bold', line);
      if (line.startsWith('+')) return styled('green', line);
      if (line.startsWith('-')) return styled('red', line);
      return styled(line.startsWith('@@') ? 'cyan' : 'dim', line);
    });
}
