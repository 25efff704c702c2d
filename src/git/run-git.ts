import { detailOf, errorCode } from '../core/failure';

export type Env = Readonly<Record<string, string | undefined>>;

/** Loaded when it is first needed: it takes several milliseconds, and most events start no git. */
function childProcess(): typeof import('node:child_process') {
  return require('node:child_process');
}

/** Inside a git hook these variables would point at another repository than the one asked about. */
export function withoutGitVariables(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}

/** What an object is replaced by, or grafted on, is for people who read history, not for what is compared with it. */
const AS_WRITTEN = { GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: '/dev/null' };

/** A call of git. There is no shell in between. */
export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Env;
  /** Used instead of the work tree's index. */
  readonly index?: string;
  readonly input?: string;
  /** With it, git can be ended and we go on meanwhile, as a server must. Without it we wait, which costs half as much. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch after which git is ended. */
  readonly until?: number | undefined;
}

/** What git printed. `code` is -1 if it did not end by itself; then `said` tells why. */
export interface GitAnswer {
  readonly code: number;
  readonly printed: string;
  readonly said: string;
}

/** Asks git in a directory and waits: what it printed, or `undefined` if it failed. */
export type AskGit = (dir: string, args: readonly string[]) => string | undefined;

const ASK_TIMEOUT_MS = 3000;

/** Asks the installed git. */
export const askGit: AskGit = (dir, args) => {
  const call = { cwd: dir, args, env: process.env, until: Date.now() + ASK_TIMEOUT_MS };
  const { code, printed } = waitForGit(call);
  return code === 0 ? printed.replace(/\r?\n$/, '') : undefined;
};

/** Runs git once. Never throws; bytes that are not UTF-8 come back as replacement characters. */
export async function runGit({ signal, ...call }: GitCall): Promise<GitAnswer> {
  return signal === undefined ? waitForGit(call) : goOnWithGit(call, signal);
}

function waitForGit({ input, ...call }: GitCall): GitAnswer {
  try {
    const { error, status, stdout, stderr } = childProcess().spawnSync('git', argsFor(call), {
      ...optionsFor(call),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(input !== undefined && { input }),
    });
    return error === undefined ? { code: status ?? -1, printed: stdout, said: stderr } : notEnded(error);
  } catch (error) {
    return notEnded(error);
  }
}

function goOnWithGit({ input, ...call }: GitCall, signal: AbortSignal): Promise<GitAnswer> {
  return new Promise((resolve) => {
    try {
      const options = { ...optionsFor(call), signal };
      const child = childProcess().execFile('git', argsFor(call), options, (error, printed, said) => {
        // A number is git's own; a name says why git did not run to its end.
        if (typeof error?.code === 'string' || error?.killed) resolve(notEnded(error));
        else resolve({ code: error === null ? 0 : (error.code ?? -1), printed, said });
      });
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    } catch (error) {
      resolve(notEnded(error));
    }
  });
}

function notEnded(why: unknown): GitAnswer {
  const said = detailOf(why).replace(/^spawnSync /, 'spawn ');
  const more = errorCode(why) === 'ENOENT' ? ': git is not on the PATH, or the directory is gone' : '';
  return { code: -1, printed: '', said: said + more };
}

/** Settings with which git starts nothing else, and does not refuse what it would only warn of. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.splitIndex=false',
  'core.safecrlf=false',
  'advice.addEmbeddedRepo=false',
  'advice.addIgnoredFile=false',
  'advice.graftFileDeprecated=false',
].flatMap((setting) => ['-c', setting]);

function argsFor({ args }: GitCall): readonly string[] {
  return [...SETTINGS, ...args];
}

function optionsFor({ cwd, env, index, until = Number.POSITIVE_INFINITY }: GitCall) {
  return {
    cwd,
    encoding: 'utf8',
    env: {
      ...withoutGitVariables(env),
      ...AS_WRITTEN,
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
      ...(index && { GIT_INDEX_FILE: index }),
    },
    killSignal: 'SIGKILL',
    maxBuffer: Number.POSITIVE_INFINITY,
    // To Node, 0 means that there is no limit.
    timeout: until === Number.POSITIVE_INFINITY ? 0 : Math.max(1, until - Date.now()),
    windowsHide: true,
  } as const;
}

/** The line of git's complaint that says most. */
export function complaintOf({ said, code }: GitAnswer): string {
  const lines = said.split('\n').filter((line) => line !== '');
  const fatal = lines.find((line) => /^(?:fatal|error): /.test(line));
  return (fatal ?? lines[0] ?? `it ended with ${code}`).replace(/^(?:fatal|error): /, '');
}
