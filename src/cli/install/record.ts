import type { Undo } from '../../config/settings/undo';
import type { HostName } from '../../core/host-name';
import type { Scope } from '../../hosts/setup';
import type { RemovalRequest } from './request';

/** What we know of one file that we have written, so that it can be given back. */
export interface InstallRecord {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /** The work tree it is in; absent for a person's own settings. */
  readonly root?: string;
  /** All ours, or a document that others share. */
  readonly kind: 'entries' | 'own-file';
  /** Whether the file was there before us. */
  readonly existed: boolean;
  /** The file as it was before us; absent where there was none. */
  readonly backup?: string;
  /** SHA-256 of what was put there: a backup that is something else by now is not put back. */
  readonly original?: string;
  /** SHA-256 of what we wrote last, for as long as nobody else has changed the file since our first write. */
  readonly digest?: string;
  /** The lists in which an entry of ours stands; none for files that are all ours. */
  readonly entries: readonly (readonly string[])[];
  /** What has to be known to take our entries out again; absent for files that are all ours. */
  readonly undo?: Undo;
  /** Directories that we made. */
  readonly directories: readonly string[];
  /** We are being taken out: whoever ends that, after it was cut short, still has to know how it was. */
  readonly leaving?: boolean;
  readonly version: string;
}

/** What is noted of the entry by which the gates alone are asked at the end of a turn. It belongs to no installation. */
export interface StopHookRecord {
  readonly file: string;
  readonly existed: boolean;
  /** The file as it was before; absent where there was none. */
  readonly backup?: string;
  readonly undo: Undo;
  readonly directories: readonly string[];
}

/** What is noted of where a file belongs. */
export function rootOf({ scope, ground }: RemovalRequest): Pick<InstallRecord, 'root'> {
  return scope === 'user' ? {} : { root: ground.project };
}
