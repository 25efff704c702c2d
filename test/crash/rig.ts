import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../bundle';

/** What became of a process: its lines, and how it ended. */
export interface Ended {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once it stands before its work, or has ended. */
  readonly ready: Promise<void>;
}

export interface Rig {
  start(...args: (string | number)[]): Running;
  /** Ends whatever a failed test left running. */
  remove(): Promise<void>;
}

/** Bundles the writer once, so that a process of it starts as fast as the hook does. */
export function buildRig(): Rig {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-rig-'));
  const writer = bundle(new URL('writer.ts', import.meta.url));
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const started: Running[] = [];
  return {
    start: (...args) => {
      const child = spawn(process.execPath, [writer, ...args.map(String)], { env: { ...env, HOME: dir } });
      const running = run(child);
      started.push(running);
      return running;
    },
    remove: async () => {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map((one) => one.ended));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function run(child: ReturnType<typeof spawn>): Running {
  let stdout = '';
  let stderr = '';
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  const ended = new Promise<Ended>((resolve) => {
    // The first line says that it is ready; what follows the last newline was cut off and says nothing.
    child.on('close', (code, signal) =>
      resolve({ lines: stdout.split('\n').slice(1, -1), stderr, code, signal }),
    );
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', (data) => {
      stdout += data;
      resolve();
    });
    child.on('close', () => resolve());
  });
  return { child, ended, ready };
}
