import { rmSync } from 'node:fs';
import { fail, type Result, succeed } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import { PRESET_NAMES, PRESETS } from '../../guards/requirements/presets';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import { printable, table } from '../ui/output';
import { type Chosen, isAtTerminal } from '../ui/prompts';
import type { Context, ExitCode, Verb } from '../verb';
import { pathOf, writeConfigFile } from './config-file';
import * as say from './config-messages';
import { editedText, whileLocked } from './edit-config';
import { sectionEdits, wholeText } from './init-content';
import { type InitOptions, initOptions } from './init-options';
import { type Target, targetOf } from './init-target';
import { askBeginning, type Beginning, presetBeginning } from './init-wizard';
import { keepCopy } from './keep-copy';
import { agentMayNot } from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { reservedForPeople } from './reserved';

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
    const target = targetOf(options.value.layer, context);
    if (target === undefined) return refuse(context, NO_PROJECT, 1);
    const project = openProject(context);
    const reserved = project === undefined ? [] : reservedForPeople(project, context);
    if (reserved.length > 0) return refuse(context, agentMayNot(reserved), 1);
    if (target.isTaken && !options.value.force) return existing(target, options.value, context);
    const beginning = await beginningFor(options.value, target);
    if (beginning.kind !== 'chosen') return refuse(context, say.CANCELLED, 1);
    if (options.value.preview) return preview(beginning.value, target, options.value, context);
    return begin(beginning.value, target, options.value, project, context);
  },
};

function existing({ file, form }: Target, { json }: InitOptions, { out }: Context): ExitCode {
  if (json) out.json({ created: false, exists: true, file: pathOf(file) });
  else out.line(out.style('yellow', say.alreadyExists(pathOf(file), form)));
  return 0;
}

/** A person at a terminal is asked, unless flags have answered already. */
async function beginningFor(options: InitOptions, target: Target): Promise<Chosen<Beginning>> {
  const answered = options.yes || options.preview || options.json || options.preset !== undefined;
  if (answered || !isAtTerminal())
    return { kind: 'chosen', value: presetBeginning(options.preset ?? 'relaxed') };
  return askBeginning(printable(say.whatIsWritten(pathOf(target.file), target)));
}

function preview(beginning: Beginning, target: Target, { json }: InitOptions, context: Context): ExitCode {
  const { out } = context;
  const text = textFor(beginning, target);
  if (!text.ok) return refuse(context, say.nothingWritten(text.failure), 1);
  const file = pathOf(target.file);
  const told = { file, context: target.reach, preset: beginning.label };
  if (json) out.json({ created: false, preview: text.value, ...told });
  else out.line(`${printable(say.wouldCreate(file))}\n\n${printable(text.value).trimEnd()}`);
  return 0;
}

function begin(
  beginning: Beginning,
  target: Target,
  { json }: InitOptions,
  project: OpenProject | undefined,
  context: Context,
): ExitCode {
  const { out } = context;
  const written = whileLocked(project?.layout, () => write(beginning, target));
  if (!written.ok) return refuse(context, say.nothingWritten(written.failure), 1);
  const { path, copy } = written.value;
  const about = beginning.label;
  if (project !== undefined && target.isTaken)
    noteOverride(project.layout, { command: 'init', about, session: '', written: [path] });
  const file = pathOf(target.file);
  const told = { created: true, file, context: target.reach, preset: beginning.label };
  if (json) {
    out.json({ ...told, ...(copy !== undefined && { copy }) });
    return 0;
  }
  out.line(out.style('green', say.created(target.reach, beginning.label)));
  out.line(printable(`  ${file}`));
  if (copy !== undefined) for (const line of say.replaced(file, copy, target.form)) out.line(printable(line));
  if (target.reach === 'local') out.line(say.ignoreLocal(target.file.path));
  return 0;
}

interface Written {
  readonly path: string;
  /** What stood there before; absent where nothing was replaced. */
  readonly copy: string | undefined;
}

/** The copy comes first: what is replaced must be there again, whatever happens in between. */
function write(beginning: Beginning, target: Target): Result<Written, string> {
  const text = textFor(beginning, target);
  if (!text.ok) return text;
  const copy = target.isTaken ? keepCopy(target.file) : succeed(undefined);
  if (!copy.ok) return fail(sentenceOf(copy.failure));
  const written = writeConfigFile(target.file, text.value);
  if (written.ok) return succeed({ path: written.value, copy: copy.value });
  if (copy.value !== undefined) rmSync(copy.value, { force: true });
  return fail(sentenceOf(written.failure));
}

function textFor({ config }: Beginning, target: Target): Result<string, string> {
  return target.form === 'whole'
    ? succeed(wholeText(config))
    : editedText(target.file, sectionEdits(config, target));
}
