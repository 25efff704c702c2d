import type { Judgement, UnjudgedRule } from '../core/decide';
import type { Mode } from '../core/effect-kinds';
import type { Event } from '../core/event';
import type { Failure } from '../core/failure';
import { type GuardName, isGuardName } from '../core/guard';
import type { CompiledConfig } from '../core/project';
import { isoTime } from '../core/text';
import { modeOf, namedRules } from './rules';

export interface RuleFailure {
  /** `file:line:column`, if known. */
  readonly place: string;
  readonly detail: string;
}

/** A rule that failed; if a whole guard failed, the guard stands in for its rules. */
export interface FailedRule extends UnjudgedRule, RuleFailure {}

/** With the names that the JSON output has. */
export interface RuleCount {
  readonly rule: string;
  readonly guard: GuardName;
  readonly mode: Mode;
  would_hold: number;
  unknown: number;
  /** How often it failed; `failure` is the first one. */
  failed: number;
  failure?: RuleFailure;
  readonly examples: ReturnType<typeof exampleOf>[];
}

/** The rules that one event counts for. */
export interface Counted {
  readonly held: readonly UnjudgedRule[];
  readonly unknown: readonly UnjudgedRule[];
  readonly failed: readonly FailedRule[];
}

/** Per rule. */
const EXAMPLES_KEPT = 20;

/** Counts what each rule would have done. */
export class Tally {
  readonly #rules = new Map<string, RuleCount>();
  readonly #config: CompiledConfig;

  constructor(config: CompiledConfig) {
    this.#config = config;
    for (const { guard, rule, mode } of namedRules(config)) this.#of({ guard, rule }, mode);
  }

  /** A hold counts once per rule; what only one of two judgements holds counts as unknown. */
  count(event: Event, root: string, { held, unknown, failed }: Counted): void {
    for (const one of held) {
      const counted = this.#of(one);
      counted.would_hold++;
      if (counted.examples.length < EXAMPLES_KEPT) counted.examples.push(exampleOf(event, root));
    }
    for (const one of unknown) this.#of(one).unknown++;
    for (const { place, detail, ...one } of failed) {
      const counted = this.#of(one);
      counted.failed++;
      counted.failure ??= { place, detail };
    }
  }

  /** The rules for which a judgement holds the event. */
  heldBy({ verdicts, decision }: Judgement): UnjudgedRule[] {
    if (!('reason' in decision)) return [];
    const found = new Map<string, UnjudgedRule>();
    for (const { guard, verdict } of verdicts)
      if ('reason' in verdict)
        for (const { rule } of verdict.grounds) found.set(keyOf({ guard, rule }), { guard, rule });
    return [...found.values()];
  }

  /** The rules, those that would have held most often first. */
  rules(): readonly RuleCount[] {
    return [...this.#rules.values()].sort(
      (a, b) =>
        b.would_hold - a.would_hold ||
        b.unknown - a.unknown ||
        b.failed - a.failed ||
        (a.rule < b.rule ? -1 : 1),
    );
  }

  #of({ guard, rule }: UnjudgedRule, mode?: Mode): RuleCount {
    const key = keyOf({ guard, rule });
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const its = mode ?? modeOf(this.#config, guard, rule);
    const counts = { would_hold: 0, unknown: 0, failed: 0, examples: [] };
    const fresh: RuleCount = { rule, guard, mode: its, ...counts };
    this.#rules.set(key, fresh);
    return fresh;
  }
}

/** The rules that failed in a judgement. */
export function failedIn(failures: readonly Failure[]): FailedRule[] {
  return failures.flatMap((failure): FailedRule[] => {
    if (failure.code === 'rule.failed') {
      const { rule, place, detail } = failure;
      return [{ guard: 'rules', rule, place, detail }];
    }
    if (failure.code !== 'guard.threw' || !isGuardName(failure.guard)) return [];
    return [{ guard: failure.guard, rule: failure.guard, place: '', detail: failure.detail }];
  });
}

export function keyOf({ guard, rule }: UnjudgedRule): string {
  return `${guard} ${rule}`;
}

const LONGEST = 120;

/** One call or end of a turn that a rule would have held, with its command or path shortened. */
function exampleOf(event: Event, root: string) {
  const call = 'call' in event ? event.call : undefined;
  const text = call === undefined ? whatOf(event) : (call.command ?? call.paths[0] ?? call.skill ?? '');
  const below = text.startsWith(`${root}/`) ? text.slice(root.length + 1) : text;
  const line = below.replace(/\s+/g, ' ').trim();
  return {
    session: event.sessionId,
    at: event.at,
    tool: call?.nativeName ?? event.hostEvent,
    what: line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line,
  };
}

function whatOf({ kind }: Event): string {
  return kind === 'turn.stop' ? 'end of the turn' : kind === 'prompt.submit' ? 'a prompt' : '';
}

/** A count for JSON output. */
export function ruleJson({ guard: _, examples, ...counts }: RuleCount) {
  const shown = examples.map(({ at, session, ...rest }) => ({ session, at: isoTime(at), ...rest }));
  return { ...counts, examples: shown };
}
