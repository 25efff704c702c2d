import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { detailOf, errorCode, readText } from '../core/failure';
import { upward } from '../core/text';
import { readSmallFile } from '../state/files';
import type { AskGit } from './run-git';

/** Where HEAD points. During a rebase HEAD is detached, but the branch being rebased is known. */
export type HeadPosition =
  | { readonly kind: 'branch'; readonly branch: string }
  | { readonly kind: 'detached'; readonly commit: string }
  | { readonly kind: 'rebase'; readonly branch: string; readonly commit: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

export interface GitPlace {
  /** The root of the work tree. */
  readonly root: string;
  /** The git directory of this work tree. */
  readonly gitDir: string;
  /** The git directory shared by all work trees. */
  readonly commonDir: string;
  /** The name of a linked work tree; absent in the main one. */
  readonly worktree?: string;
  /** Set if the directories could not be read; then the rest is only a guess. */
  readonly trouble?: HeadPosition;
}

/** A repository and its HEAD, mostly read without running git. */
export interface GitHead extends GitPlace {
  readonly position: HeadPosition;
}

/** Stands for the branch where HEAD is detached. */
export const DETACHED = '_detached';

/** The branch name to keep state under: during a rebase the branch being rebased; a placeholder if there is none. */
export function branchLabel(git: GitHead | undefined): string {
  if (git === undefined) return '_no_git';
  switch (git.position.kind) {
    case 'branch':
    case 'rebase':
      return git.position.branch;
    case 'detached':
      return DETACHED;
    case 'unreadable':
      return '_unreadable';
  }
}

/** Used as branch names where there is none. */
export const WITHOUT_BRANCH: Readonly<Record<string, string>> = {
  [DETACHED]: 'detached HEAD',
  _no_git: 'no git repository',
  _unreadable: 'HEAD cannot be read',
};

/** Such a name for people. */
export function branchText(label: string): string {
  return WITHOUT_BRANCH[label] ?? label;
}

/**
 * The repository at the first `.git` found walking up from a directory. Resolves symlinks first, as git does: the
 * parents of a linked directory are those of its target. A bare repository has no work tree and is not found; a path
 * inside `.git` belongs to the work tree around it.
 */
export function findGit(start: string): GitPlace | undefined {
  if (!isAbsolute(start)) return undefined;
  for (const dir of upward(nearestExisting(start))) {
    const place = placeAt(dir);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The repository of a git directory, such as one in `GIT_DIR`; `undefined` if the directory is not one. */
function placeOfGitDir(dir: string): GitPlace | undefined {
  const isOne = existsSync(`${dir}/HEAD`) && (existsSync(`${dir}/objects`) || existsSync(`${dir}/commondir`));
  return isOne ? withCommonDir(dirname(dir), dir) : undefined;
}

function nearestExisting(start: string): string {
  for (let dir = start; ; dir = dirname(dir)) {
    try {
      return realpathSync.native(dir);
    } catch {
      if (dirname(dir) === dir) return dir;
    }
  }
}

/** Like git, ignores a `.git` that is a device, or a directory without git's files. */
function placeAt(root: string): GitPlace | undefined {
  const file = root === '/' ? '/.git' : `${root}/.git`;
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      const isGit = existsSync(`${file}/HEAD`) || existsSync(`${file}/objects`);
      return isGit ? withCommonDir(root, file) : undefined;
    }
    return stat?.isFile() ? followFile(root, file) : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    return inTrouble(root, file, file, detailOf(error));
  }
}

/** Handles a `.git` file, as in linked work trees and submodules. The path is everything up to the line end. */
function followFile(root: string, file: string): GitPlace {
  const text = withoutLineEnd(readPointer(file));
  const target = text.startsWith('gitdir: ') ? text.slice(8) : '';
  if (target === '') return inTrouble(root, file, file, 'it names no git directory');
  return withCommonDir(root, resolve(root, target));
}

function withCommonDir(root: string, gitDir: string): GitPlace {
  const file = `${gitDir}/commondir`;
  if (!existsSync(file)) return { root, gitDir, commonDir: gitDir };
  try {
    const commonDir = resolve(gitDir, withoutLineEnd(readPointer(file)));
    const linked = basename(dirname(gitDir)) === 'worktrees';
    return { root, gitDir, commonDir, ...(linked && { worktree: basename(gitDir) }) };
  } catch (error) {
    return inTrouble(root, gitDir, file, detailOf(error));
  }
}

/** More than the longest path. */
const LARGEST_POINTER = 64 * 1024;

/** A file with one path. Throws for anything but a regular file: reading a pipe would block for ever. */
function readPointer(file: string): string {
  const stat = statSync(file);
  if (!stat.isFile()) throw new Error('it is not a regular file');
  if (stat.size > LARGEST_POINTER) throw new Error('it is too large');
  return readFileSync(file, 'utf8');
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

function inTrouble(root: string, gitDir: string, file: string, why: string): GitPlace {
  return { root, gitDir, commonDir: gitDir, trouble: { kind: 'unreadable', file, why } };
}

/** Reads where HEAD points. Never throws: errors are reported in `position`. */
export function readHead(place: GitPlace, askGit: AskGit): GitHead {
  return { ...place, position: place.trouble ?? readPosition(place, askGit) };
}

/** The checked-out commit; `undefined` if the branch has no commit yet, or it cannot be read. */
export function readHeadCommit(head: GitHead, askGit: AskGit): string | undefined {
  const { position } = head;
  switch (position.kind) {
    case 'detached':
    case 'rebase':
      return position.commit;
    case 'unreadable':
      return undefined;
    case 'branch': {
      const ref = `refs/heads/${position.branch}`;
      if (!usesReftable(head.commonDir)) return readRef(head.commonDir, ref);
      return askGit(head.root, ['rev-parse', '--verify', '--quiet', ref])?.trim() || undefined;
    }
  }
}

/** HEAD's content in a repository that uses reftable; it makes older versions of git refuse to work on it. */
const REFTABLE_HEAD = 'refs/heads/.invalid';

/** Runs git only if the files do not say. */
function readPosition({ root, gitDir, commonDir }: GitPlace, askGit: AskGit): HeadPosition {
  const file = `${gitDir}/HEAD`;
  try {
    const written = headIn(file);
    const isElsewhere = written === REFTABLE_HEAD || usesReftable(commonDir);
    const target = isElsewhere ? headByGit(root, askGit) : written;
    const branch = branchOf(target);
    if (branch !== undefined) return { kind: 'branch', branch };
    const commit = commitIn(target);
    if (commit === undefined) throw new Error('it names neither a branch nor a commit');
    const rebased = branchBeingRebased(gitDir);
    return rebased === undefined ? { kind: 'detached', commit } : { kind: 'rebase', branch: rebased, commit };
  } catch (error) {
    return { kind: 'unreadable', file, why: detailOf(error) };
  }
}

/** A full ref name or a commit. HEAD as a symlink is its oldest form, and still valid. */
function headIn(file: string): string {
  const stats = lstatSync(file);
  const link = stats.isSymbolicLink() ? readlinkSync(file) : '';
  if (link.startsWith('refs/')) return link.trim();
  const text = readPointer(file);
  return text.startsWith('ref:') ? text.slice(4).trim() : (commitIn(text) ?? '');
}

function headByGit(root: string, askGit: AskGit): string {
  const said =
    askGit(root, ['symbolic-ref', '--quiet', 'HEAD']) ??
    askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (said === undefined) throw new Error('it uses reftable, and git could not read it');
  return said.trim();
}

/** Both rebase backends keep the branch name in a file. A rebase of a detached HEAD has no branch. */
function branchBeingRebased(gitDir: string): string | undefined {
  for (const kind of ['rebase-merge', 'rebase-apply']) {
    const branch = branchOf(readText(join(gitDir, kind, 'head-name'))?.trim() ?? '');
    if (branch !== undefined) return branch;
  }
  return undefined;
}

/** The commit hash at the beginning of a text, if there is one. */
export function commitIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\s|$)/.exec(text)?.[0];
}

/** Git's own rules for ref names; they keep a name from escaping the directory it is looked up in. */
const REF_NAME = /^(?!.*(?:\.\.|\/[./]|@\{|\.lock(?:\/|$)|[/.]$))refs\/[^\0-\x20\x7f~^:?*[\\]+$/;
/** How many symbolic refs git follows. */
const MAX_HOPS = 5;

/** The branch in a full ref name; `undefined` if it is not a branch, or not a valid name. */
function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') && REF_NAME.test(ref) ? ref.slice(11) : undefined;
}

/** Whether refs are stored as a reftable, which only git can read. */
export function usesReftable(commonDir: string): boolean {
  return existsSync(`${commonDir}/reftable`);
}

/** The commit of a shared ref: from its own file, else from `packed-refs`. */
export function readRef(commonDir: string, ref: string): string | undefined {
  let name = ref;
  for (let hop = 0; hop < MAX_HOPS && REF_NAME.test(name); hop++) {
    // A directory in place of the file counts as missing: the ref was packed, then a longer name was created below it.
    const text = readText(`${commonDir}/${name}`);
    if (text === undefined) return packed(commonDir, name);
    if (!text.startsWith('ref:')) return commitIn(text);
    name = text.slice(4).trim();
  }
  return undefined;
}

/** Lines are `COMMIT NAME`; neither comments nor peeled tags end in a ref name. */
function packed(commonDir: string, ref: string): string | undefined {
  const text = `${readText(`${commonDir}/packed-refs`) ?? ''}\n`;
  const at = text.indexOf(` ${ref}\n`);
  return at < 0 ? undefined : commitIn(text.slice(text.lastIndexOf('\n', at) + 1, at));
}

const REMOTE_HEAD = 'refs/remotes/origin/HEAD';

/** The remote's default branch as of the clone or the last update; often unknown. */
export function remoteDefault({ root, commonDir }: GitPlace, askGit: AskGit): string | undefined {
  const target = usesReftable(commonDir)
    ? askGit(root, ['symbolic-ref', '--quiet', REMOTE_HEAD])
    : readSmallFile(`${commonDir}/${REMOTE_HEAD}`, 4096)?.replace(/^ref:/, '');
  return branchOf((target ?? '').trim().replace(/^refs\/remotes\/origin\//, 'refs/heads/'));
}

/** The repository that a directory belongs to. */
export interface RepositoryHere {
  readonly root: string;
  readonly commonDir: string;
  /** `HEAD` if detached; absent if unknown. */
  readonly branch?: string;
  /** The commit of a ref, given its full name. */
  readonly commitOf: (ref: string) => string | undefined;
  /** Runs git in that repository; `undefined` if it fails. */
  readonly ask: (...args: string[]) => string | undefined;
}

/**
 * The repository that git would find from a directory, or whose git directory it is. Without a repository the directory
 * itself is `root` and `commonDir`, so that it equals no known repository.
 */
export function repositoryAt(directory: string, askGit: AskGit): RepositoryHere {
  const place = placeOfGitDir(directory) ?? findGit(directory);
  if (place === undefined)
    return { root: directory, commonDir: directory, commitOf: () => undefined, ask: () => undefined };
  return { ...repositoryOf(readHead(place, askGit), askGit), ask: (...args) => askGit(directory, args) };
}

/** The same for a HEAD that has already been read. During a rebase, `branch` is the branch being rebased. */
export function repositoryOf({ root, commonDir, position }: GitHead, askGit: AskGit): RepositoryHere {
  const ask = (...args: string[]) => askGit(root, args);
  const commitOf = (ref: string) =>
    usesReftable(commonDir) ? ask('rev-parse', '--verify', '--quiet', ref) : readRef(commonDir, ref);
  const branch = position.kind === 'branch' || position.kind === 'rebase' ? position.branch : undefined;
  const name = position.kind === 'detached' ? 'HEAD' : branch;
  return { root, commonDir, ...(name !== undefined && { branch: name }), commitOf, ask };
}

/**
 * Git settings from the usual config files, by name; section and key are in lower case, a subsection keeps its case.
 * Does not follow includes.
 */
export function readSettings(commonDir: string, home: string): ReadonlyMap<string, string> {
  const files = [`${home}/.config/git/config`, `${home}/.gitconfig`, `${commonDir}/config`];
  return new Map(files.flatMap((file) => settingsIn(readText(file) ?? '')));
}

function settingsIn(text: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  let section = '';
  for (const line of text.replaceAll('\\\n', '').split('\n')) {
    const [, name, below, rest = line] =
      /^\s*\[\s*([\w.-]+)\s*(?:"((?:\\.|[^"\\])*)")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      const inner = below === undefined ? '' : `.${below.replace(/\\(.)/g, '$1')}`;
      section = name.toLowerCase() + inner;
    }
    const [, key, value = 'true'] = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
    if (key !== undefined && section !== '')
      found.push([`${section}.${key.toLowerCase()}`, plainValue(value)]);
  }
  return found;
}

/** A config value without its comment and quotes. */
function plainValue(text: string): string {
  const bare = text.replace(/("(?:\\.|[^"\\])*")|\s*[#;].*$/g, '$1').trim();
  return bare.replace(/"((?:\\.|[^"\\])*)"/g, '$1').replace(/\\(["\\])/g, '$1');
}
