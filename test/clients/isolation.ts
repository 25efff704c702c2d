import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../src/cli/install/launch';

/** Machine-wide settings of agents. */
const MACHINE_WIDE = ['/etc/claude-code', '/etc/codex', '/etc/gemini-cli', '/etc/opencode'];

/** Namespaces with only a loopback network, and with processes that are killed with the first one. */
function unshare(): string[] {
  const mapped = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', ...mapped, '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
}

/** Why a program cannot be cut off from the network here; `undefined` if it can. */
export function isolationProblem(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces exist only on Linux';
  const [program = '', ...args] = [...unshare(), 'sh', '-c', 'ip link set lo up && mount -t tmpfs none /mnt'];
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `no network namespace: ${(error?.message ?? stderr).trim()}`;
}

/**
 * A command line that runs `command` without a network and without access to the home or, if it contains something
 * `needed`, its other dotfiles: settings and credentials can be neither read nor written.
 */
export function isolated(command: readonly string[], home: string, needed: readonly string[]): string[] {
  const hide = [...hiddenIn(home, needed), ...MACHINE_WIDE.filter((path) => existsSync(path))].map((path) =>
    statSync(path).isDirectory()
      ? `mount -t tmpfs -o mode=700 none ${shellWord(path)}`
      : `mount --bind /dev/null ${shellWord(path)}`,
  );
  const script = ['set -e', 'ip link set lo up', ...hide, 'exec "$@"'].join('\n');
  return [...unshare(), 'sh', '-c', script, 'sh', ...command];
}

function hiddenIn(home: string, needed: readonly string[]): string[] {
  const holds = (path: string): boolean => needed.some((one) => one === path || one.startsWith(`${path}/`));
  if (!existsSync(home)) return [];
  if (!holds(home)) return [home];
  return readdirSync(home)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(home, name))
    .filter((path) => existsSync(path) && !holds(path));
}
