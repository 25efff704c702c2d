import type { GuardName } from './guard-name';

/** What a guard wants to know about a file that is not a document of ours. */
export interface FileAsk {
  /** Absolute, or relative to the project root. */
  readonly path: string;
  /** Without it only size and time are read. */
  readonly maxTextBytes?: number;
  /** The directory that it has to lie below once all links are followed; elsewhere it is not looked at. */
  readonly within?: string;
}

export type FileFact =
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory'; readonly mtimeMs: number }
  | { readonly kind: 'file'; readonly size: number; readonly mtimeMs: number; readonly text?: string }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface EffectsAsk {
  readonly command: string;
  /** The project's own test commands, as they were written. */
  readonly testCommands: readonly string[];
}

export interface TranscriptAsk {
  /** The agent's last words. */
  readonly lastText?: boolean;
  /** The tokens used from a byte offset of the file on. */
  readonly tokensFrom?: number;
}

/** What the transcript told; each part only where it was asked for. */
export interface TranscriptFacts {
  readonly lastText?:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'none' }
    | { readonly kind: 'unread'; readonly why: string };
  /** `until` is the offset to go on from next time. */
  readonly tokens?: { readonly used: number; readonly until: number };
}

/** A session in the registry, with whether its host's process still runs. */
export interface LiveSession {
  readonly id: string;
  readonly projectDir: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly lastActive: number;
  readonly alive: boolean;
}

/** How often stops were refused since the prompt began. */
export interface RefusedStops {
  readonly byGuard: Readonly<Partial<Record<GuardName, number>>>;
  readonly inRow: number;
  /** Whether another process of ours has already refused this very stop. */
  readonly elsewhere?: boolean;
}

/** The host's process that runs this session, as far as it can be told. */
export interface HostProcess {
  readonly pid: number;
  /** The kernel's start time, where it can be read: tells a reused pid from the same process. */
  readonly start?: string;
}
