import type { Extra } from '../config/settings/entries';
import type { HostName } from '../core/host-name';
import type { Json, JsonObject } from '../core/json';

/** Whose settings: the project's (shared through git), the user's in this project, or the user's everywhere. */
export type Scope = 'project' | 'local' | 'user';

/** The directories and environment of an installation. `project` is the root of the work tree. */
export interface InstallTarget {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One value of ours in a list in the host's settings, such as the list at `hooks`, `PreToolUse`. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: JsonObject;
}

/**
 * What `init` offers besides the hooks: permissions for the commands with which an agent satisfies a rule, and a status
 * line. Both go where the host expects them, and only if they are missing.
 */
export type OptionalExtra = 'permissions' | 'statusLine';

/** A file that contains nothing but ours. */
export interface OwnFile {
  readonly file: string;
  readonly text: string;
}

/** What is written for a host: entries in its settings, a JSON file shared with others, and files of our own. */
export interface InstallSpec {
  /** The settings; for a host without entries, the file of ours that it loads. */
  readonly file: string;
  /** Members that the settings must have; added only if missing. */
  readonly skeleton?: JsonObject;
  readonly entries: readonly Entry[];
  readonly files?: readonly OwnFile[];
}

/** Signs that a host is in use: paths below the project or the home, programs on the PATH. */
export interface Signs {
  readonly project: readonly string[];
  readonly home: readonly string[];
  readonly programs: readonly string[];
}

/** One result of an examination, and how to fix it. */
export interface Finding {
  /** Stable and short, in kebab-case. */
  readonly id: string;
  readonly level: 'fine' | 'warning' | 'error';
  readonly text: string;
  readonly fix?: string;
}

/**
 * Another entry that does the same work: a line of ours written by hand, or an older program's. Together with our entry
 * it would count everything twice.
 */
export interface DuplicateEntry {
  readonly kind: 'by-hand' | 'older';
  /** The program's usual name. */
  readonly program: string;
  readonly command: string;
}

/** How to set up a host. Pure, except that `examine` may read other files of the host. */
export interface HostSetup {
  readonly name: HostName;
  readonly title: string;
  readonly scopes: readonly Scope[];
  /** The entry member that makes the host block if we fail. Absent if the host has none. */
  readonly closedBy?: JsonObject;
  readonly signs: Signs;
  /** What a person must know or do after installing, one sentence each. */
  afterwards(scope: Scope): readonly string[];
  /** With `failClosed` the host blocks if we crash or time out, where it can. */
  installSpec(scope: Scope, target: InstallTarget, failClosed?: boolean): InstallSpec;
  /** Absent if the host supports neither. */
  readonly offers?: Readonly<Record<OptionalExtra, readonly Extra[]>>;
  /** An older program in a value of a settings list, or part of one, that does the same work as our entry. */
  olderProgram?(value: Json): DuplicateEntry | undefined;
  /** What in the host's files keeps our entries from working or makes them run twice. `settings` is the parsed file. */
  examine?(scope: Scope, target: InstallTarget, settings: Json | undefined): readonly Finding[];
}
