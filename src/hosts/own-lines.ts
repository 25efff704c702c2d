import { join } from 'node:path';
import type { HostName } from '../core/host-name';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { readText } from '../exec/attempt';
import { quoted } from './parse';
import type { Entry, Finding, Ground, HostSetup, Rival } from './setup';

/** What every command line of ours contains: the file below the home that starts the hook. */
export const LAUNCH_MARK = 'holdpoint/launch';

const BY_HAND = /\bholdpoint(?:\.cjs)?["']?\s+hook\b|\bhook\.cjs\b/;
/** Keys of the hosts' settings that hold a command line. */
const LINE_KEYS = ['command', 'bash', 'powershell', 'commandWindows'];

/** Every command line in a value of a settings list, also in its parts. */
export function linesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part: Json) => linesIn(part));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (typeof part !== 'string') return linesIn(part);
    if (!LINE_KEYS.includes(key)) return [];
    // A command and its separate arguments, as the line that a shell would run the same way.
    const { args } = value;
    return Array.isArray(args) ? [part, ...args].map((word) => quoted(String(word))).join(' ') : part;
  });
}

/** Whether `install` wrote this value: its line goes through our launch file. */
export function hasOwnLine(value: Json): boolean {
  return linesIn(value).some((line) => line.includes(LAUNCH_MARK));
}

/** A line that calls our hook and was not written by `install`. */
export function rivalByHand(value: Json): Rival | undefined {
  const command = linesIn(value).find((line) => !line.includes(LAUNCH_MARK) && BY_HAND.test(line));
  return command === undefined ? undefined : { kind: 'by-hand', program: 'Holdpoint', command };
}

/** How a host is set up whose settings hold command lines. */
export const BY_LINES: Pick<HostSetup, 'isOurs' | 'rival'> = { isOurs: hasOwnLine, rival: rivalByHand };

/** A group with one handler of ours for each event. */
export function hookGroups(events: readonly string[], handler: (event: string) => JsonObject): Entry[] {
  return events.map((event) => ({ path: ['hooks', event], value: { hooks: [handler(event)] } }));
}

/** What keeps our entries from working. */
export function errorFound(id: string, text: string, fix: string): Finding {
  return { id, level: 'error', text, fix };
}

/** The project's settings of Claude Code that call us: some other hosts run them too. */
export function claudeSettingsWithUs({ project }: Ground): readonly string[] {
  const files = ['.claude/settings.json', '.claude/settings.local.json'];
  return files.filter((file) => fileText(join(project, file)).includes(LAUNCH_MARK));
}

/** Whether a settings file starts us for this host: such a line names the host, even one written by hand. */
export function startsUs(file: string, name: HostName): boolean {
  const text = fileText(file);
  return text.includes('holdpoint') && new RegExp(`--host[ =]${name}\\b`).test(text);
}

/** The text of a file; empty where it cannot be read. */
export function fileText(file: string): string {
  return readText(file) ?? '';
}
