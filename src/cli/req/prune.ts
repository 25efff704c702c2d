import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Change } from '../../core/document';
import { sentenceOf } from '../../core/messages';
import type { Layout } from '../../state/layout';
import { removeLeftovers } from '../../state/write-file';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { livingBranches } from './living-branches';
import { noteOverride } from './note-override';
import { withoutOldFiles } from './old-session-files';
import { type Gone, goneFiles, pruneChanges } from './prune-plan';
import { refuse } from './refuse';
import { readRegistry } from './registry';
import { readStateFiles, type StateFile, stateDirectory } from './state-files';
import { changeState } from './under-lock';

interface Options {
  readonly json: boolean;
}

export const verb: Verb = {
  usage: 'req prune [--dry-run] [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'dry-run': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    // Read before git is asked: a branch that is made meanwhile has no file among these.
    const files = readStateFiles(project.layout);
    const gone = goneIn(files, project, context);
    if (gone === undefined)
      return refuse(context, 'git did not say which branches there are; nothing was removed.', 1);
    if (!values['dry-run']) return prune(files, gone, project, values, context);
    const now = Date.now();
    const old = withoutOldFiles(project.layout, registered(project.layout, now), now);
    show('Would remove', { gone, old, leftovers: [] }, values, context);
    return 0;
  },
};

function goneIn(files: readonly StateFile[], project: OpenProject, { chunks }: Context): Gone[] | undefined {
  if (project.git === undefined) return [];
  const living = livingBranches(project.root, chunks.askGit);
  return living && goneFiles(files, living);
}

function prune(
  seen: readonly StateFile[],
  gone: readonly Gone[],
  { layout }: OpenProject,
  options: Options,
  context: Context,
): ExitCode {
  const now = Date.now();
  const sessions = registered(layout, now);
  let removed: readonly Gone[] = [];
  let old: readonly Change[] = [];
  const done = changeState(layout, () => {
    const files = readStateFiles(layout);
    removed = gone.filter(({ ref }) => isUnchanged(ref.path, seen, files));
    old = withoutOldFiles(layout, sessions, now);
    return [...pruneChanges(files, removed, sessions, Math.floor(now / 1000)), ...old];
  });
  if (!done.ok) return refuse(context, `Not all was pruned: ${sentenceOf(done.failure)}`, 1);
  const leftovers = leftoverPlaces(layout).flatMap((dir) => removeLeftovers(dir, now));
  const written = [...done.value, ...leftovers];
  if (written.length > 0) {
    const about = removed.map(({ branch }) => branch).join(' ');
    noteOverride(layout, { command: 'prune', about, session: '', written });
  }
  show('Removed', { gone: removed, old, leftovers }, options, context);
  return 0;
}

function registered(layout: Layout, now: number): string[] {
  return readRegistry(layout, now).sessions.map(({ id }) => id);
}

/** Whoever has written a file since it was looked at works on that branch, whatever git said. */
function isUnchanged(path: string, seen: readonly StateFile[], now: readonly StateFile[]): boolean {
  return versionOf(path, seen) !== undefined && versionOf(path, seen) === versionOf(path, now);
}

function versionOf(path: string, files: readonly StateFile[]): string | undefined {
  const file = files.find(({ ref }) => ref.path === path);
  return file !== undefined && 'version' in file ? file.version : undefined;
}

function leftoverPlaces(layout: Layout): string[] {
  const state = stateDirectory(layout);
  return [state, join(state, 'sessions'), layout.own, join(layout.own, 'sessions')];
}

interface Pruned {
  readonly gone: readonly Gone[];
  readonly old: readonly Change[];
  readonly leftovers: readonly string[];
}

function show(
  did: 'Removed' | 'Would remove',
  { gone, old, leftovers }: Pruned,
  { json }: Options,
  { out }: Context,
): void {
  if (json) {
    out.json({
      dry_run: did === 'Would remove',
      removed: gone.map(({ branch, ref }) => ({ branch, file: ref.path })),
      sessions: old.map(({ document }) => document.path),
      leftovers: [...leftovers],
    });
    return;
  }
  out.line(`${did} ${gone.length} state file(s) for deleted branches`);
  for (const { branch, ref } of gone)
    out.line(`  ${out.style('cyan', branch)}  ${out.style('dim', ref.path)}`);
  if (old.length > 0) out.line(`${did} ${old.length} file(s) of sessions long over`);
  if (leftovers.length > 0) out.line(`${did} ${leftovers.length} leftover(s) of processes that were killed`);
}
