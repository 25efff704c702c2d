import { existsSync } from 'node:fs';
import { detailOf, errorCode } from '../core/failure';

export type Env = Readonly<Record<string, string | undefined>>;

/** Loaded on first use: it takes several milliseconds, and most events run no git. */
function childProcess(): typeof import('node:child_process') {
  return require('node:child_process');
}

/** The environment for git. Inside a git hook, variables of git would point it at another repository. */
export function gitEnvironment(env: Env): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))),
    // Ignores replace refs and grafts: they change how history is shown, and we compare with what was committed.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/** A call of git, without a shell. */
export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Env;
  /** Used instead of the index of the work tree, which then is `cwd`. */
  readonly index?: string;
  readonly input?: string;
  /** Makes git asynchronous, as a server needs, and cancellable. Without it we block, which costs half as much. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline in milliseconds since the epoch, when git is killed. */
  readonly until?: number | undefined;
}

/** stdout is in `printed`, stderr in `said`. `code` is -1 if git did not run to its end; then `said` tells why. */
export interface GitAnswer {
  readonly code: number;
  readonly printed: string;
  readonly said: string;
}

/** Runs git synchronously in a directory and returns its stdout, or `undefined` if it fails. */
export type AskGit = (dir: string, args: readonly string[]) => string | undefined;

const ASK_TIMEOUT_MS = 3000;

export const askGit: AskGit = (dir, args) => {
  const call = { cwd: dir, args, env: process.env, until: Date.now() + ASK_TIMEOUT_MS };
  const { code, printed } = runGitSync(call);
  return code === 0 ? printed.replace(/\r?\n$/, '') : undefined;
};

/** Runs git once. Never throws; bytes that are not UTF-8 become replacement characters. */
export async function runGit({ signal, ...call }: GitCall): Promise<GitAnswer> {
  return signal === undefined ? runGitSync(call) : runGitAsync(call, signal);
}

function runGitSync({ input, ...call }: GitCall): GitAnswer {
  try {
    const { error, status, stdout, stderr } = childProcess().spawnSync('git', gitArguments(call.args), {
      ...optionsFor(call),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(input !== undefined && { input }),
    });
    return error === undefined
      ? { code: status ?? -1, printed: stdout, said: stderr }
      : notEnded(error, call);
  } catch (error) {
    return notEnded(error, call);
  }
}

function runGitAsync({ input, ...call }: GitCall, signal: AbortSignal): Promise<GitAnswer> {
  return new Promise((resolve) => {
    try {
      const options = { ...optionsFor(call), signal };
      const child = childProcess().execFile(
        'git',
        gitArguments(call.args),
        options,
        (error, printed, said) => {
          // A numeric code is git's exit code; a string says why git did not run to its end.
          if (typeof error?.code === 'string' || error?.killed) resolve(notEnded(error, call));
          else resolve({ code: error === null ? 0 : (error.code ?? -1), printed, said });
        },
      );
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    } catch (error) {
      resolve(notEnded(error, call));
    }
  });
}

function notEnded(why: unknown, { cwd }: Pick<GitCall, 'cwd'>): GitAnswer {
  // The system says ENOENT for a missing directory, too.
  const missing = existsSync(cwd) ? 'git was not found on the PATH' : `the directory ${cwd} is gone`;
  const said = errorCode(why) === 'ENOENT' ? missing : detailOf(why).replace(/^spawnSync /, 'spawn ');
  return { code: -1, printed: '', said };
}

/** Settings that keep git from starting other programs, and from failing where it would only warn. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.splitIndex=false',
  // Files that are there count, whatever a sparse checkout would leave out.
  'core.sparseCheckout=false',
  'core.safecrlf=false',
  'advice.addEmbeddedRepo=false',
  'advice.addIgnoredFile=false',
  'advice.graftFileDeprecated=false',
];

export function gitArguments(args: readonly string[]): readonly string[] {
  return [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args];
}

function optionsFor({ cwd, env, index, until = Number.POSITIVE_INFINITY }: GitCall) {
  return {
    cwd,
    encoding: 'utf8',
    // With an index of our own, git must look at the files around it, whatever `core.worktree` or `core.bare` says.
    env: { ...gitEnvironment(env), ...(index && { GIT_INDEX_FILE: index, GIT_WORK_TREE: cwd }) },
    killSignal: 'SIGKILL',
    maxBuffer: Number.POSITIVE_INFINITY,
    // Node takes 0 for no timeout.
    timeout: until === Number.POSITIVE_INFINITY ? 0 : Math.max(1, until - Date.now()),
    windowsHide: true,
  } as const;
}

/** The most telling line of git's stderr. */
export function errorLineOf({ said, code }: GitAnswer): string {
  const lines = said.split('\n').filter((line) => line !== '');
  const fatal = lines.find((line) => /^(?:fatal|error): /.test(line));
  return (fatal ?? lines[0] ?? `it ended with ${code}`).replace(/^(?:fatal|error): /, '');
}
