import type { Effect, Mode } from '../core/effect-kinds';
import type { Event, EventKind, Operation, ToolOutcome } from '../core/event';

/* What your own rules import from `holdpoint`. */

export type { Effect, Mode } from '../core/effect-kinds';
export type { Event, EventKind, EventOf, Operation, ToolCall } from '../core/event';

/** What a rule decides. Returning nothing lets the event pass. */
export type Outcome =
  | { readonly kind: 'hold'; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'advise'; readonly reason: string };

/** Holds the call or the end of the turn. The agent reads the reason: say what is wrong and what to do. */
export function hold(reason: string): Outcome {
  return { kind: 'hold', reason };
}

/** Makes the host ask the user. If the host cannot ask, the call is held. */
export function ask(reason: string): Outcome {
  return { kind: 'ask', reason };
}

/** Tells the agent something and lets it go on. */
export function advise(reason: string): Outcome {
  return { kind: 'advise', reason };
}

/** A command of a shell call, without wrappers, quotes and `git`'s own options. */
export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  /** Absent if unknown. */
  readonly cwd?: string;
}

/** Something that the call does, whatever the tool. */
export interface CallEffect {
  readonly kind: Effect;
  /** Absolute paths of the files that are changed or removed. */
  readonly paths?: readonly string[];
  /** The branch that is written. */
  readonly ref?: string;
  /** `certain`: the call itself shows all that it does. `likely`: it leaves something open. */
  readonly certainty: 'certain' | 'likely';
}

/** An earlier tool call of this session that ran. */
export interface PastCall {
  readonly tool: string;
  /** What the tool does, whatever its host calls it. */
  readonly op: Operation;
  /** Absolute paths of the files that it named or wrote. */
  readonly paths: readonly string[];
  readonly commands: readonly Command[];
  readonly outcome: ToolOutcome;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Everything that a rule may read. It can only change its own state. */
export interface RuleContext {
  /** The parsed commands of a shell call. Empty for other calls, and if the line does not parse. */
  readonly commands: readonly Command[];
  readonly effects: readonly CallEffect[];
  /** Absolute paths, symlinks resolved, of the files that the call writes or removes. */
  readonly paths: readonly string[];
  /** The current branch; empty if there is none. */
  readonly branch: string;
  /** The root of the project. */
  readonly root: string;
  /** The tool calls of this session so far. */
  readonly history: readonly PastCall[];
  /** The text of a file, absolute or relative to the root; `undefined` if it is missing or over 1 MB. */
  read(path: string): string | undefined;
  /** This rule's own state for the session. Change the object, and the change is kept. */
  readonly state: Record<string, unknown>;
  /** The same for the whole project. */
  readonly projectState: Record<string, unknown>;
}

/** What a rule applies to: effects of a call, or kinds of events. */
export type Moment = Effect | EventKind;

export interface Rule {
  /** Unique in the project: lower-case letters, digits and dashes. */
  readonly name: string;
  /** The events or effects it is asked about. */
  readonly on: Moment | readonly Moment[];
  /** One sentence for those who read the rule. */
  readonly description?: string;
  /** `shadow` only records, `warn` tells the agent, `hold` holds. The config overrides it. Default: hold. */
  readonly mode?: Mode;
  decide(event: Event, ctx: RuleContext): Outcome | undefined | Promise<Outcome | undefined>;
}

/** Declares a rule; `export default` it from a file in `.holdpoint/rules`. */
export function defineRule(rule: Rule): Rule {
  return rule;
}
