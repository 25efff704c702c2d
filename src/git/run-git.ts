import { detailOf } from '../core/failure';
import type { CancelSignal } from '../exec/cancel-signal';
import { childProcess } from '../exec/late-child-process';
import { withoutGitVariables } from './git-environment';
import { CANCELLED } from './messages';

/** How git is called. There is no shell in between. */
export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes the place of the index that belongs to the work tree. */
  readonly index?: string;
  readonly input?: string;
  readonly signal?: CancelSignal | undefined;
}

/** What git printed. `code` is -1 where it did not come to an end of its own; then `said` tells why. */
export interface GitAnswer {
  readonly code: number;
  readonly printed: string;
  readonly said: string;
}

/** Settings with which git starts nothing further, and does not refuse what it would only warn of. */
export const SETTINGS: readonly string[] = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.splitIndex=false',
  'core.safecrlf=false',
  'advice.addEmbeddedRepo=false',
  'advice.addIgnoredFile=false',
].flatMap((setting) => ['-c', setting]);

/** The environment in which git is called: of its own variables only those that we set. */
export function environmentFor({ env, index }: Pick<GitCall, 'env' | 'index'>): GitCall['env'] {
  const own = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  return { ...withoutGitVariables(env), ...own, ...(index && { GIT_INDEX_FILE: index }) };
}

/** Runs git once. Never throws; bytes that are no text come back as replacement characters. */
export function runGit(call: GitCall): Promise<GitAnswer> {
  const { cwd, args, signal, input } = call;
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
    const stop = (why: string): void => resolve({ code: -1, printed: '', said: why });
    if (signal?.aborted) return stop(CANCELLED);
    try {
      const child = childProcess().spawn('git', [...SETTINGS, ...args], {
        cwd,
        env: environmentFor(call),
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        windowsHide: true,
      });
      const cancel = (): void => {
        child.kill();
        stop(CANCELLED);
      };
      signal?.addEventListener('abort', cancel);
      child.on('error', (error) => stop(detailOf(error)));
      child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
      child.on('close', (code) => {
        signal?.removeEventListener('abort', cancel);
        resolve({ code: code ?? -1, printed: text(out), said: text(err) });
      });
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
