import type { LoadParser } from './parsing';
import type { RepositoryFact } from './repositories';

/** Where a line starts, and what is known there. */
export interface Start {
  readonly cwd: string;
  readonly home?: string;
  readonly loadParser: LoadParser;
  /** The branch of the repository that `cwd` is in. */
  readonly branch?: string;
  /**
   * Tells the repository of a directory before the line runs. Without it only `cwd` itself is known,
   * since any directory below may hold a repository or a work tree of its own.
   */
  readonly repositoryAt?: (directory: string) => RepositoryFact | undefined;
  /** The project's own test commands, word by word; a command that begins like one is a test run. */
  readonly testCommands?: readonly (readonly string[])[];
}
