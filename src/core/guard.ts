import type { GitHead } from '../git/head';
import type { Move, Refs } from '../git/refs';
import type { ParsedCommand } from '../shell/command-lines';
import type { Change, Document, DocumentRef } from '../state/documents';
import type { Chunks, Parts } from './chunks';
import type { Effects } from './command-effects';
import type { Event, EventKind } from './event';
import type { Failure } from './failure';
import type { HostName } from './host-name';
import type { Json, JsonObject } from './json';
import type { GuardName } from './selection';
import type { Shadowed, Spoken, Verdict } from './verdict';

/** What a guard wants to know about a file that is not a document of ours. */
export interface FileAsk {
  /** Absolute, or relative to the project root. */
  readonly path: string;
  /** Without it only size and time are read. */
  readonly maxTextBytes?: number;
  /** Only whether it has other names matters. */
  readonly linksOnly?: true;
  /** The directory that it has to lie below once all links are followed; elsewhere it is not looked at. */
  readonly within?: string;
}

export type FileFact =
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory'; readonly mtimeMs: number }
  | {
      readonly kind: 'file';
      readonly size: number;
      readonly mtimeMs: number;
      /** When it was last changed in any way; no program can set it. */
      readonly ctimeMs?: number;
      /** The same for all hard links to it; absent where there is only one name. */
      readonly linked?: string;
      readonly text?: string;
    }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface EffectsAsk {
  readonly command: string;
  /** The project's own test commands, as they were written. */
  readonly testCommands: readonly string[];
  /** Files of which it is told whenever the line reaches them, as part of a directory or by a search. */
  readonly watched?: readonly string[];
  /** Git is not asked: what files do not tell stays unknown. */
  readonly offline?: true;
}

export interface TranscriptAsk {
  /** The agent's last words. */
  readonly lastText?: boolean;
  /** The tokens used from a byte offset of the file on. */
  readonly tokensFrom?: number;
  /** Who let a tool call run, by its id, and what came of it. */
  readonly decidedOn?: string;
  /** Where a prompt came from that a hook has answered since then, or without a time, that a hook is asked about now. */
  readonly promptBlocked?: { readonly prompt: string; readonly sinceMs?: number };
}

/** What the transcript told; each part only where it was asked for. */
export interface TranscriptFacts {
  readonly lastText?:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'none' }
    | { readonly kind: 'unread'; readonly why: string };
  /** `until` is the offset to go on from next time. */
  readonly tokens?: { readonly used: number; readonly until: number };
  /** Absent where the call has no result yet. */
  readonly decidedOn?: { readonly source: string; readonly result: JsonObject };
  /** Absent where the client has not noted it yet; `scheduled` where something else than a person sent it. */
  readonly promptBlocked?: 'typed' | 'scheduled';
}

/** A session in the registry, with whether its host's process still runs. */
export interface LiveSession {
  /** Its key in the registry. */
  readonly id: string;
  /** The whole id, where it is known. */
  readonly sessionId: string;
  readonly projectDir: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly lastActive: number;
  /** Whether we were called when it began. */
  readonly began: boolean;
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

/** The client that has called us, as far as a person's answers depend on it. */
export interface ClientFacts {
  /** Its command line, the program first; empty where it cannot be read. */
  readonly args: readonly string[];
  /** Whether a person has started it, in a terminal of their own. */
  readonly isAttended: boolean;
  /** Whether the event comes from it, and not from a command that an agent runs. */
  readonly isSender: boolean;
}

/**
 * Which events a guard wants to see. Compiled into the config cache, so that an event
 * nobody watches costs no more than reading that list.
 */
export interface Interest {
  readonly kind: EventKind;
  /** Tool names or globs with `*`; absent means every tool. */
  readonly tools?: readonly string[];
  /** Not for these, likewise. */
  readonly except?: readonly string[];
  /** `false`: not for command lines of plain words that only read; see plain-command.ts. */
  readonly reading?: false;
  /** Only of these hosts. */
  readonly hosts?: readonly HostName[];
  /** Only if one of these state files exists; paths relative to the project root, upward allowed. */
  readonly whenFile?: readonly string[];
  /** `false`: not for command lines of plain words that name nothing of ours; see plain-command.ts. */
  readonly plain?: false;
}

/** One discipline. `Config` is what its section of the config compiles to; it has been through JSON. */
export interface Guard<Config = Json> {
  readonly name: GuardName;
  interest(config: Config): readonly Interest[];
  /** May be called again for the same event, when something that it read has changed before its changes were written. */
  decide(event: Event, config: Config, ctx: Context): Promise<Verdict>;
  /**
   * Whether only judging a command line can take it long: no pattern of the config is tried on anything else, or it has a
   * watchdog of the guard's own.
   */
  isQuick?(config: Config): boolean;
  readonly shadow?: ShadowRules<Config>;
}

/**
 * The rules of a guard in shadow mode. They are decided apart, once the answer to the event is settled, so that nothing
 * they do can change it; see rehearse.ts. `interest` and `decide` of the guard leave them out.
 */
interface ShadowRules<Config> {
  interest(config: Config): readonly Interest[];
  /** Whether the guard has no other rules, and is otherwise as if it were not configured. */
  isAll(config: Config): boolean;
  /** What they would say. It is recorded, and reaches nobody. */
  decide(event: Event, config: Config, ctx: Context): Promise<Verdict>;
}

/** What a guard may ask of the world. */
export interface WorldFacts {
  readonly refusedStops: RefusedStops;
  /** Empty where the variable is not set. */
  env(name: string): string;
  document(ref: DocumentRef): Document;
  file(ask: FileAsk): FileFact;
  /** An absolute path with all links on the way to it resolved, those of its last name too. */
  realPath(path: string): string;
  /** The registry of live sessions. */
  sessions(): readonly LiveSession[];
  /** The process that this session runs in. */
  hostProcess(): HostProcess;
  /** That process looked at closely: whether a person's answer can come by it. */
  client(): ClientFacts;
  /** The processes that the hook descends from, the nearest first, with the command line of that one. */
  ancestors(): readonly (HostProcess & { readonly line?: string })[];
  /** Hooks of others that could answer in a person's place when this tool asks, as `EVENT in FILE`. */
  answeringHooks(tool: string): readonly string[];
  /** The commands of a command line, each as its plain words; `undefined` where it does not parse. */
  commandLines(text: string): readonly (readonly string[])[] | undefined;
  /** The same with the directory that each command runs in. */
  commands(text: string): readonly ParsedCommand[] | undefined;
  /** What a command line is about to do. */
  effects(ask: EffectsAsk): Effects;
  /** What branches and remote branches name now; `undefined` without git. */
  refs(): Refs | undefined;
  /** How a ref was last moved, by its full name or `HEAD`; nothing where git keeps no log of it. */
  moves(ref: string): readonly Move[];
  /** Whether a commit is in the history of one of some others. Asks git. */
  isIn(commit: string, histories: readonly string[]): boolean;
  /** Whether a merge is among the commits that it adds to them. */
  addsMerge(commit: string, histories: readonly string[]): boolean;
  /** The lines of a Markdown text that are not code, comments or hidden HTML. */
  linesOutsideCode(text: string): readonly string[];
  /** A part of the guard that is seldom needed. */
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  readonly compile: Chunks['compile'];
  /** The branch that the remote calls its default, where that is known. */
  defaultBranch(): string | undefined;
  /** What only the host's transcript of the session can tell. */
  transcript(ask: TranscriptAsk): TranscriptFacts;
}

/**
 * Everything that a guard may ask of the world, and everything that it may change. Each question is answered once
 * for an event, whoever asks.
 */
export interface Context extends WorldFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the decision that is about to be made. */
  readonly decisionId: string;
  readonly projectRoot: string;
  readonly home: string;
  readonly git: GitHead | undefined;
  /** Our own process. */
  readonly pid: number;
  /** How many stops may be refused in a row before the next one is let go. */
  readonly stopLimit: number;
  /** The verdicts of the guards before this one. */
  readonly earlier: readonly Spoken[];
  /** The guard's own rules that were named on the command line; none named means all of them. */
  readonly rules: readonly string[];
  /** Asked by `gates stop-hook`, which takes the host's words literally and always has an answer. */
  readonly gauntletCompat: boolean;
  /** Runs the guard's effect of that name, once an event, while nothing is locked. */
  run(effect: EffectRequest): Promise<Json>;
  change(change: Change): void;
  /** What the guard could not find out; it decides without, and somebody is told. */
  trouble(failure: Failure): void;
  /** When a session begins: what the guard holds from now on, in a few words, such as `3 requirements`. */
  armed(what: string): void;
  /** The rules that were consulted, for the statistics. */
  asked(rules: readonly string[]): void;
  /** What rules in shadow mode would have said. */
  shadow(said: Shadowed): void;
  /** The rules that cannot be judged, since what they need is not known, as of a past session. */
  unknown(rules: readonly string[]): void;
  /** How it came to its verdict, for people who asked to watch. */
  note(text: string): void;
}

/** Work that takes long: checks, reviews, commands. */
export interface EffectRequest {
  readonly name: string;
  readonly input: Json;
  /** A few words for the journal before it begins, where it may take so long that somebody ends us. */
  readonly announce?: string;
  /** The rules that cannot be judged without it. */
  readonly rules?: readonly string[];
  /** Tells runs of one effect apart, where an event needs several. */
  readonly run?: string;
}

/** Runs the effects of one guard; lives in a chunk of its own beside the guard's. */
export type EffectRunner = (name: string, input: Json, context: EffectContext) => Promise<Json>;

export interface EffectContext {
  readonly projectRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch after which the effect must have ended. */
  readonly deadline: number;
  /** Aborted where nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}
