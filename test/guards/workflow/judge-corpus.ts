import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Effects } from '../../../src/core/command-effects';
import { lookUpWatched, realPath } from '../../../src/core/context';
import { findGit, readHead, remoteDefault, repositoryAt } from '../../../src/git/head';
import { askGit } from '../../../src/git/run-git';
import { WORKFLOWS } from '../../../src/guards/workflow/config/preset';
import { claimsCompletion, ordersToAdvance, phaseNameVariants } from '../../../src/guards/workflow/orders';
import { branchWrite, guardedRepository } from '../../../src/guards/workflow/rules/branch';
import { stateDirs, stateWrite } from '../../../src/guards/workflow/rules/state-writes';
import { effectsOf } from '../../../src/shell';

/* Judges the commands of the corpus as the hook does, with real repositories to ask about branches. */

/** A command whose verdict is not the one that was written beside it. */
export interface Deviation {
  readonly theme: string;
  readonly command: string;
  readonly expected: string;
  readonly found: string;
}

export interface Judged {
  readonly count: number;
  readonly deviations: readonly Deviation[];
}

const PROTECTED = ['main', 'master', '@default'];
const TEST_COMMANDS = ['bin/verify all', 'npm run gate'];

/** `folder` holds the lists. Everything else is made for the purpose and removed again. */
export function judgeCorpus(folder: string): Judged {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-corpus-')));
  try {
    const repo = makeRepositories(base);
    const onMain = branchJudge(repo);
    const branch = linesOf(folder, 'branch.txt', 2).map((line) => ({ ...line, first: onMain(line.command) }));
    git(repo, 'checkout', '--quiet', 'feature/x');
    const onTopic = branchJudge(repo);
    const found = [
      ...branch.flatMap(({ command, expected, first }) => [
        deviation('branch, on main', command, expected[0], first),
        deviation('branch, on feature/x', command, expected[1], onTopic(command)),
      ]),
      ...linesOf(folder, 'state.txt', 1).map(({ command, expected }) =>
        deviation('state', command, expected[0], judgeState(command, repo)),
      ),
      ...linesOf(folder, 'tests.txt', 1).map(({ command, expected }) =>
        deviation('tests', command, expected[0], judgeTest(command, repo)),
      ),
      ...linesOf(folder, 'words.txt', 1).map(({ command, expected }) =>
        deviation('words', command, expected[0], judgeWords(command)),
      ),
    ];
    return { count: found.length, deviations: found.filter((one) => one.expected !== one.found) };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function deviation(theme: string, command: string, expected = '', found: string): Deviation {
  return { theme, command, expected, found };
}

interface Line {
  readonly expected: readonly string[];
  readonly command: string;
}

/** `VERDICT… COMMAND`, with `⏎` for a line end in the command. */
function linesOf(folder: string, file: string, verdicts: number): Line[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, before = '', command = ''] = new RegExp(`^((?:\\S+\\s+){${verdicts}})(.*)$`).exec(line) ?? [];
      return { expected: before.trim().split(/\s+/), command: command.replaceAll('⏎', '\n') };
    });
}

/**
 * A repository on `main` with two more work trees, another one beside it, and a remote whose default is `trunk`. The
 * branch `ahead` has one commit more than main, `apart` another one.
 */
function makeRepositories(base: string): string {
  const repo = join(base, 'repo');
  for (const name of ['repo', 'other']) {
    const dir = join(base, name);
    mkdirSync(join(dir, 'sub'), { recursive: true });
    git(dir, 'init', '--quiet', '-b', 'main');
    git(dir, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  }
  for (const file of ['package.json', 'Makefile', 'sub/package.json'])
    writeFileSync(join(repo, file), '{}\n');
  git(repo, 'checkout', '--quiet', '-b', 'apart');
  git(repo, 'commit', '--quiet', '--allow-empty', '-m', 'apart');
  git(repo, 'checkout', '--quiet', 'main');
  git(repo, 'add', '.');
  git(repo, 'commit', '--quiet', '-m', 'second');
  git(repo, 'checkout', '--quiet', '-b', 'ahead');
  git(repo, 'commit', '--quiet', '--allow-empty', '-m', 'ahead');
  git(repo, 'checkout', '--quiet', 'main');
  for (const branch of ['feature/x', 'topic', 'trunk', 'master']) git(repo, 'branch', branch);
  git(repo, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD');
  git(repo, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
  git(repo, 'worktree', 'add', '--quiet', '../on-topic', 'topic');
  git(repo, 'worktree', 'add', '--quiet', '--force', '../on-main', 'main');
  makeState(repo);
  return repo;
}

/** A state that git ignores, links to it, a copy of the project, and archives with and without a state. */
function makeState(repo: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  write('.isdlc/state.json', '{}');
  write('.git/info/exclude', '.isdlc\nbackup\n*.tar*\n*.zip\nlink*\n');
  write('backup/.isdlc/state.json', '{}');
  write('backup/src/a.ts', '');
  write('src/a.ts', '');
  symlinkSync('.isdlc', join(repo, 'link'));
  symlinkSync('.isdlc/state.json', join(repo, 'link.json'));
  const tar = (...args: string[]) => execFileSync('tar', args, { cwd: repo, stdio: 'ignore' });
  tar('cf', 'backup.tar', '.isdlc');
  tar('czf', 'backup.tar.gz', './.isdlc/state.json');
  tar('cf', 'release.tar', 'src');
  tar('czf', 'release.tar.gz', 'src');
  // The names in a zip file are plain text.
  write('backup.zip', 'PK\u0003\u0004 .isdlc/state.json');
  write('release.zip', 'PK\u0003\u0004 src/a.ts');
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'ignore', env: { PATH: process.env['PATH'] } });
}

function effectsAt(repo: string, command: string): Effects {
  return effectsOf(command, {
    cwd: repo,
    home: '/home/somebody',
    repositoryAt: (directory) => repositoryAt(directory, askGit),
    isDirectory: (path) => existsSync(`${path}/.`),
    testCommands: TEST_COMMANDS,
    watched: lookUpWatched(() => [`${repo}/.isdlc/state.json`], askGit),
  });
}

function placeOf(repo: string) {
  const place = findGit(repo);
  if (place === undefined) throw new Error(`${repo} is no repository`);
  const defaultBranch = remoteDefault(place, askGit);
  return { git: readHead(place, askGit), ...(defaultBranch !== undefined && { defaultBranch }) };
}

function branchJudge(repo: string): (command: string) => string {
  const guarded = guardedRepository(placeOf(repo), PROTECTED);
  if (guarded === undefined) throw new Error(`${repo} is no repository`);
  return (command) => {
    const found = branchWrite(effectsAt(repo, command), guarded);
    if (found === undefined) return 'allow';
    return found.certainty === 'writes' ? 'deny' : 'ask';
  };
}

function judgeState(command: string, repo: string): string {
  const store = stateDirs(repo, realPath);
  return stateWrite(effectsAt(repo, command), command, store) === undefined ? 'allow' : 'deny';
}

/** As in a feature workflow at 06-implementation. */
function judgeWords(text: string): string {
  const phases = WORKFLOWS.feature.phases;
  const at = phases.indexOf('06-implementation');
  const names = {
    past: phaseNameVariants(phases.slice(0, at)),
    current: phaseNameVariants(phases.slice(at, at + 1)),
    later: phaseNameVariants(phases.slice(at + 1)),
  };
  if (ordersToAdvance(text, names)) return 'order';
  return claimsCompletion(text, names) ? 'claim' : 'none';
}

function judgeTest(command: string, repo: string): string {
  const [run] = effectsAt(repo, command).tests;
  if (run === undefined) return 'none';
  if (run.idle !== undefined) return 'idle';
  return run.places.every((place) => `${place}/`.startsWith(`${repo}/`)) ? 'test' : 'away';
}
