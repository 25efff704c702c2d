import {
  type JsonObject,
  jsonObjectIn,
  objectIn,
  objectsIn,
  textIn as textOr,
  textsIn,
} from '../../core/json';
import { sessionKey } from '../../core/text';
import type { Requirement } from '../../guards/requirements/section';
import { linesOfLog, readJournal } from '../../state/journal';
import { groundsIn, isByHand, textIn, timeOf } from '../log/entries';
import { type Held, heldBy, outcomeIn } from '../log/outcome';
import { type ProjectContext, requirementsIn } from '../project';
import { figuresName, type Rule } from './catalogue';

/** What one rule did. */
export interface Figures {
  readonly rule: string;
  readonly guard: string;
  asked: number;
  held: number;
  warned: number;
  shadowed: number;
  /** Holds of a session that the rule was already holding. */
  repeated: number;
  /** Sessions that ended while it held them. */
  endedHeld: number;
  falseAlarms: number;
  right: number;
  /** Seconds from a hold to its end. */
  readonly seconds: number[];
  /** How often holds ended in which way, and by whom. */
  readonly by: Map<string, number>;
  /** Holds, warnings and shadow holds, by local day since the epoch. */
  readonly days: Map<number, number>;
}

const noFigures = (guard: string, rule: string): Figures => ({
  ...{ rule, guard, asked: 0, held: 0, warned: 0, shadowed: 0, repeated: 0, endedHeld: 0 },
  ...{ falseAlarms: 0, right: 0, seconds: [], by: new Map(), days: new Map() },
});

/** The figures of a rule; zeros if it did nothing. */
export function figuresFor({ name, guard }: Rule, all: readonly Figures[]): Figures {
  return all.find((one) => one.rule === name && one.guard === guard) ?? noFigures(guard, name);
}

/** Whether a decision was right. The last mark of a decision counts. */
export type MarkWord = 'false-alarm' | 'right';
export const MARKS: readonly MarkWord[] = ['false-alarm', 'right'];

/** What a rule did, as the journal shows it. */
type RuleAction = 'held' | 'warned' | 'shadowed';

/** What rules did in an entry. A warning beside a hold reaches no one, except from the project's own rules. */
export function ruleActionsIn(entry: JsonObject) {
  if (entry['decision'] === 'started') return [];
  return groundsIn(entry).flatMap(({ guard, verdict, ground }) => {
    const rule = textIn(ground, 'rule');
    const what = occasionOf(verdict, ground['mode'] === 'warn', guard);
    // A continuing loop does not count as a held rule.
    return rule === '' || what === undefined || guard === 'loop' ? [] : [{ guard, rule, what, ground }];
  });
}

function occasionOf(verdict: string, isWarning: boolean, guard: string): RuleAction | undefined {
  if (verdict === 'shadow') return 'shadowed';
  if (verdict === 'advise' || (isWarning && guard === 'rules')) return 'warned';
  return ['deny', 'hold', 'ask'].includes(verdict) && !isWarning ? 'held' : undefined;
}

/** The holds of all others end with the call, or with the turn. */
const CAN_BE_SATISFIED: readonly string[] = ['requirements', 'workflow', 'gates'];

interface Open {
  readonly held: Held;
  readonly figures: Figures;
}

/** Counts what each rule did since then, in milliseconds. */
export function figuresOf(project: ProjectContext, rules: readonly Rule[], since: number) {
  const { layout } = project;
  const tally = new Tally(rules, requirementsIn(project), since);
  for (const record of readJournal(layout)) if (timeOf(record) >= since) tally.add(record);
  for (const line of linesOfLog(layout, 'asked')) tally.addAsked(line);
  return tally.end();
}

class Tally {
  readonly #rules: readonly Rule[];
  readonly #since: number;
  readonly #figures = new Map<string, Figures>();
  readonly #open = new Map<string, Map<string, Open>>();
  /** Several processes may record the same call. */
  readonly #calls = new Set<string>();
  readonly #asked = new Set<string>();
  /** The last mark of each decision, by the id of the decision. */
  readonly #marks = new Map<string, Mark>();
  readonly #names = new Map<string, string>();
  readonly #requirements: ReadonlyMap<string, Requirement>;

  constructor(rules: readonly Rule[], requirements: readonly Requirement[], since: number) {
    this.#rules = rules;
    this.#since = since;
    this.#requirements = new Map(requirements.map((one) => [one.name, one]));
    for (const { name, guard } of rules) this.#of(guard, name);
  }

  add(entry: JsonObject): void {
    const mark = markIn(entry);
    if (mark !== undefined) {
      this.#marks.set(mark.of, mark);
      return;
    }
    this.#close(entry);
    const at = timeOf(entry);
    const call = textIn(entry, 'call');
    for (const { guard, rule, what, ground } of ruleActionsIn(entry)) {
      if (call !== '' && !isNew(`${call} ${guard} ${rule} ${what}`, this.#calls)) continue;
      const figures = this.#of(guard, this.#nameOf(guard, rule));
      figures[what]++;
      const day = dayOf(at);
      figures.days.set(day, (figures.days.get(day) ?? 0) + 1);
      if (what === 'held' && CAN_BE_SATISFIED.includes(guard))
        this.#hold(heldBy(entry, { guard, ground }, this.#requirements.get(rule)), figures);
    }
  }

  addAsked(line: string): void {
    const record = jsonObjectIn(line);
    const at = record?.['at'];
    if (record === undefined || typeof at !== 'number' || at < this.#since) return;
    const call = textOr(record, 'call') ?? '';
    for (const rule of textsIn(record, 'rules')) {
      const guard = /^(?:check|review):/.test(rule) ? 'gates' : this.#guardOf(rule);
      if (call !== '' && !isNew(`${call} ${rule}`, this.#asked)) continue;
      this.#of(guard, this.#nameOf(guard, rule)).asked++;
    }
  }

  end(): readonly Figures[] {
    for (const { mark, at, rules } of this.#marks.values()) {
      for (const { guard, rule } of rules) {
        const figures = this.#figures.get(keyOf(guard, this.#nameOf(guard, rule)));
        if (figures === undefined || at < this.#since) continue;
        if (mark === 'right') figures.right++;
        else figures.falseAlarms++;
      }
    }
    for (const figures of this.#figures.values()) {
      figures.seconds.sort((a, b) => a - b);
      // A rule that spoke was asked, even if the log of asked rules lacks it.
      figures.asked = Math.max(figures.asked, figures.held + figures.warned + figures.shadowed);
    }
    return [...this.#figures.values()];
  }

  #nameOf(guard: string, rule: string): string {
    if (guard !== 'gates') return rule;
    const known = this.#names.get(rule);
    if (known !== undefined) return known;
    const name = figuresName(this.#rules, guard, rule);
    this.#names.set(rule, name);
    return name;
  }

  /** The log of asked rules has only names; the journal also knows rules that are gone. */
  #guardOf(name: string): string {
    for (const { rule, guard } of this.#figures.values()) if (rule === name) return guard;
    return '';
  }

  #of(guard: string, rule: string): Figures {
    const key = keyOf(guard, rule);
    const known = this.#figures.get(key);
    if (known !== undefined) return known;
    const fresh = noFigures(guard, rule);
    this.#figures.set(key, fresh);
    return fresh;
  }

  #hold(held: Held, figures: Figures): void {
    const bucket = bucketOf(held.guard, held.session);
    const mine = this.#open.get(bucket) ?? new Map<string, Open>();
    const key = keyOf(held.guard, held.rule);
    if (mine.has(key)) figures.repeated++;
    else this.#open.set(bucket, mine.set(key, { held, figures }));
    const [oldest] = this.#open.size > MOST_KNOWN ? this.#open.keys() : [];
    if (oldest !== undefined) this.#open.delete(oldest);
  }

  /** Closes the holds that an entry ends. Only a command without a session can end holds of any session. */
  #close(entry: JsonObject): void {
    const session = textIn(entry, 'session');
    const isEnd = /^session.?end$/i.test(textIn(entry, 'event'));
    const isForAll = session === '' && isByHand(entry);
    for (const bucket of isForAll ? this.#open.keys() : [bucketOf('', session), GATES]) {
      const mine = this.#open.get(bucket) ?? new Map<string, Open>();
      for (const [key, open] of mine) {
        const isOver = isEnd && open.held.session === session;
        if (countEnd(open, entry, isOver)) mine.delete(key);
      }
      if (mine.size === 0) this.#open.delete(bucket);
    }
  }
}

/** Bounds the memory that a long journal takes: of so many calls, and of so many sessions with open holds, we know. */
const MOST_KNOWN = 5000;

/** Whether a text is none of the recent ones, to which it is added. */
function isNew(text: string, recent: Set<string>): boolean {
  if (recent.has(text)) return false;
  if (recent.size >= MOST_KNOWN) recent.clear();
  recent.add(text);
  return true;
}

/** Counts how a hold ended, if an entry ends it. */
function countEnd({ held, figures }: Open, entry: JsonObject, isOver: boolean): boolean {
  const ending = outcomeIn(entry, held);
  if (ending === undefined) {
    if (isOver) figures.endedHeld++;
    return isOver;
  }
  const { state, by, at = timeOf(entry) } = ending;
  const how = (by === undefined ? state : `${state} by ${by}`).replaceAll('_', ' ');
  figures.by.set(how, (figures.by.get(how) ?? 0) + 1);
  if (state !== 'limit_reached') figures.seconds.push(Math.max(0, (at - held.at) / 1000));
  return true;
}

/** Holds by gates belong to the project: a passing run in any session ends them. */
const GATES = 'gates';

function bucketOf(guard: string, session: string): string {
  return guard === 'gates' ? GATES : (sessionKey(session) ?? '');
}

function keyOf(guard: string, rule: string): string {
  return `${guard} ${rule}`;
}

export function dayOf(at: number): number {
  return Math.floor((at - new Date(at).getTimezoneOffset() * 60_000) / 86_400_000);
}

type Mark = NonNullable<ReturnType<typeof markIn>>;

/** The mark in an entry of `holdpoint mark`, with the time and the rules of the marked decision. */
function markIn(entry: JsonObject) {
  if (textIn(entry, 'event') !== 'mark' || !isByHand(entry)) return undefined;
  const marked = objectIn(entry, 'marked');
  const mark = MARKS.find((known) => known === marked['as']);
  const of = textIn(marked, 'id');
  if (mark === undefined || of === '') return undefined;
  const rules = objectsIn(marked, 'rules').map((one) => {
    return { guard: textIn(one, 'guard'), rule: textIn(one, 'rule') };
  });
  return { of, mark, at: Date.parse(textIn(marked, 'at')), rules };
}

/** A quantile of a sorted list: the median for a share of 0.5. */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** How often a rule held, warned or would have held. */
export function occasions({ held, warned, shadowed }: Pick<Figures, RuleAction>): number {
  return held + warned + shadowed;
}
