import type { Event, EventKind, Operation, ToolOutcome } from '../core/event';
import type { Effect, Mode } from '../core/moments';

/* What a rule of one's own imports from `holdpoint`. */

export type { Event, EventKind, EventOf, Operation, ToolCall } from '../core/event';
export type { Effect, Mode } from '../core/moments';

/** What a rule says. Nothing at all means that it has nothing to say. */
export type Outcome =
  | { readonly kind: 'hold'; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'advise'; readonly reason: string };

/** Holds the call, or the end of the turn. The agent reads the reason: say what is wrong and what to do. */
export function hold(reason: string): Outcome {
  return { kind: 'hold', reason };
}

/** Has the host ask the person. Where the host cannot ask, the call is held. */
export function ask(reason: string): Outcome {
  return { kind: 'ask', reason };
}

/** Tells the agent something, and lets it go on. */
export function advise(reason: string): Outcome {
  return { kind: 'advise', reason };
}

/** A command of a shell call, without wrappers, quotes and `git`'s own options. */
export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  /** Absent where it cannot be told. */
  readonly cwd?: string;
}

/** Something that the call does, by whatever tool. */
export interface CallEffect {
  readonly kind: Effect;
  /** The files that are changed or removed, absolute. */
  readonly paths?: readonly string[];
  /** The branch that is written. */
  readonly ref?: string;
  /** `certain`: the call's own words tell all that it does. `likely`: they leave something open. */
  readonly certainty: 'certain' | 'likely';
}

/** An earlier tool call of this session that ran. */
export interface PastCall {
  readonly tool: string;
  /** What the tool does, whatever its host calls it. */
  readonly op: Operation;
  /** The files that it named or wrote, absolute. */
  readonly paths: readonly string[];
  readonly commands: readonly Command[];
  readonly outcome: ToolOutcome;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Everything that a rule may ask. It changes nothing but its own state. */
export interface RuleContext {
  /** The commands of a shell call, parsed. Empty for other calls, and where the line does not parse. */
  readonly commands: readonly Command[];
  readonly effects: readonly CallEffect[];
  /** The files that the call writes or removes: absolute, links resolved. */
  readonly paths: readonly string[];
  /** The current branch; empty without one. */
  readonly branch: string;
  /** The root of the project. */
  readonly root: string;
  /** The tool calls of this session so far. */
  readonly history: readonly PastCall[];
  /** The text of a file, absolute or relative to the root; `undefined` where there is none, or it is over 1 MB. */
  read(path: string): string | undefined;
  /** An object of this rule alone, kept for the session. Change it, and it is kept. */
  readonly state: Record<string, unknown>;
  /** The same for the whole project. */
  readonly projectState: Record<string, unknown>;
}

/** What a rule applies to: effects of a call, or kinds of events. */
export type Moment = Effect | EventKind;

export interface Rule {
  /** Unique in the project: lower-case letters, digits and dashes. */
  readonly name: string;
  /** When it is asked. */
  readonly on: Moment | readonly Moment[];
  /** One sentence for people who read `holdpoint rules`. */
  readonly description?: string;
  /** `shadow` only records, `warn` tells the agent, `hold` holds. The config may set another. Default: hold. */
  readonly mode?: Mode;
  decide(event: Event, ctx: RuleContext): Outcome | undefined | Promise<Outcome | undefined>;
}

/** A rule of your own; `export default` it from a file in `.holdpoint/rules`. */
export function defineRule(rule: Rule): Rule {
  return rule;
}
