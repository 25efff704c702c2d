import { safeParse } from 'valibot';
import { didYouMean, formatDiagnostic, nearest, showPlace, wholeFile } from '../../config/diagnostics';
import { asBlock } from '../../config/edit-yaml';
import { LAYERS, type Layer } from '../../config/files';
import { placeOf } from '../../config/merge';
import { pointerOf, showPath, valueAt, withValueAt } from '../../config/pointer';
import { schemaAt, shapeOf } from '../../config/schema-shape';
import { findingOf, unknownKey } from '../../config/validate';
import { isSwitchedOn } from '../../config/vocabulary';
import type { CompiledFiles } from '../../core/compile-config';
import { isJsonObject, type JsonObject, jsonIn, objectIn } from '../../core/json';
import { requirement, SCOPES } from '../../guards/requirements/schema';
import { FILE } from '../../guards/requirements/section';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { notInEffect, type ProjectContext, requireProject } from '../project';
import { printAll, styled } from '../ui/output';
import { answerTo, choose, confirm, isAtTerminal } from '../ui/prompts';
import {
  CANCELLED,
  type Edit,
  editConfig,
  enabledSwitchPlace,
  LOCAL_LEGACY_FILE,
  layerOption,
  NOTHING_WRITTEN,
  PROJECT_LEGACY_FILE,
  requirementsFile,
} from './config-file';
import { journalCommand, type ReqOptions, refuseReserved } from './context';

/** `req config`: shows the effective config and which file sets what, or changes one requirement. */
export async function config(context: Context, values: ReqOptions, words: readonly string[]) {
  const [name, ...more] = words.filter((word, at) => at > 0 || word !== 'show');
  if (more.length > 0) throw oneNameOnly('config');
  if (values.enable && values.disable)
    throw cannotRun('req config: --enable and --disable cannot be combined.');
  const layer = layerOption('config', values);
  const edits = editsFrom(values);
  if (edits.length > 0 && name === undefined)
    throw new Refusal('req config: give the requirement to change.');
  const call = requireProject(context, 1);
  const files = call.chunks.part('compile-config').compileConfig(call.root, call.home);
  if (name === undefined) return showAll(files, values, call);
  const entry = requirementEntry(files, name);
  if (edits.length === 0) return showOne(name, entry, files, call);
  return changeRequirement(name, entry, edits, layer, values, { ...call, files });
}

function editsFrom({ enable, disable, scope, message, set }: ReqOptions): Edit[] {
  if (scope !== undefined && !SCOPES.some((known) => known === scope))
    throw cannotRun(`req config: --scope takes one of ${SCOPES.join(', ')}, not '${scope}'.`);
  const bad = set.find((text) => !/^[^=]+=/.test(text));
  if (bad !== undefined) throw new Refusal(`req config: --set takes KEY=VALUE, not '${bad}'.`);
  const enabled = enable ? true : disable ? false : undefined;
  const flags = Object.entries({ enabled, scope, message }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ path: [key], value }],
  );
  return [...flags, ...set.map(editOf)];
}

/** Parses `thresholds.block=400`: dots separate keys; a value that is not JSON is text. */
function editOf(text: string): Edit {
  const at = text.indexOf('=');
  const value = text.slice(at + 1);
  const json = jsonIn(value);
  return { path: text.slice(0, at).trim().split('.'), value: json === undefined ? value : json };
}

function oneNameOnly(verb: string): Refusal {
  return cannotRun(`req ${verb}: give one requirement, or none for all of them.`);
}

/** A requirement as the config files define it, even if it has errors. */
function requirementEntry({ model, diagnostics }: CompiledFiles, name: string, head: string[] = []) {
  const defined = objectIn(model.value, 'requirements');
  if (Object.hasOwn(defined, name)) return isJsonObject(defined[name]) ? defined[name] : {};
  // A file that does not parse may be the one that defines it.
  const unread = unreadFiles(diagnostics);
  if (unread.length > 0) throw new Refusal([...head, ...unread.map(formatDiagnostic)].join('\n'));
  const near = nearest(name, Object.keys(defined));
  const hint = near === undefined ? "'req config' shows those that are." : `Did you mean? ${near}`;
  throw new Refusal(`Requirement '${name}' is not defined in any config file. ${hint}`);
}

function unreadFiles(diagnostics: CompiledFiles['diagnostics']) {
  return diagnostics.filter(({ switchesOff }) => switchesOff === wholeFile());
}

/** The effective config of the requirements; with `sources`, also what each file says. */
function showAll(files: CompiledFiles, { sources }: ReqOptions, context: Context): ExitCode {
  const { problems } = files;
  const config = mergedConfig(files);
  const blocks = sources ? LAYERS.flatMap((layer) => sourceBlocks(layer, files)) : [];
  const unread = unreadFiles(files.diagnostics);
  const notes = notInEffect(context);
  const lines = [
    ...notes,
    ...blocks.flatMap(({ layer, file, config: own }) => {
      const place = unread.map((one) => one.place).find((one) => one.file === file);
      const none = place === undefined ? '(not present)' : `(cannot be read: ${showPlace(place)})`;
      const shown = own === undefined ? none : pretty(own);
      return [styled('bold', `${layer.toUpperCase()} (${file}):`), shown, ''];
    }),
    sources ? styled('bold', 'MERGED RESULT:') : styled('dim', 'Merged from: global -> project -> local'),
    pretty(config),
  ];
  const value = { in_effect: notes.length === 0, config, sources: sources && blocks, problems };
  return report(context, value, lines, problems);
}

function pretty(value: JsonObject): string {
  return JSON.stringify(value, null, 2);
}

function mergedConfig({ valid }: CompiledFiles): JsonObject {
  const { [FILE]: rest, inherit, enforce_everywhere, requirements, hooks } = valid;
  const own = { ...(isJsonObject(rest) && rest), ...(!isSwitchedOn(valid) && { enabled: false }) };
  return { ...own, inherit, enforce_everywhere, requirements, hooks };
}

const LEGACY_FILES: Readonly<Record<Layer, string>> = {
  global: `~/${PROJECT_LEGACY_FILE}`,
  project: PROJECT_LEGACY_FILE,
  local: LOCAL_LEGACY_FILE,
};

/** The layer's requirements-only file, even if missing, then our own file if it exists; no message files. */
function sourceBlocks(layer: Layer, { sources }: CompiledFiles) {
  const legacy = LEGACY_FILES[layer];
  const present = sources.filter((source) => source.layer === layer);
  const own = present.filter(({ shown }) => shown !== legacy && !shown.includes('.claude/messages'));
  return [
    { layer, file: legacy, config: present.find(({ shown }) => shown === legacy)?.value },
    ...own.map(({ shown, value }) => ({ layer, file: shown, config: value })),
  ];
}

/** One requirement with all its keys, whether it is enabled, and its problems. */
function showOne(
  name: string,
  config: JsonObject,
  { model, diagnostics }: CompiledFiles,
  context: Context,
): ExitCode {
  const enabled = config['enabled'] === true;
  const path = ['requirements', name];
  const place = placeOf(model, pointerOf(path)) ?? '';
  const wrong = diagnostics.filter(({ switchesOff }) => `${switchesOff}.`.startsWith(`${showPath(path)}.`));
  const problems = wrong.map(formatDiagnostic);
  const notes = notInEffect(context);
  const lines = [
    ...notes,
    ...entryLines(`Configuration: ${name}`, config),
    styled('dim', `  # ${place}`),
    styled(enabled ? 'green' : 'yellow', `Currently ${enabled ? 'enabled' : 'disabled'}`),
  ];
  const value = { in_effect: notes.length === 0, name, enabled, place, config, problems };
  return report(context, value, lines, problems);
}

function entryLines(title: string, entry: JsonObject): string[] {
  return [styled('bold', title), ...asBlock(entry, '1.1').map((line) => `  ${line}`)];
}

/** Changes one requirement in the local or project file, after a person confirms. */
async function changeRequirement(
  name: string,
  before: JsonObject,
  edits: readonly Edit[],
  layer: ReturnType<typeof layerOption>,
  { yes }: ReqOptions,
  call: ProjectContext & { readonly files: CompiledFiles },
): Promise<ExitCode> {
  const { root, layout, files } = call;
  refuseReserved(call);
  const edited = (some: readonly Edit[]): JsonObject =>
    some.reduce((entry, { path, value }) => withValueAt(entry, path, value), before);
  checkEdited(edited(edits), name, edits);
  const overriding = layer === 'project' ? files.sources.filter((source) => source.layer === 'local') : [];
  const isSetIn = ({ value }: (typeof overriding)[number], { path }: Edit): boolean =>
    valueAt(value, ['requirements', name, ...path]) !== undefined;
  const after = edited(edits.filter((edit) => !overriding.some((source) => isSetIn(source, edit))));
  const notes = edits.flatMap((edit) =>
    overriding
      .filter((source) => isSetIn(source, edit))
      .map(({ shown }) => `Here ${shown} sets \`${edit.path.join('.')}\`, so that stays as it is.`),
  );
  const preview = [...entryLines('Before:', before), ...entryLines('After:', after), ...notes];
  if (!call.json) printAll(preview);
  const file = requirementsFile(yes ? (layer ?? 'local') : await askLayer(layer), root);
  const below = edits.map(({ path, value }) => ({ path: ['requirements', name, ...path], value }));
  const written = editConfig(layout, file, below);
  journalCommand(call, 'req config', [written], { about: name });
  return report(call, { requirement: name, file: file.path, before, after }, [
    styled('green', `Modified: ${file.path}`),
  ]);
}

const SECTIONS = ['hooks', 'requirements', 'guards', 'inherit', 'enforce_everywhere', 'hub', 'version'];

/** Users may add their own keys, so an unknown key is refused only if it looks like a typo. */
function checkEdited(after: JsonObject, name: string, edits: readonly Edit[]): void {
  const shape = shapeOf(requirement, after);
  const known = shape.kind === 'mapping' ? [...shape.known.keys()] : [];
  const section = edits.map(({ path: [key = ''] }) => key).find((key) => SECTIONS.includes(key));
  if (section !== undefined)
    throw new Refusal(
      `${NOTHING_WRITTEN}: \`${section}\` is no part of a requirement. Edit \`${section}:\` at the top level of the config file.`,
    );
  for (const [key = ''] of edits.map(({ path }) => path)) {
    const meant = known.includes(key) ? undefined : nearest(key, known);
    if (meant !== undefined)
      throw new Refusal(`${NOTHING_WRITTEN}: ${unknownKey(key)}; ${didYouMean(meant)}`);
  }
  const [issue] = safeParse(requirement, after).issues ?? [];
  if (issue === undefined) return;
  const keys = (issue.path ?? []).map((item) => String(item.key));
  const schema = schemaAt(requirement, after, keys);
  const { message } = findingOf(issue, schema, ['requirements', name, ...keys], valueAt(after, keys));
  throw new Refusal(`${NOTHING_WRITTEN}: ${message}`);
}

const PLACES = [
  { value: 'local', label: 'Only for me', hint: 'the local file, which is not committed' },
  { value: 'project', label: 'For everyone', hint: 'the committed file' },
];

/** Asks which file to change, unless `given`, and whether to write it. */
async function askLayer(given: ReturnType<typeof layerOption>): Promise<'local' | 'project'> {
  if (!isAtTerminal())
    throw new Refusal(
      `${NOTHING_WRITTEN}: there is no terminal to ask on. Use --yes to write without questions.`,
    );
  const chosen = given ?? (await answerTo(choose('Where should this apply?', PLACES), CANCELLED));
  if (!(await confirm('Write this?'))) throw new Refusal(CANCELLED);
  return chosen === 'project' ? 'project' : 'local';
}

/** `req enable` and `req disable`: turn all requirements, or one, on or off in the local file. */
export function switchRequirement(command: 'enable' | 'disable') {
  return (context: Context, _options: ReqOptions, [name, ...more]: readonly string[]): ExitCode => {
    if (more.length > 0) throw oneNameOnly(command);
    const call = requireProject(context, 1);
    const { root, home, layout } = call;
    const enabled = command === 'enable';
    const files = call.chunks.part('compile-config').compileConfig(root, home);
    if (name !== undefined) requirementEntry(files, name, [`${NOTHING_WRITTEN}: the config cannot be read.`]);
    // Enabling makes nothing looser.
    if (!enabled) refuseReserved(call);
    else if (name === undefined && files.sources.every(({ layer }) => layer === 'global'))
      throw new Refusal(
        "This project has no config yet, so there is nothing to enable.\nRun 'req init' first.",
      );
    const { file, path } =
      name === undefined
        ? enabledSwitchPlace(root)
        : { file: requirementsFile('local', root), path: ['requirements', name, 'enabled'] };
    const written = editConfig(layout, file, [{ path, value: enabled }]);
    journalCommand(call, `req ${command}`, [written], { about: name ?? '' });
    const value = { enabled, requirement: name, file: file.path };
    const what = name === undefined ? 'Requirements framework' : `Requirement '${name}'`;
    return report(context, value, [
      styled('green', `${what} ${command}d for this project`),
      `Modified: ${file.path}`,
    ]);
  };
}
