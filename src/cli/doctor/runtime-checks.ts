import type { AskGit } from '../../git/run-git';
import { advice, type Check, failed, passed, warned } from './check';

const OLDEST_NODE = 20;

/** What Holdpoint itself runs on. */
export function runtimeChecks(cwd: string, askGit: AskGit): Check[] {
  return [nodeCheck(process.versions.node), gitCheck(askGit(cwd, ['--version']))];
}

function nodeCheck(version: string): Check {
  const subject = { id: 'runtime.node', category: 'runtime' } as const;
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return passed(subject, `Node ${version}`);
  return failed(subject, `Node ${version} is too old`, advice(`Install Node ${OLDEST_NODE} or newer`));
}

function gitCheck(said: string | undefined): Check {
  const subject = { id: 'runtime.git', category: 'runtime' } as const;
  if (said !== undefined) return passed(subject, said);
  return warned(subject, 'git does not answer: sizes of branches cannot be told', advice('Install git'));
}
