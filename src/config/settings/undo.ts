import type { Path } from './find-node';

/** An entry that made room for ours: it stood at `index` of the list at `path`. */
export interface Replaced {
  readonly path: Path;
  readonly index: number;
  /** Its own text. */
  readonly source: string;
}

/** What has to be known to take our entries out again and leave the document as it was. */
export interface Undo {
  /** Members that were missing and that we made; outer ones first. */
  readonly created: readonly (readonly string[])[];
  /** Containers that were empty, and the blanks that stood in them. */
  readonly filled: readonly { readonly path: Path; readonly blank: string }[];
  /** The whole text, where that was nothing but blanks. */
  readonly blankDocument?: string;
  /** In the order in which they were taken out. */
  readonly replaced: readonly Replaced[];
}
