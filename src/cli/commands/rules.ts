import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setValue } from '../../config/edit-yaml';
import { placeOf } from '../../config/merge';
import { pointerOf } from '../../config/pointer';
import { MODES, type Mode } from '../../core/effect-kinds';
import type { JsonObject } from '../../core/json';
import { loadConfig } from '../../core/project';
import { askGit } from '../../git/run-git';
import { readJournal } from '../../state/journal';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { isByHand, localDate, textIn, timeOf } from '../log/entries';
import { noSuchRule } from '../messages';
import { type ProjectContext, pathFromHere, requireProject } from '../project';
import { type ConfigFile, editConfig, NOTHING_WRITTEN, writeOrRefuse } from '../req/config-file';
import { journalCommand, refuseAgent, refuseReserved, underLock } from '../req/context';
import { block } from '../req/status';
import { fileOf, type Rule, rulesOf } from '../rules/catalogue';
import { type Figures, figuresFor, figuresOf } from '../rules/figures';
import { type Column, counted, drawTable, falseText, MODE_STYLES, widthOf } from '../rules/tables';
import { foldText, plural, printError, type Style, styled } from '../ui/output';

export function list(context: Context): ExitCode {
  const project = requireProject(context);
  const rules = rulesOf(project);
  const problems = loadConfig(project, context.chunks)?.head.problems ?? [];
  const figures = figuresOf(project, rules, 0);
  const rows = rules.map((rule) => ({ ...figuresFor(rule, figures), ...rule }));
  if (context.json) for (const problem of problems) printError(`Warning: ${problem}`);
  const width = widthOf(context.env);
  const trouble = troubleLines(rules, problems, width);
  const none = 'This project has no rules yet. `holdpoint init` writes some.';
  const lines = rules.length > 0 ? [...drawTable(rows, COLUMNS, width), ...trouble] : trouble.slice(1);
  return report(context, { rules: rows.map(ruleJson) }, lines.length === 0 ? [none] : lines);
}

/** Errors of broken rules that are not among the config problems, then the config problems. */
function troubleLines(rules: readonly Rule[], problems: readonly string[], width: number) {
  const fold = (text: string): string[] =>
    foldText(text, width - 4).map((line, at) => (at === 0 ? line : `  ${line}`));
  const broken = rules
    .filter(({ state, why }) => state === 'broken' && !problems.some((problem) => problem.includes(why)))
    .flatMap(({ name, place, why }) =>
      // One that failed when it ran says where by itself.
      fold(why.startsWith(fileOf(place)) ? `${name}: ${why}` : `${name} (${place}): ${why}`),
    )
    .map((line) => styled('red', line));
  // Indented lines quote the file with a marker below, so they must not be wrapped.
  const told = problems
    .flatMap((problem) => problem.split('\n'))
    .flatMap((line) => (line.startsWith(' ') ? [line] : fold(line)));
  return [...(broken.length === 0 ? [] : ['', ...broken]), ...block('Config problems', told)];
}

type Row = Rule & Figures;

function ruleJson({ name, kind, mode, place, state, why, ...figures }: Row): JsonObject {
  const { asked, held, warned, shadowed, falseAlarms: false_alarms } = figures;
  const about = { name, kind, mode, file: fileOf(place) || null, state, why: why || null };
  return { ...about, asked, held, warned, shadowed, false_alarms };
}

const STATE_STYLES: Readonly<Record<Rule['state'], Style>> = { on: 'green', off: 'dim', broken: 'red' };

const COLUMNS: readonly Column<Row>[] = [
  { title: 'RULE', cell: ({ name }) => name, style: () => 'bold' },
  { title: 'KIND', cell: ({ kind }) => kind, keep: 4 },
  {
    title: 'MODE',
    cell: ({ mode }) => mode,
    style: (row) => (row.state === 'on' ? MODE_STYLES[row.mode] : 'dim'),
  },
  { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => STATE_STYLES[state] },
  { title: 'ASKED', cell: ({ asked }) => counted(asked), right: true, keep: 9 },
  { title: 'HELD', cell: ({ held }) => counted(held), right: true, keep: 9 },
  { title: 'WARNED', cell: ({ warned }) => counted(warned), right: true, keep: 6 },
  { title: 'SHADOW', cell: ({ shadowed }) => counted(shadowed), right: true, keep: 6 },
  { title: 'FALSE', cell: falseText, right: true, keep: 8 },
  {
    title: 'WHERE',
    cell: (row) => (row.state === 'off' && row.why) || row.place.replace(/:\d+$/, ''),
    keep: 2,
  },
];

type ModeOptions = Options & Partial<Options<'force'>>;

/** `holdpoint rules promote` and `demote`: one step between shadow, warn and hold. */
export function changeMode(step: Step) {
  const words = `holdpoint rules ${step}`;
  return (context: Context, { force = false }: ModeOptions, [name = '']: readonly string[]): ExitCode => {
    if (name === '') throw cannotRun(`${words}: give the name of a rule.`);
    const project = requireProject(context);
    const rules = rulesOf(project);
    const { rule, to } = stepOf(step, name, rules, project);
    refuseOthers(step, force, project);
    const record = trackRecord(rule, rules, project);
    const why = step === 'promote' ? notReady(record) : undefined;
    const told = { rule: rule.name, from: rule.mode, ...recordJson(record) };
    if (why !== undefined && !force)
      throw new Refusal(
        `${words}: ${rule.name} stays in ${rule.mode} mode: ${why}.\n${recordText(record, rule.mode)} \`holdpoint stats --rule ${rule.name}\` shows more; a person can use --force.`,
        1,
        { ...told, to: rule.mode, changed: false, why },
      );
    const file = writeMode(rule, to, project);
    const about = `${rule.name} ${rule.mode} → ${to}`;
    const isTracked = askGit(project.root, ['ls-files', '--error-unmatch', '--', file]) !== undefined;
    journalCommand(project, `rules ${step}`, [file], { about });
    return report(context, { ...told, to, changed: true, file }, [
      styled('green', `${rule.name}: ${rule.mode} → ${to}`),
      `${recordText(record, rule.mode)}${why === undefined ? '' : ' Forced.'}`,
      `Modified: ${file}.${isTracked ? ` See it with \`git diff ${pathFromHere(project, file)}\`.` : ''}`,
    ]);
  };
}

/** The named rule, and its new mode. */
function stepOf(step: Step, name: string, rules: readonly Rule[], project: ProjectContext) {
  const words = `holdpoint rules ${step}`;
  const rule = findRule(rules, name);
  const known = rules.map((one) => one.name);
  const { problems } = loadConfig(project, project.chunks)?.head ?? {};
  if (rule === undefined) throw noSuchRule(words, name, known, problems);
  if (rule.state !== 'on') throw new Refusal(`${words}: ${rule.name} is ${rule.state}: ${rule.why}.`);
  const to = MODES[MODES.indexOf(rule.mode) + (step === 'promote' ? 1 : -1)];
  if (to === undefined)
    throw new Refusal(
      `${words}: ${rule.name} is already in ${rule.mode} mode, the ${step === 'promote' ? 'strictest' : 'mildest'}.`,
    );
  return { rule, to };
}

/** Anyone who may change config may make a rule stricter; only people may loosen one or ignore its figures. */
function refuseOthers(step: Step, force: boolean, project: ProjectContext): void {
  if (step === 'demote') refuseAgent('demote a rule', project);
  else if (force) refuseAgent('promote a rule by force', project);
  else refuseReserved(project);
}

function recordJson({ occasions, falseAlarms, falsePercent }: RuleTrackRecord): JsonObject {
  return {
    occasions,
    needed: FEWEST_OCCASIONS,
    false_alarms: falseAlarms,
    false_percent: Math.round(falsePercent * 10) / 10,
    most_false_percent: MOST_FALSE_PERCENT,
  };
}

function recordText({ occasions, falseAlarms, since }: RuleTrackRecord, mode: Rule['mode']): string {
  const when = since === 0 ? '' : ` since ${localDate(since)}`;
  const marked = `${falseAlarms} marked as ${falseAlarms === 1 ? 'a false alarm' : 'false alarms'}`;
  return `${plural(occasions, 'occasion')} in ${mode} mode${when}, ${marked}.`;
}

/** What a rule needs before it can be promoted. */
const FEWEST_OCCASIONS = 20;
const MOST_FALSE_PERCENT = 5;

type Step = 'promote' | 'demote';

type RuleTrackRecord = ReturnType<typeof trackRecord>;

/**
 * How a rule has done in its current mode. An occasion is a tool call or the end of a turn at which it spoke since its
 * mode was last changed; `since` is 0 if it never was.
 */
function trackRecord(rule: Rule, rules: readonly Rule[], project: ProjectContext) {
  const since = modeChangedAt(rule.name, project);
  const { held, warned, shadowed, falseAlarms } = figuresFor(rule, figuresOf(project, rules, since));
  const occasions = { shadow: shadowed, warn: warned, hold: held }[rule.mode];
  /** The share of the occasions that are false alarms. */
  const falsePercent = occasions === 0 ? 0 : (falseAlarms / occasions) * 100;
  return { occasions, falseAlarms, falsePercent, since };
}

/** Why a rule is not ready to be promoted; undefined if it is. */
function notReady({ occasions, falseAlarms, falsePercent }: RuleTrackRecord): string | undefined {
  if (occasions < FEWEST_OCCASIONS)
    return `it had ${occasions} of the ${FEWEST_OCCASIONS} occasions that are needed`;
  if (falsePercent <= MOST_FALSE_PERCENT) return undefined;
  const share = Math.round(falsePercent * 10) / 10;
  return `${falseAlarms} of ${occasions} occasions (${share} %) are marked as false alarms, and ${MOST_FALSE_PERCENT} % is the most`;
}

/** When a rule was last promoted or demoted, in milliseconds: before that it was in another mode. */
function modeChangedAt(name: string, { layout }: ProjectContext): number {
  let last = 0;
  for (const entry of readJournal(layout)) {
    if (!/^rules (?:promote|demote)$/.test(textIn(entry, 'event')) || !isByHand(entry)) continue;
    if (textIn(entry, 'tool').split(' ')[0] === name) last = timeOf(entry);
  }
  return last;
}

const OWN_CONFIG = '.holdpoint/config.yaml';

/** Where a rule's mode is written, and under which keys. */
function placeFor(rule: Rule, { root, home, chunks }: ProjectContext) {
  const { model } = chunks.part('compile-config').compileConfig(root, home);
  const path = keysOf(rule);
  const known = placeOf(model, pointerOf(path)) ?? rule.place;
  // A rule's own file says its mode in code, and what the user's config says can be overridden here.
  const isInConfig = rule.kind !== 'rule' || (known !== rule.place && !known.startsWith('~/'));
  const shown = (isInConfig && fileOf(known)) || OWN_CONFIG;
  const inHome = shown.startsWith('~/');
  const file: ConfigFile = {
    base: inHome ? home : root,
    path: inHome ? shown.slice(2) : shown,
    yaml: /requirements(?:\.local)?\.yaml$/.test(shown) ? '1.1' : '1.2',
  };
  // A gate of agent-gauntlet has a file of its own.
  return { file, path: /(?:^|\/)\.gauntlet\/(?:checks|reviews)\//.test(shown) ? ['mode'] : path };
}

function keysOf({ kind, name, gate }: Rule): string[] {
  const keys = {
    requirement: ['requirements', name],
    gate: ['gates', `${gate?.kind}s`, gate?.name ?? name],
    workflow: ['workflow', 'rules', name],
    rule: ['rules', name],
  };
  return [...keys[kind], 'mode'];
}

/** Writes the mode of a rule into the config file that defines it. Returns the file as shown to people. */
function writeMode(rule: Rule, mode: Mode, project: ProjectContext): string {
  const { file, path } = placeFor(rule, project);
  if (file.path.endsWith('.md')) writeFrontMatter(file, path, mode, project);
  // A list of rule packages becomes a mapping, which can also contain settings.
  else
    editConfig(project.layout, file, [
      { path, value: mode, ...(rule.kind === 'rule' && { listAs: 'packages' }) },
    ]);
  return file.base === project.home && project.home !== project.root ? `~/${file.path}` : file.path;
}

/** A review of agent-gauntlet is a Markdown file with its settings in the front matter. */
function writeFrontMatter(
  file: ConfigFile,
  path: readonly string[],
  mode: Mode,
  { layout }: ProjectContext,
): void {
  underLock(layout, NOTHING_WRITTEN, () => {
    const text = readFileSync(join(file.base, file.path), 'utf8');
    const [whole = '', open = '', body = ''] = /^(\ufeff?---\r?\n)([\s\S]*?)(?=^---\s*$)/m.exec(text) ?? [];
    const changed = setValue(body, path, mode, '1.2');
    if (whole === '' || !changed.ok)
      throw new Refusal(`${NOTHING_WRITTEN}: ${file.path} has no place for \`mode\`; set it by hand.`);
    writeOrRefuse(file, open + changed.value + text.slice(whole.length));
  });
}

/** Finds a rule by the name given on the command line. */
function findRule(rules: readonly Rule[], name: string): Rule | undefined {
  return (
    rules.find((one) => one.name === name) ??
    rules.find(({ guard, name: own }) => `${guard}/${own}` === name) ??
    rules.find(({ gate }) => gate !== undefined && `${gate.kind}:${gate.name}` === name)
  );
}
