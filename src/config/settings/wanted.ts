import type { Json, JsonObject } from '../../core/json';

/** A value that shall stand in the list at `path`, once. */
export interface WantedEntry {
  readonly path: readonly string[];
  readonly value: Json;
}

export interface WantedEntries {
  readonly entries: readonly WantedEntry[];
  /** Members of the document that are put in where they are missing. */
  readonly skeleton: JsonObject;
  isOurs(value: Json): boolean;
  /** Whether it is taken out, so that ours can take its place. */
  makesRoom(value: Json): boolean;
  /** Whether it does the work of ours already, so that ours is not added to its list. */
  keepsOut(value: Json): boolean;
}
