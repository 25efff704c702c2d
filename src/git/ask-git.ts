import { childProcess } from '../exec/late-child-process';
import { withoutGitVariables } from './git-environment';
import type { AskGit } from './head';

const TIMEOUT_MS = 3000;

/** Asks the installed git, without a shell and without its variables in the environment. */
export const askGit: AskGit = (dir, args) => {
  try {
    const printed = childProcess().execFileSync('git', args, {
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
