import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../core/json';
import { listIn, objectIn } from '../loose-fields';
import { hasOwnLine } from '../own-lines';
import type { Finding } from '../setup';
import { hookHash, labelOf } from './hook-hash';
import { type HookState, hookStates } from './hook-states';
import { hooksChanged, hooksOff, hooksTrusted, hooksUntrusted, oneHookOff } from './messages';

/** What in Codex's own files keeps our hooks from running: it skips a hook that nobody has trusted, and says nothing. */
export function examine(file: string, codexHome: string, settings: Json | undefined): readonly Finding[] {
  const config = textOf(join(codexHome, 'config.toml'));
  const off = /^\s*hooks\s*=\s*false/m.test(section(config, 'features'));
  const ours = ownHooks(settings);
  if (ours.length === 0) return off ? [hooksOff()] : [];
  const states = hookStates(config);
  const known = ours.map((hook) => ({ ...hook, state: stateOf(states, file, hook) }));
  const untrusted = known.filter(({ state }) => state?.trustedHash === undefined);
  const changed = known.filter(
    ({ state, hash }) => state?.trustedHash !== undefined && state.trustedHash !== hash,
  );
  const fine = untrusted.length === 0 && changed.length === 0;
  return [
    ...(off ? [hooksOff()] : []),
    ...(untrusted.length > 0 ? [hooksUntrusted(eventsOf(untrusted))] : []),
    ...(changed.length > 0 ? [hooksChanged(eventsOf(changed))] : []),
    ...(fine ? [hooksTrusted()] : []),
    ...known.filter(({ state }) => state?.enabled === false).map(({ event }) => oneHookOff(event)),
  ];
}

function eventsOf(hooks: readonly OwnHook[]): string[] {
  return hooks.map(({ event }) => event);
}

interface OwnHook {
  readonly event: string;
  readonly group: number;
  readonly index: number;
  readonly hash: string;
}

function ownHooks(settings: Json | undefined): OwnHook[] {
  const events = isJsonObject(settings) ? objectIn(settings, 'hooks') : {};
  return Object.keys(events).flatMap((event) =>
    listIn(events, event).flatMap((value, group) =>
      (isJsonObject(value) ? listIn(value, 'hooks') : []).flatMap((hook, index) =>
        isJsonObject(hook) && hasOwnLine(hook) ? [{ event, group, index, hash: hookHash(event, hook) }] : [],
      ),
    ),
  );
}

/** Codex names a hook by its file, event and place. */
function stateOf(
  states: ReadonlyMap<string, HookState>,
  file: string,
  { event, group, index }: OwnHook,
): HookState | undefined {
  const place = `:${labelOf(event)}:${group}:${index}`;
  return states.get(`${file}${place}`) ?? states.get(`${realPath(file)}${place}`);
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The lines of one table, without those of the tables below it. */
function section(toml: string, name: string): string {
  const lines = toml.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trim() === `[${name}]`);
  if (begin < 0) return '';
  const end = lines.findIndex((line, number) => number > begin && line.trimStart().startsWith('['));
  return lines.slice(begin + 1, end < 0 ? undefined : end).join('\n');
}
