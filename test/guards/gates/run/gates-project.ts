import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckGate, GatesConfig } from '../../../../src/guards/gates/config';
import { plainLines } from '../../../../src/guards/gates/run/messages';
import { executeRun, type RunRequest } from '../../../../src/guards/gates/run/run';
import type { RunResult } from '../../../../src/guards/gates/run-result';
import { check as anyCheck, gates as anyGates, entry } from '../configs';

/** A clone of a bare origin, on branch `feat`, with one uncommitted change in `src`; and gates for it. */
export interface GatesProject {
  readonly root: string;
  readonly logDir: string;
  /** What the plain reporter printed, in all runs. */
  readonly lines: string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** A file of the log directory; `undefined` where there is none. */
  log(name: string): string | undefined;
  /** Names in the log directory or one below it, hidden ones left out. */
  logs(dir?: string): string[];
  state(): Record<string, unknown>;
  request(config: GatesConfig, more?: Partial<RunRequest>): RunRequest;
  run(config: GatesConfig, more?: Partial<RunRequest>): Promise<RunResult>;
  remove(): void;
}

/** Made once; a copy takes less time than ten runs of git. */
let template: string | undefined;

function makeTemplate(): string {
  const dir = newDirectory();
  const root = join(dir, 'project');
  mkdirSync(join(dir, 'home'));
  gitIn(dir, dir, 'init', '--quiet', '--bare', '-b', 'main', '--template=', 'origin.git');
  gitIn(dir, dir, 'clone', '--quiet', '--template=', 'origin.git', 'project');
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, '.gitignore'), 'gauntlet_logs\n');
  writeFileSync(join(root, 'src/a.txt'), 'one\n');
  gitIn(dir, root, 'checkout', '--quiet', '-B', 'main');
  gitIn(dir, root, 'add', '.');
  gitIn(dir, root, 'commit', '--quiet', '-m', 'first');
  gitIn(dir, root, 'push', '--quiet', 'origin', 'main');
  gitIn(dir, root, 'checkout', '--quiet', '-b', 'feat');
  return dir;
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-gates-')));
}

const environmentIn = (dir: string) => ({
  PATH: process.env['PATH'],
  HOME: join(dir, 'home'),
  GIT_CONFIG_NOSYSTEM: '1',
});

function gitIn(dir: string, cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
  const untidy = ['-c', 'maintenance.auto=false', '-c', 'gc.auto=0'];
  return execFileSync('git', [...who, ...untidy, ...args], {
    cwd,
    env: environmentIn(dir),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

export function makeGatesProject(): GatesProject {
  template ??= makeTemplate();
  const dir = newDirectory();
  cpSync(template, dir, { recursive: true, preserveTimestamps: true });
  const root = join(dir, 'project');
  const logDir = join(root, 'gauntlet_logs');
  const gitConfig = join(root, '.git/config');
  writeFileSync(gitConfig, readFileSync(gitConfig, 'utf8').replaceAll(template, dir));
  const env = environmentIn(dir);
  const git = (...args: string[]): string => gitIn(dir, root, ...args);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('src/a.txt', 'two\n');
  const lines: string[] = [];
  const request = (config: GatesConfig, more: Partial<RunRequest> = {}): RunRequest => ({
    root,
    config,
    problems: [],
    env,
    mode: 'run',
    select: { cache: true },
    command: 'run',
    reporter: (event) => lines.push(...plainLines(event)),
    ...more,
  });
  return {
    root,
    logDir,
    lines,
    env,
    git,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    log: (name) => (existsSync(join(logDir, name)) ? readFileSync(join(logDir, name), 'utf8') : undefined),
    logs: (below = '.') => {
      const path = join(logDir, below);
      return existsSync(path)
        ? readdirSync(path)
            .filter((name) => !name.startsWith('.'))
            .sort()
        : [];
    },
    state: () => JSON.parse(readFileSync(join(logDir, '.execution_state'), 'utf8')),
    request,
    run: (config, more) => executeRun(request(config, more)),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A check that is not cached, so that each run is one. */
export function check(name: string, command: string, more: Partial<CheckGate> = {}): CheckGate {
  return anyCheck(name, { command, place: `.gauntlet/checks/${name}.yml:1:1`, cache: false, ...more });
}

/** All checks at one entry point, unless others are given. */
export function gates(checks: readonly CheckGate[], more: Partial<GatesConfig> = {}): GatesConfig {
  const place = '.gauntlet/config.yml:1:1';
  const entryPoints = [entry({ path: 'src', place, checks: checks.map(({ name }) => name) })];
  return anyGates({ entryPoints, checks: [...checks], ...more });
}
