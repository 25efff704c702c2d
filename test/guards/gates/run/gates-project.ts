import { execFileSync } from 'node:child_process';
import {
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
import type { CheckGate, EntryPoint, GatesConfig } from '../../../../src/guards/gates/config';
import { plainLines } from '../../../../src/guards/gates/run/messages';
import { executeRun, type RunRequest } from '../../../../src/guards/gates/run/run';
import type { RunResult } from '../../../../src/guards/gates/run-result';

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

export function makeGatesProject(): GatesProject {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-gates-')));
  const root = join(dir, 'project');
  const logDir = join(root, 'gauntlet_logs');
  const home = join(dir, 'home');
  mkdirSync(home);
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const inDir = (cwd: string, ...args: string[]): string => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
    return execFileSync('git', [...who, ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  };
  const git = (...args: string[]): string => inDir(root, ...args);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  inDir(dir, 'init', '--quiet', '--bare', '-b', 'main', 'origin.git');
  inDir(dir, 'clone', '--quiet', 'origin.git', 'project');
  write('.gitignore', 'gauntlet_logs\n');
  write('src/a.txt', 'one\n');
  git('checkout', '--quiet', '-B', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  git('push', '--quiet', 'origin', 'main');
  git('checkout', '--quiet', '-b', 'feat');
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
  return {
    name,
    command,
    place: `.gauntlet/checks/${name}.yml:1:1`,
    parallel: false,
    runInCi: true,
    runLocally: true,
    cache: false,
    failFast: false,
    ...more,
  };
}

/** All checks at one entry point, unless others are given. */
export function gates(checks: readonly CheckGate[], more: Partial<GatesConfig> = {}): GatesConfig {
  const entry: EntryPoint = {
    path: 'src',
    place: '.gauntlet/config.yml:1:1',
    exclude: [],
    checks: checks.map(({ name }) => name),
    reviews: [],
  };
  return {
    home: '.gauntlet',
    baseBranch: 'origin/main',
    logDir: 'gauntlet_logs',
    allowParallel: true,
    maxRetries: 3,
    rerunNewIssueThreshold: 'high',
    reviewers: { preference: ['claude'], checkUsageLimit: false },
    entryPoints: [entry],
    checks: [...checks],
    reviews: [],
    weakening: 'tell',
    debugLog: { enabled: false, maxSizeMb: 10 },
    stopHook: { enabled: true, intervalMinutes: 10, reverify: false },
    problems: [],
    ...more,
  };
}
