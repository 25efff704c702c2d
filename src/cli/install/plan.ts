import type { HostName } from '../../core/host-name';
import type { Rival, Scope } from '../../hosts/setup';
import type { InstallRecord } from './record';

/** One file as it is and as it shall be; `undefined` where there is none. Nothing is written yet. */
export interface FileChange {
  readonly host: HostName;
  readonly scope: Scope;
  /** The path by which the host knows it; it may be a link. */
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What is noted of it afterwards; `undefined` when nothing of ours is left. */
  readonly record: InstallRecord | undefined;
  /** A copy of ours that stays because it is not what was put back. */
  readonly keptBackup?: string | undefined;
}

/** An entry beside ours that does the same work, and whether it makes room. */
export interface FoundRival extends Rival {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /** The list in which it stands, such as `hooks.Stop`. */
  readonly list: string;
  readonly replaced: boolean;
}

/** A file that is right already. */
export interface UnchangedFile {
  readonly host: HostName;
  readonly file: string;
  /** A copy of ours that is left beside it, where that is something else. */
  readonly keptBackup?: string;
}

/** A file of ours in the home that entries lead to, and that was missing or something else. */
export interface StartFile {
  readonly file: string;
  readonly action: 'created' | 'changed';
}

/** Everything that is about to happen. Files that are right already are no changes. */
export interface Plan {
  readonly changes: readonly FileChange[];
  /** Files that are right already and that nobody has noted yet, as in a clone. */
  readonly adopted: readonly InstallRecord[];
  readonly rivals: readonly FoundRival[];
  readonly unchanged: readonly UnchangedFile[];
  /** What starts the hook, as far as it has to be written. */
  readonly startFiles: readonly StartFile[];
}
