import type { JsonObject } from '../../core/json';
import { loadConfig } from '../../core/project';
import { askGit } from '../../git/run-git';
import type { Context, ExitCode } from '../context';
import { localDate } from '../log/filters';
import { noSuchRule } from '../messages';
import { type OpenProject, openProjectOrRefuse } from '../project';
import { noteByHand, type Options, refuseAgent, refuseReserved, report } from '../req/context';
import { block } from '../req/status';
import { fileOf, type Rule, rulesOf } from '../rules/catalogue';
import { type Column, counted, drawTable, falseText, MODE_STYLES, widthOf } from '../rules/draw';
import { type Figures, figuresFor, figuresOf } from '../rules/figures';
import {
  FEWEST_OCCASIONS,
  MOST_FALSE_PERCENT,
  movedAt,
  nextMode,
  notReady,
  ruleCalled,
  type Standing,
  type Step,
  standingOf,
  writeMode,
} from '../rules/ladder';
import { foldText, plural, printable, type Style } from '../ui/output';
import { Refusal } from '../ui/refusal';

export function list(context: Context, { json }: Options): ExitCode {
  const { out } = context;
  const project = openProjectOrRefuse(context);
  const rules = rulesOf(project, context);
  const problems = loadConfig(project, context.chunks)?.head.problems ?? [];
  const figures = figuresOf(project, rules, 0, context);
  const of = (rule: Rule): Figures => figuresFor(rule, figures);
  if (json) {
    for (const problem of problems) out.error(`Warning: ${problem}`);
    out.json({ rules: rules.map((rule) => ruleJson(rule, of(rule))) });
    return 0;
  }
  if (rules.length === 0 && problems.length === 0) {
    out.line('This project has no rules yet. `holdpoint init` writes some.');
    return 0;
  }
  const width = widthOf(context.env);
  if (rules.length > 0) for (const line of rulesTable(rules, of, width, context)) out.line(line);
  const trouble = troubleLines(rules, problems, width, context);
  for (const line of rules.length > 0 ? trouble : trouble.slice(1)) out.line(line);
  return 0;
}

/** Errors of broken rules that are not among the config problems, then the config problems. */
function troubleLines(
  rules: readonly Rule[],
  problems: readonly string[],
  width: number,
  { out }: Context,
): string[] {
  const fold = (text: string): string[] =>
    foldText(text, width - 4).map((line, at) => (at === 0 ? line : `  ${line}`));
  const broken = rules
    .filter(({ state, why }) => state === 'broken' && !problems.some((problem) => problem.includes(why)))
    .flatMap(({ name, place, why }) => fold(`${name} (${place}): ${why}`))
    .map((line) => out.style('red', line));
  // Indented lines quote the file with a marker below, so they must not be wrapped.
  const told = problems
    .flatMap((problem) => printable(problem).split('\n'))
    .flatMap((line) => (line.startsWith(' ') ? [line] : fold(line)));
  return [...(broken.length === 0 ? [] : ['', ...broken]), ...block('Config problems', told, out)];
}

function ruleJson({ name, kind, mode, place, state, why }: Rule, figures: Figures): JsonObject {
  const { asked, held, warned, shadowed, falseAlarms } = figures;
  return {
    ...{ name, kind, mode, file: fileOf(place) || null, state, why: why || null },
    ...{ asked, held, warned, shadowed, false_alarms: falseAlarms },
  };
}

const STATE_STYLES: Readonly<Record<Rule['state'], Style>> = { on: 'green', off: 'dim', broken: 'red' };

function rulesTable(
  rules: readonly Rule[],
  of: (rule: Rule) => Figures,
  width: number,
  { out }: Context,
): string[] {
  const count = (title: string, key: 'asked' | 'held' | 'warned' | 'shadowed', keep: number): Column => {
    return { title, cells: rules.map((rule) => counted(of(rule)[key])), right: true, keep };
  };
  return drawTable(
    [
      { title: 'RULE', cells: rules.map(({ name }) => name), style: () => 'bold' },
      { title: 'KIND', cells: rules.map(({ kind }) => kind), keep: 4 },
      {
        title: 'MODE',
        cells: rules.map(({ mode }) => mode),
        style: (row) => (rules[row]?.state === 'on' ? MODE_STYLES[rules[row].mode] : 'dim'),
      },
      {
        title: 'STATE',
        cells: rules.map(({ state }) => state),
        style: (row) => STATE_STYLES[rules[row]?.state ?? 'on'],
      },
      count('ASKED', 'asked', 9),
      count('HELD', 'held', 9),
      count('WARNED', 'warned', 6),
      count('SHADOW', 'shadowed', 6),
      { title: 'FALSE', cells: rules.map((rule) => falseText(of(rule))), right: true, keep: 8 },
      {
        title: 'WHERE',
        cells: rules.map(({ place, why, state }) => (state === 'off' && why) || place.replace(/:\d+$/, '')),
        keep: 2,
      },
    ],
    width,
    out,
  );
}

type ClimbOptions = Options & Partial<Options<'force'>>;

/** `holdpoint rules promote` and `demote`: one step between shadow, warn and hold. */
export function climb(step: Step) {
  const words = `holdpoint rules ${step}`;
  return (
    context: Context,
    { force = false, json }: ClimbOptions,
    [name = '']: readonly string[],
  ): ExitCode => {
    const { out } = context;
    if (name === '') throw new Refusal(`${words}: give the name of a rule.`, 2);
    const project = openProjectOrRefuse(context);
    const rules = rulesOf(project, context);
    const { rule, to } = stepOf(step, name, rules);
    refuseOthers(step, force, project, context);
    const standing = standingIn(rule, project, rules, context);
    const why = step === 'promote' ? notReady(standing) : undefined;
    const told = { rule: rule.name, from: rule.mode, ...standingJson(standing) };
    if (why !== undefined && !force) {
      if (json) out.json({ ...told, to: rule.mode, changed: false, why });
      throw new Refusal(refusal(words, rule, why, standing));
    }
    const file = writeMode(rule, to, project, context);
    const about = `${rule.name} ${rule.mode} ${to}`;
    noteByHand(project.layout, `rules ${step}`, [file], { about, by: context.caller() });
    return report(context, json, { ...told, to, changed: true, file }, [
      out.style('green', `${rule.name}: ${rule.mode} → ${to}`),
      `${standingText(standing, rule.mode)}${why === undefined ? '' : ' Forced.'}`,
      `Modified: ${file}.${isTracked(file, project) ? ` See it with \`git diff ${file}\`.` : ''}`,
    ]);
  };
}

function isTracked(file: string, { root }: OpenProject): boolean {
  return askGit(root, ['ls-files', '--error-unmatch', '--', file]) !== undefined;
}

/** The named rule, and its new mode. */
function stepOf(step: Step, name: string, rules: readonly Rule[]) {
  const words = `holdpoint rules ${step}`;
  const rule = ruleCalled(rules, name);
  const known = rules.map((one) => one.name);
  if (rule === undefined) throw noSuchRule(words, name, known);
  if (rule.state !== 'on') throw new Refusal(`${words}: ${rule.name} is ${rule.state}: ${rule.why}.`);
  const to = nextMode(rule.mode, step);
  if (to === undefined)
    throw new Refusal(`${words}: ${rule.name} is in ${rule.mode} mode already, and there is none beyond it.`);
  return { rule, to };
}

/** Anyone who may change config may make a rule stricter; only people may loosen one or ignore its figures. */
function refuseOthers(step: Step, force: boolean, project: OpenProject, context: Context): void {
  if (step === 'demote') refuseAgent('demote a rule', project, context);
  else if (force) refuseAgent('promote a rule by force', project, context);
  else refuseReserved(project, context);
}

function standingIn(rule: Rule, project: OpenProject, rules: readonly Rule[], context: Context): Standing {
  const since = movedAt(rule.name, project);
  return standingOf(figuresFor(rule, figuresOf(project, rules, since, context)), rule.mode, since);
}

function standingJson({ occasions, falseAlarms, falsePercent }: Standing): JsonObject {
  return {
    occasions,
    needed: FEWEST_OCCASIONS,
    false_alarms: falseAlarms,
    false_percent: Math.round(falsePercent * 10) / 10,
    most_false_percent: MOST_FALSE_PERCENT,
  };
}

function standingText({ occasions, falseAlarms, since }: Standing, mode: Rule['mode']): string {
  const when = since === 0 ? '' : ` since ${localDate(since)}`;
  const marked = `${falseAlarms} marked as ${falseAlarms === 1 ? 'a false alarm' : 'false alarms'}`;
  return `${plural(occasions, 'occasion')} in ${mode} mode${when}, ${marked}.`;
}

function refusal(words: string, { name, mode }: Rule, why: string, standing: Standing): string {
  return [
    `${words}: ${name} stays in ${mode} mode: ${why}.`,
    `${standingText(standing, mode)} \`holdpoint stats --rule ${name}\` shows more; a person can use --force.`,
  ].join('\n');
}
