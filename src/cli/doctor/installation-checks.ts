import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf, readText } from '../../core/failure';
import { jsonIn, jsonObjectIn, objectIn } from '../../core/json';
import { hasPlugin } from '../../hosts/claude-code/check-settings';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import type { InstallTarget } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { findServer } from '../../server/control';
import { placeAt } from '../../server/runtime-place';
import type { Layout } from '../../state/documents';
import { readJournal } from '../../state/journal';
import { sendTwice } from '../event-server';
import {
  callsUs,
  handWrittenLines,
  type InstalledFile,
  isOurs,
  type WiredLine,
  wiredLines,
} from '../install/installed-state';
import { type LaunchState, launchState, ownDist } from '../install/launch';
import { isByHand } from '../log/entries';
import type { ProjectContext } from '../project';
import { buildProbeStage, eventToHold, isHeld } from './probe';
import {
  advice,
  type Check,
  type Fix,
  type FixContext,
  failed,
  installFix,
  passed,
  reinstallFix,
  replaceFix,
  uninstallFix,
  warned,
} from './report';

/** Whether hosts call the hook, at which events, what prevents it, and whether the called files exist. */
export function installationChecks(fixContext: FixContext): Check[] {
  const { files } = fixContext;
  const byPlugin = files.some(({ host, settings }) => host === 'claude-code' && hasPlugin(settings));
  const hosts = new Set(files.filter(isWired).map(({ host }) => host));
  const wired = files.filter(({ host }) => hosts.has(host));
  const uncalled = 'no settings file of any host calls Holdpoint: new sessions are not held';
  return [
    ...(hosts.size === 0 && !byPlugin ? [failed('hook.installed', uncalled, installFix(fixContext))] : []),
    ...(byPlugin ? [passed('hook.installed', 'claude-code calls the hook by the plugin')] : []),
    ...files.filter(isWired).flatMap((found) => fileChecks(found, fixContext)),
    ...files.flatMap((found) => unreadableChecks(found, hosts.has(found.host), fixContext)),
    ...files.flatMap((found) => duplicateChecks(found, fixContext)),
    ...secondLineChecks(fixContext),
    ...onceEach(wired.flatMap((file) => examined(file, fixContext))),
    ...launchChecks(fixContext),
  ];
}

/** A host may report the same finding for each of its scopes. */
function onceEach(checks: readonly Check[]): Check[] {
  return checks.filter(
    ({ id, message }, at) => checks.findIndex((one) => one.id === id && one.message === message) === at,
  );
}

function isWired(file: InstalledFile): boolean {
  return isOurs(file) || handWrittenLines(file).length > 0;
}

function fileChecks(found: InstalledFile, fixContext: FixContext): Check[] {
  const { host, file, state, missing } = found;
  const again = reinstallFix(found, fixContext);
  switch (state) {
    case 'whole':
      return [passed('hook.installed', `${host}: ${file}`)];
    case 'other':
      return [warned('hook.outdated', `${file} calls the hook, but not the way this version would`, again)];
    case 'partial': {
      const what = `${file} does not call the hook at every event; missing or limited: ${missing.join(', ')}`;
      return [failed('hook.missing', what, again)];
    }
    case 'none':
    case 'unreadable':
      return [];
  }
}

/** An unreadable home is reported once, by its own check. */
function unreadableChecks(found: InstalledFile, matters: boolean, { homeAdvice }: FixContext): Check[] {
  const { file, scope, trouble, troubleWith } = found;
  if (trouble === undefined || (scope === 'user' && homeAdvice !== undefined)) return [];
  const isText = troubleWith === 'text';
  const fix = advice(isText ? `Fix ${file}` : `Make ${file} readable`);
  return [matters ? failed('hook.settings', trouble, fix) : warned('hook.settings', trouble, fix)];
}

const BY_INSTALLED = 'Replace it with the installed entries';

function duplicateChecks(found: InstalledFile, fixContext: FixContext): Check[] {
  return found.duplicates.map(({ kind, program, command }) => {
    if (kind === 'by-hand') {
      const what = `${found.file} calls the hook by a handwritten line: \`${command}\``;
      return warned('hook.by-hand', what, replaceFix(found, fixContext, BY_INSTALLED));
    }
    const what = `${found.file} also calls ${program}, which Holdpoint replaces: \`${command}\``;
    const fix = replaceFix(found, fixContext, 'Remove it; `holdpoint uninstall` restores it');
    return warned('hook.older-program', what, fix);
  });
}

/** Hosts run the same line in two files only once, but different lines both. */
function secondLineChecks(fixContext: FixContext): Check[] {
  return [...new Set(fixContext.files.map(({ host }) => host))].flatMap((host) => {
    const mine = fixContext.files.filter((file) => file.host === host && isWired(file));
    const [first, second] = mine;
    if (first === undefined || second === undefined) return [];
    const where = mine.map(({ file }) => file).join(' and ');
    if (wiredLines(mine).length === 1)
      return [passed('hook.twice', `${host}: ${where} have the same line, which runs once`)];
    const message = `${host}: ${where} call the hook by different lines: it runs more than once for each event`;
    return [warned('hook.twice', message, oneLineFor(mine, second, fixContext))];
  });
}

/** How to get a single line: reinstall the file with a different line, or else uninstall from one file. */
function oneLineFor(mine: readonly InstalledFile[], last: InstalledFile, fixContext: FixContext): Fix {
  const byHand = mine.find((file) => handWrittenLines(file).length > 0);
  if (byHand !== undefined) return replaceFix(byHand, fixContext, BY_INSTALLED);
  const other = mine.find(({ state }) => state === 'other');
  return other === undefined ? uninstallFix(last, fixContext) : reinstallFix(other, fixContext);
}

function examined({ host, scope, settings }: InstalledFile, { target }: FixContext): Check[] {
  const findings = setupOf(host).examine?.(scope, target, settings) ?? [];
  return findings.map(({ id, level, text, fix }) => {
    if (level === 'fine') return passed(`hook.${id}`, text);
    const tell = level === 'warning' ? warned : failed;
    return tell(`hook.${id}`, text, fix === undefined ? null : advice(fix));
  });
}

/** Whether Claude Code calls us at all, and when a host last did. */
export function registeredChecks(project: ProjectContext | undefined, home: string): Check[] {
  const registered = registeredCheck(claudeSettings(project?.root, home));
  return project === undefined ? [registered] : [registered, lastRunCheck(project.layout)];
}

/** The settings files of Claude Code: those of a project, if there is one, and the user's. */
export function claudeSettings(root: string | undefined, home: string): string[] {
  const inProject = ['.claude/settings.json', '.claude/settings.local.json'];
  const own = root === undefined ? [] : inProject.map((name) => join(root, name));
  return [...own, join(home, '.claude/settings.json')];
}

function registeredCheck(files: readonly string[]): Check {
  const read = files.map((file) => ({ file, events: eventsIn(file) }));
  const broken = read.find(({ events }) => events === 'unreadable');
  if (broken !== undefined)
    return warned('hook.registered', `${broken.file} is not valid JSON`, advice('Fix it'));
  const ours = read.flatMap(({ file, events }) =>
    events === 'unreadable' || events.length === 0 ? [] : [{ file, events }],
  );
  const fix = advice('Let the host call `holdpoint hook` for PreToolUse, Stop and SessionStart');
  if (ours.length === 0)
    return warned('hook.registered', 'no settings file of Claude Code calls `holdpoint hook`', fix);
  const told = ours.map(({ file, events }) => `${file} (${events.join(', ')})`).join('; ');
  if (ours.some(({ events }) => events.includes('PreToolUse'))) return passed('hook.registered', told);
  return warned('hook.registered', `${told}: nothing is held before a tool runs`, fix);
}

/** The events for which a settings file calls the hook; none for a missing file. */
export function eventsIn(file: string): readonly string[] | 'unreadable' {
  const text = readText(file);
  if (text === undefined) return [];
  const settings = jsonIn(text);
  if (settings === undefined) return 'unreadable';
  const hooks = objectIn(settings, 'hooks');
  return Object.keys(hooks).filter((event) => callsUs(hooks[event] ?? null));
}

/** The time of the last event in the journal. */
export function lastRunCheck(layout: Layout): Check {
  let last = '';
  for (const entry of readJournal(layout)) {
    const { at, event } = entry;
    if (!isByHand(entry) && typeof at === 'string') last = `${at} (${String(event ?? 'unknown')})`;
  }
  if (last !== '') return passed('hook.last-run', `the last event in the journal came at ${last}`);
  const fix = advice('Let the agent try an edit, then run this again');
  return warned('hook.last-run', 'the journal has no event yet', fix);
}

/** Whether the files that the installed lines start exist and are of this version. */
function launchChecks(fixContext: FixContext): Check[] {
  const wired = fixContext.lines.find(({ line }) => line.includes(LAUNCH_MARK));
  // Without a home there is nowhere to look; another check reports that.
  if (wired === undefined || fixContext.homeAdvice !== undefined) return [];
  const again = reinstallFix(wired.found, fixContext, 'Write it again');
  const state = launchState(fixContext.target.home);
  const { file, hook } = state;
  if (!state.present) return [failed('hook.launch', `${file} is missing, so the hooks start nothing`, again)];
  if (hook === undefined) return [failed('hook.launch', `${file} is damaged: it starts no hook`, again)];
  const changed = `${file} was changed since it was written, so sessions that run now are held by it`;
  if (state.changed) return [warned('hook.launch', changed, again)];
  return [placesCheck(state, hook, again), versionCheck(state, hook, again)];
}

/** The launch file can make up for missing files; the `hook.fires` check shows whether it does. */
function placesCheck(state: LaunchState, hook: string, again: Fix): Check {
  const { file, node, nodeThere, hookThere, copyThere } = state;
  if (!hookThere && !copyThere)
    return failed('hook.launch', `${file} points to ${hook}, which is missing, and so is its copy`, again);
  if (!hookThere) return warned('hook.launch', `${hook} is missing; its copy is used`, again);
  const search = `${node ?? 'Node'} is missing; every event searches for another Node`;
  if (!nodeThere) return warned('hook.launch', search, again);
  return passed('hook.launch', `${file} points to ${hook}`);
}

function versionCheck({ copy }: LaunchState, hook: string, again: Fix): Check {
  const dist = dirname(hook);
  if (dist === ownDist()) return passed('hook.version', `Holdpoint ${__VERSION__} is what hosts call`);
  const beside = jsonObjectIn(readText(join(dist, '..', 'package.json')) ?? '')?.['version'];
  const version = typeof beside === 'string' ? beside : (copy?.split('-')[0] ?? 'another version');
  return version === __VERSION__
    ? passed('hook.version', `hosts call Holdpoint ${version} in ${dist}`)
    : warned('hook.version', `hosts call Holdpoint ${version} in ${dist}; this is ${__VERSION__}`, again);
}

/** Whether a server answers events, if one is wanted. Without it every event starts a process. */
export async function residentChecks(fixContext: FixContext): Promise<Check[]> {
  const { home } = fixContext.target;
  const { present, hook, resident } = launchState(home);
  const wired = fixContext.lines.find(({ host }) => eventToHold(host, home) !== undefined);
  if (!present || wired === undefined) return [];
  if (resident === undefined) return [passed('hook.resident', 'no server: every event starts a process')];
  const again = reinstallFix(wired.found, fixContext, 'Set it up again');
  if (!existsSync(resident.client))
    return [warned('hook.resident', `${resident.client} is missing, so nothing reaches the server`, again)];
  const found = await findServer(placeAt(resident.socket));
  if (found.kind === 'silent') {
    const fix = advice('Stop it; the next event starts another', 'holdpoint serve --stop');
    const what = 'does not respond; events wait for it, then are decided without it';
    return [warned('hook.resident', `the server (process ${found.holder.pid}) ${what}`, fix)];
  }
  try {
    return [await serverCheck(wired, resident, dirname(hook ?? ''), fixContext.target, again)];
  } catch (error) {
    return [warned('hook.resident', `the server could not be tested: ${detailOf(error)}`)];
  }
}

async function serverCheck(
  wired: WiredLine,
  { socket, client }: NonNullable<LaunchState['resident']>,
  dist: string,
  { home, env }: InstallTarget,
  again: Fix,
): Promise<Check> {
  const stage = buildProbeStage(home);
  try {
    const { before, reply, after } = await sendTwice(() => stage.send(wired, env), socket);
    if (before === undefined)
      return warned('hook.resident', `no server starts at ${socket}; events are decided without it`, again);
    const server = `the server (process ${before.pid}, ${before.version})`;
    if (reply === undefined || !isHeld(reply.stdout, reply.exitCode))
      return failed('hook.resident', `a commit that must be held was allowed by ${server}`, again);
    if (before.dist !== dist)
      return warned('hook.resident', `${server} runs from ${before.dist}, but hosts call ${dist}`, again);
    if (after === undefined || after.answered <= before.answered)
      return warned('hook.resident', `${server} runs, but did not answer the event itself`, again);
    const how = `reached by ${client}, holds a commit that must be held; ${after.answered} answered so far`;
    return passed('hook.resident', `the server (process ${after.pid}, ${after.version}), ${how}`);
  } finally {
    stage.remove();
  }
}
