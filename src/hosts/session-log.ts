import type { ToolOutcome } from '../core/event';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';

/* Turns a host's own transcripts into events: the same documents that its hooks would have received. */

/** One event of a past session. */
export interface PastEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The document that the hook received, or would have received, as far as the transcript shows. */
  readonly raw: JsonObject;
  /** The branch, if the host recorded one; empty without a repository. */
  readonly branch?: string | undefined;
  /** The id of the tool call. A forked or resumed session may contain a call twice. */
  readonly callId?: string;
  /** A file as it was before the call, if the host recorded that; without `text` it did not exist. */
  readonly before?: { readonly path: string; readonly text?: string } | undefined;
  /** How the call ended, for events after a call. */
  readonly ended?: { readonly outcome: ToolOutcome; readonly text: string };
}

/** What the beginning of a transcript says. */
export interface LogHead {
  /** For a subagent, the id of the session that started it. */
  readonly sessionId: string;
  readonly startedAt: number;
  /** Where the session began; empty if unknown. */
  readonly cwd: string;
  /** The SHA-256 of the project's root, if the host records only that. */
  readonly rootHash?: string | undefined;
  readonly branch?: string | undefined;
  /** Only in a subagent's transcript. */
  readonly agent?: { readonly id: string; readonly type?: string | undefined };
}

/** Reads one transcript from its beginning to its end. */
export interface LogReader {
  /** The events that follow from an entry; `undefined` if it is not an entry of this host. */
  read(entry: JsonObject): readonly PastEvent[] | undefined;
  /** The remaining events after the last entry. */
  end(): readonly PastEvent[];
}

/** The transcript format of one host. */
export interface SessionLogs {
  readonly host: HostName;
  /**
   * Whether a line may matter, judged by its bytes, so that most of a long file is not parsed. Searches for single
   * strings only: there may be spaces between a key and its value.
   */
  matters(line: Buffer): boolean;
  /** Parses the first entries of a file; `undefined` if the file is not one of this host's. */
  head(entries: readonly JsonObject[], path: string): LogHead | undefined;
  open(head: LogHead): LogReader;
}

/** Parses a timestamp as hosts write it; `undefined` if it is not one. */
export function timeIn(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
