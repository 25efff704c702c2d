import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { nearest } from '../../config/diagnostics';
import { valueAt } from '../../config/pointer';
import { parseSettings } from '../../config/settings/parse';
import { detailOf, readText } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import type { Json } from '../../core/json';
import { projectAbove } from '../../core/project';
import { findProgram } from '../../exec/programs';
import { findGit } from '../../git/head';
import { handWrittenEntry, hasOwnLine, isUnlimited, linesIn } from '../../hosts/own-lines';
import type { Entry, HostSetup, InstallSpec, InstallTarget, OwnFile, Scope } from '../../hosts/setup';
import { SETUPS } from '../../hosts/setup-table';
import { LIBRARY_FILE } from '../../hosts/start-line';
import { type Context, cannotRun } from '../context';
import { hintFor } from '../messages';
import { readSettingsFile, troublePlace } from './files';
import { duplicatesIn, type FoundDuplicate } from './plan';
import { type InstallRecord, type RecordsPlace, readRecords, recordsFile } from './records';

/** How much of our installation one settings file of a host contains. */
export interface InstalledFile {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /**
   * `none`: nothing of ours. `whole`: as this version writes it. `other`: for every event, but not as this version
   * writes it. `partial`: some entries or files are missing. `unreadable`: see `trouble`.
   */
  readonly state: 'none' | 'whole' | 'other' | 'partial' | 'unreadable';
  /** A sentence without a full stop; names the file and, if its text is wrong, the line and column. */
  readonly trouble?: string;
  /** `file`: it could not be read. `text`: its content is wrong. */
  readonly troubleWith?: 'file' | 'text';
  /** Lists without an entry of ours that is always called, such as `hooks.Stop`, and missing files of ours. */
  readonly missing: readonly string[];
  /** Our hook lines that the host runs, without duplicates. */
  readonly lines: readonly string[];
  /** Whether our entries make the host block if we fail. */
  readonly failClosed: boolean;
  readonly duplicates: readonly FoundDuplicate[];
  /** Absent if there is no file, or if it could not be read. */
  readonly settings?: Json;
  readonly record?: InstallRecord;
}

/** Checks every scope of every supported host. Only reads. */
export function installedState(
  target: InstallTarget,
  commonDir: string | undefined,
): readonly InstalledFile[] {
  return SETUPS.flatMap((setup) =>
    setup.scopes
      .filter((scope) => scope === 'user' || commonDir !== undefined)
      .map((scope) => {
        const spec = setup.installSpec(scope, target);
        const records = readRecords(recordsFile({ scope, commonDir, target })).files;
        const record = records.find(({ file, host }) => file === spec.file && host === setup.name);
        const found = spec.entries.length === 0 ? filesState(spec) : entriesState(setup, spec, scope, target);
        return { host: setup.name, scope, file: spec.file, ...(record && { record }), ...found };
      }),
  );
}

export function isOurs({ state }: InstalledFile): boolean {
  return state === 'whole' || state === 'other' || state === 'partial';
}

/** Whether one of these hosts has entries in this scope that make it block if we fail. */
export function isFailClosed(
  { target, commonDir, scope }: RecordsPlace,
  hosts: readonly HostName[],
): boolean {
  const ours = installedState(target, commonDir).filter((found) => found.scope === scope);
  return ours.some(({ failClosed, host }) => failClosed && hosts.includes(host));
}

export function handWrittenLines({ duplicates }: InstalledFile): readonly FoundDuplicate[] {
  return duplicates.filter(({ kind }) => kind === 'by-hand');
}

type Found = Omit<InstalledFile, 'host' | 'scope' | 'file' | 'record'>;

const NOTHING: Found = { state: 'none', missing: [], lines: [], failClosed: false, duplicates: [] };

function filesState({ files = [] }: InstallSpec): Found {
  const gone = files.filter(isGone);
  if (gone.length === files.length) return NOTHING;
  const isWhole = files.every((own) => readText(own.file) === own.text);
  const state = gone.length > 0 ? 'partial' : isWhole ? 'whole' : 'other';
  return { ...NOTHING, missing: gone.map(({ file }) => file), state };
}

/** A file that has our name but no longer starts us is as good as gone. */
function isGone({ file, text }: OwnFile): boolean {
  const now = readText(file);
  return now === undefined || (text.includes(LIBRARY_FILE) && !now.includes(LIBRARY_FILE));
}

/** Whether a value of a settings list calls us, by a line of `install` or one written by hand. */
export function callsUs(value: Json): boolean {
  return hasOwnLine(value) || handWrittenEntry(value) !== undefined;
}

function entriesState(setup: HostSetup, spec: InstallSpec, scope: Scope, target: InstallTarget): Found {
  let text: string | undefined;
  try {
    text = readSettingsFile(spec.file, scope, target).text;
  } catch (error) {
    return unreadable('file', detailOf(error).replace(/\.$/, ''));
  }
  if (text === undefined) return NOTHING;
  const settings = parseSettings(text);
  if (!settings.ok) return unreadable('text', troublePlace(spec.file, settings.failure));
  const document = settings.value.value;
  const oursAt = ({ path }: Entry): readonly Json[] => {
    const list = valueAt(document, path);
    return Array.isArray(list) ? list.filter((each: Json) => hasOwnLine(each)) : [];
  };
  const missing = spec.entries.filter((entry) => !oursAt(entry).some(isUnlimited));
  const isAs = ({ entries }: InstallSpec): boolean =>
    entries.every((entry) => isDeepStrictEqual(oursAt(entry), [entry.value]));
  // Whether the host blocks when we fail is the user's choice: both forms are ours.
  const isWhole = [spec, setup.installSpec(scope, target, true)].some(isAs);
  const ours = spec.entries.flatMap(oursAt);
  const closing = setup.closedBy && JSON.stringify(setup.closedBy).slice(1, -1);
  const goneFiles = (spec.files ?? []).filter(isGone);
  const isNone = missing.length === spec.entries.length;
  const isPartial = missing.length + goneFiles.length > 0;
  return {
    state: isNone ? 'none' : isPartial ? 'partial' : isWhole ? 'whole' : 'other',
    missing: [...missing.map(({ path }) => path.join('.')), ...goneFiles.map((own) => own.file)],
    lines: [...new Set(ours.flatMap((each) => linesIn(each)))],
    failClosed: closing !== undefined && JSON.stringify(ours).includes(closing),
    duplicates: duplicatesIn(text, setup, spec, scope),
    settings: document,
  };
}

function unreadable(troubleWith: 'file' | 'text', trouble: string): Found {
  return { ...NOTHING, state: 'unreadable', trouble, troubleWith };
}

/** A hook line, the file it is in, and who wrote it. */
export type WiredLine = ReturnType<typeof wiredLines>[number];

/** Every hook line that calls us, including those written by hand, without duplicates. */
export function wiredLines(files: readonly InstalledFile[]) {
  const all = files.flatMap((found) => {
    const { host, file, lines } = found;
    return [
      ...lines.map((line) => ({ host, file, line, found, by: 'install' }) as const),
      ...handWrittenLines(found).map(
        ({ command: line }) => ({ host, file, line, found, by: 'hand' }) as const,
      ),
    ];
  });
  return all.filter(
    ({ host, line }, at) => all.findIndex((one) => one.host === host && one.line === line) === at,
  );
}

const NO_REPOSITORY = `Not in a git repository
Settings are written at the root of a repository; change into one, or use --user for your own settings.`;

/** `--host` may be repeated, or list several hosts separated by commas. */
export function namedHosts(given: readonly string[]): readonly HostName[] {
  const names = given.flatMap((each) => each.split(',')).map((name) => name.trim());
  const unknown = names.find((name) => !HOST_NAMES.some((host) => host === name));
  if (unknown === undefined) return HOST_NAMES.filter((host) => names.includes(host));
  const near = nearest(unknown, HOST_NAMES) ?? HOST_NAMES.find((host) => host.startsWith(`${unknown}-`));
  throw cannotRun(`Unknown host '${unknown}'. ${hintFor(unknown, HOST_NAMES, near)}`);
}

/**
 * The hosts in use: those with files in the project; else those with files in the home; else those on the PATH. A
 * project does not get files for every host on the machine.
 */
export function hostsInUse(target: InstallTarget, scope: Scope): readonly HostName[] {
  const inProject = ({ signs }: HostSetup): boolean =>
    signs.project.some((path) => existsSync(join(target.project, path)));
  const inHome = ({ signs }: HostSetup): boolean =>
    signs.home.some((path) => existsSync(join(target.home, path)));
  const onPath = ({ signs }: HostSetup): boolean =>
    signs.programs.some((program) => findProgram(target.env['PATH'] ?? '', program) !== undefined);
  const possible = SETUPS.filter(({ scopes }) => scopes.includes(scope));
  const signs = scope === 'user' ? [inHome, onPath] : [inProject, inHome, onPath];
  const found = signs.map((sign) => possible.filter(sign)).find((setups) => setups.length > 0);
  return (found ?? []).map(({ name }) => name);
}

/** The home that contains the launcher. */
export function homeIn(env: Context['env']): string {
  const home = env['HOME'] ?? '';
  if (home === '') throw cannotRun('HOME is not set, and the hook is started from there.');
  if (isAbsolute(home)) return home;
  const why = 'Files written there would be found from one directory only, so nothing was changed.';
  throw cannotRun(`HOME is '${home}', which is not an absolute path. ${why}`);
}

/** User settings can be written from anywhere; project settings need a repository. */
export function resolveInstallPlace(
  flags: { readonly user: boolean; readonly local: boolean; readonly purge?: boolean },
  { cwd, env }: Context,
): RecordsPlace {
  if (flags.user && flags.local) throw cannotRun('--user and --local cannot be combined.');
  const home = homeIn(env);
  const scope: Scope = flags.user ? 'user' : flags.local ? 'local' : 'project';
  const git = findGit(cwd);
  // Without git there are no settings of ours in a project, but there may be state.
  const bare = flags.purge ? projectAbove(cwd, home)?.root : undefined;
  const project = git?.root ?? bare;
  if (project === undefined && scope !== 'user') throw cannotRun(NO_REPOSITORY);
  return { target: { project: project ?? cwd, home, env }, commonDir: git?.commonDir, scope };
}
