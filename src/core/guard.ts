import type { Change } from './document';
import type { Event, EventKind } from './event';
import type { Failure } from './failure';
import type { GuardName } from './guard-name';
import type { Json } from './json';
import type { Needs, Snapshot } from './snapshot';
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

/** What `decide` answers: an outcome, or one effect that must run first. */
export type Step =
  | {
      readonly kind: 'outcome';
      readonly verdict: Verdict;
      readonly changes: readonly Change[];
      /** What the guard could not find out; it decided without, and somebody is told. */
      readonly troubles?: readonly Failure[];
      /** When a session begins: what the guard holds from now on, in a few words, such as `3 requirements`. */
      readonly armed?: string;
      /** How it came to that, for people who asked to watch; nobody else sees them. */
      readonly notes?: readonly string[];
    }
  | {
      readonly kind: 'effect';
      readonly name: string;
      readonly input: Json;
      /** A few words for the journal before it begins, where it may take so long that somebody ends us. */
      readonly announce?: string;
    };

/** What a guard looks at beside event, config and snapshot. */
export interface Deliberation {
  /** The verdicts of the guards before it. */
  readonly earlier: readonly Spoken[];
  /** Its own rules that were named on the command line; none named means all of them. */
  readonly rules: readonly string[];
  /** Asked by a command of the guard's own, which takes the host's words to the letter and always has an answer. */
  readonly literal?: boolean;
  /** What its effect brought, on the second call. */
  readonly effectResult?: Json;
}

/**
 * One discipline, as plain parts. All of it is pure: time, files and git come in the snapshot.
 * `Config` is what the guard's section compiles to; it has been through JSON.
 */
export interface Guard<Config = Json> {
  readonly name: GuardName;
  interest(config: Config): readonly Interest[];
  /** Called again with what was read until it asks for nothing new, so a document may name another. */
  needs(event: Event, config: Config, known: Snapshot): Needs;
  decide(event: Event, config: Config, snapshot: Snapshot, deliberation: Deliberation): Step;
  /**
   * Whether judging this event runs no pattern that a user wrote, so that it surely ends by itself.
   * A guard that does not say is watched while it judges.
   */
  surelyEnds?(event: Event, config: Config): boolean;
}

/** Runs the effects of one guard; lives in a chunk of its own beside the guard's. */
export type EffectRunner = (name: string, input: Json, context: EffectContext) => Promise<Json>;

export interface EffectContext {
  readonly projectRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch after which the effect must have ended. */
  readonly deadline: number;
}

export type Outcome = Extract<Step, { kind: 'outcome' }>;

export function outcome(verdict: Verdict, changes: readonly Change[] = []): Outcome {
  return { kind: 'outcome', verdict, changes };
}
