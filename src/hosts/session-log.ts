import type { ToolOutcome } from '../core/event';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';

/* How a host's own transcripts are read as what happened: the same documents that its hooks would have got. */

/** One event of a past session. */
export interface PastEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The document that the hook got, or would have got, as far as the transcript tells. */
  readonly raw: JsonObject;
  /** The branch, where the host noted one; empty where there was no repository. */
  readonly branch?: string | undefined;
  /** The id of the tool call that it is about. A session that was forked or resumed may have a call twice. */
  readonly callId?: string;
  /** A file as it was before the call, where the host noted that; without `text` there was none. */
  readonly before?: { readonly path: string; readonly text?: string } | undefined;
  /** How the call ended, where the event comes after it. */
  readonly ended?: { readonly outcome: ToolOutcome; readonly text: string };
}

/** What the beginning of a transcript tells. */
export interface LogHead {
  /** A subagent's is that of the session which has started it. */
  readonly sessionId: string;
  readonly startedAt: number;
  /** Where the session began; empty where it cannot be told. */
  readonly cwd: string;
  /** The SHA-256 of the project's root, where the host notes only that. */
  readonly rootHash?: string | undefined;
  readonly branch?: string | undefined;
  /** Present only in the transcript of a subagent. */
  readonly agent?: { readonly id: string; readonly type?: string | undefined };
}

/** Reads one transcript from its beginning to its end. */
export interface LogReader {
  /** What an entry leads to; `undefined` where it is none that this host writes. */
  read(entry: JsonObject): readonly PastEvent[] | undefined;
  /** What is left when there are no more entries. */
  end(): readonly PastEvent[];
}

/** How one host writes its transcripts. */
export interface SessionLogs {
  readonly host: HostName;
  /**
   * Whether a line can matter at all; told by its bytes, so that most of a long file is not parsed. Looks for single
   * texts only: between a key and its value there may be blanks.
   */
  matters(line: Buffer): boolean;
  /** What the first entries of a file tell; `undefined` where it is not one of this host's. */
  head(entries: readonly JsonObject[], path: string): LogHead | undefined;
  open(head: LogHead): LogReader;
}

/** A time as hosts write it; `undefined` where it is none. */
export function timeIn(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
