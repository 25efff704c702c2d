import type { ProjectFiles } from './project-files';

/** What a check is for; it is its name in the config, unless two would be called the same. */
export type Purpose = 'test' | 'lint' | 'typecheck' | 'format' | 'check' | 'build';

/** A command that the project has, and the place that says so. */
export interface FoundCheck {
  readonly purpose: Purpose;
  readonly command: string;
  readonly source: string;
}

/** Something that looks like a check and is none. */
export interface PassedOver {
  readonly what: string;
  readonly why: string;
}

/** What a directory is, seen by one kind of project. */
export interface Recognised {
  readonly checks: readonly FoundCheck[];
  readonly passedOver?: readonly PassedOver[];
  /** What has to be done before the checks can work here. */
  readonly first?: string;
  /** Directories below that are projects of their own and whose checks are run there. */
  readonly members?: readonly string[];
}

/** A kind of project: how it is told by its files, and which commands it really has. */
export interface Kind {
  /** Short, for names of checks and for people: `npm`, `python`. */
  readonly name: string;
  /** Nothing where the directory is of another kind. */
  recognise(files: ProjectFiles): Recognised | undefined;
}
