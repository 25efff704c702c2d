import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly input: string | Uint8Array;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

const RUNNER = fileURLToPath(new URL('./command-runner.mjs', import.meta.url));
/** Many short commands leave much behind: a larger nursery, and no threads that compete with the other tests. */
const NODE_FLAGS = ['--min-semi-space-size=16', '--single-threaded-gc'];
const LARGEST_INPUT = 1024 * 1024;

let runner: ((command: Command) => Outcome) | undefined;

/**
 * Whether a command can do without a process of its own. Servers outlive their command, variables of Node itself are read
 * when a process begins, and a loop is named after the second and the process that starts it.
 */
export function needsNoProcess({ command, args, input, cwd, env }: Command): boolean {
  const words = args.filter((word) => !word.startsWith('-'));
  return (
    process.env['HOLDPOINT_TEST_PROCESSES'] === undefined &&
    ['hook', 'req', 'holdpoint', 'agent-gauntlet'].includes(command) &&
    input.length < LARGEST_INPUT &&
    !(words.includes('loop') && words.includes('start') && hasStartedLoop(env)) &&
    !['hook', 'try'].includes(words[0] ?? '') &&
    !(words[0] === 'serve' && !args.includes('--stop') && !args.includes('--status')) &&
    !Object.keys(env).some((name) => name.startsWith('NODE_') || name === 'HOLDPOINT_ASKED') &&
    existsSync(cwd)
  );
}

const homesWithLoops = new Set<string | undefined>();

/** Two loops of one home could have the same name if one process started both. */
function hasStartedLoop({ HOME }: Command['env']): boolean {
  const before = homesWithLoops.has(HOME);
  homesWithLoops.add(HOME);
  return before;
}

/** Runs a command in a process that runs them all, one after the other; starting one for each takes longer. */
export function runInRunner(dist: string, command: Command): Outcome {
  runner ??= startRunner(dist);
  return runner(command);
}

function startRunner(dist: string): (command: Command) => Outcome {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-runner-'));
  const [requests, replies] = [join(dir, 'requests'), join(dir, 'replies')];
  execFileSync('mkfifo', ['-m', '600', requests, replies]);
  const toRunner = openSync(requests, 'r+');
  const child = spawn(process.execPath, [...NODE_FLAGS, RUNNER, dist, requests, replies], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  // Waits for the runner to open its end, and sees the end of the stream when the runner has died.
  const fromRunner = openSync(replies, 'r');
  return ({ input, ...rest }) => {
    const line = JSON.stringify({ ...rest, input: Buffer.from(input).toString('base64') });
    writeAll(toRunner, `${line}\n`);
    const reply = JSON.parse(readLine(fromRunner)) as Outcome & { crashed?: string };
    if (reply.crashed !== undefined) throw new Error(`the command crashed: ${reply.crashed}`);
    return reply;
  };
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
}

function readLine(fd: number): string {
  const chunks: Buffer[] = [];
  while (chunks.at(-1)?.at(-1) !== 10) {
    const buffer = Buffer.allocUnsafe(65_536);
    const length = readSync(fd, buffer);
    if (length === 0) throw new Error('the command did not end');
    chunks.push(buffer.subarray(0, length));
  }
  return Buffer.concat(chunks).toString();
}
