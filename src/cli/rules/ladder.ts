import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setValue } from '../../config/edit-yaml';
import { placeOf } from '../../config/merge';
import { pointerOf } from '../../config/pointer';
import type { Json, JsonObject } from '../../core/json';
import { MODES, type Mode } from '../../core/moments';
import { readJournal } from '../../state/journal';
import type { Context } from '../context';
import { isByHand, textIn, timeOf } from '../log/entries';
import type { OpenProject } from '../project';
import { type ConfigFile, editConfig, NOTHING_WRITTEN, valueAt, writeOrRefuse } from '../req/config-file';
import { underLock } from '../req/context';
import { Refusal } from '../ui/refusal';
import { fileOf, type Rule } from './catalogue';
import type { Figures } from './figures';

/** What a rule needs before it can be promoted. */
export const FEWEST_OCCASIONS = 20;
export const MOST_FALSE_PERCENT = 5;

export type Step = 'promote' | 'demote';

/** The mode after a step; undefined at the end of the ladder. */
export function nextMode(mode: Mode, step: Step): Mode | undefined {
  return MODES[MODES.indexOf(mode) + (step === 'promote' ? 1 : -1)];
}

/** How a rule has done in its current mode. */
export type Standing = ReturnType<typeof standingOf>;

/** An occasion is a tool call or the end of a turn at which the rule spoke in its current mode. */
export function standingOf(figures: Figures, mode: Mode, since: number) {
  const { held, warned, shadowed, falseAlarms } = figures;
  const occasions = { shadow: shadowed, warn: warned, hold: held }[mode];
  /** The share of the occasions that are false alarms. */
  const falsePercent = occasions === 0 ? 0 : (falseAlarms / occasions) * 100;
  return {
    occasions,
    falseAlarms,
    falsePercent,
    /** Only what happened since then counts, in milliseconds; 0 if its mode was never changed. */
    since,
  };
}

/** Why a rule is not ready to be promoted; undefined if it is. */
export function notReady({ occasions, falseAlarms, falsePercent }: Standing): string | undefined {
  if (occasions < FEWEST_OCCASIONS)
    return `it had ${occasions} of the ${FEWEST_OCCASIONS} occasions that are needed`;
  if (falsePercent <= MOST_FALSE_PERCENT) return undefined;
  const share = Math.round(falsePercent * 10) / 10;
  return `${falseAlarms} of ${occasions} occasions (${share} %) are marked as false alarms, and ${MOST_FALSE_PERCENT} % is the most`;
}

/** When a rule was last promoted or demoted, in milliseconds: before that it was in another mode. */
export function movedAt(name: string, { layout }: OpenProject): number {
  let last = 0;
  for (const entry of readJournal(layout)) {
    if (!/^rules (?:promote|demote)$/.test(textIn(entry, 'event')) || !isByHand(entry)) continue;
    if (textIn(entry, 'tool').split(' ')[0] === name) last = timeOf(entry);
  }
  return last;
}

const OWN_CONFIG = '.holdpoint/config.yaml';

/** Where a rule's mode is written, and under which keys. */
function placeFor(
  rule: Rule,
  { root, home }: OpenProject,
  { chunks }: Context,
): { readonly file: ConfigFile; readonly path: string[] } {
  const { model } = chunks.configCompiler().compileConfig(root, home);
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
export function writeMode(rule: Rule, mode: Mode, project: OpenProject, context: Context): string {
  const { file, path } = placeFor(rule, project, context);
  if (file.path.endsWith('.md')) writeFrontMatter(file, path, mode, project);
  else editConfig(project.layout, file, [editFor(rule, file, path, mode)]);
  return file.base === project.home && project.home !== project.root ? `~/${file.path}` : file.path;
}

/** Turns a list of rule packages into a mapping, which can also contain settings. */
function editFor(rule: Rule, file: ConfigFile, path: string[], mode: Mode): { path: string[]; value: Json } {
  const before = rule.kind === 'rule' ? valueAt(file, ['rules']) : undefined;
  if (!Array.isArray(before)) return { path, value: mode };
  const value: JsonObject = { packages: before, [rule.name]: { mode } };
  return { path: ['rules'], value };
}

/** A review of agent-gauntlet is a Markdown file with its settings in the front matter. */
function writeFrontMatter(
  file: ConfigFile,
  path: readonly string[],
  mode: Mode,
  { layout }: OpenProject,
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
export function ruleCalled(rules: readonly Rule[], name: string): Rule | undefined {
  return (
    rules.find((one) => one.name === name) ??
    rules.find(({ guard, name: own }) => `${guard}/${own}` === name) ??
    rules.find(({ gate }) => gate !== undefined && `${gate.kind}:${gate.name}` === name)
  );
}
