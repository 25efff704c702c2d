import type { Effects } from './command-effects';
import type { Document, DocumentRef } from './document';
import { documentKey } from './document';
import type { GitHead } from './git-head';
import type { GuardName } from './guard-name';

/** What a guard wants to know about a file that is not a document of ours. */
export interface FileAsk {
  /** Absolute, or relative to the project root. */
  readonly path: string;
  /** Without it only size and time are read. */
  readonly maxTextBytes?: number;
  /** Only whether it changes is wanted, of a file that is short or ends in a digest of itself. */
  readonly markOnly?: true;
  /** The directory that it has to lie below once all links are followed; elsewhere it is not looked at. */
  readonly within?: string;
}

export type FileFact =
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory'; readonly mtimeMs: number }
  | { readonly kind: 'marked'; readonly mark: string }
  | { readonly kind: 'file'; readonly size: number; readonly mtimeMs: number; readonly text?: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** What a guard asks to have in its snapshot. Nothing else is read for it. */
export interface Needs {
  readonly documents?: readonly DocumentRef[];
  readonly files?: readonly FileAsk[];
  readonly env?: readonly string[];
  /** The registry of live sessions, and the process that this session runs in. */
  readonly sessions?: boolean;
  /** A shell command to be taken apart. */
  readonly command?: string;
  /** What the event's command line is about to do; loads the model of the shell, so not for every line. */
  readonly effects?: EffectsAsk;
  /** What only the host's transcript of the session can tell. */
  readonly transcript?: TranscriptAsk;
}

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

/** The host's process that runs this session, as far as it can be told; zero when nobody asked. */
export interface HostProcess {
  readonly pid: number;
  /** The kernel's start time, where it can be read: tells a reused pid from the same process. */
  readonly start?: string;
}

/** Everything a guard may look at besides the event and its config. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly projectRoot: string;
  readonly home: string;
  readonly git: GitHead | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly documents: ReadonlyMap<string, Document>;
  readonly files: ReadonlyMap<string, FileFact>;
  readonly sessions: readonly LiveSession[];
  /** The commands of the line that was asked for, each as its plain words; absent where it does not parse. */
  readonly commandLines?: readonly (readonly string[])[];
  /** What was asked for in `effects`; present whenever it was. */
  readonly effects?: Effects;
  /** The branch that the remote calls its default; told with the effects, where it is known. */
  readonly defaultBranch?: string;
  readonly transcript?: TranscriptFacts;
  readonly hostProcess: HostProcess;
  /** Our own process. */
  readonly pid: number;
  readonly refusedStops: RefusedStops;
  /** How many stops may be refused in a row before the next one is let go. */
  readonly stopLimit: number;
}

/** A document that was asked for in `needs`; one that was not is missing. */
export function documentIn(snapshot: Snapshot, ref: DocumentRef): Document {
  return snapshot.documents.get(documentKey(ref)) ?? { kind: 'missing' };
}
