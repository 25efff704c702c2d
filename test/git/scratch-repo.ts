import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary directory with a home of its own, and git as it runs for a stranger there. */
export interface Scratch {
  readonly dir: string;
  git(cwd: string, ...args: string[]): string;
  /** git where it is expected to fail, such as a rebase that stops at a conflict. */
  failingGit(cwd: string, ...args: string[]): void;
  /** A repository with one commit on `main`. */
  repo(name: string): string;
  remove(): void;
}

/** A repository with one commit, made once; a copy takes less time than two runs of git. */
let template: string | undefined;

export function makeScratch(): Scratch {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-git-')));
  const home = join(dir, 'home');
  mkdirSync(home);
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    GIT_EDITOR: 'true',
  };
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'maintenance.auto=false', '-c', 'gc.auto=0', ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).replace(/\n$/, '');
  return {
    dir,
    git,
    failingGit(cwd, ...args) {
      let failed = false;
      try {
        git(cwd, ...args);
      } catch {
        failed = true;
      }
      if (!failed) throw new Error(`git ${args.join(' ')} was expected to fail`);
    },
    repo(name) {
      const root = join(dir, name);
      mkdirSync(root, { recursive: true });
      if (template === undefined) {
        template = mkdtempSync(join(tmpdir(), 'holdpoint-git-'));
        git(template, 'init', '--quiet', '-b', 'main', '--template=');
        git(template, 'commit', '--quiet', '--allow-empty', '-m', 'first');
        mkdirSync(join(template, '.git/info'));
      }
      cpSync(template, root, { recursive: true });
      return root;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
