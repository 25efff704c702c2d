import type { Extra } from '../config/settings/entries';
import type { HostName } from '../core/host-name';
import type { Json, JsonObject } from '../core/json';

/** Whose settings: the project's (shared by git), one person's in this project, or one person's everywhere. */
export type Scope = 'project' | 'local' | 'user';

/** The directories and the environment of an installation. `project` is the root of the working tree. */
export interface Ground {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a host is told to start us. The line and the library are stable over upgrades and the same for every home. */
export interface StartLine {
  /** One line for a POSIX shell. It names the host. */
  readonly shell: string;
  /**
   * For hosts that run us in their own process: the path below the home, with slashes, of the CommonJS file whose
   * `load(name)` gives the exports of the installed version's `name.cjs`, or throws.
   */
  readonly library: string;
}

/** One value of ours in a list of the host's settings, such as the list at `hooks`, `PreToolUse`. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: JsonObject;
}

/**
 * What `init` offers beside the entries: permissions for the commands by which an agent satisfies a rule, and a status
 * line. Both go where the host looks for them, and only where they are missing.
 */
export type Offer = 'permissions' | 'statusLine';

/** A file that is all ours. */
export interface OwnFile {
  readonly file: string;
  readonly text: string;
}

/**
 * What is written for a host: entries in a JSON document that others share, or a file that is all ours.
 * `files` are more of the latter, such as commands for the host.
 */
export type Sheet = { readonly file: string; readonly files?: readonly OwnFile[] } & (
  | {
      readonly kind: 'entries';
      /** Members that the document must have, added only where they are missing. */
      readonly skeleton: JsonObject;
      readonly entries: readonly Entry[];
    }
  | { readonly kind: 'own-file'; readonly text: string }
);

/** What the person who installs has chosen. */
export interface Wishes {
  readonly start: StartLine;
  /** Seconds that the end of a turn may take, since gates run then. */
  readonly stopSeconds: number;
  /** Whether the host should block when we crash or run out of time, where it can. */
  readonly failClosed: boolean;
}

/** What shows that a host is in use: paths below the project or the home, programs on the PATH. */
export interface Signs {
  readonly project: readonly string[];
  readonly home: readonly string[];
  readonly programs: readonly string[];
}

/** One thing that was examined, and how to fix it. */
export interface Finding {
  /** Stable and short, in kebab-case. */
  readonly id: string;
  readonly level: 'fine' | 'warning' | 'error';
  readonly text: string;
  readonly fix?: string;
}

/**
 * Another entry that does the same work: a line of ours that was written by hand, or an older program's. Together with
 * our entry it would count everything twice.
 */
export interface Rival {
  readonly kind: 'by-hand' | 'older';
  /** The program, as people call it. */
  readonly program: string;
  readonly command: string;
}

/** How a host is set up. Pure, except that `examine` may read other files of the host. */
export interface HostSetup {
  readonly name: HostName;
  readonly title: string;
  readonly scopes: readonly Scope[];
  /** The member of an entry that makes the host block when we fail. Absent where the host has none. */
  readonly closedBy?: JsonObject;
  readonly signs: Signs;
  /** What a person must know or do after installing there, a sentence each. */
  afterwards(scope: Scope): readonly string[];
  sheet(scope: Scope, ground: Ground, wishes: Wishes): Sheet;
  /** Absent where the host has no place for either. */
  readonly offers?: Readonly<Record<Offer, readonly Extra[]>>;
  /** Whether any version of `install` wrote this value, or part of a value, of a settings list. */
  isOurs(value: Json): boolean;
  /** What in a value, or part of a value, of a settings list does the same work as our entry. */
  rival(value: Json): Rival | undefined;
  /** What in this host's files keeps our entries from working, or makes them work twice. `settings` is the parsed file. */
  examine(scope: Scope, ground: Ground, settings: Json | undefined): readonly Finding[];
}
