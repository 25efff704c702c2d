import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { resolveBase, type WantedBase } from '../../src/git/base';
import { type Changes, type ChangesRequest, changedSince, findChanges } from '../../src/git/changes';
import type { GitHead } from '../../src/git/head';
import { askGit } from '../../src/git/run-git';
import { type CountedGit, countGit } from './counted-git';
import { readGitHead } from './read-git-head';
import { makeScratch, type Scratch } from './scratch-repo';

let scratch: Scratch;
let counted: CountedGit;
beforeAll(() => {
  scratch = makeScratch();
  counted = countGit(scratch.dir);
});
afterAll(() => scratch.remove());

let serial = 0;
/** A repository with `src/a.txt` in its first commit, on `main`. */
function repo(): string {
  const root = scratch.repo(`r${serial++}`);
  write(root, { 'src/a.txt': 'a\n', 'keep.txt': 'k\n' });
  commit(root, 'files');
  return root;
}

function write(root: string, files: Readonly<Record<string, string | null>>): void {
  for (const [name, text] of Object.entries(files)) {
    if (text === null) {
      rmSync(join(root, name), { recursive: true });
      continue;
    }
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

function commit(root: string, message: string): string {
  scratch.git(root, 'add', '-A');
  scratch.git(root, 'commit', '--quiet', '--allow-empty', '-m', message);
  return scratch.git(root, 'rev-parse', 'HEAD');
}

function headOf(root: string): GitHead {
  const head = readGitHead(root, askGit);
  if (head === undefined) throw new Error(`no repository at ${root}`);
  return head;
}

type Options = Partial<Omit<ChangesRequest, 'git' | 'base' | 'env'>> & {
  readonly base?: Partial<WantedBase>;
};

async function changes(root: string, options: Options = {}): Promise<Changes> {
  const { base: wanted, ...rest } = options;
  const git = headOf(root);
  const base = resolveBase(git, { configured: 'main', ...wanted }, askGit);
  if (!base.ok) throw new Error(base.failure);
  const leaveOut = [join(root, 'logs')];
  const found = await findChanges({ git, base: base.value, env: counted.env, leaveOut, ...rest });
  if (!found.ok) throw new Error(found.failure);
  return found.value;
}

async function files(root: string, options: Options = {}): Promise<string[]> {
  return [...(await changes(root, options)).files].sort();
}

describe('on a branch, since the base', () => {
  type Case = { readonly make: (root: string) => void; readonly expected: readonly string[] };
  const CASES: Readonly<Record<string, Case>> = {
    'nothing has changed': { make: () => undefined, expected: [] },
    'what was committed counts': {
      make: (root) => {
        write(root, { 'src/b.txt': 'b' });
        commit(root, 'b');
      },
      expected: ['src/b.txt'],
    },
    'what is staged, changed and new counts': {
      make: (root) => {
        write(root, { 'staged.txt': 's' });
        scratch.git(root, 'add', 'staged.txt');
        write(root, { 'src/a.txt': 'changed', 'new.txt': 'n' });
      },
      expected: ['new.txt', 'src/a.txt', 'staged.txt'],
    },
    'a deleted file counts': { make: (root) => write(root, { 'src/a.txt': null }), expected: ['src/a.txt'] },
    'a moved file counts at both places': {
      make: (root) => {
        write(root, { 'src/a.txt': null, 'lib/a.txt': 'a\n' });
        commit(root, 'move');
      },
      expected: ['lib/a.txt', 'src/a.txt'],
    },
    'a change that was taken back does not count': {
      make: (root) => {
        write(root, { 'src/a.txt': 'x' });
        commit(root, 'x');
        write(root, { 'src/a.txt': 'a\n' });
      },
      expected: [],
    },
    'what is ignored does not count': {
      make: (root) => write(root, { '.gitignore': 'build\n', 'build/out.js': 'x' }),
      expected: ['.gitignore'],
    },
    'what lies in a directory that is left out does not count': {
      make: (root) => write(root, { 'logs/run.log': 'x', 'logs.txt': 'l' }),
      expected: ['logs.txt'],
    },
    'that directory may be ignored as well': {
      make: (root) => {
        write(root, { '.gitignore': 'logs\n', 'logs/run.log': 'x', 'n.txt': 'n' });
      },
      expected: ['.gitignore', 'n.txt'],
    },
    'and it may be committed': {
      make: (root) => {
        write(root, { 'logs/run.log': 'x' });
        commit(root, 'logs');
        write(root, { 'logs/run.log': 'y' });
      },
      expected: [],
    },
    'what a sparse checkout leaves out does not count, unless it is there': {
      make: (root) => {
        scratch.git(root, 'sparse-checkout', 'set', '--no-cone', '/keep.txt');
        write(root, { 'lib/b.txt': 'b' });
      },
      expected: ['lib/b.txt'],
    },
    'a sparse checkout set up afterwards hides no change': {
      make: (root) => {
        write(root, { 'src/a.txt': 'changed', '.git/info/sparse-checkout': '/keep.txt\n' });
        scratch.git(root, 'config', 'core.sparseCheckout', 'true');
      },
      expected: ['src/a.txt'],
    },
    'a setting that names another work tree hides no change': {
      make: (root) => {
        const copy = scratch.repo(`copy${serial++}`);
        write(copy, { 'src/a.txt': 'a\n', 'keep.txt': 'k\n' });
        scratch.git(root, 'config', 'core.worktree', copy);
        write(root, { 'src/a.txt': 'changed' });
      },
      expected: ['src/a.txt'],
    },
    'what others brought into the base does not count': {
      make: (root) => {
        scratch.git(root, 'checkout', '--quiet', 'main');
        write(root, { 'other.txt': 'o' });
        commit(root, 'other');
        scratch.git(root, 'checkout', '--quiet', 'feat');
        write(root, { 'mine.txt': 'm' });
      },
      expected: ['mine.txt'],
    },
    'names may hold any character': {
      make: (root) =>
        write(root, { 'sp ace/üñí "q".txt': '1', 'new\nline\t\\.txt': '2', ':colon': '3', '-dash': '4' }),
      expected: ['-dash', ':colon', 'new\nline\t\\.txt', 'sp ace/üñí "q".txt'],
    },
    'files in a conflict count': {
      make: (root) => {
        write(root, { 'src/a.txt': 'mine' });
        commit(root, 'mine');
        scratch.git(root, 'checkout', '--quiet', 'main');
        write(root, { 'src/a.txt': 'theirs' });
        commit(root, 'theirs');
        scratch.git(root, 'checkout', '--quiet', 'feat');
        scratch.failingGit(root, 'merge', 'main');
      },
      expected: ['src/a.txt'],
    },
    'files that are only announced to git count': {
      make: (root) => {
        write(root, { 'soon.txt': 's' });
        scratch.git(root, 'add', '-N', 'soon.txt');
      },
      expected: ['soon.txt'],
    },
  };
  test.each(Object.entries(CASES))('%s', async (_, { make, expected }) => {
    const root = repo();
    scratch.git(root, 'checkout', '--quiet', '-b', 'feat');
    make(root);
    const before = scratch.git(root, 'status', '--porcelain');
    counted.calls();
    expect(await files(root)).toEqual(expected);
    expect(counted.calls().slice(-3)).toEqual(['add', 'write-tree', 'diff-index']);
    expect(scratch.git(root, 'status', '--porcelain'), 'the real index is as it was').toBe(before);
  });

  test('a setting that says there is no work tree hides no change', async () => {
    const root = repo();
    scratch.git(root, 'config', 'core.bare', 'true');
    write(root, { 'src/a.txt': 'changed' });
    expect(await files(root)).toEqual(['src/a.txt']);
  });

  test('the real index keeps its bytes, its time and its only name', async () => {
    const root = repo();
    const index = join(root, '.git/index');
    write(root, { 'src/a.txt': 'changed', 'new.txt': 'n' });
    const facts = (): unknown => {
      const { ino, mtimeMs, nlink } = statSync(index);
      return { ino, mtimeMs, nlink, bytes: readFileSync(index, 'hex') };
    };
    const before = facts();
    expect(await files(root)).toEqual(['new.txt', 'src/a.txt']);
    expect(facts()).toEqual(before);
    expect(readdirSync(join(root, '.git/holdpoint'))).toEqual([]);
  });

  test('an index that is a link elsewhere is read from there, and stays one', async () => {
    const root = repo();
    const [index, elsewhere] = [join(root, '.git/index'), join(root, '.git/elsewhere')];
    renameSync(index, elsewhere);
    symlinkSync('elsewhere', index);
    // Ignored files that are tracked are told by nothing but the index.
    write(root, { '.git/info/exclude': 'src\n', 'src/a.txt': 'changed' });
    expect(await files(root)).toEqual(['src/a.txt']);
    expect(readlinkSync(index)).toBe('elsewhere');
  });

  test('a name that is no text does not stop it', async () => {
    const root = repo();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/src/`), Buffer.from([0xff, 0xfe])]), 'x');
    expect(await files(root)).toEqual(['src/\ufffd\ufffd']);
  });

  test('nothing is left in the temporary directory', async () => {
    const root = repo();
    const temporary = join(scratch.dir, 'temporary');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    expect(await files(root)).toEqual([]);
    await expect(changes(root, { commit: 'nope' })).rejects.toThrow();
    vi.unstubAllEnvs();
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('the snapshot', () => {
  it('holds every file as it is, untracked ones too', async () => {
    const root = repo();
    write(root, { 'new.txt': 'n', 'src/a.txt': 'changed', 'logs/x': 'x' });
    const { tree } = await changes(root);
    expect(scratch.git(root, 'ls-tree', '-r', '--name-only', tree).split('\n')).toEqual([
      'keep.txt',
      'new.txt',
      'src/a.txt',
    ]);
    expect(scratch.git(root, 'cat-file', 'blob', `${tree}:src/a.txt`)).toBe('changed');
  });

  it('is the same for the same files', async () => {
    const root = repo();
    write(root, { 'new.txt': 'n' });
    const first = await changes(root);
    commit(root, 'new');
    expect((await changes(root)).tree).toBe(first.tree);
  });

  it('sees an edit of equal length within the second in which the index was written', async () => {
    const root = repo();
    const file = join(root, 'src/a.txt');
    const second = new Date('2026-01-02T03:04:05Z');
    // So that nothing but length and time in seconds tells files apart, as a fast edit leaves it.
    scratch.git(root, 'config', 'core.checkStat', 'minimal');
    scratch.git(root, 'config', 'core.trustctime', 'false');
    utimesSync(file, second, second);
    scratch.git(root, 'update-index', '--refresh');
    writeFileSync(file, 'b\n');
    utimesSync(file, second, second);
    utimesSync(join(root, '.git/index'), second, second);
    expect(await files(root)).toEqual(['src/a.txt']);
  });

  it('does without a repository in the tree that has no commit, and says so', async () => {
    const root = repo();
    mkdirSync(join(root, 'nested'));
    scratch.git(join(root, 'nested'), 'init', '--quiet');
    write(root, { 'n.txt': 'n' });
    const found = await changes(root);
    expect(found.files).toEqual(['n.txt']);
    expect(found.warnings.join()).toContain('nested');
  });

  it.skipIf(process.getuid?.() === 0)(
    'does without a file that cannot be read, and says so (not as root, who may read all)',
    async () => {
      const root = repo();
      write(root, { 'secret.txt': 's', 'n.txt': 'n' });
      chmodSync(join(root, 'secret.txt'), 0);
      const found = await changes(root);
      expect(found.files).toEqual(['n.txt']);
      expect(found.warnings.join()).toContain('secret.txt');
    },
  );

  it('runs no hook and does not mind line ends', async () => {
    const root = repo();
    const mark = join(root, '.git', 'hook-ran');
    for (const hook of ['post-index-change', 'pre-commit']) {
      write(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch '${mark}'\n` });
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    scratch.git(root, 'config', 'core.autocrlf', 'true');
    scratch.git(root, 'config', 'core.safecrlf', 'true');
    write(root, { 'lf.txt': 'one\ntwo\n' });
    expect(await files(root)).toEqual(['lf.txt']);
    expect(existsSync(mark)).toBe(false);
  });
});

describe('instead of all since the base', () => {
  it('one commit', async () => {
    const root = repo();
    write(root, { 'b.txt': 'b' });
    const sha = commit(root, 'b');
    write(root, { 'c.txt': 'c' });
    commit(root, 'c');
    write(root, { 'd.txt': 'd' });
    counted.calls();
    expect(await files(root, { commit: sha })).toEqual(['b.txt']);
    expect(counted.calls()).toEqual(['add', 'write-tree', 'diff-tree']);
    expect(await files(root, { commit: 'HEAD~1' })).toEqual(['b.txt']);
  });

  it('the first commit of all', async () => {
    const root = repo();
    const first = scratch.git(root, 'rev-list', '--max-parents=0', 'HEAD');
    expect(await files(root, { commit: first })).toEqual([]);
    const orphan = scratch.repo(`orphan${serial++}`);
    write(orphan, { 'x.txt': 'x' });
    scratch.git(orphan, 'add', '-A');
    scratch.git(orphan, 'commit', '--quiet', '--amend', '-m', 'x');
    expect(await files(orphan, { commit: 'HEAD' })).toEqual(['x.txt']);
  });

  it('a merge, by what it brought to its branch', async () => {
    const root = repo();
    scratch.git(root, 'checkout', '--quiet', '-b', 'side');
    write(root, { 'side.txt': 's' });
    commit(root, 'side');
    scratch.git(root, 'checkout', '--quiet', 'main');
    write(root, { 'main.txt': 'm' });
    commit(root, 'main');
    scratch.git(root, 'merge', '--quiet', '--no-edit', 'side');
    expect(await files(root, { commit: 'HEAD' })).toEqual(['side.txt']);
  });

  it('only what no commit has', async () => {
    const root = repo();
    scratch.git(root, 'checkout', '--quiet', '-b', 'feat');
    write(root, { 'b.txt': 'b' });
    commit(root, 'b');
    write(root, { 'c.txt': 'c', 'src/a.txt': 'x' });
    scratch.git(root, 'add', 'c.txt');
    expect(await files(root, { uncommitted: true })).toEqual(['c.txt', 'src/a.txt']);
    expect(await files(root, { uncommitted: true, upTo: 'HEAD' })).toEqual(['c.txt', 'src/a.txt']);
  });

  it('up to the commit that a build server builds', async () => {
    const root = repo();
    scratch.git(root, 'checkout', '--quiet', '-b', 'feat');
    write(root, { 'b.txt': 'b' });
    const sha = commit(root, 'b');
    write(root, { 'artefact.txt': 'x' });
    counted.calls();
    expect(await files(root, { upTo: sha })).toEqual(['b.txt']);
    expect(counted.calls()).toEqual(['add', 'write-tree', 'diff-tree']);
  });

  it('from where it was held, though the base has moved on with the bad commit', async () => {
    const root = repo();
    const held = scratch.git(root, 'rev-parse', 'HEAD');
    write(root, { 'src/bad.txt': 'bad' });
    commit(root, 'escape');
    expect(await files(root)).toEqual([]);
    counted.calls();
    expect(await files(root, { heldSince: held })).toEqual(['src/bad.txt']);
    expect(counted.calls()).toEqual(['add', 'write-tree', 'diff-index']);
  });

  it('from the base again, if the commit where it was held is gone', async () => {
    const root = repo();
    write(root, { 'n.txt': 'n' });
    expect(await files(root, { heldSince: '1'.repeat(40) })).toEqual(['n.txt']);
  });

  it.each([
    ['a commit that does not exist', 'nope'],
    ['an option in its place', '--output=escaped'],
    ['a command in its place', 'main; touch escaped #'],
  ])('%s is an error', async (_, sha) => {
    const root = repo();
    await expect(changes(root, { commit: sha })).rejects.toThrow(`No commit ${JSON.stringify(sha)}.`);
    expect(existsSync(join(root, 'escaped'))).toBe(false);
  });
});

describe('odd repositories', () => {
  it('without a commit: every file has changed', async () => {
    const root = join(scratch.dir, `unborn${serial++}`);
    mkdirSync(root);
    scratch.git(root, 'init', '--quiet', '-b', 'main');
    expect(await files(root)).toEqual([]);
    write(root, { 'a.txt': 'a', 'logs/x': 'x' });
    expect(await files(root)).toEqual(['a.txt']);
    expect(await files(root, { uncommitted: true })).toEqual(['a.txt']);
  });

  it('with a detached head', async () => {
    const root = repo();
    scratch.git(root, 'checkout', '--quiet', '--detach');
    write(root, { 'b.txt': 'b' });
    commit(root, 'b');
    expect(await files(root)).toEqual(['b.txt']);
  });

  it('a linked work tree has its own index', async () => {
    const root = repo();
    const linked = join(scratch.dir, `linked${serial++}`);
    scratch.git(root, 'worktree', 'add', '--quiet', '-b', 'feat', linked);
    write(root, { 'main-only.txt': 'm' });
    write(linked, { 'linked.txt': 'l' });
    scratch.git(linked, 'add', 'linked.txt');
    counted.calls();
    expect(await files(linked)).toEqual(['linked.txt']);
    expect(counted.calls()).toHaveLength(3);
  });

  it('with a submodule: its commits count, and so does what is going on inside', async () => {
    const inner = repo();
    const root = repo();
    scratch.git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    commit(root, 'sub');
    expect(await files(root)).toEqual([]);
    write(root, { 'sub/dirty.txt': 'd', 'sub/src/a.txt': 'dirty' });
    expect(await files(root)).toEqual(['sub']);
    commit(join(root, 'sub'), 'inside');
    const found = await changes(root);
    expect(found.files).toEqual(['sub']);
    const git = headOf(root);
    expect(await changedSince(git, found, [found.tree], counted.env)).toEqual(
      new Map([[found.tree, ['sub']]]),
    );
  });

  it.each(['all', 'dirty'])('with a submodule that git was told to ignore: %s', async (what) => {
    const inner = repo();
    const root = repo();
    scratch.git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    commit(root, 'sub');
    const before = await changes(root);
    scratch.git(root, 'config', 'submodule.sub.ignore', what);
    write(root, { 'sub/src/a.txt': 'dirty' });
    expect(await files(root)).toEqual(['sub']);
    commit(join(root, 'sub'), 'inside');
    const found = await changes(root, { alsoSince: before.tree });
    expect(found.files).toEqual(['sub']);
    const since = await changedSince(headOf(root), found, [before.tree], counted.env);
    expect(since.get(before.tree)).toContain('sub');
  });

  it('a shallow clone that lacks what it has in common with the base', async () => {
    const origin = repo();
    scratch.git(origin, 'checkout', '--quiet', '-b', 'feat');
    write(origin, { 'b.txt': 'b' });
    const sha = commit(origin, 'b');
    const clone = join(scratch.dir, `shallow${serial++}`);
    scratch.git(
      scratch.dir,
      'clone',
      '--quiet',
      '--depth',
      '1',
      '--no-single-branch',
      `file://${origin}`,
      clone,
    );
    write(clone, { 'c.txt': 'c' });
    const found = await changes(clone, { base: { configured: 'origin/main' } });
    expect([...found.files].sort()).toEqual(['b.txt', 'c.txt']);
    expect(found.warnings.join()).toContain('origin/main');
    const built = await changes(clone, { base: { configured: 'origin/main' }, upTo: sha });
    expect(built.files).toContain('b.txt');
    expect(built.warnings).toHaveLength(1);
  });

  it('with several commits in common with the base', async () => {
    const root = repo();
    scratch.git(root, 'checkout', '--quiet', '-b', 'feat');
    write(root, { 'f.txt': 'f' });
    const mine = commit(root, 'f');
    scratch.git(root, 'checkout', '--quiet', 'main');
    write(root, { 'm.txt': 'm' });
    const theirs = commit(root, 'm');
    scratch.git(root, 'merge', '--quiet', '--no-edit', mine);
    scratch.git(root, 'checkout', '--quiet', 'feat');
    scratch.git(root, 'merge', '--quiet', '--no-edit', theirs);
    write(root, { 'n.txt': 'n' });
    expect(await files(root)).toContain('n.txt');
  });

  it('with objects named by SHA-256', async () => {
    const root = join(scratch.dir, `sha256${serial++}`);
    mkdirSync(root);
    scratch.git(root, 'init', '--quiet', '-b', 'main', '--object-format=sha256');
    write(root, { 'a.txt': 'a' });
    const found = await changes(root);
    expect(found).toMatchObject({ files: ['a.txt'], tree: expect.stringMatching(/^[0-9a-f]{64}$/) });
    commit(root, 'a');
    write(root, { 'b.txt': 'b' });
    const later = await changes(root);
    expect(later.files).toEqual(['b.txt']);
    const since = await changedSince(headOf(root), later, [found.tree], counted.env);
    expect(since.get(found.tree)).toEqual(['b.txt']);
  });
});

describe('changedSince', () => {
  it('compares any number of snapshots, each once', async () => {
    const root = repo();
    const first = await changes(root);
    write(root, { 'b.txt': 'b' });
    const second = await changes(root);
    write(root, { 'src/a.txt': 'x', [`${first.tree} ${second.tree}\nodd`]: 'o' });
    const now = await changes(root);
    counted.calls();
    const since = await changedSince(headOf(root), now, [first.tree, second.tree, first.tree], counted.env);
    expect(counted.calls()).toEqual(['diff-tree', 'diff-tree']);
    const odd = `${first.tree} ${second.tree}\nodd`;
    expect([...(since.get(first.tree) ?? [])].sort()).toEqual([odd, 'b.txt', 'src/a.txt'].sort());
    expect([...(since.get(second.tree) ?? [])].sort()).toEqual([odd, 'src/a.txt'].sort());
  });

  it('calls nobody for the present tree', async () => {
    const root = repo();
    const now = await changes(root);
    counted.calls();
    expect(await changedSince(headOf(root), now, [now.tree], counted.env)).toEqual(new Map([[now.tree, []]]));
    expect(await changedSince(headOf(root), now, [], counted.env)).toEqual(new Map());
    expect(counted.calls()).toEqual([]);
  });

  it('has no answer for a snapshot that is gone, nor for one that is no name of a tree', async () => {
    const root = repo();
    const first = await changes(root);
    write(root, { 'b.txt': 'b' });
    const now = await changes(root);
    const asked = ['1'.repeat(40), 'HEAD', '--all', first.tree];
    const since = await changedSince(headOf(root), now, asked, counted.env);
    expect(since).toEqual(new Map([[first.tree, ['b.txt']]]));
  });

  it('does not trust the list of a snapshot that lacks a part', async () => {
    const root = repo();
    write(root, { 'x/deep.txt': '1' });
    const broken = await changes(root);
    const part = scratch.git(root, 'rev-parse', `${broken.tree}:x`);
    rmSync(join(root, '.git/objects', part.slice(0, 2), part.slice(2)));
    write(root, { 'x/deep.txt': '2', 'a0.txt': 'a' });
    const now = await changes(root);
    const since = await changedSince(headOf(root), now, [broken.tree], counted.env);
    expect(since.has(broken.tree)).toBe(false);
  });
});

test('the counts for the record come with the same call', async () => {
  const root = repo();
  scratch.git(root, 'checkout', '--quiet', '-b', 'feat');
  write(root, { 'src/a.txt': null, 'keep.txt': 'k\nmore\n', 'new.txt': '1\n2\n3\n', 'b.bin': '\0\u0001' });
  counted.calls();
  const found = await changes(root, { stats: true });
  expect(counted.calls()).toHaveLength(3);
  expect([...found.files].sort()).toEqual(['b.bin', 'keep.txt', 'new.txt', 'src/a.txt']);
  expect(found.stats).toEqual({ new: 2, modified: 1, deleted: 1, linesAdded: 4, linesRemoved: 1 });
});

describe('trouble is told in a sentence', () => {
  it('where there is no git program', async () => {
    const root = repo();
    const git = headOf(root);
    const env = { PATH: '/nowhere' };
    const found = await findChanges({ git, base: { ref: 'main' }, env, leaveOut: [] });
    expect(found).toMatchObject({
      ok: false,
      failure: expect.stringContaining('git was not found on the PATH'),
    });
  });

  it('where the index is damaged', async () => {
    const root = repo();
    writeFileSync(join(root, '.git/index'), 'garbage garbage garbage');
    await expect(changes(root)).rejects.toThrow(/git could not take a snapshot/);
    expect(readFileSync(join(root, '.git/index'), 'utf8')).toContain('garbage');
  });

  it('where it is stopped', async () => {
    const signal = AbortSignal.abort();
    await expect(changes(repo(), { signal })).rejects.toThrow(/git could not/);
  });
});
