import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { attempt, readText } from '../../core/failure';
import { objectIn } from '../../core/json';
import { findGit } from '../../git/head';
import type { InstallTarget } from '../../hosts/setup';
import { SETUPS } from '../../hosts/setup-table';
import type { Change } from '../../state/documents';
import { REGISTRY } from '../../state/sessions';
import { updateDocuments } from '../../state/update';
import { OWN_LINES } from '../init/gitignore';
import { layoutOfHome, readRegistry } from '../req/find-session';
import { plural } from '../ui/output';
import { installedState, isOurs } from './installed-state';
import { homeRecordsFile, projectRecordsFile, type RecordsPlace, readRecords } from './records';

/** Something of ours that remains after the hooks are removed. */
export interface Remains {
  /** Relative to the project, or with `~`. */
  readonly path: string;
  readonly what: string;
  /** `user`: shared by all projects. */
  readonly of: 'project' | 'user';
  remove(): void;
}

const CONFIGS = ['.holdpoint/config.yaml', '.claude/requirements.yaml', '.gauntlet', '.isdlc'];

/** Everything of ours that exists now, apart from entries in settings files. */
export function findRemains({ target, commonDir }: RecordsPlace): readonly Remains[] {
  const { project, home } = target;
  const shared = file(target, join(home, '.config/holdpoint'), 'launcher, caches, your config', 'user');
  if (commonDir === undefined)
    return [
      ...file(target, join(project, '.holdpoint'), 'config, state and log'),
      ...registered(target),
      ...shared,
    ];
  const others = otherWorktrees(target, commonDir).length > 0;
  const state = join(commonDir, 'holdpoint');
  // Other work trees still need the installation records.
  const own = others
    ? (attempt(() => readdirSync(state)) ?? []).filter((name) => name !== 'installed.json')
    : [];
  return [
    ...(others
      ? own.flatMap((name) => file(target, join(state, name), 'state and log'))
      : file(target, state, 'state and log')),
    ...file(target, join(commonDir, 'requirements'), 'what was satisfied'),
    ...file(target, join(project, '.holdpoint'), 'config, schema, logs of checks'),
    // Part of the directory above, but named: a person has written or recorded them, perhaps without committing.
    ...filesIn(join(project, '.holdpoint/rules')).flatMap((path) => file(target, path, 'your own rules')),
    ...filesIn(join(project, '.holdpoint/recordings')).flatMap((path) => file(target, path, 'a recording')),
    ...backupsIn(target).flatMap((path) => file(target, path, 'settings as they were before install')),
    ...ignoredLines(target),
    ...registered(target),
    ...shared,
  ];
}

function file(target: InstallTarget, path: string, what: string, of: Remains['of'] = 'project'): Remains[] {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  return existsSync(path) ? [{ path: displayPath(path, target), what, of, remove }] : [];
}

/** Relative to the project, or to the home with `~`. */
export function displayPath(path: string, { project, home }: InstallTarget): string {
  if (path.startsWith(`${project}/`)) return relative(project, path);
  return path.startsWith(`${home}/`) ? `~/${relative(home, path)}` : path;
}

function filesIn(directory: string): string[] {
  return (attempt(() => readdirSync(directory)) ?? []).sort().map((name) => join(directory, name));
}

function backupsIn(target: InstallTarget): readonly string[] {
  const files = SETUPS.flatMap((setup) =>
    setup.scopes.filter((scope) => scope !== 'user').map((scope) => setup.installSpec(scope, target).file),
  );
  return [...new Set(files)].flatMap((path) =>
    (attempt(() => readdirSync(dirname(path))) ?? [])
      .filter((name) => name.startsWith(basename(path)) && name.endsWith('.holdpoint-backup'))
      .map((name) => join(dirname(path), name)),
  );
}

function ignoredLines({ project }: InstallTarget): Remains[] {
  const path = join(project, '.gitignore');
  const lines = readText(path)?.split(/(?<=\n)/) ?? [];
  const rest = lines.filter((line) => !OWN_LINES.includes(line.trim()));
  const count = lines.length - rest.length;
  if (count === 0) return [];
  const remove = (): void => (rest.length === 0 ? rmSync(path) : writeFileSync(path, rest.join('')));
  return [{ path: '.gitignore', what: plural(count, 'line'), of: 'project', remove }];
}

/** The registry is shared with other programs, so only this project's entries are removed. */
function registered({ project, home }: InstallTarget): Remains[] {
  const layout = layoutOfHome(home);
  const here = readRegistry(layout, Date.now()).sessions.filter(({ projectDir }) => projectDir === project);
  if (here.length === 0) return [];
  const gone = new Set(here.map(({ id }) => id));
  const remove = (): void => {
    const apply: Change['apply'] = (current) => {
      const sessions = Object.entries(objectIn(current, 'sessions')).filter(([key]) => !gone.has(key));
      return { ...objectIn({ current }, 'current'), sessions: Object.fromEntries(sessions) };
    };
    const what = 'removed the sessions of a project';
    updateDocuments(layout, [{ document: REGISTRY, what, apply }], 10_000);
  };
  const what = `${plural(here.length, 'session')} of this project`;
  return [{ path: '~/.claude/sessions.json', what, of: 'project', remove }];
}

/** Other work trees of this repository with their own installation. */
export function otherWorktrees({ project }: InstallTarget, commonDir: string): readonly string[] {
  const roots = readRecords(projectRecordsFile(commonDir)).files.flatMap(({ root }) => root ?? []);
  return [...new Set(roots)].filter((root) => root !== project && existsSync(join(root, '.git')));
}

/** Other known projects on this machine: those with an installation or with sessions. */
function otherProjects({ project, home }: InstallTarget): readonly string[] {
  const installed = readRecords(homeRecordsFile(home)).projects.flatMap((commonDir) =>
    readRecords(projectRecordsFile(commonDir)).files.flatMap(({ root }) => root ?? []),
  );
  const seen = readRegistry(layoutOfHome(home), Date.now()).sessions.map(({ projectDir }) => projectDir);
  return [...new Set([...installed, ...seen])].filter((root) => root !== project && existsSync(root)).sort();
}

function hasOwnHooks(root: string, target: InstallTarget): boolean {
  const commonDir = findGit(root)?.commonDir;
  const files = attempt(() => installedState({ ...target, project: root }, commonDir)) ?? [];
  return files.some((one) => one.scope !== 'user' && isOurs(one));
}

/** Other projects whose own settings start the hook, and so need the launcher in the home. */
export function projectsWithHooks(target: InstallTarget): readonly string[] {
  return otherProjects(target).filter((root) => hasOwnHooks(root, target));
}

/** Other projects that have rules but depend on the hooks in the user's settings. */
export function projectsWithoutHooks(target: InstallTarget): readonly string[] {
  const isConfigured = (root: string): boolean => CONFIGS.some((path) => existsSync(join(root, path)));
  return otherProjects(target).filter((root) => isConfigured(root) && !hasOwnHooks(root, target));
}
