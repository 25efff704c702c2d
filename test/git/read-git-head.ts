import { findGit, type GitHead, readHead } from '../../src/git/head';
import type { AskGit } from '../../src/git/run-git';

/** Finding and reading in one, as the pipeline does it. */
export function readGitHead(start: string, askGit: AskGit): GitHead | undefined {
  const place = findGit(start);
  return place && readHead(place, askGit);
}
