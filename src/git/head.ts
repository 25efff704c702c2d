import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { detailOf } from '../core/failure';
import { upward } from '../core/text';
import { readText } from '../exec/attempt';
import { readSmallFile } from '../state/files';
import type { AskGit } from './run-git';

/** Where HEAD points. During a rebase it is detached, but the branch being rebased is known. */
export type HeadPosition =
  | { readonly kind: 'branch'; readonly branch: string }
  | { readonly kind: 'detached'; readonly commit: string }
  | { readonly kind: 'rebase'; readonly branch: string; readonly commit: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

/** The directories of a repository. */
export interface GitPlace {
  /** The root of the work tree. */
  readonly root: string;
  /** This work tree's own git directory. */
  readonly gitDir: string;
  /** The git directory that all work trees share. */
  readonly commonDir: string;
  /** The linked work tree's name, absent in the main one. */
  readonly worktree?: string;
  /** Set where even the directories could not be read; then the rest is only a guess. */
  readonly trouble?: HeadPosition;
}

/** A repository and where its HEAD points, read without a subprocess. */
export interface GitHead extends GitPlace {
  readonly position: HeadPosition;
}

/** The branch under which state is kept: during a rebase the one being rebased, and a stand-in where there is none. */
export function branchLabel(git: GitHead | undefined): string {
  if (git === undefined) return '_no_git';
  switch (git.position.kind) {
    case 'branch':
    case 'rebase':
      return git.position.branch;
    case 'detached':
      return '_detached';
    case 'unreadable':
      return '_unreadable';
  }
}

/**
 * The first `.git` upward from a directory. Symlinks are resolved before walking, as git does it: the parents of a
 * linked directory are those of its target. A bare repository has no work tree and is not found; a place inside `.git`
 * belongs to the work tree around it.
 */
export function findGit(start: string): GitPlace | undefined {
  if (!isAbsolute(start)) return undefined;
  for (const dir of upward(nearestExisting(start))) {
    const place = placeAt(dir);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The repository of a git directory itself, such as `GIT_DIR` names; `undefined` if it is not one. */
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

/** Like git, this ignores a `.git` that is a device, or a directory with nothing of git in it. */
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    return inTrouble(root, file, file, detailOf(error));
  }
}

/** `.git` as a file, as in linked work trees and submodules. All but the line end is the path. */
function followFile(root: string, file: string): GitPlace {
  const text = withoutLineEnd(readFileSync(file, 'utf8'));
  const target = text.startsWith('gitdir: ') ? text.slice(8) : '';
  if (target === '') return inTrouble(root, file, file, 'it names no git directory');
  return withCommonDir(root, resolve(root, target));
}

function withCommonDir(root: string, gitDir: string): GitPlace {
  const file = `${gitDir}/commondir`;
  if (!existsSync(file)) return { root, gitDir, commonDir: gitDir };
  try {
    const commonDir = resolve(gitDir, withoutLineEnd(readFileSync(file, 'utf8')));
    const linked = basename(dirname(gitDir)) === 'worktrees';
    return { root, gitDir, commonDir, ...(linked && { worktree: basename(gitDir) }) };
  } catch (error) {
    return inTrouble(root, gitDir, file, detailOf(error));
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

function inTrouble(root: string, gitDir: string, file: string, why: string): GitPlace {
  return { root, gitDir, commonDir: gitDir, trouble: { kind: 'unreadable', file, why } };
}

/** Where HEAD of a repository points. Never throws: trouble is told in `position`. */
export function readHead(place: GitPlace, askGit: AskGit): GitHead {
  return { ...place, position: place.trouble ?? readPosition(place, askGit) };
}

/** The commit that is checked out; `undefined` if the branch has none yet, or it cannot be told. */
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

/** What HEAD holds in a repository with a reftable, so that older versions of git refuse to work on it. */
const REFTABLE_HEAD = 'refs/heads/.invalid';

/** Git itself is asked only if the files cannot tell. */
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

/** The full name of a reference, or a commit. A symlink is the oldest form of HEAD, and still valid. */
function headIn(file: string): string {
  const stats = lstatSync(file);
  const link = stats.isSymbolicLink() ? readlinkSync(file) : '';
  if (link.startsWith('refs/')) return link.trim();
  // Reading a pipe would never end.
  if (!stats.isFile() && link === '') throw new Error('it is not a regular file');
  const text = readFileSync(file, 'utf8');
  return text.startsWith('ref:') ? text.slice(4).trim() : (commitIn(text) ?? '');
}

function headByGit(root: string, askGit: AskGit): string {
  const said =
    askGit(root, ['symbolic-ref', '--quiet', 'HEAD']) ??
    askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (said === undefined) throw new Error('it uses reftable, and git could not read it');
  return said.trim();
}

/** Both kinds of rebase keep the branch's name in a file; the rebase of a detached HEAD has none. */
function branchBeingRebased(gitDir: string): string | undefined {
  for (const kind of ['rebase-merge', 'rebase-apply']) {
    const branch = branchOf(readText(join(gitDir, kind, 'head-name'))?.trim() ?? '');
    if (branch !== undefined) return branch;
  }
  return undefined;
}

/** The commit at the beginning of a text, if there is one. */
export function commitIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\s|$)/.exec(text)?.[0];
}

/** Git's own rules for names, so that no name can lead out of the directory it is looked up in. */
const REF_NAME = /^(?!.*(?:\.\.|\/[./]|@\{|\.lock(?:\/|$)|[/.]$))refs\/[^\0-\x20\x7f~^:?*[\\]+$/;
/** As many symbolic references as git follows. */
const MAX_HOPS = 5;

/** The branch of a reference's full name; `undefined` if it is no branch, or not a valid name. */
function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') && REF_NAME.test(ref) ? ref.slice(11) : undefined;
}

/** Whether the references are kept in a format that only git reads. */
export function usesReftable(commonDir: string): boolean {
  return existsSync(`${commonDir}/reftable`);
}

/** The commit that a shared reference names: its own file first, then the packed ones. */
export function readRef(commonDir: string, ref: string): string | undefined {
  let name = ref;
  for (let hop = 0; hop < MAX_HOPS && REF_NAME.test(name); hop++) {
    // A directory in place of a file is as good as none: the reference was packed, then its name extended.
    const text = readText(`${commonDir}/${name}`);
    if (text === undefined) return packed(commonDir, name);
    if (!text.startsWith('ref:')) return commitIn(text);
    name = text.slice(4).trim();
  }
  return undefined;
}

/** Lines are `COMMIT NAME`; neither comments nor peeled tags end in our name. */
function packed(commonDir: string, ref: string): string | undefined {
  const text = `${readText(`${commonDir}/packed-refs`) ?? ''}\n`;
  const at = text.indexOf(` ${ref}\n`);
  return at < 0 ? undefined : commitIn(text.slice(text.lastIndexOf('\n', at) + 1, at));
}

const REMOTE_HEAD = 'refs/remotes/origin/HEAD';

/** The remote's default branch, as of the clone or the last time it was asked; often unknown. */
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
  /** `HEAD` if it is detached, absent if it cannot be told. */
  readonly branch?: string;
  /** The commit that a ref names, by its full name. */
  readonly commitOf: (ref: string) => string | undefined;
  /** Asks git there; `undefined` where it fails. */
  readonly ask: (...args: string[]) => string | undefined;
}

/**
 * What git would find from a directory, which may also be a git directory itself. Without any repository the directory
 * stands for itself, so that it is equal to none that is known.
 */
export function repositoryAt(directory: string, askGit: AskGit): RepositoryHere {
  const place = placeOfGitDir(directory) ?? findGit(directory);
  if (place === undefined)
    return { root: directory, commonDir: directory, commitOf: () => undefined, ask: () => undefined };
  return { ...repositoryOf(readHead(place, askGit), askGit), ask: (...args) => askGit(directory, args) };
}

/** The same from a head that was already read. During a rebase the branch is the one being rebased. */
export function repositoryOf({ root, commonDir, position }: GitHead, askGit: AskGit): RepositoryHere {
  const ask = (...args: string[]) => askGit(root, args);
  const commitOf = (ref: string) =>
    usesReftable(commonDir) ? ask('rev-parse', '--verify', '--quiet', ref) : readRef(commonDir, ref);
  const branch = position.kind === 'branch' || position.kind === 'rebase' ? position.branch : undefined;
  const name = position.kind === 'detached' ? 'HEAD' : branch;
  return { root, commonDir, ...(name !== undefined && { branch: name }), commitOf, ask };
}

/**
 * Git's settings as the usual files have them, by their names in lower case but for what stands between the dots. It
 * follows no includes: what is only said there is not known.
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

/** A value without its comment and quotes. */
function plainValue(text: string): string {
  const bare = text.replace(/("(?:\\.|[^"\\])*")|\s*[#;].*$/g, '$1').trim();
  return bare.replace(/"((?:\\.|[^"\\])*)"/g, '$1').replace(/\\(["\\])/g, '$1');
}
