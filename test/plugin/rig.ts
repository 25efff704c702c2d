import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandFile } from '../e2e/rig';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PLUGIN = join(ROOT, 'plugin');

export function jsonOf(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

/** A copy of the plugin in a folder with an awkward name, as a marketplace would have it, and programs of its own. */
export interface Package {
  readonly dir: string;
  readonly plugin: string;
  /** The only directory with programs, besides those of the system. */
  readonly bin: string;
  /** Puts the built product beside the plugin, as in a clone or a published package. */
  build(): void;
  run(shell: string, line: string, how: { input?: string; env: Record<string, string> }): Ended;
  remove(): void;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export function makePackage(): Package {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-plugin o'$x ")));
  const [plugin, bin] = [join(dir, 'plugin'), join(dir, 'programs')];
  cpSync(PLUGIN, plugin, { recursive: true });
  mkdirSync(bin);
  return {
    dir,
    plugin,
    bin,
    build: () => {
      symlinkSync(dirname(commandFile('hook')), join(dir, 'dist'));
      symlinkSync(process.execPath, join(bin, 'node'));
    },
    run: (shell, line, { input = '', env }) => {
      const { stdout, stderr, status } = spawnSync(shell, ['-c', line], {
        cwd: dir,
        env: { PATH: `${bin}:/usr/bin:/bin`, CLAUDE_PLUGIN_ROOT: plugin, ...env },
        input,
        encoding: 'utf8',
      });
      return { stdout, stderr, exitCode: status };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
