import { existsSync } from 'node:fs';
import { parseSettings } from '../../config/settings/parse';
import { sameJson } from '../../config/settings/same-json';
import type { HostName } from '../../core/host-name';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { linesIn, ownProgramsIn } from '../../hosts/own-lines';
import type { Entry, Ground, HostSetup, Scope, Sheet } from '../../hosts/setup';
import { SETUPS } from '../../hosts/setup-table';
import { directNow } from '../resident/direct';
import * as say from './messages';
import { ownFilesOf } from './own-files';
import type { FoundRival } from './plan';
import { rivalsIn } from './plan-entries';
import { sheetFor } from './plan-install';
import type { InstallRecord } from './record';
import { readRecords, recordsFile } from './records';
import { readSettingsFile } from './settings-file';
import { textIn } from './text-in';

/** How much of ours stands in one settings file of a host. */
export interface InstalledFile {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /**
   * `none`: nothing of ours. `whole`: as this version writes it. `other`: for every event, but not as this
   * version writes it. `partial`: some entries or files are missing. `unreadable`: `trouble` says why.
   */
  readonly state: 'none' | 'whole' | 'other' | 'partial' | 'unreadable';
  /** A sentence without its end, with the file's name and, where the text is wrong, the place. */
  readonly trouble?: string;
  /** Whether the file could not be read at all, or what stands in it is wrong. */
  readonly troubleWith?: 'file' | 'text';
  /** Lists without an entry of ours, such as `hooks.Stop`, and files of ours that are not there. */
  readonly missing: readonly string[];
  /** The lines of ours that the host runs, each once. */
  readonly lines: readonly string[];
  /** The programs of ours that the host starts without a shell, each once. */
  readonly programs: readonly string[];
  /** Whether entries of ours have the host refuse when we fail. */
  readonly failClosed: boolean;
  /** Entries that do the same work. */
  readonly rivals: readonly FoundRival[];
  /** The parsed document; absent where there is none or it could not be read. */
  readonly settings?: Json;
  readonly record?: InstallRecord;
}

/** Looks at every scope of every host that we can set up. Reads only. */
export function installedState(ground: Ground, commonDir: string | undefined): readonly InstalledFile[] {
  return SETUPS.flatMap((setup) =>
    setup.scopes
      .filter((scope) => scope === 'user' || commonDir !== undefined)
      .map((scope) => stateIn(setup, scope, ground, commonDir)),
  );
}

function stateIn(
  setup: HostSetup,
  scope: Scope,
  ground: Ground,
  commonDir: string | undefined,
): InstalledFile {
  // How strictly a host shall treat our failures is the person's choice, and whether it starts a shell: each is ours.
  const direct = setup.withoutShell?.includes(scope) ? directNow(ground.home) : undefined;
  const sheets = [false, true].flatMap((failClosed) => [
    sheetFor(setup, { scope, ground, failClosed }),
    ...(direct === undefined ? [] : [sheetFor(setup, { scope, ground, failClosed, direct })]),
  ]);
  const [sheet = sheetFor(setup, { scope, ground, failClosed: false })] = sheets;
  const record = readRecords(recordsFile(scope, commonDir, ground.home)).files.find(
    (each) => each.file === sheet.file && each.host === setup.name,
  );
  const about = {
    host: setup.name,
    scope,
    file: sheet.file,
    ...(record !== undefined && { record }),
  };
  return sheet.kind === 'own-file'
    ? { ...about, ...ownFileState(sheet) }
    : { ...about, ...entriesState(setup, sheets as Entries[], sheet, scope, ground) };
}

type Entries = Extract<Sheet, { kind: 'entries' }>;
type Found = Omit<InstalledFile, 'host' | 'scope' | 'file' | 'record'>;

const NOTHING: Found = {
  state: 'none',
  missing: [],
  lines: [],
  programs: [],
  failClosed: false,
  rivals: [],
};

function ownFileState(sheet: Sheet): Found {
  const files = ownFilesOf(sheet);
  const there = files.filter(({ file }) => existsSync(file));
  if (there.length === 0) return NOTHING;
  const isWhole = files.every(({ file, text }) => textIn(file) === text);
  const missing = files.filter((each) => !there.includes(each)).map(({ file }) => file);
  return { ...NOTHING, missing, state: missing.length > 0 ? 'partial' : isWhole ? 'whole' : 'other' };
}

function entriesState(
  setup: HostSetup,
  sheets: readonly Entries[],
  sheet: Entries,
  scope: Scope,
  ground: Ground,
): Found {
  const { file } = sheet;
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return unreadable('file', found.failure.replace(/\.$/, ''));
  const text = found.value.text;
  if (text === undefined) return NOTHING;
  const settings = parseSettings(text.replace(/^\ufeff/, ''));
  if (!settings.ok) return unreadable('text', say.troubleAt(file, settings.failure));
  const { value } = settings.value;
  const oursAt = ({ path }: Entry): readonly Json[] =>
    listAt(value, path).filter((each) => setup.isOurs(each));
  const missing = sheet.entries.filter((entry) => oursAt(entry).length === 0);
  const isAs = ({ entries }: Entries): boolean =>
    entries.every((entry) => oursAt(entry).length === 1 && sameJson(oursAt(entry)[0], entry.value));
  const ours = sheet.entries.flatMap(oursAt);
  const goneFiles = ownFilesOf(sheet).filter((own) => !existsSync(own.file));
  const isNone = missing.length === sheet.entries.length;
  const isPartial = missing.length + goneFiles.length > 0;
  return {
    state: isNone ? 'none' : isPartial ? 'partial' : sheets.some(isAs) ? 'whole' : 'other',
    missing: [...missing.map(({ path }) => path.join('.')), ...goneFiles.map((own) => own.file)],
    lines: [...new Set(ours.flatMap((each) => linesIn(each)))],
    programs: [...new Set(ours.flatMap((each) => ownProgramsIn(each)))],
    failClosed: ours.some((each) => isClosed(each, setup.closedBy)),
    rivals: rivalsIn(text, setup, sheet, { scope, replaced: false }),
    settings: value,
  };
}

/** Whether a handler somewhere in an entry has the member. */
function isClosed(value: Json | undefined, by: JsonObject | undefined): boolean {
  if (by === undefined) return false;
  if (Array.isArray(value)) return value.some((part: Json) => isClosed(part, by));
  if (!isJsonObject(value)) return false;
  return Object.keys(by).every((key) => value[key] === by[key]) || isClosed(value['hooks'], by);
}

function unreadable(troubleWith: 'file' | 'text', trouble: string): Found {
  return { ...NOTHING, state: 'unreadable', trouble, troubleWith };
}

function listAt(document: Json, path: readonly string[]): readonly Json[] {
  const list = path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    document,
  );
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}
