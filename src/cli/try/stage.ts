import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../core/json';
import { CONFIG, SESSION } from './story';

/** The built product that is tried. */
export const DIST = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A scratch repository with a home of its own. Nothing outside of it is read or written. */
export interface Stage {
  readonly repository: string;
  readonly home: string;
  sendEvent(event: JsonObject): Reply;
  run(command: string, args: readonly string[]): Reply;
  remove(): void;
}

export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** Leaves nothing behind when it throws. */
export function buildStage(): Stage {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-try-')));
  try {
    return furnish(scratch);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

function furnish(scratch: string): Stage {
  const repository = join(scratch, 'project');
  const home = join(scratch, 'home');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  for (const dir of [home, join(repository, 'src'), join(repository, '.holdpoint')])
    mkdirSync(dir, { recursive: true });
  writeFileSync(join(repository, 'src', 'login.ts'), 'export const answer = 42;\n');
  writeFileSync(join(repository, '.holdpoint', 'config.yaml'), CONFIG);
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: repository, env });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('-c', 'user.name=try', '-c', 'user.email=try@example.invalid', 'commit', '--quiet', '-m', 'first');
  git('checkout', '--quiet', '-b', 'feature/login');
  const start = (program: string, args: readonly string[], input?: string): Reply => {
    const { stdout, stderr, status } = spawnSync(program, args, {
      cwd: repository,
      env,
      input,
      encoding: 'utf8',
    });
    return { stdout, stderr, exitCode: status };
  };
  return {
    repository,
    home,
    sendEvent: (event) =>
      start(
        process.execPath,
        [join(DIST, 'hook.cjs')],
        JSON.stringify({ session_id: SESSION, cwd: repository, ...event }),
      ),
    run: (command, args) =>
      command === 'git'
        ? start('git', args)
        : start(process.execPath, [join(DIST, `${command}.cjs`), ...args]),
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}
