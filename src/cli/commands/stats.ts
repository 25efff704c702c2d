import type { Json, JsonObject } from '../../core/json';
import { loadConfig } from '../../core/project';
import { localTime } from '../../core/text';
import { type Context, type ExitCode, type Options, report } from '../context';
import { isNamed, sinceTime } from '../log/entries';
import { NO_RULE_IN_EFFECT, noSuchRule } from '../messages';
import { requireProject } from '../project';
import { type Rule, rulesOf } from '../rules/catalogue';
import { type Figures, figuresOf, occasions, quantile } from '../rules/figures';
import { type Counted, statsTable, widthOf } from '../rules/tables';
import { foldText, plural, styled } from '../ui/output';

const WORDS = 'holdpoint stats';

type StatsOptions = Options<never, 'since' | 'rule'>;

export function stats(context: Context, { since: given = '30d', rule }: StatsOptions): ExitCode {
  const now = Date.now();
  const since = sinceTime(WORDS, given, now);
  const project = requireProject(context);
  const rules = rulesOf(project);
  const all = figuresOf(project, rules, since);
  const wanted = all.flatMap((one) => {
    const known = rules.find(({ name, guard }) => name === one.rule && guard === one.guard);
    // Not a configured rule: the protection of our own files always holds, others have no mode.
    const mode = known?.mode ?? (one.guard === 'own-files' ? 'hold' : undefined);
    return (rule === undefined ? isShown(one, known) : isNamed(one.guard, one.rule, rule))
      ? [{ ...one, mode }]
      : [];
  });
  const known = all.map((one) => one.rule);
  const problems = loadConfig(project, context.chunks)?.head.problems ?? [];
  if (rule !== undefined && wanted.length === 0) throw noSuchRule(WORDS, rule, known, problems);
  const rows = wanted.sort(byActivity);
  const value = { since: new Date(since).toISOString(), rules: rows.map(figuresJson) };
  const lines = rows.length === 0 ? emptyLines(problems) : statsLines(rows, since, now, context);
  return report(context, value, lines);
}

const LEGEND = 'SHARE: of the times it was asked. CLEARED: half of its holds within, 9 of 10 within.';

function emptyLines(problems: readonly string[]): string[] {
  if (problems.length === 0) return ['This project has no rules yet. `holdpoint init` writes some.'];
  return [NO_RULE_IN_EFFECT, ...problems];
}

function statsLines(rows: readonly Counted[], since: number, now: number, context: Context): string[] {
  const width = widthOf(context.env);
  const told = rows.flatMap(remarksOn).flatMap((text) => {
    return foldText(text, width - 2).map((line, at) => (at === 0 ? line : `  ${line}`));
  });
  const isAsked = rows.some(({ asked }) => asked > 0);
  const silent = `None of them held or warned${isAsked ? '' : ', and none was asked'}.`;
  return [
    styled('dim', `Since ${localTime(since, now, 'minutes')}.`),
    ...foldText(LEGEND, width).map((line) => styled('dim', line)),
    ...statsTable(rows, { since, now, width }),
    ...(told.length > 0 ? ['', ...told] : []),
    ...(rows.every((one) => occasions(one) === 0) ? ['', silent] : []),
  ];
}

/** Rules that were asked, and all others that are on, except those of the workflow, which are many. */
function isShown({ asked }: Figures, rule: Rule | undefined): boolean {
  return asked > 0 || (rule !== undefined && rule.kind !== 'workflow' && rule.state === 'on');
}

function byActivity(a: Counted, b: Counted): number {
  return occasions(b) - occasions(a) || b.asked - a.asked || a.rule.localeCompare(b.rule);
}

/** What the table has no room for, one sentence per rule. */
function remarksOn({ rule, by, repeated, endedHeld }: Figures): string[] {
  const ways = [...by].sort(([, a], [, b]) => b - a).map(([how, count]) => `${how} ${count}`);
  const parts = [
    ...(ways.length === 0 ? [] : [`holds ended: ${ways.join(', ')}`]),
    ...(repeated === 0 ? [] : [`${plural(repeated, 'repeated hold')}`]),
    ...(endedHeld === 0 ? [] : [`${plural(endedHeld, 'session')} ended held`]),
  ];
  return parts.length === 0 ? [] : [`${rule}: ${parts.join('; ')}.`];
}

function figuresJson(figures: Counted): JsonObject {
  const { rule, guard, mode, asked, held, warned, shadowed, seconds, by, repeated } = figures;
  const seconds_ = (share: number): Json => {
    const found = quantile(seconds, share);
    return found === undefined ? null : Math.round(found * 1000) / 1000;
  };
  return {
    rule,
    mode: mode ?? null,
    guard,
    asked,
    held,
    warned,
    shadowed,
    cleared: { median_s: seconds_(0.5), p90_s: seconds_(0.9), by: Object.fromEntries(by) },
    repeated,
    ended_held: figures.endedHeld,
    false_alarms: figures.falseAlarms,
    right: figures.right,
  };
}
