import { lstatSync, statSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { formatDiagnostic } from '../../config/diagnostics';
import { namesIn } from '../../config/files';
import { attempt } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../core/json';
import { sessionKeys } from '../../core/text';
import { WITHOUT_BRANCH } from '../../git/head';
import type { AskGit } from '../../git/run-git';
import { withoutOldSessions } from '../../guards/requirements/state';
import { branchFile, PROJECT_FILE, presentValue } from '../../guards/requirements/view';
import {
  type Change,
  type Document,
  type DocumentRef,
  type Layout,
  readDocument,
} from '../../state/documents';
import { removeLeftovers } from '../../state/files';
import { metricsFile, pauseFile } from '../../state/sessions';
import { type Context, type ExitCode, Refusal, report } from '../context';
import { type ProjectContext, requirementsIn, requireProject } from '../project';
import { plural, styled } from '../ui/output';
import { applyOrRefuse, journalCommand, type ReqOptions, underLock } from './context';
import { readRegistry } from './find-session';

/** A JSON file in the requirements' state directory, which other programs use too. */
type StateFile = { readonly ref: DocumentRef } & (
  | { readonly kind: 'branch'; readonly branch: string | undefined; readonly state: JsonObject }
  | { readonly kind: 'project'; readonly state: JsonObject }
  | { readonly kind: 'foreign' }
  | Extract<Document, { kind: 'unreadable' }>
);

function stateDirectory(layout: Layout): string {
  return join(layout.git, 'requirements');
}

function directoriesOf(layout: Layout): string[] {
  return [stateDirectory(layout), layout.own].flatMap((dir) => [dir, join(dir, 'sessions')]);
}

/** Sorted by name. */
export function readStateFiles(layout: Layout): StateFile[] {
  return namesIn(stateDirectory(layout))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readStateFile(layout, { ...PROJECT_FILE, path: `requirements/${name}` }));
}

function readStateFile(layout: Layout, ref: DocumentRef): StateFile {
  const document = readDocument(layout, ref);
  if (document.kind === 'unreadable') return { ...document, ref };
  const state = presentValue(document);
  if (document.kind === 'missing' || !isJsonObject(state) || !isJsonObject(state['requirements']))
    return { kind: 'foreign', ref };
  if (ref.path === PROJECT_FILE.path) return { kind: 'project', ref, state };
  const branch = typeof state['branch'] === 'string' ? state['branch'] : undefined;
  return { kind: 'branch', ref, state, branch };
}

function refuseObstacle(dir: string): void {
  const stats = attempt(() => statSync(dir));
  if (stats !== undefined && !stats.isDirectory())
    throw new Refusal(`${dir} is a file where a directory is expected. Move it away; nothing was removed.`);
}

/**
 * All branches: those with commits, and those checked out in a work tree before their first commit. `undefined` if
 * git fails: then no branch may be taken for deleted.
 */
export function existingBranches(root: string, askGit: AskGit): ReadonlySet<string> | undefined {
  const withCommits = askGit(root, ['for-each-ref', '--format=%(refname)', 'refs/heads']);
  const checkedOut = askGit(root, ['worktree', 'list', '--porcelain']);
  if (withCommits === undefined || checkedOut === undefined) return undefined;
  const refs = `${withCommits}\n${checkedOut}`.split('\n').map((line) => line.replace(/^branch /, ''));
  const heads = refs.filter((ref) => ref.startsWith('refs/heads/'));
  return new Set(heads.map((ref) => ref.slice('refs/heads/'.length).trimEnd()));
}

function recordedIn(state: JsonObject | undefined): number {
  return Object.keys(objectIn(state, 'requirements')).length;
}

export function list(context: Context, { enabledOnly }: ReqOptions): ExitCode {
  const call = requireProject(context, 1);
  if (enabledOnly) return listEnabled(call);
  const files = readStateFiles(call.layout);
  const branches = files.flatMap((file) => {
    if (file.kind !== 'branch') return [];
    const requirements = recordedIn(file.state);
    // A file without a branch is listed by its own name.
    const branch = file.branch ?? basename(file.ref.path, '.json');
    return [{ branch, requirements, file: file.ref.path }];
  });
  const permanent = recordedIn(files.find((file) => file.kind === 'project')?.state);
  const unreadable = files.flatMap((file) => (file.kind === 'unreadable' ? [file.file] : []));
  const lines = [
    styled('bold', `Tracked Branches (${branches.length})`),
    ...branches.map((one) => `  ${styled('cyan', one.branch)}: ${one.requirements} requirement(s)`),
    ...(permanent > 0 ? [`  ${styled('dim', 'For all branches')}: ${permanent} requirement(s)`] : []),
  ];
  const problems = unreadable.map((file) => `${file} cannot be read; nothing in it counts.`);
  return report(context, { branches, permanent, unreadable }, lines, problems);
}

/** The requirements that are on, where `req list` alone counts what is recorded about them. */
function listEnabled(call: ProjectContext): ExitCode {
  const requirements = requirementsIn(call).map(({ name, scope, type }) => ({ name, scope, type }));
  const lines = requirements.map(({ name, scope }) => `  ${styled('cyan', name)} (${scope} scope)`);
  const { diagnostics } = call.chunks.part('compile-config').compileConfig(call.root, call.home);
  const problems = diagnostics.map(formatDiagnostic);
  const title = `Enabled Requirements (${lines.length})`;
  return report(call, { requirements, problems }, [title, ...lines], problems);
}

/** `req prune`: removes the state of deleted branches and of sessions that ended long ago. */
export function pruneState(context: Context, { dryRun }: ReqOptions): ExitCode {
  const call = requireProject(context, 1);
  for (const dir of directoriesOf(call.layout)) refuseObstacle(dir);
  const now = Date.now();
  const { gone, old, leftovers } = dryRun ? { ...prunable(call, now), leftovers: [] } : prune(call, now);
  const value = {
    dry_run: dryRun,
    removed: gone.map(({ branch, ref }) => ({ branch, file: ref.path })),
    sessions: old.map(({ document }) => document.path),
    leftovers,
  };
  const did = dryRun ? 'Would remove' : 'Removed';
  const killed = `${did} ${plural(leftovers.length, 'temporary file')} of killed processes`;
  return report(context, value, [
    `${did} ${gone.length} state file(s) for deleted branches`,
    ...gone.map(({ branch, ref }) => `  ${styled('cyan', branch)}  ${styled('dim', ref.path)}`),
    ...(old.length > 0 ? [`${did} ${plural(old.length, 'file')} of old sessions`] : []),
    ...(leftovers.length > 0 ? [killed] : []),
  ]);
}

function prunable({ root, layout, git, chunks }: ProjectContext, now: number) {
  // Read before asking git, so that a branch created meanwhile has no file here.
  const files = readStateFiles(layout);
  const existing = git === undefined ? 'unknown' : existingBranches(root, chunks.askGit);
  if (existing === undefined) throw new Refusal('git could not list the branches; nothing was removed.');
  const gone = existing === 'unknown' ? [] : goneFiles(files, existing, registeredKeys(layout, 'live'));
  return { files, gone, old: oldSessionFiles(layout, now) };
}

type Gone = { readonly ref: DocumentRef; readonly branch: string };

/**
 * Files of deleted branches. A file without a branch is kept, and one that a live session uses: what it triggered or
 * satisfied there still counts in that session.
 */
function goneFiles(
  files: readonly StateFile[],
  existing: ReadonlySet<string>,
  live: ReadonlySet<string>,
): Gone[] {
  return files.flatMap((file) => {
    if (file.kind !== 'branch' || file.branch === undefined) return [];
    const { ref, branch, state } = file;
    const isThere = existing.has(branch) || Object.hasOwn(WITHOUT_BRANCH, branch);
    return isThere || sessionsIn(state).some((key) => live.has(key)) ? [] : [{ ref, branch }];
  });
}

function sessionsIn(state: JsonObject): string[] {
  return Object.values(objectIn(state, 'requirements')).flatMap((entry = null) =>
    ['sessions', 'triggered_sessions'].flatMap((name) => Object.keys(objectIn(entry, name))),
  );
}

function prune(call: ProjectContext, now: number) {
  const { layout } = call;
  return underLock(layout, 'Not everything was pruned', (lock) => {
    const { files, gone, old } = prunable(call, now);
    const keys = registeredKeys(layout, 'all');
    const changes = [...pruneChanges(files, gone, keys, Math.floor(now / 1000)), ...old];
    const changed = applyOrRefuse(layout, lock, 'Not everything was pruned', changes);
    const leftovers = directoriesOf(layout).flatMap((dir) => removeLeftovers(dir, now));
    const written = [...changed, ...leftovers];
    const about = gone.map(({ branch }) => branch).join(' ');
    if (written.length > 0) journalCommand(call, 'req prune', written, { about });
    return { gone, old, leftovers };
  });
}

/** All keys that a registered session, or only a live one, may have. */
function registeredKeys(layout: Layout, which: 'all' | 'live'): ReadonlySet<string> {
  const known = readRegistry(layout, Date.now()).sessions.filter(({ alive }) => alive || which === 'all');
  return new Set(known.flatMap((one) => sessionKeys(one.sessionId)));
}

/**
 * Removes the files of deleted branches and drops old sessions. If a removed file had the name that another branch
 * would have used, that branch's state moves there, since it is looked up under that name from now on.
 */
function pruneChanges(
  files: readonly StateFile[],
  gone: readonly Gone[],
  living: ReadonlySet<string>,
  nowSeconds: number,
): Change[] {
  const staying = files.filter(({ ref }) => !gone.some((one) => one.ref.path === ref.path));
  const clean = (state: Json | undefined): Json | undefined =>
    withoutOldSessions(state, (key) => living.has(key), nowSeconds);
  const moves = gone.flatMap(({ ref: to }) => {
    const from = staying.find((one) => one.kind === 'branch' && plainFile(one.branch)?.path === to.path);
    return from?.kind === 'branch' ? [{ from, to }] : [];
  });
  return [
    ...gone.map(({ ref, branch }): Change => {
      const move = moves.find(({ to }) => to === ref);
      if (move === undefined) return setTo(ref, `pruned ${branch}`, undefined);
      return setTo(ref, `moved here from ${move.from.ref.path}`, clean(move.from.state));
    }),
    ...staying.flatMap((file): Change[] => {
      const move = moves.find(({ from }) => from === file);
      if (move !== undefined) return [setTo(file.ref, `moved to ${move.to.path}`, undefined)];
      return 'state' in file ? [{ document: file.ref, what: 'dropped old sessions', apply: clean }] : [];
    }),
  ];
}

/** The file that a branch uses if no other branch has it. */
function plainFile(branch: string | undefined): DocumentRef | undefined {
  return branch === undefined ? undefined : branchFile(branch, () => undefined);
}

function setTo(document: DocumentRef, what: string, value: Json | undefined): Change {
  return { document, what, apply: () => value };
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Removes the metrics and pauses of sessions that were inactive for 30 days. */
function oldSessionFiles(layout: Layout, now: number): Change[] {
  const dir = join(stateDirectory(layout), 'sessions');
  const known = registeredKeys(layout, 'all');
  return namesIn(dir).flatMap((file) => {
    const { name, ext } = parse(file);
    const refOf = ext === '.json' ? metricsFile : ext === '.paused' ? pauseFile : undefined;
    const stats = lstatSync(join(dir, file), { throwIfNoEntry: false });
    const isOld = stats?.isFile() === true && now - stats.mtimeMs >= KEPT_MS;
    if (refOf === undefined || known.has(name) || !isOld) return [];
    return [setTo(refOf(name), `pruned session ${name}`, undefined)];
  });
}
