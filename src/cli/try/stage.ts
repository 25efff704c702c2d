import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../core/json';
import { ownDist } from '../install/launch';

const SESSION = '5e551011-0000-4000-8000-000000000001';
const CONFIG = `# .holdpoint/config.yaml, committed with the project
requirements:
  commit_plan:
    enabled: true
    scope: session              # once in every session
    trigger_tools: [Edit, Write]
  release_branches:
    enabled: true
    type: guard
    guard_type: protected_branch
    protected_branches: [main, "release/*"]
  changelog:
    enabled: true
    stop_only: true             # never in the way, asked for when the turn ends
    trigger_tools: [Edit]
`;

/** How a program on the stage ended. */
export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export type Stage = ReturnType<typeof buildStage>;

/**
 * A scratch repository with a home of its own. Nothing outside of it is read or written. Leaves nothing behind when it
 * throws.
 */
export function buildStage() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-try-')));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  try {
    return { ...setUp(join(scratch, 'project'), join(scratch, 'home')), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function setUp(repository: string, home: string) {
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
    const options = { cwd: repository, env, input, encoding: 'utf8' } as const;
    const { stdout, stderr, status } = spawnSync(program, args, options);
    return { stdout, stderr, exitCode: status };
  };
  const startOurs = (name: string, args: readonly string[], input?: string): Reply =>
    start(process.execPath, [join(ownDist(), `${name}.cjs`), ...args], input);
  return {
    repository,
    home,
    sendEvent: (event: JsonObject): Reply =>
      startOurs('hook', [], JSON.stringify({ session_id: SESSION, cwd: repository, ...event })),
    run: (command: string, args: readonly string[]): Reply =>
      command === 'git' ? start('git', args) : startOurs(command, args),
  };
}
