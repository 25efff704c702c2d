import { execFileSync } from 'node:child_process';
import type { AskGit } from './head';

const TIMEOUT_MS = 3000;

/**
 * Asks the installed git, without a shell. Its variables are taken out of the environment, since inside
 * one of git's own hooks they would point at another repository than the one asked about.
 */
export const askGit: AskGit = (dir, args) => {
  try {
    const printed = execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      env: withoutGitVariables(process.env),
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      windowsHide: true,
    });
    return printed.replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
};

function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}
