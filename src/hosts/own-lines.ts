import { readText } from '../core/failure';
import type { HostName } from '../core/host-name';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn, objectIn, objectsIn } from '../core/json';
import { quoted } from '../core/text';
import type { DuplicateEntry, Entry, Finding } from './setup';

/** Part of every command line of ours: the file below the home that starts the hook. */
export const LAUNCH_MARK = 'holdpoint/launch';

/**
 * Timeout of an event in seconds; a host allows everything after it. We stop after five, but commands in the config
 * have a minute each.
 */
export const EVENT_SECONDS = 300;

/** The same for the end of a turn: gates run then, and stop 20 seconds before it. */
export const STOP_SECONDS = 600;

/** A host that gives us less time than this, the least that any allows, may go on before we have answered. */
const LEAST_SECONDS = 3;

const BY_HAND = /\bholdpoint(?:\.cjs)?["']?\s+hook\b|\bhook\.cjs\b/;
/** Keys in host settings that hold a command line. */
const LINE_KEYS = ['command', 'bash', 'powershell', 'commandWindows'];

/** All command lines in a value of a settings list, at any depth. */
export function linesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part: Json) => linesIn(part));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (typeof part !== 'string') return linesIn(part);
    if (!LINE_KEYS.includes(key)) return [];
    // Joins a command and its separate arguments into an equivalent shell line.
    const { args } = value;
    return Array.isArray(args) ? [part, ...args].map((word) => quoted(String(word))).join(' ') : part;
  });
}

/** Whether `install` wrote this value: then its line uses our launch file. */
export function hasOwnLine(value: Json): boolean {
  return linesIn(value).some((line) => line.includes(LAUNCH_MARK));
}

/** Whether a host runs our line in a value at every event that it is listed for, and waits for its answer. */
export function isUnlimited(value: Json): boolean {
  const handlers = [value, ...objectsIn({ ...(value as JsonObject) }, 'hooks').filter(hasOwnLine)];
  return handlers.filter(isJsonObject).every((handler) => {
    const { matcher = '', type = 'command', async, if: filter, timeout, timeoutSec } = handler;
    const isAny = ['', '*', '.*'].includes(String(matcher)) && filter === undefined;
    const isCut = Number(timeoutSec ?? timeout) < LEAST_SECONDS;
    return isAny && type === 'command' && async !== true && !isCut;
  });
}

/** A line that calls our hook but was not written by `install`. */
export function handWrittenEntry(value: Json): DuplicateEntry | undefined {
  const command = linesIn(value).find((line) => !line.includes(LAUNCH_MARK) && BY_HAND.test(line));
  return command === undefined ? undefined : { kind: 'by-hand', program: 'Holdpoint', command };
}

/** A value of ours for each event. */
export function hookEntries(events: readonly string[], value: (event: string) => JsonObject): Entry[] {
  return events.map((event) => ({ path: ['hooks', event], value: value(event) }));
}

/** The same as a group with one handler of ours. */
export function hookGroups(events: readonly string[], handler: (event: string) => JsonObject): Entry[] {
  return hookEntries(events, (event) => ({ hooks: [handler(event)] }));
}

/** A finding that our entries do not work. */
export function errorFound(id: string, text: string, fix: string): Finding {
  return { id, level: 'error', text, fix };
}

/**
 * Whether a settings file always starts us for this host at some of its events: such a line names the host, even if
 * written by hand. In a file that is not valid JSON the host finds no line.
 */
export function startsUs(file: string, name: HostName, isMeant: (event: string) => boolean): boolean {
  const hooks = objectIn(jsonObjectIn(fileText(file)), 'hooks');
  const lines = Object.keys(hooks)
    .filter(isMeant)
    .flatMap((event) => linesIn(objectsIn(hooks, event).filter(isUnlimited)));
  return lines.some((line) => line.includes('holdpoint') && new RegExp(`--host[ =]${name}\\b`).test(line));
}

/** The text of a file; empty if it cannot be read. */
export function fileText(file: string): string {
  return readText(file) ?? '';
}
