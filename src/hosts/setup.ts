import type { HostName } from '../core/host-name';
import type { Json, JsonObject } from '../core/json';

/** Whose settings: the project's (shared by git), one person's in this project, or one person's everywhere. */
export type Scope = 'project' | 'local' | 'user';

/** Where we stand. `project` is the root of the working tree. */
export interface Ground {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that a host starts without a shell. */
export interface ProgramStart {
  /** Its absolute path. */
  readonly program: string;
  readonly args: readonly string[];
}

/** How a host is told to start us. The line and the library are stable over upgrades and the same for every home. */
export interface StartLine {
  /** One line for a POSIX shell. It names the host. */
  readonly shell: string;
  /**
   * Below the home, with slashes: the CommonJS file that hosts running us in their own process load. Its
   * `load(name)` gives the exports of the installed version's `name.cjs`, and throws where there is none.
   */
  readonly library: string;
  /** Instead of the line, where that is wanted and the host can; it holds for one home on one machine. */
  readonly direct?: ProgramStart;
}

/** One value of ours in a list of the host's settings, such as the list at `hooks`, `PreToolUse`. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: JsonObject;
}

/** A file that is all ours. */
export interface OwnFile {
  readonly file: string;
  readonly text: string;
}

/**
 * What is written for a host: entries in a JSON document that others share, or a file that is all ours.
 * `files` are more of the latter, such as commands for the host.
 */
export type Sheet =
  | {
      readonly kind: 'entries';
      readonly file: string;
      /** Members that the document has to have, put in only where they are missing. */
      readonly skeleton: JsonObject;
      readonly entries: readonly Entry[];
      readonly files?: readonly OwnFile[];
    }
  | {
      readonly kind: 'own-file';
      readonly file: string;
      readonly text: string;
      readonly files?: readonly OwnFile[];
    };

/** Wishes of the person who installs. */
export interface Wishes {
  readonly start: StartLine;
  /** Seconds that the end of a turn may take, since gates run then. */
  readonly stopSeconds: number;
  /** Whether the host shall refuse when we crash or run out of time, where it knows how. */
  readonly failClosed: boolean;
}

/** By what it shows that a host is in use: paths below the project or the home, programs on the PATH. */
export interface Signs {
  readonly project: readonly string[];
  readonly home: readonly string[];
  readonly programs: readonly string[];
}

export type FindingLevel = 'fine' | 'warning' | 'error';

/** One thing that was looked at, and what to do where it is not well. */
export interface Finding {
  /** Stable and short, in kebab-case. */
  readonly id: string;
  readonly level: FindingLevel;
  readonly text: string;
  readonly fix?: string;
}

/**
 * Somebody else's entry for the same work: a line of ours that was written by hand, or an older program's.
 * Two of a kind would count everything twice.
 */
export interface Rival {
  readonly kind: 'by-hand' | 'older';
  /** The program, as people call it. */
  readonly program: string;
  readonly command: string;
}

/** How a host is set up. Pure but for `examine`, which may read the host's other files. Never on the way of an event. */
export interface HostSetup {
  readonly name: HostName;
  readonly title: string;
  readonly scopes: readonly Scope[];
  /** The scopes whose entries may start a program without a shell. Absent where the host has no such form. */
  readonly withoutShell?: readonly Scope[];
  /** The member by which an entry has the host refuse when we fail. Absent where the host has none. */
  readonly closedBy?: JsonObject;
  readonly signs: Signs;
  /** What a person has to know or to do after installing there, a sentence each. */
  afterwards(scope: Scope): readonly string[];
  sheet(scope: Scope, ground: Ground, wishes: Wishes): Sheet;
  /** Whether a value of a settings list, or a part of one, was put there by us, whichever version wrote it. */
  isOurs(value: Json): boolean;
  /** What does the same work as our entry in a value of a settings list, or in a part of one, if anything does. */
  rival(value: Json): Rival | undefined;
  /** What in this host's files keeps our entries from working, or makes them work twice. `settings` is the parsed file. */
  examine(scope: Scope, ground: Ground, settings: Json | undefined): readonly Finding[];
}
