import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Ended, makeRig, type Rig, runLater, runNow, template } from './rig';

/** A project on branch `feat` of a clone, with one uncommitted change in `src`, and the command for its gates. */
export interface GatesRig extends Rig {
  /** The only directory in which programs are found. */
  readonly bin: string;
  gauntlet(args: readonly string[], env?: Readonly<Record<string, string>>, cwd?: string): Ended;
  startGauntlet(args: readonly string[]): Promise<Ended>;
  /** The command for the end of a turn; its one line, parsed. */
  stopHook(input?: object | string, env?: Readonly<Record<string, string>>, cwd?: string): HookLine;
  state(): Record<string, unknown>;
  /** Makes everything that is there a part of the base, so that nothing has changed. */
  commitToBase(): void;
  /** Writes the gates: checks by name, all at `src`, and whatever else the config has. */
  gates(checks: Readonly<Record<string, string>>, more?: string): void;
  /** Writes an executable script of that name. */
  program(name: string, script: string): void;
  logFile(name?: string): string;
  /** What lies in the log directory or below it, hidden files left out; nothing where there is none. */
  logs(below?: string): string[];
}

/** What the command for the end of a turn prints. */
export interface HookLine {
  readonly decision: string;
  readonly status: string;
  readonly message: string;
  readonly reason?: string;
}

const TOOLS = ['git', 'sh', 'cat', 'sleep', 'touch', 'script', 'stty'];
export const ENTRY = 'entry_points: [{ path: src, checks: CHECKS }]';

/** A clone of a bare origin, and a directory of programs beside it. */
function prepare(rig: Rig): void {
  mkdirSync(join(rig.dir, 'bin'));
  for (const tool of TOOLS) {
    const found = execFileSync('/bin/sh', ['-c', `command -v ${tool} || true`], { encoding: 'utf8' }).trim();
    if (found !== '') symlinkSync(found, join(rig.dir, 'bin', tool));
  }
  const origin = join(rig.dir, 'origin.git');
  rig.git('init', '--quiet', '--bare', '-b', 'main', '--template=', origin);
  rig.write('.gitignore', 'gauntlet_logs\n');
  rig.write('src/a.txt', 'one\n');
  rig.git('add', '.');
  rig.git('commit', '--quiet', '-m', 'first');
  rig.git('remote', 'add', 'origin', origin);
  rig.git('push', '--quiet', 'origin', 'HEAD:main');
  rig.git('fetch', '--quiet', 'origin');
  rig.git('checkout', '--quiet', '-b', 'feat');
}

export function makeGatesRig(): GatesRig {
  const rig = makeRig('', '', template('gates', prepare));
  const bin = join(rig.dir, 'bin');
  rig.write('src/a.txt', 'two\n');
  const options = (env: Readonly<Record<string, string>> = {}, cwd = rig.repo) => ({
    cwd,
    env: rig.environment({ PATH: bin, ...env }),
  });
  const logFile = (name = ''): string => join(rig.repo, 'gauntlet_logs', name);
  return {
    ...rig,
    bin,
    gauntlet: (args, env, cwd) => runNow('agent-gauntlet', args, '', options(env, cwd)),
    startGauntlet: (args) => runLater('agent-gauntlet', args, '', options()),
    stopHook: (input = { stop_hook_active: false }, env, cwd) => {
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      const { stdout, exitCode, stderr } = runNow('agent-gauntlet', ['stop-hook'], text, options(env, cwd));
      if (exitCode !== 0 || !/^[^\n]+\n$/.test(stdout)) throw new Error(`not one line: ${stdout}${stderr}`);
      return JSON.parse(stdout) as HookLine;
    },
    state: () => JSON.parse(readFileSync(logFile('.execution_state'), 'utf8')),
    commitToBase: () => {
      rig.git('add', '.');
      rig.git('commit', '--quiet', '-m', 'base');
      rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    },
    gates: (checks, more = '') => writeGates(rig, checks, more),
    program: (name, script) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    },
    logFile,
    logs: (below = '') =>
      existsSync(logFile(below))
        ? readdirSync(logFile(below))
            .filter((name) => !name.startsWith('.'))
            .sort()
        : [],
  };
}

/** They are committed as part of the base: what changes is the source alone. */
function writeGates(rig: Rig, checks: Readonly<Record<string, string>>, more: string): void {
  for (const [name, text] of Object.entries(checks)) rig.write(`.gauntlet/checks/${name}.yml`, text);
  const entry = ENTRY.replace('CHECKS', `[${Object.keys(checks).join(', ')}]`);
  const all = more.includes('entry_points:') ? more : `${entry}\n${more}`;
  const cli = more.includes('cli:') ? '' : 'cli: { default_preference: [claude] }\n';
  rig.write('.gauntlet/config.yml', `${cli}${all}`);
}
