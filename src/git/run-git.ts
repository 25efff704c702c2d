import { detailOf } from '../core/failure';

type Env = Readonly<Record<string, string | undefined>>;

/** Loaded when it is first needed: it takes several milliseconds, and most events start no git. */
function childProcess(): typeof import('node:child_process') {
  return require('node:child_process');
}

/** Inside a git hook these variables would point at another repository than the one asked about. */
export function withoutGitVariables(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}

/** Runs git in a directory and waits for it: what it printed, or `undefined` if it failed. */
export type AskGit = (dir: string, args: readonly string[]) => string | undefined;

/** What an object is replaced by, or grafted on, is for people who read history, not for what is compared with it. */
const AS_WRITTEN = { GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: '/dev/null' };

const ASK_TIMEOUT_MS = 3000;

/** Asks the installed git, without a shell and without git's variables in the environment. */
export const askGit: AskGit = (dir, args) => {
  try {
    const printed = childProcess().execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      env: { ...withoutGitVariables(process.env), ...AS_WRITTEN },
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: ASK_TIMEOUT_MS,
      windowsHide: true,
    });
    return printed.replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
};

/** A call of git. There is no shell in between. */
export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Env;
  /** Used instead of the work tree's index. */
  readonly index?: string;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/** What git printed. `code` is -1 if it did not end by itself; then `said` tells why. */
export interface GitAnswer {
  readonly code: number;
  readonly printed: string;
  readonly said: string;
}

/** Settings with which git starts nothing else, and does not refuse what it would only warn of. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.splitIndex=false',
  'core.safecrlf=false',
  'advice.addEmbeddedRepo=false',
  'advice.addIgnoredFile=false',
].flatMap((setting) => ['-c', setting]);

/** Runs git once. Never throws; bytes that are not UTF-8 come back as replacement characters. */
export function runGit({ cwd, args, env, index, input, signal }: GitCall): Promise<GitAnswer> {
  const own = {
    ...AS_WRITTEN,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
  return new Promise((resolve) => {
    const stop = (why: string): void => resolve({ code: -1, printed: '', said: why });
    if (signal?.aborted) return stop('The operation was aborted');
    try {
      const options = {
        cwd,
        env: { ...withoutGitVariables(env), ...own, ...(index && { GIT_INDEX_FILE: index }) },
        maxBuffer: Number.POSITIVE_INFINITY,
        windowsHide: true,
        ...(signal && { signal }),
      };
      const child = childProcess().execFile(
        'git',
        [...SETTINGS, ...args],
        options,
        (error, printed, said) => {
          // A number is git's own; a name says why git did not run to its end.
          if (typeof error?.code === 'string') stop(detailOf(error));
          else resolve({ code: error === null ? 0 : (error.code ?? -1), printed, said });
        },
      );
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    } catch (error) {
      stop(detailOf(error));
    }
  });
}

/** The line of git's complaint that says most. */
export function complaintOf({ said, code }: GitAnswer): string {
  const lines = said.split('\n').filter((line) => line !== '');
  const fatal = lines.find((line) => /^(?:fatal|error): /.test(line));
  return (fatal ?? lines[0] ?? `it ended with ${code}`).replace(/^(?:fatal|error): /, '');
}
