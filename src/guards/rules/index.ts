import type { Outcome, Rule, RuleContext } from '../../api';
import { EFFECTS, SHELLS, toolsFor } from '../../core/effect-kinds';
import type { Event, EventKind } from '../../core/event';
import type { Context, Guard, Interest } from '../../core/guard';
import { isJsonObject, type JsonObject, objectIn } from '../../core/json';
import type { CallEffects } from '../../core/project-paths';
import { digest } from '../../core/text';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import type { DocumentRef } from '../../state/documents';
import { filesOf, type RuleEntry, type RuleModule, type RulesConfig } from './config';
import * as contexts from './context';
import { errorOf, RULE_MS, type RuleError, type RuleResult, type RuleRun, Sandbox } from './sandbox';

/** Runs the user's own rules and the built-in ones. */
export const guard: Guard<RulesConfig> = {
  name: 'rules',
  interest: (config) => interest(nonShadow(config)),
  decide: (event, config, ctx) => decide(event, nonShadow(config), ctx),
  // The sandbox has its own watchdog for the user's rules.
  isQuick: ({ rules }) => rules.every(({ source }) => source !== undefined),
  shadow: {
    interest: (config) => interest(shadowOnly(config)),
    isAll: (config) => nonShadow(config).rules.length === 0 && shadowOnly(config).rules.length > 0,
    decide: (event, config, ctx) => decide(event, shadowOnly(config), ctx),
  },
};

/** The rules in warn or hold mode. They keep the history, also for shadow rules. */
function nonShadow(config: RulesConfig): RulesConfig {
  return { ...config, rules: config.rules.filter(({ state, mode }) => state === 'on' && mode !== 'shadow') };
}

/** The rules in shadow mode, which decide as if they held. */
function shadowOnly(config: RulesConfig): RulesConfig {
  const rules = config.rules.filter(({ state, mode }) => state === 'on' && mode === 'shadow');
  const history = config.history && nonShadow(config).rules.length === 0;
  return { ...config, history, rules: rules.map((rule) => ({ ...rule, mode: 'hold' })) };
}

/** How often rules may hold one turn: a rule that is never satisfied must not hold it forever. */
const MOST_HOLDS = 3;
/** Time limit for a rule that has timed out, for a while: the machine may have been busy. */
const SUSPECT_MS = 100;
const SUSPECTED_MS = 60_000;

function interest({ rules, history }: RulesConfig): readonly Interest[] {
  if (rules.length === 0) return [];
  const moments = rules.flatMap(({ on }) => on);
  const effects = EFFECTS.filter((effect) => moments.includes(effect));
  const kinds = [...new Set(moments)].filter((one) => !contexts.isEffect(one)) as EventKind[];
  return [
    { kind: 'session.start' },
    ...(effects.length === 0
      ? []
      : ([
          { kind: 'tool.before', tools: toolsFor(effects) },
          { kind: 'tool.before', tools: SHELLS, reading: false },
        ] as const)),
    ...kinds.filter((kind) => kind !== 'session.start').map((kind) => ({ kind })),
    ...(history ? [{ kind: 'tool.after' } as const] : []),
  ];
}

async function decide(event: Event, config: RulesConfig, ctx: Context): Promise<Verdict> {
  const count = config.rules.length;
  if (event.kind === 'session.start') ctx.armed(count === 1 ? '1 rule' : `${count} rules`);
  const callEffects = contexts.effectsOnce(event, ctx);
  if (event.kind === 'tool.after' && config.history) keepCall(event, callEffects, ctx);
  const asked = config.rules.filter((rule) => contexts.isAsked(rule, event, callEffects));
  if (asked.length === 0) return NOTHING;
  ctx.asked(asked.map(({ name }) => name));
  const outcomes = await ask(asked, event, config, callEffects, ctx);
  return verdictOf(outcomes, event, ctx);
}

function keepCall(
  event: Extract<Event, { kind: 'tool.after' }>,
  callEffects: () => CallEffects | undefined,
  ctx: Context,
): void {
  if (event.sessionId === '') return;
  const call = contexts.toStoredCall(event, callEffects()?.paths.edit ?? []);
  ctx.change({
    document: contexts.sessionRef(event.sessionId),
    what: 'call of the session',
    apply: (current) => contexts.withCall(asObject(current), call),
  });
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

interface RuleOutcome {
  readonly rule: RuleEntry;
  readonly outcome: Outcome;
}

async function ask(
  asked: readonly RuleEntry[],
  event: Event,
  config: RulesConfig,
  callEffects: () => CallEffects | undefined,
  ctx: Context,
): Promise<readonly RuleOutcome[]> {
  freeze(event);
  const ref = contexts.sessionRef(event.sessionId === '' ? 'none' : event.sessionId);
  const history = () => contexts.pastCalls(contexts.documentIn(ctx, ref), ctx);
  const given = { event, ctx, callEffects, history };
  const failures = contexts.documentIn(ctx, contexts.FAILED_REF);
  const states = new Map<string, contexts.RuleState>();
  const runs = asked.map((rule) => {
    const state = (): contexts.RuleState => {
      const known = states.get(rule.name);
      if (known !== undefined) return known;
      const read = {
        session: contexts.stateIn(contexts.documentIn(ctx, ref), rule.name),
        project: contexts.stateIn(contexts.documentIn(ctx, contexts.PROJECT_REF), rule.name),
      };
      states.set(rule.name, read);
      return read;
    };
    return { rule, context: contexts.ruleContext(given, state) };
  });
  const results = await runAll(runs, event, config, failures, ctx);
  const outcomes: RuleOutcome[] = [];
  const failed = new Map<string, JsonObject>();
  results.forEach((result, at) => {
    const { rule } = runs[at] as (typeof runs)[number];
    const outcome = 'value' in result ? contexts.outcomeOf(result.value) : undefined;
    const error =
      errorIn(result, outcome) ?? stateProblem(states.get(rule.name), filesOf(modulesOf(rule, config)));
    if (error?.unknown) ctx.unknown([rule.name]);
    else if (error !== undefined) {
      const { name, mode, source = '' } = rule;
      const { detail, hung } = error;
      const place = placeOf(rule, error, ctx);
      const since = hungAt(rule, failures, ctx.now) ?? ctx.now;
      failed.set(name, { why: detail, place, source, ...(hung && { hung: source, at: since }) });
      ctx.trouble({ code: 'rule.failed', rule: name, mode, place, detail });
    } else if (outcome !== undefined && outcome.kind !== 'nothing') outcomes.push({ rule, outcome });
  });
  keepStates(states, failed, ref, ctx);
  keepFailures(asked, failed, failures, ctx);
  return outcomes;
}

function errorIn(result: RuleResult, outcome: unknown): RuleError | undefined {
  if ('error' in result) return result.error;
  return outcome === undefined ? WRONG_RETURN : undefined;
}

function placeOf(rule: RuleEntry, { file, line, column }: RuleError, { projectRoot }: Context): string {
  if (file === undefined) return rule.place;
  const shown = file.startsWith(`${projectRoot}/`) ? file.slice(projectRoot.length + 1) : file;
  return `${shown}:${line}:${column}`;
}

function modulesOf({ source = '' }: RuleEntry, { sources }: RulesConfig): readonly RuleModule[] {
  return sources[source] ?? [];
}

type Run = { readonly rule: RuleEntry; readonly context: RuleContext };

/** Runs all rules, each with its time limit; a file that cannot be loaded fails only its own rules. */
async function runAll(
  runs: readonly Run[],
  event: Event,
  config: RulesConfig,
  failures: JsonObject,
  ctx: Context,
): Promise<readonly RuleResult[]> {
  const sandbox = runs.some(({ rule }) => rule.source !== undefined) ? new Sandbox() : undefined;
  // All sources, even if not all apply, so that the text is stable and its compiled code can be cached.
  sandbox?.prepare(Object.values(config.sources), (text, filename) => {
    const key = digest(Object.keys(config.sources).join());
    return ctx.compile(`rules-${digest(ctx.projectRoot)}`, `${key}-`, text, filename);
  });
  const files = new Map<string, readonly Rule[] | RuleError>();
  const ruleOf = ({ source, index, name }: RuleEntry): Rule | RuleError => {
    if (source === undefined) return ctx.part('built-in-rules').builtIn(name);
    const known = files.get(source) ?? loaded(source);
    files.set(source, known);
    return 'detail' in known ? known : (known[index] ?? { detail: 'its file no longer exports it' });
  };
  const loaded = (source: string): readonly Rule[] | RuleError => {
    const modules = config.sources[source] ?? [];
    try {
      return sandbox?.load(modules) ?? [];
    } catch (error) {
      return sandbox?.errorOf(error, filesOf(modules)) ?? { detail: String(error) };
    }
  };
  const works = runs.map(({ rule, context }) => ({
    files: filesOf(modulesOf(rule, config)),
    limit: hungAt(rule, failures, ctx.now) === undefined ? RULE_MS : SUSPECT_MS,
    start: () => {
      const found = ruleOf(rule);
      if ('detail' in found) throw found;
      return found.decide(event, context);
    },
  }));
  const stray = (error: RuleError, from: readonly number[]): void => {
    const named = runs.filter(
      ({ rule }, at) => rule.source !== undefined && (from.length === 0 || from.includes(at)),
    );
    const [first] = named.map(({ rule }) => rule);
    if (first === undefined) return;
    ctx.trouble({
      code: 'rule.failed',
      rule: named.map(({ rule }) => rule.name).join(' or '),
      mode: named.some(({ rule }) => rule.mode === 'hold') ? 'hold' : 'warn',
      place: named.length > 1 && error.file === undefined ? 'unknown place' : placeOf(first, error, ctx),
      detail: error.detail,
    });
  };
  return sandbox?.run(works, stray) ?? works.map(direct);
}

/** When a rule timed out, if that is not long ago. */
function hungAt({ name, source }: RuleEntry, failures: JsonObject, now: number): number | undefined {
  const { hung, at } = objectIn(failures, name);
  const isSuspect = source !== undefined && hung === source && now - Number(at) < SUSPECTED_MS;
  return isSuspect ? Number(at) : undefined;
}

/** Built-in rules alone need no sandbox: they are ours, and answer at once. */
function direct({ start }: RuleRun): RuleResult {
  try {
    return { value: start() };
  } catch (error) {
    return { error: errorOf(error, []) };
  }
}

/** Far more than a rule has to remember. */
const LARGEST_STATE = 1024 * 1024;

/** Why a rule's state cannot be saved; `undefined` if it can. */
function stateProblem(
  state: contexts.RuleState | undefined,
  files: readonly string[],
): RuleError | undefined {
  try {
    const length = state === undefined ? 0 : JSON.stringify(state).length;
    return length > LARGEST_STATE ? { detail: 'its state is larger than 1 MB' } : undefined;
  } catch (error) {
    const found = errorOf(error, files);
    return { ...found, detail: `its state cannot be kept: ${found.detail}` };
  }
}

/** The state of a failed rule is not saved: it may be half changed. */
function keepStates(
  states: ReadonlyMap<string, contexts.RuleState>,
  failed: ReadonlyMap<string, unknown>,
  session: DocumentRef,
  ctx: Context,
): void {
  for (const [part, document] of [
    ['session', session],
    ['project', contexts.PROJECT_REF],
  ] as const) {
    const before = states.size === 0 ? {} : contexts.documentIn(ctx, document);
    const changed = [...states].flatMap(([rule, state]) => {
      if (failed.has(rule)) return [];
      const now = JSON.parse(JSON.stringify(state[part] ?? {})) as JsonObject;
      return JSON.stringify(now) === JSON.stringify(objectIn(objectIn(before, 'state'), rule))
        ? []
        : [[rule, now] as const];
    });
    if (changed.length === 0) continue;
    ctx.change({
      document,
      what: `state of ${changed.map(([rule]) => rule).join(', ')}`,
      apply: (current) => {
        const now = asObject(current);
        return { ...now, state: { ...objectIn(now, 'state'), ...Object.fromEntries(changed) } };
      },
    });
  }
}

/** Records which rules failed, for `holdpoint rules`; a rule that works again is removed. */
function keepFailures(
  asked: readonly RuleEntry[],
  failed: ReadonlyMap<string, JsonObject>,
  known: JsonObject,
  ctx: Context,
): void {
  const healed = asked.filter(({ name }) => known[name] !== undefined && !failed.has(name));
  if (healed.length + failed.size === 0) return;
  ctx.change({
    document: contexts.FAILED_REF,
    what: 'rules that failed',
    apply: (current) => {
      const kept = Object.entries(asObject(current)).filter(
        ([name]) => !healed.some((one) => one.name === name),
      );
      return Object.fromEntries([...kept, ...failed]);
    },
  });
}

/** Rules share the event object, so none may change what the next one sees. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

/* Combines the outcomes of rules into one verdict. */

function verdictOf(outcomes: readonly RuleOutcome[], event: Event, ctx: Context): Verdict {
  const canBind = event.kind === 'tool.before' || event.kind === 'turn.stop';
  const isSpent = event.kind === 'turn.stop' && (ctx.refusedStops.byGuard.rules ?? 0) >= MOST_HOLDS;
  const binds = ({ rule, outcome }: RuleOutcome): boolean =>
    canBind && !isSpent && rule.mode === 'hold' && outcome.kind !== 'advise';
  const binding = outcomes.filter(binds);
  const told = outcomes.filter((one) => !binds(one));
  const advice = told.length === 0 ? undefined : adviceText(told);
  if (binding.length === 0) {
    if (advice === undefined) return NOTHING;
    // No host passes advice to an agent whose turn ends.
    const heard = event.kind === 'turn.stop' ? { toPerson: `Holdpoint: ${advice}` } : { toAgent: advice };
    return { kind: 'advise', ...heard, grounds: told.map(groundsFor) };
  }
  // Next to a hold, only rules in warn mode count as grounds.
  const grounds = [...binding, ...told.filter(({ rule }) => rule.mode === 'warn')].map(groundsFor);
  const isHold = event.kind === 'turn.stop' || binding.some(({ outcome }) => outcome.kind === 'hold');
  const text = isHold ? holdText(binding, event) : askText(binding);
  const reason = [text, ...(advice === undefined ? [] : [advice])].join('\n');
  if (event.kind === 'turn.stop') return { kind: 'hold', reason, grounds };
  return { kind: isHold ? 'deny' : 'ask', reason, grounds };
}

function groundsFor({ rule, outcome }: RuleOutcome): Grounds {
  return {
    rule: rule.name,
    place: rule.place,
    fact: factOf(outcome.reason),
    clear: CLEARS,
    waive: `a person: \`holdpoint rules demote ${rule.name}\``,
    ...(rule.mode === 'warn' && { mode: rule.mode }),
  };
}

const WRONG_RETURN: RuleError = {
  detail: "returned something other than hold('…'), ask('…'), advise('…') or nothing",
};

const CLEARS = 'do what the rule says';

/** One paragraph per rule, in its own words, then what the agent can do. */
function holdText(outcomes: readonly RuleOutcome[], event: Event): string {
  const names = outcomes.map(({ rule }) => rule.name);
  const paragraphs = outcomes.map(
    ({ rule, outcome }) => `Held by rule \`${rule.name}\`: ${outcome.reason.trim()}`,
  );
  const unchanged = event.kind === 'turn.stop' ? '' : 'Nothing was changed. ';
  const waive = `Only a person can waive ${names.length === 1 ? 'the rule' : 'these rules'} (${names.map((name) => `\`holdpoint rules demote ${name}\``).join(', ')}).`;
  return [...paragraphs, `${unchanged}Do this, or stop and tell the user what you need. ${waive}`].join('\n');
}

/** For the person who is asked, in the rule's own words. */
function askText(outcomes: readonly RuleOutcome[]): string {
  const paragraphs = outcomes.map(
    ({ rule, outcome }) => `Rule \`${rule.name}\` asks: ${outcome.reason.trim()}`,
  );
  return [...paragraphs, 'Nothing was changed yet.'].join('\n');
}

function adviceText(outcomes: readonly RuleOutcome[]): string {
  return outcomes.map(({ rule, outcome }) => `Rule \`${rule.name}\`: ${outcome.reason.trim()}`).join('\n');
}

const LONGEST_FACT = 200;

/** The first line of the reason, for the journal. */
function factOf(reason: string): string {
  const [first = ''] = reason.trim().split('\n', 1);
  return first.length > LONGEST_FACT ? `${first.slice(0, LONGEST_FACT - 1)}…` : first;
}
