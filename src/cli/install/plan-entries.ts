import { existsSync } from 'node:fs';
import { listsBelow, placesIn } from '../../config/settings/entry-places';
import { parseSettings } from '../../config/settings/parse';
import type { Undo } from '../../config/settings/undo';
import { type Edited, parentsOf, withEntries } from '../../config/settings/with-entries';
import { fail, type Result, succeed } from '../../core/failure';
import type { Json } from '../../core/json';
import { linesIn } from '../../hosts/own-lines';
import type { HostSetup, Sheet } from '../../hosts/setup';
import { digestOf } from './digest-of';
import * as say from './messages';
import { missingDirectories } from './missing-directories';
import type { FoundRival } from './plan';
import type { FilePlan } from './plan-install';
import { type InstallRecord, rootOf } from './record';
import type { InstallRequest } from './request';
import { type FoundFile, readSettingsFile, writeHindrance } from './settings-file';
import { textIn } from './text-in';

type Entries = Extract<Sheet, { kind: 'entries' }>;

/** What becomes of a document that others share with us. */
export function planEntries(
  setup: HostSetup,
  sheet: Entries,
  request: InstallRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const { file } = sheet;
  const found = readSettingsFile(file, request.scope, request.ground);
  if (!found.ok) return found;
  const before = found.value.text;
  const edited = withEntries(before ?? '', {
    entries: sheet.entries,
    skeleton: sheet.skeleton,
    isOurs: setup.isOurs,
    makesRoom: (value) => request.replace && setup.rival(value) !== undefined,
    keepsOut: (value) => setup.rival(value)?.kind === 'by-hand',
  });
  if (!edited.ok) return fail(say.trouble(file, edited.failure));
  const rivals = rivalsIn(before ?? '', setup, sheet, { scope: request.scope, replaced: request.replace });
  const { text } = edited.value;
  const kept = { host: setup.name, scope: request.scope, file };
  const named = { ...kept, ...rootOf(request) };
  const noted = recordFor(setup, sheet, found.value, edited.value, record);
  if (text === before) {
    return succeed({ file, change: undefined, rivals, adopted: adoptedAs({ ...named, ...noted }, record) });
  }
  const hindrance = writeHindrance(found.value);
  if (hindrance !== undefined) return fail(hindrance);
  const change = { ...kept, before, after: text, record: { ...named, ...noted } };
  return succeed({ file, change, rivals });
}

/** What is to be noted of entries that are right already: those of a clone, and those that were about to leave. */
function adoptedAs(noted: InstallRecord, record: InstallRecord | undefined): InstallRecord | undefined {
  if (noted.entries.length === 0) return undefined;
  if (record !== undefined) return record.leaving === true ? noted : undefined;
  const { backup: _none, original: _nothing, ...withoutBackup } = noted;
  return withoutBackup;
}

/** Whether anything of ours stands in a document's lists. */
export function hasOurs(text: string, setup: HostSetup, sheet: Entries): boolean {
  return found(text, sheet, setup.isOurs).length > 0;
}

/** The lists of a document in which an entry of ours stands. */
function listsWithOurs(text: string, setup: HostSetup, sheet: Entries): readonly (readonly string[])[] {
  const places = found(text, sheet, setup.isOurs);
  return sheet.entries
    .map(({ path }) => path)
    .filter((path) => places.some(({ list }) => path.every((step, index) => list[index] === step)));
}

/** Entries that do the same work as ours, in all the lists beside ours. */
export function rivalsIn(
  text: string,
  setup: HostSetup,
  sheet: Entries,
  how: Pick<FoundRival, 'scope' | 'replaced'>,
): readonly FoundRival[] {
  const about = { host: setup.name, file: sheet.file, ...how };
  const isRival = (value: Json): boolean => setup.rival(value) !== undefined;
  return found(text, sheet, isRival).flatMap(({ list, value }) => {
    const name = list
      .filter((step) => typeof step === 'string')
      .slice(0, 2)
      .join('.');
    const rivals = linesIn(value).flatMap((command) => setup.rival({ command }) ?? []);
    return rivals.map((rival) => ({ ...rival, ...about, list: name }));
  });
}

function found(text: string, { entries }: Entries, test: (value: Json) => boolean) {
  const settings = parseSettings(text.replace(/^\ufeff/, ''));
  if (!settings.ok) return [];
  return parentsOf(entries)
    .flatMap((parent) => listsBelow(settings.value.value, parent))
    .flatMap(([list, values]) => placesIn(list, values, test));
}

type Noted = Omit<InstallRecord, 'host' | 'scope' | 'file' | 'root'>;

/**
 * What is noted. A digest is only there while the file has been nobody's but ours since it was backed up:
 * then the backup may be put back as it is. Ours that nobody noted came with a clone.
 */
function recordFor(
  setup: HostSetup,
  sheet: Entries,
  { text: before }: FoundFile,
  { text, undo }: Edited,
  record: InstallRecord | undefined,
): Noted {
  const base = { kind: 'entries', version: __VERSION__, entries: listsWithOurs(text, setup, sheet) } as const;
  if (before === undefined) {
    // Those of an installation that was cut short are ours too.
    const directories = [...(record?.directories ?? []), ...missingDirectories(sheet.file)];
    return { ...base, undo, digest: digestOf(text), existed: false, directories };
  }
  const backed = { existed: true, ...backupOf(sheet.file, before), directories: [] } as const;
  if (!hasOurs(before, setup, sheet)) return { ...base, undo, digest: digestOf(text), ...backed };
  if (record?.undo === undefined) return { ...base, ...backed };
  const { existed, backup, original, digest, directories } = record;
  return {
    ...base,
    existed,
    directories,
    undo: together(record.undo, undo),
    ...(backup !== undefined && { backup }),
    ...(original !== undefined && { original }),
    ...(digest === digestOf(before) && { digest: digestOf(text) }),
  };
}

function together(first: Undo, second: Undo): Undo {
  return {
    ...first,
    created: [...first.created, ...second.created],
    filled: [...first.filled, ...second.filled],
    replaced: [...first.replaced, ...second.replaced],
  };
}

/** Beside the file, under a name that nothing has yet: an older backup is somebody's only copy. The same bytes will do. */
function backupOf(file: string, text: string): Pick<Required<InstallRecord>, 'backup' | 'original'> {
  for (let count = 1; ; count++) {
    const backup = `${file}${count === 1 ? '' : `.${count}`}.holdpoint-backup`;
    if (!existsSync(backup) || textIn(backup) === text) return { backup, original: digestOf(text) };
  }
}
