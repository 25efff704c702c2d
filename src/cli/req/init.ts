import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { loadText } from '../../config/load';
import { asBlock } from '../../config/write-yaml';
import { findGit } from '../../git/find-git';
import { PRESET_NAMES, PRESETS } from '../../guards/requirements/presets';
import { sentenceOf } from '../../pipeline/messages';
import { NO_PROJECT } from '../messages';
import { type Chosen, isAtTerminal } from '../output/ask-person';
import { printable } from '../output/printable';
import { table } from '../output/table';
import { openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import {
  type ConfigFile,
  LOCAL_SEED,
  ownRequirements,
  PROJECT_SEED,
  pathOf,
  seedFileIn,
  writeConfigFile,
} from './config-file';
import * as say from './config-messages';
import { type InitOptions, initOptions } from './init-options';
import { askBeginning, type Beginning, presetBeginning } from './init-wizard';
import { agentMayNot } from './messages';
import { refuse } from './refuse';
import { reservedForPeople } from './reserved';

/** Where a first config goes, and for whom it counts. */
interface Target {
  readonly reach: 'global' | 'project' | 'local';
  readonly file: ConfigFile;
  /** The file of the same layer that already speaks of requirements. */
  readonly taken?: ConfigFile;
}

export const verb: Verb = {
  usage: [
    'req init [--yes] [--preset NAME] [--project|--local] [--force] [--preview] [--json]',
    '',
    'Presets:',
    ...table(PRESET_NAMES.map((name) => [`  ${name}`, PRESETS[name].summary])),
  ].join('\n'),
  async run(args, context) {
    const options = initOptions(args);
    if (!options.ok) return refuse(context, options.failure, 2);
    const target = targetOf(options.value, context);
    if (target === undefined) return refuse(context, NO_PROJECT, 1);
    const project = openProject(context);
    const reserved = project === undefined ? [] : reservedForPeople(project, context);
    if (reserved.length > 0) return refuse(context, agentMayNot(reserved), 1);
    if (target.taken !== undefined && !options.value.force)
      return existing(target.taken, options.value, context);
    const beginning = await beginningFor(options.value, target);
    if (beginning.kind !== 'chosen') return refuse(context, say.CANCELLED, 1);
    return begin(beginning.value, target, options.value, context);
  },
};

function targetOf({ layer }: InitOptions, context: Context): Target | undefined {
  const { cwd, env } = context;
  const home = env['HOME'] ?? '';
  if (layer === undefined && home !== '' && isSamePlace(cwd, join(home, '.claude')))
    return withTaken('global', seedFileIn(home, PROJECT_SEED), undefined);
  // The repository in which the person stands, even where a project around it has a config.
  const root = findGit(cwd)?.root ?? openProject(context)?.root;
  if (root === undefined) return undefined;
  const reach = layer ?? 'project';
  const file = seedFileIn(root, reach === 'local' ? LOCAL_SEED : PROJECT_SEED);
  return withTaken(reach, file, ownRequirements(reach, root));
}

function withTaken(reach: Target['reach'], file: ConfigFile, own: ConfigFile | undefined): Target {
  const taken = loadText(pathOf(file)).kind === 'missing' ? own : file;
  return { reach, file, ...(taken !== undefined && { taken }) };
}

export function isSamePlace(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

function existing(taken: ConfigFile, { json }: InitOptions, { out }: Context): ExitCode {
  const file = pathOf(taken);
  if (json) out.json({ created: false, exists: true, file });
  else out.line(out.style('yellow', say.alreadyExists(file)));
  return 0;
}

/** A person at a terminal is asked, unless flags have answered already. */
async function beginningFor(options: InitOptions, { file }: Target): Promise<Chosen<Beginning>> {
  const answered = options.yes || options.preview || options.json || options.preset !== undefined;
  if (answered || !isAtTerminal())
    return { kind: 'chosen', value: presetBeginning(options.preset ?? 'relaxed') };
  return askBeginning(printable(pathOf(file)));
}

function begin(beginning: Beginning, target: Target, options: InitOptions, context: Context): ExitCode {
  const { out } = context;
  const text = [...HEADING, ...asBlock(beginning.config, '1.1'), ''].join('\n');
  const file = pathOf(target.file);
  const told = { file, context: target.reach, preset: beginning.label };
  if (options.preview) {
    if (options.json) out.json({ created: false, preview: text, ...told });
    else out.line(`${printable(say.wouldCreate(file))}\n\n${text.trimEnd()}`);
    return 0;
  }
  const written = writeConfigFile(target.file, text);
  if (!written.ok) return refuse(context, say.nothingWritten(sentenceOf(written.failure)), 1);
  if (options.json) {
    out.json({ created: true, ...told });
    return 0;
  }
  out.line(out.style('green', say.created(target.reach, beginning.label)));
  out.line(printable(`  ${file}`));
  if (target.reach === 'local') out.line(say.IGNORE_LOCAL);
  return 0;
}

const HEADING = [
  '# What has to be done before an agent may go on.',
  '# `req config` shows what is in force, `req status` what is still open.',
];
