import { constants, copyFileSync, existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asBlock } from '../../config/edit-yaml';
import { leavesOf } from '../../config/merge';
import { attempt, detailOf } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { findGit } from '../../git/head';
import { CATALOGUE, PRESET_NAMES, PRESETS, pickedConfig } from '../../guards/requirements/presets';
import { placeOf } from '../../state/documents';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { shellWord } from '../install/launch';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { printable, styled } from '../ui/output';
import { answerTo, choose, chooseSeveral, confirm, isAtTerminal } from '../ui/prompts';
import {
  CANCELLED,
  type ConfigFile,
  type Edit,
  editedText,
  isThere,
  layerOption,
  legacyFileIn,
  NOTHING_WRITTEN,
  ownRequirements,
  PROJECT_LEGACY_FILE,
  pathOf,
  requirementsFile,
  valueAt,
  writeOrRefuse,
} from './config-file';
import { journalCommand, type ReqOptions, refuseReserved, underLock } from './context';

type PresetName = (typeof PRESET_NAMES)[number];

/** `req init`: writes a first config. Asks on a terminal; elsewhere the flags decide. */
export async function init(context: Context, options: ReqOptions): Promise<ExitCode> {
  const layer = layerOption('init', options);
  const preset = presetNamed(options.preset);
  const target = targetFor(layer, context);
  const project = openProject(context);
  const file = pathOf(target.file);
  if (target.isTaken && !options.force) {
    const what = target.isOwn ? 'the requirements in it' : 'it';
    const text = `Config already exists: ${file}\nNothing was written. Use --force to replace ${what}; a copy is kept.`;
    return report(context, { created: false, exists: true, file }, [styled('yellow', text)]);
  }
  const isPreview = options.preview || options.dryRun;
  const isAnswered = options.yes || isPreview || context.json || preset !== undefined || !isAtTerminal();
  const { label, config } = isAnswered ? fromPreset(preset ?? 'relaxed') : await askConfig(target);
  const about = { file, context: target.reach, preset: label };
  if (isPreview) {
    const text = textFor(config, target);
    const shown = `Would create: ${file}\n\n${text}`.trimEnd();
    return report(context, { created: false, preview: text, ...about }, [shown]);
  }
  if (project !== undefined) refuseReserved(project);
  const write = () => writeConfig(config, target);
  const { path, copy } = project === undefined ? write() : underLock(project.layout, NOTHING_WRITTEN, write);
  if (project !== undefined && target.isTaken) journalCommand(project, 'req init', [path], { about: label });
  return report(context, { created: true, ...about, copy }, [
    styled('green', `Created ${target.reach} config (${label})`),
    ...[`  ${file}`, ...(copy === undefined ? [] : replacedLines(file, copy, target))],
    ...(target.reach === 'local'
      ? [`Keep it out of the repository: add ${target.file.path} to .gitignore.`]
      : []),
  ]);
}

function presetNamed(given: string | undefined): PresetName | undefined {
  const preset = PRESET_NAMES.find((name) => name === given);
  if (given === undefined || preset !== undefined) return preset;
  throw cannotRun(`req init: unknown preset '${given}'. Known: ${PRESET_NAMES.join(', ')}.`);
}

type Target = ReturnType<typeof targetIn>;

function targetFor(layer: ReturnType<typeof layerOption>, context: Context): Target {
  const { cwd, env } = context;
  const home = env['HOME'] ?? '';
  if (layer === undefined && home !== '' && isSamePlace(cwd, join(home, '.claude')))
    return targetIn('global', ownRequirements('global', home) ?? legacyFileIn(home, PROJECT_LEGACY_FILE));
  // The current directory's repository, even if an outer project has a config.
  const root = findGit(cwd)?.root ?? openProject(context)?.root;
  if (root === undefined) throw new Refusal(NO_PROJECT);
  const reach = layer ?? 'project';
  return targetIn(reach, requirementsFile(reach, root));
}

/** In our own file only the requirements are replaced; it may have other sections. */
function targetIn(reach: 'global' | 'project' | 'local', file: ConfigFile) {
  const isOwn = file.yaml === '1.2';
  const isTaken = isOwn ? valueAt(file, ['requirements']) !== undefined : isThere(file);
  return { reach, file, isOwn, isTaken };
}

export function isSamePlace(one: string, other: string): boolean {
  return attempt(() => realpathSync(one) === realpathSync(other)) ?? false;
}

function replacedLines(path: string, copy: string, { isOwn }: Target): string[] {
  return [
    isOwn ? 'Its requirements are replaced; the rest of the file stays.' : 'It replaces the existing file.',
    `Copy of the old file: ${copy}`,
    `To undo: mv ${shellWord(copy)} ${shellWord(path)}`,
  ];
}

/** Asks what to start with, and whether to write it. */
async function askConfig({ file, isOwn, isTaken }: Target) {
  const ways = [
    { value: 'preset', label: 'Quick Preset', hint: 'one of five' },
    { value: 'custom', label: 'Custom Selection', hint: 'pick requirements one by one' },
    { value: 'manual', label: 'Manual', hint: 'an empty file to fill in' },
  ];
  const chosen = await askContent(await answerTo(choose('How do you want to start?', ways), CANCELLED));
  const act = isOwn ? ['Add requirements to', 'Replace the requirements in'] : ['Write', 'Replace'];
  const question = `${act[isTaken ? 1 : 0]} ${printable(pathOf(file))} (${chosen.label})?`;
  if (!(await confirm(question))) throw new Refusal(CANCELLED);
  return chosen;
}

async function askContent(way: string) {
  if (way === 'manual') return fromPreset('minimal');
  if (way === 'preset') {
    const presets = PRESET_NAMES.map((name) => ({ value: name, label: name, hint: PRESETS[name].summary }));
    return fromPreset((await answerTo(choose('Which preset?', presets), CANCELLED)) as PresetName);
  }
  const choices = Object.entries(CATALOGUE).map(([name, { description }]) => {
    return { value: name, label: name, hint: description };
  });
  const picked = await answerTo(chooseSeveral('Which requirements?', choices, ['commit_plan']), CANCELLED);
  return { label: 'custom selection', config: pickedConfig(picked) };
}

function fromPreset(name: PresetName) {
  return { label: `${name} preset`, config: PRESETS[name].config };
}

/** Copies the old file first, so that it can be restored whatever happens. */
function writeConfig(config: JsonObject, target: Target) {
  const text = textFor(config, target);
  const copy = target.isTaken ? keepCopy(target.file) : undefined;
  try {
    return { path: writeOrRefuse(target.file, text), copy };
  } catch (error) {
    if (copy !== undefined) rmSync(copy, { force: true });
    throw error;
  }
}

function textFor(config: JsonObject, target: Target): string {
  if (target.isOwn) return editedText(target.file, sectionEdits(config, target));
  return [
    '# What coding agents must do before they may go on.',
    '# `req config` shows the config in effect, `req status` what is still open.',
    ...asBlock(config, '1.1'),
    '',
  ].join('\n');
}

/** Edits for our own file: all requirements are replaced; other keys are set only if missing, or if we replace. */
function sectionEdits({ requirements, inherit, hooks = {} }: JsonObject, { file, isTaken }: Target): Edit[] {
  const others = leavesOf(inherit === undefined ? { hooks } : { inherit, hooks }, []);
  const own =
    requirements === undefined && !isTaken ? [] : [{ path: ['requirements'], value: requirements ?? {} }];
  return [...own, ...others.filter(({ path }) => isTaken || valueAt(file, path) === undefined)];
}

/** Takes a free name, since an older copy may be the only one; `undefined` if there was no file. */
function keepCopy(file: ConfigFile): string | undefined {
  const shown = pathOf(file);
  try {
    const place = placeOf(file.base, shown);
    if (place.kind !== 'found') return undefined;
    let copy = `${place.path}.bak`;
    for (let count = 2; existsSync(copy); count++) copy = `${place.path}.${count}.bak`;
    copyFileSync(place.path, copy, constants.COPYFILE_EXCL);
    return copy;
  } catch (error) {
    const failure = { code: 'state.write-failed', file: `${shown}.bak`, detail: detailOf(error) } as const;
    throw new Refusal(`${NOTHING_WRITTEN}: ${sentenceOf(failure)}`);
  }
}
