import { relative } from 'node:path';
import { setupOf } from '../../hosts/setup-table';
import type { Context } from '../verb';
import { diffText } from './diff-text';
import * as say from './messages';
import type { FileChange, FoundRival, Plan } from './plan';
import type { RemovalRequest } from './request';

/** What `--json` prints of a plan. */
export function planJson(plan: Plan, { scope, hosts }: RemovalRequest, dryRun: boolean): object {
  return {
    scope,
    hosts,
    dry_run: dryRun,
    changes: plan.changes.map((change) => ({
      host: change.host,
      file: change.file,
      action: actionOf(change),
      ...(change.record?.backup !== undefined && { backup: change.record.backup }),
    })),
    start_files: plan.startFiles,
    unchanged: plan.unchanged,
    rivals: plan.rivals,
  };
}

/** Shows the changes as a diff. Of what is all ours below the home, the names. */
export function showDiff(plan: Plan, request: RemovalRequest, { out }: Context): void {
  for (const change of plan.changes) {
    for (const line of diffText(change).split('\n')) out.line(coloured(line, out));
  }
  const names = startNames(plan, request);
  if (names !== '') out.line(say.startToCome(names));
}

/** Tells what was written, file by file. */
export function showInstalled(plan: Plan, request: RemovalRequest, { out }: Context): void {
  for (const change of plan.changes) {
    const text = say.installed(titleOf(change), shownAs(change.file, request), change.before === undefined);
    out.line(`${out.style('green', '✓')} ${text}`);
    const backup = change.before === undefined ? undefined : change.record?.backup;
    if (backup !== undefined) out.line(`  ${say.backedUp(shownAs(backup, request))}`);
  }
  const names = startNames(plan, request);
  if (names !== '') out.line(`${out.style('green', '✓')} ${say.startWritten(names)}`);
}

/** Tells what was given back, file by file. */
export function showRemoved(plan: Plan, request: RemovalRequest, { out }: Context): void {
  for (const change of plan.changes) {
    const text = say.uninstalled(titleOf(change), shownAs(change.file, request), change.after === undefined);
    out.line(`${out.style('green', '✓')} ${text}`);
    const { keptBackup } = change;
    if (keptBackup !== undefined) out.line(`  ${say.backupStays(shownAs(keptBackup, request))}`);
  }
  for (const { file, keptBackup } of plan.unchanged) {
    if (keptBackup !== undefined)
      out.line(say.goneAlready(shownAs(file, request), shownAs(keptBackup, request)));
  }
}

/** Names what does the same work beside ours, each program once a file. */
export function showRivals({ rivals }: Plan, request: RemovalRequest, { out }: Context): void {
  for (const group of grouped(rivals)) {
    const [first] = group;
    const lists = [...new Set(group.map(({ list }) => list))].join(', ');
    const place = `${shownAs(first.file, request)} (${lists})`;
    const text = first.replaced
      ? say.replacedRival(first, place)
      : say.rivalBeside(first, place, first.scope === request.scope);
    out.line(`${first.replaced ? out.style('green', '✓') : out.style('yellow', '!')} ${text}`);
  }
}

/** Names lines that start us and that nobody has noted: they are not ours to remove. */
export function showLeft({ rivals }: Plan, request: RemovalRequest, { out }: Context): void {
  for (const { kind, program, file, list, command } of rivals) {
    const place = `${shownAs(file, request)} (${list})`;
    if (kind === 'by-hand') out.line(`${out.style('yellow', '!')} ${say.leftByHand(place, command)}`);
    if (program === 'agent-gauntlet')
      out.line(`${out.style('yellow', '!')} ${say.leftToGates(place, command)}`);
  }
}

type Group = readonly [FoundRival, ...FoundRival[]];

function grouped(rivals: readonly FoundRival[]): readonly Group[] {
  const groups = new Map<string, [FoundRival, ...FoundRival[]]>();
  for (const rival of rivals) {
    const key = `${rival.file}\0${rival.kind}\0${rival.program}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [rival]);
    else group.push(rival);
  }
  return [...groups.values()];
}

function startNames({ startFiles }: Plan, request: RemovalRequest): string {
  return startFiles.map(({ file }) => shownAs(file, request)).join(', ');
}

function titleOf({ host }: FileChange): string {
  return setupOf(host)?.title ?? host;
}

/** Relative to the project or to the home, as people write it. */
function shownAs(file: string, { ground }: RemovalRequest): string {
  if (file.startsWith(`${ground.project}/`)) return relative(ground.project, file);
  return file.startsWith(`${ground.home}/`) ? `~/${relative(ground.home, file)}` : file;
}

function actionOf({ before, after }: FileChange): 'created' | 'changed' | 'removed' {
  if (before === undefined) return 'created';
  return after === undefined ? 'removed' : 'changed';
}

function coloured(line: string, out: Context['out']): string {
  if (line.startsWith('+++') || line.startsWith('---')) return out.style('bold', line);
  if (line.startsWith('+')) return out.style('green', line);
  if (line.startsWith('-')) return out.style('red', line);
  return out.style(line.startsWith('@@') ? 'cyan' : 'dim', line);
}
