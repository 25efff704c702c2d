import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareCompiledCode } from '../e2e/compiled-code';

const DIST = process.env['HOLDPOINT_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const CLIENT = fileURLToPath(new URL('./client.mjs', import.meta.url));

/** One thing that the agent does: a tool call, or the end of its turn. */
export type Step =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>>; readonly agent?: string }
  | { readonly stop: true };

export interface Seen {
  readonly event: string;
  readonly tool?: string;
  readonly kind: 'pass' | 'ask' | 'deny';
  readonly reason?: string;
  readonly told: readonly string[];
}

export interface Played {
  readonly results: readonly { readonly ran?: boolean; readonly output?: string }[];
  readonly stop: 'pass' | 'deny';
  readonly seen: readonly Seen[];
}

/** A repository with rules that only a person can satisfy, gates, and the hooks installed as a person would. */
export interface World {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  /** With `under`, the client is started by another program. */
  play(steps: readonly Step[], under?: readonly string[]): Promise<Played>;
  git(...args: string[]): string;
  read(path: string): string;
  /** The first commit, which `main` stands at. */
  readonly first: string;
  originMain(): string;
  remove(): void;
}

const RULES = `requirements:
  plan:
    enabled: true
    scope: session
    agent_may_satisfy: false
    satisfied_by_skill: approve-plan
    description: A person approves the plan before anything is edited.
    on: [edit]
  review:
    enabled: true
    scope: single_use
    agent_may_satisfy: false
    description: A person looks at each commit.
    on: [commit]
  protected_branch:
    enabled: true
    type: guard
    guard_type: protected_branch
    protected_branches: [main]
    agent_may_satisfy: false
hooks:
  stop: {verify_requirements: true}
`;

export const GATES = `gates:
  base_branch: main
  entry_points: [{path: ., checks: [test]}]
  checks: {test: {command: node --test}}
  weakening: hold
`;

const FILES: Readonly<Record<string, string>> = {
  '.gitignore': '.holdpoint/logs\n.holdpoint/config.local.yaml\n',
  'package.json': '{"name":"w","scripts":{"test":"node --test"}}\n',
  'src/a.js': 'exports.add = (a, b) => a + b;\n',
  'test/a.test.js':
    "const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('adds', () => assert.equal(require('../src/a.js').add(1, 2), 3));\n",
};

type Kind = 'rules' | 'gates';

/** Made once for each kind and copied: the paths in it are as long as those of the copies. */
const templates = new Map<Kind, string>();

const placesIn = (dir: string) => ({
  home: join(dir, 'home'),
  repo: join(dir, 'repo'),
  bin: join(dir, 'bin'),
  tmp: join(dir, 'tmp'),
});

function environmentIn(dir: string) {
  const { home, bin, tmp } = placesIn(dir);
  return { PATH: `${bin}:${process.env['PATH']}`, HOME: home, TMPDIR: tmp, GIT_CONFIG_NOSYSTEM: '1' };
}

function gitIn(dir: string, ...args: string[]): string {
  const { repo: cwd } = placesIn(dir);
  const env = environmentIn(dir);
  return execFileSync('git', args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'w-')));
}

/** `gates`: no rules but the gates, so that edits and commits are free. */
function makeTemplate(kind: Kind): string {
  const dir = newDirectory();
  const { home, repo, bin, tmp } = placesIn(dir);
  for (const path of [home, repo, bin, tmp]) mkdirSync(path);
  for (const name of ['holdpoint', 'req', 'agent-gauntlet'])
    symlinkSync(join(DIST, `${name}.cjs`), join(bin, name));
  shareCompiledCode(home);
  const env = environmentIn(dir);
  const git = (...args: string[]): string => gitIn(dir, ...args);
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n name = A\n email = a@example.invalid\n[init]\n defaultBranch = main\n',
  );
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', join(dir, 'origin')], { env });
  git('init', '--quiet', '-b', 'main');
  const config = kind === 'gates' ? GATES : RULES + GATES.replace('node --test', 'node test/a.test.js');
  for (const [path, text] of Object.entries({ ...FILES, '.holdpoint/config.yaml': config })) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  git('remote', 'add', 'origin', join(dir, 'origin'));
  git('push', '--quiet', '-u', 'origin', 'main');
  git('checkout', '--quiet', '-b', 'work');
  const install = [join(DIST, 'holdpoint.cjs'), 'install', '--host', 'claude-code'];
  const installed = spawnSync(process.execPath, install, { cwd: repo, env, encoding: 'utf8' });
  if (installed.status !== 0) throw new Error(installed.stdout + installed.stderr);
  // It knows the config by its path, and is made anew at the first event.
  rmSync(join(repo, '.git/holdpoint/config.jsonl'), { force: true });
  return dir;
}

/** A copy of a template, which is as if everything had been made in its place. */
function copied(template: string): string {
  const dir = newDirectory();
  cpSync(template, dir, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    // Compiled code names no path, and others may be replacing it.
    .filter((one) => one.isFile() && !one.name.endsWith('.cjs') && !one.parentPath.endsWith('/code'))
    .map((one) => join(one.parentPath, one.name));
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    if (text.includes(template)) writeFileSync(file, text.replaceAll(template, dir), 'latin1');
  }
  // The launch file counts only if it is not newer than its seal.
  const now = new Date();
  utimesSync(join(placesIn(dir).home, '.config/holdpoint/launch.seal'), now, now);
  return dir;
}

export function makeWorld(kind: Kind): World {
  const template = templates.get(kind) ?? makeTemplate(kind);
  templates.set(kind, template);
  const dir = copied(template);
  const { home, repo } = placesIn(dir);
  const git = (...args: string[]): string => gitIn(dir, ...args);
  const first = git('rev-parse', 'HEAD');
  return {
    dir,
    first,
    originMain: () => git('--git-dir', join(dir, 'origin'), 'rev-parse', 'main'),
    home,
    repo,
    git,
    play(steps, under = []) {
      const plan = { project: repo, home, session: '5e551011-0000-4000-8000-00000000000a', steps };
      return played(JSON.stringify(plan), repo, environmentIn(dir), under);
    },
    read: (path) => readFileSync(join(repo, path), 'utf8'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function played(
  plan: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  under: readonly string[],
): Promise<Played> {
  const [program = '', ...args] = [...under, process.execPath, CLIENT];
  const child = spawn(program, args, { cwd, env, timeout: 120_000 });
  const [out, error]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (data: Buffer) => out.push(data));
  child.stderr.on('data', (data: Buffer) => error.push(data));
  child.stdin.end(plan);
  return new Promise((resolve, reject) => {
    child.on('close', (status) => {
      if (status === 0) resolve(JSON.parse(Buffer.concat(out).toString()) as Played);
      else reject(new Error(Buffer.concat(error).toString()));
    });
  });
}
