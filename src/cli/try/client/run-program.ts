import { spawn } from 'node:child_process';

/** A program that is run to its end, with exactly this environment. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** After so many milliseconds it is killed, with all that it has started. */
  readonly deadline: number;
}

export interface ProgramEnded {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export function runProgram({ path, args, cwd, env, deadline }: Program): Promise<ProgramEnded> {
  const child = spawn(path, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (data: Buffer) => stdout.push(data));
  child.stderr.on('data', (data: Buffer) => stderr.push(data));
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, deadline);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      const texts = { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
      resolve({ exitCode, ...texts, timedOut });
    });
  });
}
