import { constants, copyFileSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asBlock } from '../../config/write-yaml';
import { errorCode } from '../../core/error-code';
import { detailOf } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { findGit } from '../../git/find-git';
import { CATALOGUE, PRESET_NAMES, PRESETS, pickedConfig } from '../../guards/requirements/presets';
import { placeOf } from '../../state/place';
import { shellWord } from '../install/shell-word';
import { NO_PROJECT } from '../messages';
import { type Chosen, isAtTerminal } from '../output/ask-person';
import { choose } from '../output/choose';
import { chooseSeveral } from '../output/choose-several';
import { confirm } from '../output/confirm';
import { printable } from '../output/printable';
import { table } from '../output/table';
import { openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { noteOverride, refuseReserved, reservedForPeople } from './actor';
import {
  type ConfigFile,
  type Edit,
  editedText,
  isThere,
  NOTHING_WRITTEN,
  ownRequirements,
  PROJECT_SEED,
  pathOf,
  requirementsFile,
  seedFileIn,
  valueAt,
  writeOrRefuse,
} from './config-file';
import { Refusal } from './refuse';
import { underLock } from './state-files';

type PresetName = (typeof PRESET_NAMES)[number];

/** `req init`: writes a first config. At a terminal it asks, elsewhere the flags decide. */
export const initVerb: Verb = {
  usage: [
    'req init [--yes] [--preset NAME] [--project|--local] [--force] [--preview] [--json]',
    '',
    'Presets:',
    ...table(PRESET_NAMES.map((name) => [`  ${name}`, PRESETS[name].summary])),
  ].join('\n'),
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const options = initOptions(args);
    const { json } = options;
    const target = targetFor(options.layer, context);
    const project = openProject(context);
    if (project !== undefined) refuseReserved(reservedForPeople(project, context));
    const file = pathOf(target.file);
    if (target.isTaken && !options.force) {
      if (json) out.json({ created: false, exists: true, file });
      else out.line(out.style('yellow', alreadyExists(file, target)));
      return 0;
    }
    const start = await chooseConfig(options, target);
    const about = { file, context: target.reach, preset: start.label };
    if (options.preview) {
      const text = textFor(start.config, target);
      if (json) out.json({ created: false, preview: text, ...about });
      else out.line(printable(`Would create: ${file}\n\n${text}`).trimEnd());
      return 0;
    }
    const write = (): Written => writeStart(start.config, target);
    const { path, copy } =
      project === undefined ? write() : underLock(project.layout, NOTHING_WRITTEN, write);
    if (project !== undefined && target.isTaken)
      noteOverride(project.layout, { command: 'init', about: start.label, written: [path] });
    if (json) {
      out.json({ created: true, ...about, ...(copy !== undefined && { copy }) });
      return 0;
    }
    out.line(out.style('green', `Created ${target.reach} config (${start.label})`));
    out.line(printable(`  ${file}`));
    if (copy !== undefined) for (const line of replacedLines(file, copy, target)) out.line(printable(line));
    if (target.reach === 'local')
      out.line(`Keep it out of the repository: add ${target.file.path} to .gitignore.`);
    return 0;
  },
};

interface InitOptions {
  readonly yes: boolean;
  readonly preset: PresetName | undefined;
  /** Absent where the directory decides. */
  readonly layer: 'project' | 'local' | undefined;
  readonly force: boolean;
  readonly preview: boolean;
  readonly json: boolean;
}

function initOptions(args: readonly string[]): InitOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', short: 'y', default: false },
      preset: { type: 'string', short: 'p' },
      project: { type: 'boolean', default: false },
      local: { type: 'boolean', default: false },
      force: { type: 'boolean', short: 'f', default: false },
      preview: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { yes, project, local, force, json } = values;
  if (project && local) throw new Refusal('req init: --project and --local exclude each other.', 2);
  const preset = PRESET_NAMES.find((name) => name === values.preset);
  if (values.preset !== undefined && preset === undefined)
    throw new Refusal(
      `req init: there is no preset '${values.preset}'. Known: ${PRESET_NAMES.join(', ')}.`,
      2,
    );
  const layer = project ? 'project' : local ? 'local' : undefined;
  return { yes, preset, layer, force, preview: values.preview || values['dry-run'], json };
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

function alreadyExists(path: string, { form }: Target): string {
  const what = form === 'whole' ? 'it' : 'the requirements in it';
  return `Config already exists: ${path}\nNothing was written. Use --force to replace ${what}; a copy is kept.`;
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
interface Start {
  readonly label: string;
  readonly config: JsonObject;
}

/** A person at a terminal is asked, unless flags have answered already. */
async function chooseConfig(options: InitOptions, target: Target): Promise<Start> {
  const { yes, preview, json, preset } = options;
  if (yes || preview || json || preset !== undefined || !isAtTerminal())
    return presetStart(preset ?? 'relaxed');
  const ways = [
    { value: 'preset', label: 'Quick Preset', hint: 'one of five' },
    { value: 'custom', label: 'Custom Selection', hint: 'pick requirements one by one' },
    { value: 'manual', label: 'Manual', hint: 'an empty file to fill in' },
  ];
  const start = await askStart(answered(await choose('How do you want to begin?', ways)));
  if (!answered(await confirm(`${actOn(target)} (${start.label})?`))) throw cancelled();
  return start;
}

function actOn({ form, isTaken, file }: Target): string {
  const path = printable(pathOf(file));
  if (form === 'whole') return `${isTaken ? 'Replace' : 'Write'} ${path}`;
  return isTaken ? `Replace the requirements in ${path}` : `Add requirements to ${path}`;
}

async function askStart(way: string): Promise<Start> {
  if (way === 'manual') return presetStart('minimal');
  if (way === 'preset') {
    const presets = PRESET_NAMES.map((name) => ({ value: name, label: name, hint: PRESETS[name].summary }));
    return presetStart(answered(await choose('Which preset?', presets)) as PresetName);
  }
  const choices = Object.entries(CATALOGUE).map(([name, { description }]) => {
    return { value: name, label: name, hint: description };
  });
  const picked = answered(await chooseSeveral('Which requirements?', choices, ['commit_plan']));
  return { label: 'custom selection', config: pickedConfig(picked) };
}

function presetStart(name: PresetName): Start {
  return { label: `${name} preset`, config: PRESETS[name].config };
}

function answered<Value>(answer: Chosen<Value>): Value {
  if (answer.kind !== 'chosen') throw cancelled();
  return answer.value;
}

function cancelled(): Refusal {
  return new Refusal('Cancelled; nothing was written.');
}

interface Written {
  readonly path: string;
  /** The copy of what was there before; absent where nothing was replaced. */
  readonly copy: string | undefined;
}

/** The copy comes first: what is replaced must be there again, whatever happens in between. */
function writeStart(config: JsonObject, target: Target): Written {
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
