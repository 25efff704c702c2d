import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needsNoProcess, runInRunner } from './commands';
import { shareWherePossible } from './compiled-code';

/** The built product. Another build, such as an installed package, may be put to the same tests. */
const DIST = process.env['HOLDPOINT_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));

/** What a process left behind; `json` is its standard output where that is one document. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly json: unknown;
}

export interface Circumstances {
  /** For the hook only. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Removes a directory into which a server that is about to end may still write. */
export function removeWhole(dir: string): void {
  const until = Date.now() + 5000;
  for (;;) {
    try {
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || Date.now() > until) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/** A repository with a home of its own, and the built commands as a stranger's machine would run them. */
export interface Rig {
  /** Holds everything; nothing beside `repo`, `home` and `tmp` may ever change in it. */
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly tmp: string;
  hook(event: HostDocument, how?: Circumstances): Ended;
  /** The hook on text that may be anything but an event. */
  hookText(text: string | Uint8Array, how?: Circumstances): Ended;
  startHook(event: HostDocument, how?: Circumstances): Promise<Ended>;
  req(args: readonly string[], how?: Circumstances): Ended;
  startReq(args: readonly string[], how?: Circumstances): Promise<Ended>;
  holdpoint(args: readonly string[], how?: Circumstances): Ended;
  git(...args: string[]): string;
  /** Writes a file of the repository. */
  write(path: string, text: string): void;
  /** Writes a file of the home directory. */
  writeHome(path: string, text: string): void;
  /** Makes a link beside the repository and tells its path. */
  link(name: string, target: string): string;
  /** A JSON file, absolute or below the repository; `undefined` when there is none. */
  readJson(path: string): unknown;
  /** Everything that stands in `dir` and, one level deep, in the repository, sorted. */
  listing(): string[];
  environment(more?: Readonly<Record<string, string>>): Record<string, string>;
  remove(): void;
}

/** What a host sends. */
export type HostDocument = Readonly<Record<string, unknown>>;

/** One of doctor's findings, as its JSON has them. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly fix: { readonly description: string; readonly command: string | null } | null;
}

/** The project of most scenarios: one requirement for every session, on a branch whose name has a slash. */
export const PLAN_CONFIG = '{inherit: false, requirements: {commit_plan: {enabled: true, scope: session}}}\n';
export const CONFIG_FILE = '.claude/requirements.yaml';

/** `like`: what is there in the beginning, made by `template`; else a repository with one commit. */
export function makeRig(
  config: string = PLAN_CONFIG,
  file: string = CONFIG_FILE,
  like: string = firstCommit(),
): Rig {
  const dir = copied(like);
  const [home, repo, tmp] = ['home', 'w', 'tmp'].map((name) => join(dir, name)) as [string, string, string];
  const environment: Rig['environment'] = (more) => ({
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: tmp,
    GIT_CONFIG_NOSYSTEM: '1',
    ...more,
  });
  const spawned = (how: Circumstances = {}) => ({ cwd: how.cwd ?? dir, env: environment(how.env) });
  const git = (...args: string[]): string =>
    execFileSync('git', [...GIT_OPTIONS, ...args], {
      ...spawned({ cwd: repo }),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const rig: Rig = {
    dir,
    home,
    repo,
    tmp,
    environment,
    git,
    hook: (event, how) => runNow('hook', how?.args ?? [], JSON.stringify(event), spawned(how)),
    hookText: (text, how) => runNow('hook', how?.args ?? [], text, spawned(how)),
    startHook: (event, how) => runLater('hook', how?.args ?? [], JSON.stringify(event), spawned(how)),
    req: (args, how) => runNow('req', args, '', spawned({ cwd: repo, ...how })),
    startReq: (args, how) => runLater('req', args, '', spawned({ cwd: repo, ...how })),
    holdpoint: (args, how) => runNow('holdpoint', args, '', spawned({ cwd: repo, ...how })),
    write: (path, text) => writeBelow(repo, path, text),
    writeHome: (path, text) => writeBelow(home, path, text),
    link: (name, target) => {
      symlinkSync(target, join(dir, name));
      return join(dir, name);
    },
    readJson: (path) => jsonIn(path.startsWith('/') ? path : join(repo, path)),
    listing: () => [...readdirSync(dir), ...readdirSync(repo).map((name) => `w/${name}`)].sort(),
    remove: () => removeWhole(dir),
  };
  if (config !== '') rig.write(file, config);
  return rig;
}

/** Somebody commits, and git does not tidy up after each commit: that takes longer than the commit. */
const GIT_OPTIONS = [
  ...['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'],
  ...['-c', 'maintenance.auto=false', '-c', 'gc.auto=0'],
];

const templates = new Map<string, string>();

/** A directory like that of a rig, made once for each name: a copy takes less time than a few runs of git. */
export function template(name: string, prepare: (rig: Rig) => void): string {
  const made = templates.get(name);
  if (made !== undefined) return made;
  const rig = makeRig('');
  prepare(rig);
  templates.set(name, rig.dir);
  return rig.dir;
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-e2e-')));
}

/** Copies a template; git's config names other directories in it by their paths. */
function copied(like: string): string {
  const dir = newDirectory();
  cpSync(like, dir, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const file = join(dir, 'w/.git/config');
  const text = readFileSync(file, 'utf8');
  if (text.includes(like)) writeFileSync(file, text.replaceAll(like, dir));
  return dir;
}

function firstCommit(): string {
  const made = templates.get('');
  if (made !== undefined) return made;
  const dir = newDirectory();
  for (const name of ['home', 'w', 'tmp']) mkdirSync(join(dir, name));
  const git = (...args: string[]) =>
    execFileSync('git', [...GIT_OPTIONS, ...args], {
      cwd: join(dir, 'w'),
      env: { PATH: process.env['PATH'], HOME: dir },
    });
  // Without git's samples of hooks there is less to copy.
  git('init', '--quiet', '-b', 'feature/auth', '--template=');
  git('commit', '--quiet', '--allow-empty', '-m', 'first');
  mkdirSync(join(dir, 'w/.git/info'));
  templates.set('', dir);
  return dir;
}

/** For `--require`: whatever starts a process, in whichever way, writes its name to a file, and then starts it. */
export function startsTold(file: string): string {
  return `
const { appendFileSync } = require('node:fs');
const starters = require('node:child_process');
const tell = (name) => appendFileSync(${JSON.stringify(file)}, name + '\\n');
const { spawn } = starters.ChildProcess.prototype;
starters.ChildProcess.prototype.spawn = function (options) {
  tell(options.file);
  return spawn.call(this, options);
};
for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
  const start = starters[name];
  starters[name] = (program, ...rest) => {
    tell(program);
    return start(program, ...rest);
  };
}
`;
}

/** Where one of the built commands lies. */
export function commandFile(name: string): string {
  return join(DIST, `${name}.cjs`);
}

/** Runs one of the built commands and waits for it. */
export function runNow(
  command: string,
  args: readonly string[],
  input: string | Uint8Array,
  options: { cwd: string; env: Record<string, string> },
): Ended {
  const asked = { command, args, input, ...options };
  if (needsNoProcess(asked)) {
    const ended = runInRunner(DIST, asked);
    return { ...ended, json: jsonOf(ended.stdout) };
  }
  if (command === 'hook') shareWherePossible(options.env['HOME']);
  const { stdout, stderr, status } = spawnSync(process.execPath, [commandFile(command), ...args], {
    ...options,
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { stdout, stderr, exitCode: status, json: jsonOf(stdout) };
}

/** Starts one of the built commands; others may run beside it. One that outlives `timeout` is killed. */
export function runLater(
  command: string,
  args: readonly string[],
  input: string | Uint8Array,
  options: { cwd: string; env: Record<string, string>; timeout?: number },
): Promise<Ended> {
  if (command === 'hook') shareWherePossible(options.env['HOME']);
  const child = spawn(process.execPath, [commandFile(command), ...args], {
    ...options,
    killSignal: 'SIGKILL',
  });
  return endOf(child, input);
}

/** Gives a process its input and waits for what it leaves behind. */
export function endOf(child: ChildProcessWithoutNullStreams, input: string | Uint8Array): Promise<Ended> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (data: Buffer) => stdout.push(data));
  child.stderr.on('data', (data: Buffer) => stderr.push(data));
  // A process that answers before it has read everything closes the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => {
      const text = Buffer.concat(stdout).toString();
      resolve({ stdout: text, stderr: Buffer.concat(stderr).toString(), exitCode, json: jsonOf(text) });
    });
  });
}

/** The reason of a denied tool call; the test fails here when it was not denied. */
export function deniedBecause({ json, stdout, stderr }: Ended): string {
  const denied = at(json, 'hookSpecificOutput', 'permissionDecision') === 'deny';
  if (!denied) throw new Error(`not denied: ${stdout}${stderr}`);
  return String(at(json, 'hookSpecificOutput', 'permissionDecisionReason'));
}

/** The reason of a refused end of turn; the test fails here when it was not refused. */
export function heldBecause({ json, stdout, stderr }: Ended): string {
  if (at(json, 'decision') !== 'block') throw new Error(`not held: ${stdout}${stderr}`);
  return String(at(json, 'reason'));
}

/** What stands at a path of a document; `undefined` where the path ends early. */
export function at(document: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as HostDocument | undefined)?.[key], document);
}

function writeBelow(base: string, path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

function jsonIn(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
