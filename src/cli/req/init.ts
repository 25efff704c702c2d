import { constants, copyFileSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asBlock } from '../../config/edit-yaml';
import { detailOf, errorCode } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { findGit } from '../../git/head';
import { CATALOGUE, PRESET_NAMES, PRESETS, pickedConfig } from '../../guards/requirements/presets';
import { placeOf } from '../../state/layout';
import type { Context, ExitCode } from '../context';
import { shellWord } from '../install/launch';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { printable } from '../ui/output';
import { type Chosen, choose, chooseSeveral, confirm, isAtTerminal } from '../ui/prompts';
import { Refusal } from '../ui/refusal';
import { noteOverride, refuseReserved, reservedForPeople } from './actor';
import {
  CANCELLED,
  type ConfigFile,
  type Edit,
  editedText,
  isThere,
  layerOption,
  NOTHING_WRITTEN,
  ownRequirements,
  PROJECT_SEED,
  pathOf,
  requirementsFile,
  seedFileIn,
  valueAt,
  writeOrRefuse,
} from './config-file';
import { report } from './context';
import { underLock } from './state-files';

type PresetName = (typeof PRESET_NAMES)[number];

/** `req init`: writes a first config. At a terminal it asks, elsewhere the flags decide. */
export async function init(context: Context, given: GivenOptions): Promise<ExitCode> {
  const { out } = context;
  const options = initOptions(given);
  const target = targetFor(options.layer, context);
  const project = openProject(context);
  if (project !== undefined) refuseReserved(reservedForPeople(project, context));
  const file = pathOf(target.file);
  if (target.isTaken && !options.force) {
    const what = target.form === 'whole' ? 'it' : 'the requirements in it';
    const text = `Config already exists: ${file}\nNothing was written. Use --force to replace ${what}; a copy is kept.`;
    return report(context, options.json, { created: false, exists: true, file }, [out.style('yellow', text)]);
  }
  const { label, config } = await chooseConfig(options, target);
  const about = { file, context: target.reach, preset: label };
  if (options.preview) {
    const text = textFor(config, target);
    const shown = printable(`Would create: ${file}\n\n${text}`).trimEnd();
    return report(context, options.json, { created: false, preview: text, ...about }, [shown]);
  }
  const write = () => writeConfig(config, target);
  const { path, copy } = project === undefined ? write() : underLock(project.layout, NOTHING_WRITTEN, write);
  if (project !== undefined && target.isTaken)
    noteOverride(project.layout, { command: 'init', about: label, written: [path] });
  return report(context, options.json, { created: true, ...about, copy }, [
    out.style('green', `Created ${target.reach} config (${label})`),
    ...[`  ${file}`, ...(copy === undefined ? [] : replacedLines(file, copy, target))].map(printable),
    ...(target.reach === 'local'
      ? [`Keep it out of the repository: add ${target.file.path} to .gitignore.`]
      : []),
  ]);
}

type InitOptions = ReturnType<typeof initOptions>;

interface GivenOptions {
  readonly yes: boolean;
  readonly preset?: string;
  readonly project: boolean;
  readonly local: boolean;
  readonly force: boolean;
  readonly preview: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

function initOptions(values: GivenOptions) {
  const layer = layerOption('init', values);
  const preset = PRESET_NAMES.find((name) => name === values.preset);
  if (values.preset !== undefined && preset === undefined)
    throw new Refusal(
      `req init: there is no preset '${values.preset}'. Known: ${PRESET_NAMES.join(', ')}.`,
      2,
    );
  return { ...values, preset, layer, preview: values.preview || values.dryRun };
}

/** Where a first config goes, and for whom it counts. */
interface Target {
  readonly reach: 'global' | 'project' | 'local';
  readonly file: ConfigFile;
  /** In a file of ours only the requirements are written; it may have other sections. */
  readonly form: 'whole' | 'section';
  /** Whether it names requirements already. */
  readonly isTaken: boolean;
}

function targetFor(layer: InitOptions['layer'], context: Context): Target {
  const { cwd, env } = context;
  const home = env['HOME'] ?? '';
  if (layer === undefined && home !== '' && isSamePlace(cwd, join(home, '.claude')))
    return targetIn('global', ownRequirements('global', home) ?? seedFileIn(home, PROJECT_SEED));
  // The repository of the current directory, even where a project around it has a config.
  const root = findGit(cwd)?.root ?? openProject(context)?.root;
  if (root === undefined) throw new Refusal(NO_PROJECT);
  const reach = layer ?? 'project';
  return targetIn(reach, requirementsFile(reach, root));
}

function targetIn(reach: Target['reach'], file: ConfigFile): Target {
  return file.yaml === '1.1'
    ? { reach, file, form: 'whole', isTaken: isThere(file) }
    : { reach, file, form: 'section', isTaken: valueAt(file, ['requirements']) !== undefined };
}

/** Whether two paths lead to the same directory. */
export function isSamePlace(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

function replacedLines(path: string, copy: string, { form }: Target): string[] {
  return [
    form === 'whole'
      ? 'It takes the place of the file that was there.'
      : 'The requirements that stood there are replaced; what else the file says stays.',
    `What it was before: ${copy}`,
    `To undo: mv ${shellWord(copy)} ${shellWord(path)}`,
  ];
}

/** A config to write, and what to call it. */
interface FirstConfig {
  readonly label: string;
  readonly config: JsonObject;
}

/** A person at a terminal is asked, unless flags have answered already. */
async function chooseConfig(options: InitOptions, target: Target): Promise<FirstConfig> {
  const { yes, preview, json, preset } = options;
  if (yes || preview || json || preset !== undefined || !isAtTerminal())
    return fromPreset(preset ?? 'relaxed');
  const ways = [
    { value: 'preset', label: 'Quick Preset', hint: 'one of five' },
    { value: 'custom', label: 'Custom Selection', hint: 'pick requirements one by one' },
    { value: 'manual', label: 'Manual', hint: 'an empty file to fill in' },
  ];
  const chosen = await askConfig(answered(await choose('How do you want to begin?', ways)));
  const { form, isTaken, file } = target;
  const act = {
    whole: ['Write', 'Replace'],
    section: ['Add requirements to', 'Replace the requirements in'],
  };
  const question = `${act[form][isTaken ? 1 : 0]} ${printable(pathOf(file))} (${chosen.label})?`;
  if (!answered(await confirm(question))) throw new Refusal(CANCELLED);
  return chosen;
}

async function askConfig(way: string): Promise<FirstConfig> {
  if (way === 'manual') return fromPreset('minimal');
  if (way === 'preset') {
    const presets = PRESET_NAMES.map((name) => ({ value: name, label: name, hint: PRESETS[name].summary }));
    return fromPreset(answered(await choose('Which preset?', presets)) as PresetName);
  }
  const choices = Object.entries(CATALOGUE).map(([name, { description }]) => {
    return { value: name, label: name, hint: description };
  });
  const picked = answered(await chooseSeveral('Which requirements?', choices, ['commit_plan']));
  return { label: 'custom selection', config: pickedConfig(picked) };
}

function fromPreset(name: PresetName): FirstConfig {
  return { label: `${name} preset`, config: PRESETS[name].config };
}

function answered<Value>(answer: Chosen<Value>): Value {
  if (answer.kind !== 'chosen') throw new Refusal(CANCELLED);
  return answer.value;
}

/** The copy comes first: what is replaced must be there again, whatever happens in between. */
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
  if (target.form === 'section') return editedText(target.file, sectionEdits(config, target));
  return [
    '# What has to be done before an agent may go on.',
    '# `req config` shows what is in force, `req status` what is still open.',
    ...asBlock(config, '1.1'),
    '',
  ].join('\n');
}

/** A config as changes to a file of ours: its requirements as a whole, and of the rest only what is not set yet. */
function sectionEdits({ requirements, inherit, hooks = {} }: JsonObject, { file, isTaken }: Target): Edit[] {
  const others = [
    ...(inherit === undefined ? [] : [{ path: ['inherit'], value: inherit }]),
    ...leaves(hooks, ['hooks']),
  ];
  return [
    ...(requirements === undefined && !isTaken
      ? []
      : [{ path: ['requirements'], value: requirements ?? {} }]),
    ...others.filter(({ path }) => isTaken || valueAt(file, path) === undefined),
  ];
}

function leaves(value: Json, path: readonly string[]): Edit[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner ?? null, [...path, key]));
}

/** Copies a file beside itself. Returns the copy, or nothing where there was no file. */
function keepCopy(file: ConfigFile): string | undefined {
  const shown = pathOf(file);
  try {
    const place = placeOf(file.base, shown);
    return place.kind === 'found' ? copyOf(place.path) : undefined;
  } catch (error) {
    const failure = { code: 'state.write-failed', file: `${shown}.bak`, detail: detailOf(error) } as const;
    throw new Refusal(`${NOTHING_WRITTEN}: ${sentenceOf(failure)}`);
  }
}

/** Takes a name that is free, since an older copy may be somebody's only one; a copy with the same bytes will do. */
function copyOf(path: string): string {
  const content = readFileSync(path);
  for (let count = 1; ; count++) {
    const copy = `${path}${count === 1 ? '' : `.${count}`}.bak`;
    try {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (isSameFile(copy, content)) return copy;
    }
  }
}

function isSameFile(copy: string, content: Buffer): boolean {
  try {
    return readFileSync(copy).equals(content);
  } catch {
    return false;
  }
}
