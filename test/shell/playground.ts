import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RepositoryFact } from '../../src/shell/scope';

/** What a line really did: its status, refs that moved, by repository, paths that changed, and paths that are there. */
export interface Reality {
  readonly status: number;
  readonly refs: readonly { readonly root: string; readonly ref: string; readonly gained: boolean }[];
  readonly paths: readonly string[];
  readonly present: ReadonlySet<string>;
}

/** A repository with another one beside it and one inside, copied afresh for every line. */
export interface Playground {
  readonly cwd: string;
  repositoryAt(directory: string): RepositoryFact | undefined;
  run(line: string): Promise<Reality>;
  remove(): void;
}

const ROOTS = ['repo/other', 'other', 'repo'];

/** The files that git keeps in each of them, on one branch or the other. */
const KEPT = ['a.txt', 'sub/b.txt', 'sub/deep/d.txt', 'one.txt'];

export function isKeptByGit(path: string): boolean {
  return ['topic.txt', '.gitignore', 'sub', 'sub/deep', ...KEPT].some((kept) => path.endsWith(`/${kept}`));
}

export function makePlayground(): Playground {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-shell-')));
  const environment = {
    PATH: process.env['PATH'],
    HOME: join(dir, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    GIT_EDITOR: 'true',
  };
  const template = join(dir, 'template');
  const place = join(dir, 'place');
  mkdirSync(join(dir, 'home'));
  for (const root of [...ROOTS].reverse()) makeRepository(join(template, root), environment);
  const cwd = join(place, 'repo');
  return {
    cwd,
    repositoryAt(directory) {
      const root = ROOTS.map((each) => join(place, each)).find(
        (each) => directory === each || directory.startsWith(`${each}/`),
      );
      return root === undefined ? undefined : { root, branch: 'main' };
    },
    async run(line) {
      rmSync(place, { recursive: true, force: true });
      cpSync(template, place, { recursive: true, preserveTimestamps: true });
      const before = look(place);
      const status = await statusOf(line, cwd, environment);
      return { status, ...differences(before, look(place), place) };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function statusOf(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { cwd, env, timeout: 20_000, stdio: 'ignore' });
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? -1));
  });
}

function makeRepository(root: string, env: NodeJS.ProcessEnv): void {
  mkdirSync(join(root, 'sub', 'deep'), { recursive: true });
  for (const name of KEPT) writeFileSync(join(root, name), 'one\n');
  writeFileSync(join(root, '.gitignore'), 'other\n');
  const script = `git init -q -b main --template= && git add . && git commit -q -m 1 && git commit -q --allow-empty -m 2 &&
    git checkout -q -b topic && echo t > topic.txt && git add topic.txt && git commit -q -m t &&
    git branch feature/x main && git checkout -q main`;
  execFileSync('bash', ['-c', script], { cwd: root, env, stdio: 'ignore' });
}

interface Look {
  readonly refs: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
}

/** Reads refs from their files: asking git for each line would take minutes. */
function look(place: string): Look {
  const refs = new Map<string, string>();
  const files = new Map<string, string>();
  for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const inGit = path.split('/').indexOf('.git');
    if (inGit < 0) files.set(path, entry.isDirectory() ? 'directory' : readFileSync(path, 'utf8'));
    const head = path.split('/.git/refs/')[1];
    if (head !== undefined && entry.isFile()) refs.set(path, readFileSync(path, 'utf8'));
  }
  return { refs, files };
}

function differences(before: Look, after: Look, place: string): Pick<Reality, 'refs' | 'paths' | 'present'> {
  const refs = changedKeys(before.refs, after.refs).map((path) => {
    const [root = '', ref = ''] = path.split('/.git/refs/');
    const name = ref.startsWith('heads/') ? ref.slice('heads/'.length) : `refs/${ref}`;
    return { root, ref: name, gained: after.refs.has(path) };
  });
  return {
    refs,
    paths: changedKeys(before.files, after.files).filter((path) => path !== place),
    present: new Set(after.files.keys()),
  };
}

function changedKeys(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  );
}
