import { realpathSync } from 'node:fs';
import { processState } from '../exec/processes';
import { hasOwnLine } from '../hosts/own-lines';
import { hasRunningClient } from '../state/sessions';
import { changePhrase, changesSince, isSettings, settingsStamp, variablesSetSince } from './accepted-config';
import { attempt, readText } from './failure';
import type { SettingsChange } from './hook';
import type { HostName } from './host-name';
import { type Json, type JsonObject, jsonObjectIn, objectIn, objectsIn } from './json';
import { type CacheHead, type Project, readStaleCache } from './project';
import type { Grounds } from './verdict';

const off = 'This would turn Holdpoint off';

const STAY_ON =
  'This session keeps its current settings. To turn Holdpoint off, a person runs `holdpoint uninstall`; `holdpoint install` restores its entries.';

const loosens = 'These settings would loosen Holdpoint';

const ACCEPT =
  'This session keeps its current settings. Undo the change, or a person accepts it: `holdpoint trust --accept` in their own terminal.';

/** Why a change of settings is held. */
export interface LostHooks {
  readonly reason: string;
  readonly grounds: Grounds;
}

/** Without these, nothing would be held, or nobody would notice that nothing is. */
const NEEDED = ['SessionStart', 'PreToolUse', 'PostToolUse', 'Stop', 'ConfigChange'];

/** The host's names for the layers of its settings, mapped to ours. */
const SCOPES: Readonly<Record<string, string>> = {
  project_settings: 'project',
  local_settings: 'local',
  user_settings: 'user',
};

/**
 * Why settings that have just changed must be held: they no longer call us although nobody uninstalled us, or
 * they loosen our rules. Only files in which we are recorded as installed are checked for our hooks.
 */
export function lostHooks(change: SettingsChange): LostHooks | undefined {
  const ours = change.records.flatMap((records) => installedIn(records, change.header.host));
  const sentence = troubleFor(change, ours);
  if (sentence !== undefined) {
    const grounds = { rule: 'hooks stay on', fact: sentence, clear: 'holdpoint install', waive: STAY_ON };
    return { reason: `${sentence}\n${STAY_ON}`, grounds };
  }
  // Check all settings, since a change that was held takes effect with the next one. Entries that no record
  // mentions any more were removed by `uninstall`.
  const { before, now } = settingsOf(change.project);
  const loosened = changesSince(before, now).filter(
    ({ file, ofEntry, isBeside }) =>
      isBeside === undefined && (ofEntry === undefined || ours.some((one) => isSame(one.file, file))),
  );
  if (loosened.length === 0) return undefined;
  const fact = `${loosens}: ${loosened.map(changePhrase).join('; ')}.`;
  const grounds = { rule: 'hooks stay on', fact, clear: 'holdpoint trust --accept', waive: ACCEPT };
  return { reason: `${fact}\n${ACCEPT}`, grounds };
}

function troubleFor({ raw }: SettingsChange, ours: ReturnType<typeof installedIn>): string | undefined {
  const { source, file_path: changed } = raw;
  if (typeof source !== 'string' || !Object.hasOwn(SCOPES, source) || ours.length === 0) return undefined;
  if (typeof changed === 'string')
    return troubleIn(
      changed,
      ours.some(({ file }) => isSame(file, changed)),
    );
  return ours
    .filter(({ scope }) => scope === SCOPES[source])
    .flatMap(({ file }) => troubleIn(file, true) ?? [])[0];
}

/** Variables that settings have set since they were last accepted: we do not obey them. */
export function unacceptedVariables(project: Project | undefined): readonly string[] {
  const { before, now } = settingsOf(project);
  return variablesSetSince(before, now);
}

/** The settings as last accepted, and as they are now. */
function settingsOf(project: Project | undefined): Record<'before' | 'now', CacheHead['stamps']> {
  const nothing = { before: [], now: [] };
  if (project?.layout === undefined) return nothing;
  const { agreed, stamps = [] } = readStaleCache(project)?.head ?? {};
  if (agreed === undefined && !hasRunningClient(project.layout, project.root, processState)) return nothing;
  const before = (agreed ?? stamps).filter(([file, stamp]) => isSettings(file, stamp));
  return { before, now: before.map(([file]) => [file, settingsStamp(file)]) };
}

/** What is wrong with a settings file for us. In one without our hooks only `disableAllHooks` matters. */
function troubleIn(file: string, isOurs: boolean): string | undefined {
  const settings = settingsIn(file);
  if (typeof settings === 'string') {
    if (!isOurs) return undefined;
    return settings === 'gone'
      ? `${off}: ${file}, which calls it, is gone or cannot be read.`
      : `${off}: ${file}, which calls it, is no longer valid JSON, so the host ignores the whole file.`;
  }
  if (settings['disableAllHooks'] === true) return `${off}: ${file} now sets \`disableAllHooks\`.`;
  const hooks = objectIn(settings, 'hooks');
  const lost = NEEDED.filter((event) => !hasOwnLine(hooks[event] ?? null));
  return isOurs && lost.length > 0 ? `${off}: ${file} no longer calls it at ${lost.join(', ')}.` : undefined;
}

function settingsIn(file: string): JsonObject | 'gone' | 'broken' {
  const text = readText(file);
  return text === undefined ? 'gone' : (jsonObjectIn(text.replace(/^\ufeff/, '')) ?? 'broken');
}

/** The files that we are installed in, with their scope. No warning about entries that `uninstall` is removing. */
function installedIn(records: string, name: HostName): { readonly file: string; readonly scope: Json }[] {
  const value = settingsIn(records);
  return objectsIn(typeof value === 'string' ? {} : value, 'files').flatMap(
    ({ kind, leaving, host, scope = '', file }) =>
      kind === 'entries' && leaving !== true && host === name && typeof file === 'string'
        ? [{ file, scope }]
        : [],
  );
}

function isSame(one: string, other: string): boolean {
  const real = (file: string): string => attempt(() => realpathSync.native(file)) ?? file;
  return one === other || real(one) === real(other);
}
