import type { Effects } from './command-effects';
import type { Change, Document, DocumentRef } from './document';
import type { Event, EventKind } from './event';
import type { Failure } from './failure';
import type { GitHead } from './git-head';
import type { GuardName } from './guard-name';
import type { Json } from './json';
import type {
  EffectsAsk,
  FileAsk,
  FileFact,
  HostProcess,
  LiveSession,
  RefusedStops,
  TranscriptAsk,
  TranscriptFacts,
} from './snapshot';
import type { Spoken, Verdict } from './verdict';

/**
 * Which events a guard wants to see. Compiled into the config cache, so that an event
 * nobody watches costs no more than reading that list.
 */
export interface Interest {
  readonly kind: EventKind;
  /** Tool names or globs with `*`; absent means every tool. */
  readonly tools?: readonly string[];
  /** Only if one of these state files exists; paths relative to the project root, upward allowed. */
  readonly whenFile?: readonly string[];
}

/** One discipline. `Config` is what its section of the config compiles to; it has been through JSON. */
export interface Guard<Config = Json> {
  readonly name: GuardName;
  interest(config: Config): readonly Interest[];
  /** May be called again for the same event, when something that it read has changed before its changes were written. */
  decide(event: Event, config: Config, ctx: Context): Promise<Verdict>;
}

/**
 * Everything that a guard may ask of the world, and everything that it may change. Each question is answered once
 * for an event, whoever asks.
 */
export interface Context {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly projectRoot: string;
  readonly home: string;
  readonly git: GitHead | undefined;
  /** Our own process. */
  readonly pid: number;
  readonly refusedStops: RefusedStops;
  /** How many stops may be refused in a row before the next one is let go. */
  readonly stopLimit: number;
  /** The verdicts of the guards before this one. */
  readonly earlier: readonly Spoken[];
  /** The guard's own rules that were named on the command line; none named means all of them. */
  readonly rules: readonly string[];
  /** Asked by `gates stop-hook`, which takes the host's words literally and always has an answer. */
  readonly gauntletCompat: boolean;
  /** Empty where the variable is not set. */
  env(name: string): string;
  document(ref: DocumentRef): Document;
  file(ask: FileAsk): FileFact;
  /** The registry of live sessions. */
  sessions(): readonly LiveSession[];
  /** The process that this session runs in. */
  hostProcess(): HostProcess;
  /** The commands of a command line, each as its plain words; `undefined` where it does not parse. */
  commandLines(text: string): readonly (readonly string[])[] | undefined;
  /** What a command line is about to do. */
  effects(ask: EffectsAsk): Effects;
  /** The branch that the remote calls its default, where that is known. */
  defaultBranch(): string | undefined;
  /** What only the host's transcript of the session can tell. */
  transcript(ask: TranscriptAsk): TranscriptFacts;
  /** Runs the guard's effect of that name, once an event, while nothing is locked. */
  run(effect: EffectRequest): Promise<Json>;
  change(change: Change): void;
  /** What the guard could not find out; it decides without, and somebody is told. */
  trouble(failure: Failure): void;
  /** When a session begins: what the guard holds from now on, in a few words, such as `3 requirements`. */
  armed(what: string): void;
  /** How it came to its verdict, for people who asked to watch. */
  note(text: string): void;
}

/** Work that takes long: checks, reviews, commands. */
export interface EffectRequest {
  readonly name: string;
  readonly input: Json;
  /** A few words for the journal before it begins, where it may take so long that somebody ends us. */
  readonly announce?: string;
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
