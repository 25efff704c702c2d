import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type JsonObject, jsonObjectIn } from '../../src/core/json';

/** Where the real Claude Code is started, and with which model. */
export interface ClientPlace {
  readonly program: string;
  readonly modelUrl: string;
  readonly home: string;
  readonly cwd: string;
  /** Added to the client's fixed environment; nothing of ours is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly deadline?: number;
}

export interface ClientRun extends ClientPlace {
  readonly prompt: string;
  readonly args?: readonly string[];
}

export interface ClientEnded extends ProgramEnded {
  /** The client's own record of the run, one document per line. */
  readonly stream: readonly JsonObject[];
}

/** Keeps the client from contacting anything but the model. Root needs IS_SANDBOX to skip permissions. */
const QUIET = {
  ANTHROPIC_API_KEY: 'test-key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_TELEMETRY: '1',
  IS_SANDBOX: '1',
};

/** Runs the client to the end of its turn, without permission prompts: only hooks decide. */
export async function runClient(run: ClientRun): Promise<ClientEnded> {
  const record = ['--output-format', 'stream-json', '--verbose'];
  const args = ['-p', run.prompt, ...record, '--permission-mode', 'bypassPermissions', ...(run.args ?? [])];
  const ended = await callClient(run, args);
  const documents = ended.stdout.split('\n').map(jsonObjectIn);
  return { ...ended, stream: documents.filter((one) => one !== undefined) };
}

export function callClient(place: ClientPlace, args: readonly string[]): Promise<ProgramEnded> {
  const { program: path, cwd, deadline = 60_000 } = place;
  return runProgram({ path, args, cwd, env: clientEnvironment(place), deadline });
}

export function clientEnvironment({ home, modelUrl, env }: ClientPlace): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
    ANTHROPIC_BASE_URL: modelUrl,
    ...QUIET,
    ...env,
  };
}

/** A program that is run to its end, with exactly this environment. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** After this many milliseconds its process group is killed. */
  readonly deadline: number;
}

export interface ProgramEnded {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Rejects if the program cannot be started. */
export async function runProgram({ path, args, cwd, env, deadline }: Program): Promise<ProgramEnded> {
  const child = spawn(path, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, deadline);
  try {
    const texts = [text(child.stdout), text(child.stderr)] as const;
    const [stdout, stderr, [exitCode]] = await Promise.all([...texts, once(child, 'close')]);
    return { exitCode: exitCode as number | null, stdout, stderr, timedOut };
  } finally {
    clearTimeout(timer);
  }
}
