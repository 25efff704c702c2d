import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Diagnostic, formatDiagnostic, showPlace, wholeFile } from '../config/diagnostics';
import { findCandidates } from '../config/files';
import { configJsonSchema } from '../config/json-schema';
import { placeOf } from '../config/merge';
import { pointerOf, valueAt } from '../config/pointer';
import { type GuardConfig, type ReadConfig, readConfig } from '../config/read-config';
import type { Section } from '../config/section';
import { processState } from '../exec/processes';
import { gatesSection } from '../guards/gates/section';
import { loopSection } from '../guards/loop/section';
import { requirementsSection } from '../guards/requirements/section';
import { rulesSection } from '../guards/rules/section';
import { workflowSection } from '../guards/workflow/section';
import { readSmallFile } from '../state/files';
import { hasRunningClient, LOOP_LIFE, startProjectOf } from '../state/sessions';
import {
  changePhrase,
  changesSince,
  isModsDir,
  isSettings,
  MODS_DIR,
  relocatedSettings,
  relocatedSettingsStamp,
  SETTINGS_FILES,
  settingsStamp,
  type UnacceptedChange,
} from './accepted-config';
import { realPath } from './context';
import { attempt } from './failure';
import { type Chunks, OWN_FILES } from './guard';
import { programOf } from './installed-program';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn, objectIn, objectsIn, textIn } from './json';
import { acceptedByUpdate, changedConfig, lostConfig } from './messages';
import { guard as ownFiles, type Places } from './own-files/guard';
import {
  type CacheHead,
  type CompiledConfig,
  type CompiledGuard,
  type Disabled,
  digestStamp,
  type Project,
  presenceStamp,
  readStaleCache,
  stampOf,
  writeCache,
} from './project';
import { readMark, recordingIn } from './recording/mark';
import { holdsTheSame, stricterOf } from './stricter';
import { digest } from './text';

export { builtinModel } from '../guards/workflow/config/compile';

export const SECTIONS: readonly Section[] = [
  requirementsSection,
  workflowSection,
  rulesSection,
  gatesSection,
  loopSection,
];

export interface CompiledFiles extends ReadConfig {
  /** The diagnostics, formatted for display. */
  readonly problems: readonly string[];
  /** The stamps of all candidates, taken before they were read. */
  readonly stamps: readonly (readonly [file: string, stamp: string])[];
  /** Keys of the model that only files of the older programs can fill. */
  readonly legacyOnly: readonly string[];
}

export function compileConfig(projectRoot: string, home: string): CompiledFiles {
  // All config in the home is the user's own, even if the home is a repository: none of it is a project's.
  const root = projectRoot === home ? join(home, '.git') : projectRoot;
  // Stamp first: an edit between stamp and read costs another compilation; otherwise it would be missed.
  const { files, directories } = findCandidates({ root, home }, SECTIONS);
  const places = [...directories, ...files.map((file) => file.path)].map((path) => firstAbsent(path, root));
  const stamps = [...new Set(places)].map((file) => [file, stampOf(file)] as const);
  stamps.push(...settingsOf(root, home).map((file) => [file, settingsStamp(file)] as const));
  stamps.push([join(home, MODS_DIR), stampOf(join(home, MODS_DIR))]);
  // There may be many of these, such as rules: the next event checks each without reading it.
  const onRead = (file: string): void => void stamps.push([file, digestStamp(file, () => stampOf(file))]);
  const read = readConfig({ root, home, sections: SECTIONS, onRead });
  const seedOnly = SECTIONS.flatMap((section) => section.legacyOnly);
  // Errors come first, since a session's start shows only a few of all.
  const isError = ({ severity }: Diagnostic): boolean => severity === 'error';
  const { diagnostics } = read;
  const sorted = [...diagnostics.filter(isError), ...diagnostics.filter((one) => !isError(one))];
  return { ...read, stamps, legacyOnly: seedOnly, problems: sorted.map(formatDiagnostic) };
}

/** Claude Code's settings files in a project and in the home. */
function settingsOf(root: string, home: string): string[] {
  const { project, home: ofPerson } = SETTINGS_FILES;
  return [...project.map((file) => join(root, file)), ...ofPerson.map((file) => join(home, file))];
}

/**
 * If a whole directory of the project is missing, it is enough to watch that it stays missing. Not in the
 * home: we create directories there ourselves, which must not look like a change.
 */
function firstAbsent(path: string, root: string): string {
  const parent = dirname(path);
  const isBelow = parent.startsWith(`${root}/`);
  return isBelow && !existsSync(parent) ? firstAbsent(parent, root) : path;
}

/** The JSON Schema of our config files, for editors. */
export function printableSchema(): JsonObject {
  return configJsonSchema(SECTIONS);
}

/** Compiles a project's config and caches it for the next event. */
export function compileProject(project: Project, chunks: Chunks, sessionId = ''): CompiledConfig {
  const { compiled, news } = withAcceptedRules(project, compile(project, chunks), sessionId);
  // Kept until a person is told: a command, or an event that shows nobody anything, may be the first to compile.
  const untold = news ?? readStaleCache(project)?.head.untold;
  const head = untold === undefined ? compiled.head : { ...compiled.head, untold };
  writeCache(project, head, compiled.configs);
  return { ...opened({ ...compiled, head }), ...(untold !== undefined && { news: untold }) };
}

/** Whether we can create files in our own directory. */
function canStoreState({ layout }: Project): boolean {
  const place = layout?.own ?? '';
  const dir = existsSync(place) ? place : dirname(place);
  return attempt(() => accessSync(dir, constants.W_OK) ?? true) === true;
}

/** Makes the current config the accepted one. */
export function acceptConfig(project: Project, chunks: Chunks): void {
  const { head, configs } = compile(project, chunks);
  writeCache(project, head, configs);
}

/**
 * Config that changes while an agent works may be the agent's doing, so it must not loosen anything: accepted
 * rules stay in force until a person accepts the change, new rules hold at once. Settings count only if they
 * concern us.
 */
function withAcceptedRules(
  project: Project,
  fresh: Compiled,
  sessionId: string,
): { readonly compiled: Compiled; readonly news?: string } {
  const kept = readStaleCache(project);
  const isWorked = isAgentWorking(project);
  if (kept === undefined)
    return {
      compiled: fresh,
      // If we cannot write there, we never had files there that could be missing.
      ...(isWorked && project.configured && canStoreState(project) && { news: lostConfig() }),
    };
  const { head } = kept;
  const known = head.agreed ?? head.stamps;
  // Another profile of the user, or another host, counts as it is when we first see it.
  const isNew = ([file]: readonly [string, string]): boolean => !known.some(([one]) => one === file);
  const agreed = [...known, ...hostStamps(project).filter(isNew)];
  const changes = changesSince(agreed, fresh.head.stamps);
  if (changes.length === 0) return { compiled: fresh };
  // The session may have started in another work tree.
  const isAtWork = isWorked || startProjectOf(project.home, sessionId) !== undefined;
  if (head.agreed === undefined && !isAtWork) return { compiled: fresh };
  const watched = [...programStamps(project), ...hostStamps(project)].map(([file]) => file);
  const installed = [...watched, ...(fresh.programs ?? [])];
  const isOfHost = (file: string): boolean => isSettings(file) || isModsDir(file) || installed.includes(file);
  const waiting = head.agreed === undefined ? [] : changesSince(agreed, head.stamps);
  // What another version has compiled cannot be kept; the update itself is no change to report.
  if (head.version !== __VERSION__) {
    const isNow = (file: string): boolean => fresh.head.stamps.some(([one]) => one === file);
    // The earlier version may have been in another directory.
    const isConfig = (file: string): boolean => !isOfHost(file) && (!file.endsWith('/') || isNow(file));
    const isPending = ({ file }: UnacceptedChange): boolean =>
      isConfig(file) || waiting.some((one) => one.file === file);
    const pending = changes.filter(isPending).map(changePhrase);
    return { compiled: fresh, ...(pending.length > 0 && { news: acceptedByUpdate(pending) }) };
  }
  const old: Compiled = { head, configs: head.guards.map((_, index) => kept.configOf(index)) };
  const compiled = stricter(old, fresh, agreed);
  const held = ({ head: { guards }, configs }: Compiled): string =>
    JSON.stringify([configs, guards.map(({ onError }) => onError)]);
  const isLooser = held(compiled) !== held(fresh);
  // A change that only adds rules or rewords them needs no consent.
  if (!isLooser && !changes.some(({ file }) => isOfHost(file))) return { compiled: fresh };
  const told = waiting.map(changePhrase);
  const isNews = changes.some((change) => !told.includes(changePhrase(change)));
  return { compiled, ...(isNews && { news: changedConfig(changes.map(changePhrase)) }) };
}

function isAgentWorking({ root, layout }: Project): boolean {
  return layout !== undefined && hasRunningClient(layout, root, processState);
}

function stricter(old: Compiled, fresh: Compiled, agreed: CacheHead['stamps']): Compiled {
  const parts = fresh.head.guards.map((guard, index) => ({ guard, config: fresh.configs[index] ?? null }));
  old.head.guards.forEach((guard, index) => {
    const config = old.configs[index] ?? null;
    const at = parts.findIndex((part) => part.guard.name === guard.name);
    const part = parts[at];
    if (part === undefined) parts.splice(index, 0, { guard, config });
    else {
      const isSame = holdsTheSame(config, part.config);
      const both = isSame ? part.guard : bothInterests(guard, part.guard);
      const onError = guard.onError === 'hold' ? guard.onError : both.onError;
      parts[at] = {
        guard: { ...both, onError },
        config: isSame ? part.config : stricterOf(config, part.config),
      };
    }
  });
  // Errors and disabled entries in the new files have no effect yet.
  const { unread, disabled = [] } = old.head;
  const head = { ...fresh.head, guards: parts.map(({ guard }) => guard), unread, disabled, agreed };
  return { head, configs: parts.map(({ config }) => config) };
}

/**
 * Compiles the config files as they are, accepted or not, and caches nothing. `files` may be another
 * directory, such as a checkout of another commit.
 */
export function compileAsWritten(project: Project, chunks: Chunks, files = project.root): CompiledConfig {
  return opened(compile(project, chunks, files));
}

function bothInterests(old: CompiledGuard, fresh: CompiledGuard): CompiledGuard {
  const { silent, ...guard } = fresh;
  const shadow = [...(old.shadow ?? []), ...(fresh.shadow ?? [])];
  return {
    ...guard,
    interests: [...old.interests, ...fresh.interests],
    ...(shadow.length > 0 && { shadow }),
    ...(silent && old.silent && { silent }),
  };
}

/** Compiles a project's config without caching it. */
export function compileOnly(project: Project, chunks: Chunks, sessionId = ''): CompiledConfig {
  return opened(withAcceptedRules(project, compile(project, chunks), sessionId).compiled);
}

function opened({ head, configs }: Compiled): CompiledConfig {
  return { head, configOf: (index) => configs[index] ?? null };
}

/** The files of a loop, and of a workflow, that runs without any config. */
const STARTED_BY_HAND = [`holdpoint/${LOOP_LIFE}`, 'holdpoint/workflow.json'];

interface Compiled {
  readonly head: CacheHead;
  readonly configs: readonly Json[];
  /** Files that are no config, but decide what rules see. */
  readonly programs?: readonly string[];
}

function compile(project: Project, chunks: Chunks, files = project.root): Compiled {
  const { root, home } = project;
  const compiled = compileConfig(files, home);
  const isByHand = ({ name, config }: GuardConfig): boolean =>
    name === 'loop' || (isJsonObject(config) && config['byHand'] === true);
  const guards = compiled.guards.map((one): CompiledGuard => {
    const { name, config, onError } = one;
    const guard = chunks.guard(name);
    const shadow = guard.shadow?.interest(config) ?? [];
    const isSilent = guard.shadow?.isAll(config) === true;
    return {
      name,
      interests: isSilent ? [] : guard.interest(config),
      onError,
      ...(isByHand(one) && { byHand: true }),
      ...(shadow.length > 0 && { shadow }),
      ...(isSilent && { silent: true }),
    };
  });
  const configs = compiled.guards.map((guard): Json => guard.config);
  const gates = compiled.guards.find(({ name }) => name === 'gates')?.config;
  const places = protectedPlaces(project, gates);
  const interests = ownFiles.interest(places);
  // Without any config, our files matter only beside a loop or a workflow that was started by hand.
  const isIdle = guards.every(({ byHand, silent }) => byHand === true || silent === true);
  guards.unshift({
    name: OWN_FILES,
    interests: isIdle ? interests.map((one) => ({ ...one, whenFile: STARTED_BY_HAND })) : interests,
    onError: 'allow',
    ...(isIdle && { byHand: true }),
  });
  configs.unshift(places);
  const requirements = compiled.guards.find(({ name }) => name === 'requirements')?.config;
  const scripts = scriptStamps(files, requirements);
  const stamps = [...compiled.stamps, ...programStamps(project), ...hostStamps(project), ...scripts];
  const { problems } = compiled;
  const unread = compiled.diagnostics
    .filter(({ severity, switchesOff }) => severity === 'error' && switchesOff === wholeFile())
    .map(({ place }) => showPlace(place));
  const disabled = disabledIn(compiled);
  const head: CacheHead = {
    version: __VERSION__,
    root,
    home,
    stamps,
    guards,
    problems,
    unread,
    ...(disabled.length > 0 && { disabled }),
    ...(project.layout && recordingIn(readMark({ layout: project.layout }), root)),
  };
  return { head, configs, programs: scripts.map(([file]) => file) };
}

function disabledIn({ model, valid }: ReadConfig): Disabled[] {
  type Switch = [kind: Disabled['kind'], name: string, path: string[]];
  const switchesIn = (key: string, kind: Disabled['kind']): Switch[] =>
    Object.keys(objectIn(valid, key)).map((name) => [kind, name, [key, name]]);
  const switches: Switch[] = [
    ...switchesIn('requirements', 'rule'),
    ...switchesIn('rules', 'own rule'),
    ['requirements', '', ['guards', 'requirements']],
    ['requirements', '', ['requirements.yaml']],
    ['gates', '', ['gates', 'stop_hook']],
  ];
  return switches.flatMap(([kind, name, above]) => {
    const path = [...above, 'enabled'];
    const value = valueAt(valid, path);
    const placeIn = (of: string[]): string => placeOf(model, pointerOf(of))?.replace(/:\d+$/, '') ?? '';
    if (kind === 'rule' && value === undefined)
      return [{ kind, name, place: placeIn(above), locally: false, missing: true }];
    if (value !== false) return [];
    const says = (value: boolean) => model.files.filter((file) => valueAt(file.value, path) === value);
    const off = says(false);
    // A rule of one's own needs no word to be on.
    const isOnElsewhere =
      kind === 'own rule' ? off.length === 1 : says(true).some(({ layer }) => layer !== 'local');
    const locally = off.at(-1)?.layer === 'local' && isOnElsewhere;
    return [{ kind, name, place: placeIn(path), locally }];
  });
}

/** Stamps of our programs, and of what `install` notes: with it, further hosts come. */
function programStamps({ home, layout }: Project): CacheHead['stamps'] {
  const { launch, dist } = programOf(home);
  const programs = [launch, join(dirname(launch), 'library.cjs'), ...dist];
  return [
    ...programs.map((place) => [place, digestStamp(place, () => programDigest(place))] as const),
    // Only a reason to compile again, no change to report.
    ...recordsOf(home, layout).map((file) => [file, presenceStamp(file)] as const),
  ];
}

/** Stamps of the settings of hosts that call us. */
function hostStamps(project: Project): CacheHead['stamps'] {
  const known = SETTINGS_FILES.project.map((file) => `/${file}`);
  const elsewhere = relocatedSettingsFiles(project);
  const recorded = recordedFiles(project);
  return [
    ...elsewhere.map((file) => [file, relocatedSettingsStamp(file)] as const),
    ...[...new Set([...recorded, ...switchesOf(recorded, project.home)])]
      .filter((file) => !elsewhere.includes(file) && !known.some((name) => file.endsWith(name)))
      .map((file) => [file, isSettings(file) ? settingsStamp(file) : stampOf(file)] as const),
  ];
}

/** Where hosts that we are installed in switch their hooks off, if not in the same file. */
function switchesOf(installed: readonly string[], home: string): string[] {
  return installed.flatMap((file) => {
    if (file.endsWith('/.codex/hooks.json'))
      return [join(dirname(file), 'config.toml'), join(home, '.codex/config.toml')];
    return /\/\.(?:copilot|github)\/hooks\//.test(file) ? [join(home, '.copilot/config.json')] : [];
  });
}

/** The scripts of the project that measure something for requirements, with their stamps. */
function scriptStamps(root: string, requirements: Json | undefined): CacheHead['stamps'] {
  const commands = objectsIn(isJsonObject(requirements) ? requirements : {}, 'requirements').flatMap(
    (one) => [textIn(one, 'calculator') ?? '', textIn(objectIn(one, 'evidence'), 'command') ?? ''],
  );
  const files = commands.flatMap(scriptsIn).map((word) => resolve(root, word));
  return [...new Set(files)]
    .filter((file) => file.startsWith(`${root}/`) && statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => [file, digestStamp(file, () => stampOf(file))] as const);
}

/** The first word of each command that is neither an interpreter nor an option nor a variable. */
function scriptsIn(line: string): string[] {
  return line.split(/[;&|()\n]+/).flatMap((command) => {
    const words = command.trim().replace(/['"]/g, '').split(/\s+/);
    return words.find((word) => !/^(?:-|\w+=)/.test(word) && !INTERPRETER.test(basename(word))) ?? [];
  });
}

const INTERPRETER =
  /^(?:env|exec|time|nice|(?:ba|da|k|z)?sh|node|deno|run|bun|tsx|ts-node|npx|python[\d.]*|ruby|perl|php|lua)$/;

/** The user's settings in directories that `CLAUDE_CONFIG_DIR` names, or named at an earlier event or `install`. */
function relocatedSettingsFiles(project: Project): string[] {
  const { userSettings } = project;
  const now = userSettings === undefined ? [] : [userSettings];
  const earlier = relocatedSettings(readStaleCache(project)?.head.stamps ?? []).map(([file]) => file);
  const installed = recordedFiles(project).filter(
    (file) => basename(file) === 'settings.json' && !isSettings(file),
  );
  return [...new Set([...now, ...earlier, ...installed])];
}

function recordsOf(home: string, layout: Project['layout']): string[] {
  return [layout?.own ?? '', join(home, '.config/holdpoint')].map((dir) => join(dir, 'installed.json'));
}

/** The files that `install` has written. */
function recordedFiles({ home, layout }: Project): string[] {
  return recordsOf(home, layout).flatMap((file) => {
    const record = jsonObjectIn(readSmallFile(file, LARGEST_FILE) ?? '');
    return objectsIn(record ?? {}, 'files').flatMap(({ file }) => (typeof file === 'string' ? [file] : []));
  });
}

function programDigest(place: string): string {
  const names = place.endsWith('/') ? readdirSync(place).filter((name) => name.endsWith('.cjs')) : [''];
  return digest(names.map((name) => readSmallFile(place + name, LARGEST_FILE) ?? '').join('\n'));
}

const LARGEST_FILE = 1024 * 1024;

function protectedPlaces(project: Project, gates: Json | undefined): Places {
  const { root, home, git, layout } = project;
  const logs = isJsonObject(gates) ? textIn(gates, 'logDir') : undefined;
  // Agents may write review logs; the files that record whether and when gates ran are ours.
  const runs = logs === undefined ? [] : RUN_FILES.map((name) => resolve(root, logs, name));
  const { dist, node } = programOf(project.home);
  const own = layout === undefined ? [] : [layout.own, join(layout.git, 'requirements')];
  const refs = git === undefined ? [] : ['refs', 'packed-refs'].map((name) => join(git.commonDir, name));
  const { files, directories } = findCandidates({ root, home }, SECTIONS);
  const settings = [
    ...settingsOf(root, home),
    ...OTHER_HOOKS.flatMap((file) => [join(root, file), join(home, file)]),
    ...recordedFiles(project),
    join(home, '.claude/plugins'),
    join(home, MODS_DIR),
    ...relocatedSettingsFiles(project).flatMap((file) => [
      file,
      ...['plugins', basename(MODS_DIR)].map((name) => join(dirname(file), name)),
    ]),
  ];
  return {
    own: withTargets([
      ...own,
      ...refs,
      ...runs,
      ...dist.map((dir) => dir.replace(/\/$/, '')).filter((dir) => dirname(dir) !== root),
      ...node,
      join(home, '.config/holdpoint'),
      join(home, '.claude/sessions.json'),
    ]),
    shared: withTargets([
      ...files.map(({ path }) => path),
      ...directories.map((dir) => dir.replace(/\/$/, '')),
      join(root, '.holdpoint/rules'),
      ...LOOP_FILES.map((file) => join(root, file)),
      ...settings,
    ]),
  };
}

/** The paths, and what they lead to if they are symlinks or behind one. */
function withTargets(places: readonly string[]): string[] {
  return [...new Set(places.flatMap((place) => [place, realPath(place)]))];
}

const RUN_FILES = ['.execution_state', '.gauntlet-run.lock'];

/** Files that switch loops off, and files that hold their state. */
const LOOP_FILES = [
  '.idle-disabled',
  '.jwz/messages.jsonl',
  '.zawinski/messages.jsonl',
  '.claude/idle-loop.local.md',
];

/** Where hosts other than Claude Code keep their hooks, and what switches them off, in the project and in the home. */
const OTHER_HOOKS = [
  '.codex/hooks.json',
  '.codex/config.toml',
  '.copilot/config.json',
  '.gemini/settings.json',
  '.gemini/trustedFolders.json',
  '.github/hooks',
  '.cursor/hooks.json',
  '.opencode/plugin',
];
