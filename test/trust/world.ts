import { execFileSync, spawnSync } from 'node:child_process';
import {
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
import { fileURLToPath } from 'node:url';

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
  play(steps: readonly Step[]): Played;
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

let template: string | undefined;

/** Made once and copied: paths in it are rewritten where they stand in settings. */
function madeOnce(): string {
  if (template !== undefined) return template;
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-trust-')));
  template = dir;
  return dir;
}

/** `gates`: no rules but the gates, so that edits and commits are free. */
export function makeWorld(kind: 'rules' | 'gates'): World {
  const dir = realpathSync(mkdtempSync(join(madeOnce(), 'w-')));
  const [home, repo, bin, tmp] = ['home', 'repo', 'bin', 'tmp'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [home, repo, bin, tmp]) mkdirSync(path);
  for (const name of ['holdpoint', 'req', 'agent-gauntlet'])
    symlinkSync(join(DIST, `${name}.cjs`), join(bin, name));
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, TMPDIR: tmp, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: repo,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n name = A\n email = a@example.invalid\n[init]\n defaultBranch = main\n',
  );
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', join(dir, 'origin')], { env });
  git('init', '--quiet', '-b', 'main');
  const config = kind === 'gates' ? GATES : RULES + GATES;
  for (const [path, text] of Object.entries({ ...FILES, '.holdpoint/config.yaml': config })) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  git('remote', 'add', 'origin', join(dir, 'origin'));
  git('push', '--quiet', '-u', 'origin', 'main');
  git('checkout', '--quiet', '-b', 'work');
  const installed = spawnSync(
    process.execPath,
    [join(DIST, 'holdpoint.cjs'), 'install', '--host', 'claude-code'],
    { cwd: repo, env, encoding: 'utf8' },
  );
  if (installed.status !== 0) throw new Error(installed.stdout + installed.stderr);
  const first = git('rev-parse', 'HEAD');
  return {
    dir,
    first,
    originMain: () => git('--git-dir', join(dir, 'origin'), 'rev-parse', 'main'),
    home,
    repo,
    git,
    play(steps) {
      const plan = { project: repo, home, session: '5e551011-0000-4000-8000-00000000000a', steps };
      const run = spawnSync(process.execPath, [CLIENT], {
        cwd: repo,
        env,
        encoding: 'utf8',
        input: JSON.stringify(plan),
        timeout: 120_000,
      });
      if (run.status !== 0) throw new Error(run.stderr);
      return JSON.parse(run.stdout) as Played;
    },
    read: (path) => readFileSync(join(repo, path), 'utf8'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
