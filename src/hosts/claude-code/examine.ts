import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { hasOwnLine, linesIn } from '../own-lines';
import type { Finding, Ground, Scope } from '../setup';
import * as say from './examine-messages';
import { wrongKeys } from './known-keys';
import { settingsFile } from './settings-file';

/** Where an organisation's own settings lie; they win over all others. */
const MANAGED = [
  '/etc/claude-code',
  '/Library/Application Support/ClaudeCode',
  'C:\\Program Files\\ClaudeCode',
];
const PLUGIN = /^holdpoint@/;

/**
 * What in a settings file of Claude Code keeps our entries from working, or makes them work twice. The
 * organisation's settings are looked at together with the person's.
 */
export function examine(
  scope: Scope,
  ground: Ground,
  settings: Json | undefined,
  managed: readonly string[] = MANAGED,
): readonly Finding[] {
  const file = settingsFile(scope, ground);
  return [
    ...examineFile(file, settings),
    ...(scope === 'user' ? managed.flatMap(managedFiles).flatMap((one) => examineManaged(one)) : []),
  ];
}

function examineFile(file: string, settings: Json | undefined): Finding[] {
  if (!isJsonObject(settings)) return [];
  const wrong = wrongKeys(settings);
  return [
    ...(wrong.length > 0 ? [say.wrongKeys(file, wrong)] : []),
    ...(settings['disableAllHooks'] === true ? [say.allDisabled(file)] : []),
    ...(hasPlugin(settings) && hasOwnLine(settings['hooks'] ?? null) ? [say.pluginToo(file)] : []),
    ...otherHooks(file, settings),
  ];
}

function examineManaged(file: string): Finding[] {
  const settings = settingsIn(file);
  return [
    ...(settings['disableAllHooks'] === true ? [say.allDisabled(file)] : []),
    ...(settings['allowManagedHooksOnly'] === true ? [say.onlyManaged(file)] : []),
  ];
}

/** Hooks of others at our events. They do no harm, but whoever looks for what holds an agent wants to know. */
function otherHooks(file: string, settings: JsonObject): Finding[] {
  const hooks = isJsonObject(settings['hooks']) ? settings['hooks'] : {};
  const others = Object.entries(hooks).flatMap(([event, list]) => {
    if (!Array.isArray(list) || !list.some((group: Json) => hasOwnLine(group))) return [];
    return linesIn(list)
      .filter((line) => !hasOwnLine({ command: line }))
      .map((line) => `${event}: ${line}`);
  });
  return others.length === 0 ? [] : [say.others(file, others)];
}

function managedFiles(dir: string): string[] {
  const parts = join(dir, 'managed-settings.d');
  try {
    return [join(dir, 'managed-settings.json'), ...readdirSync(parts).map((name) => join(parts, name))];
  } catch {
    return [join(dir, 'managed-settings.json')];
  }
}

/** Whether the plugin is switched on there, which brings the same hooks. */
export function hasPlugin(settings: Json | undefined): boolean {
  const plugins = isJsonObject(settings) ? settings['enabledPlugins'] : undefined;
  return (
    isJsonObject(plugins) && Object.keys(plugins).some((key) => PLUGIN.test(key) && plugins[key] === true)
  );
}

function settingsIn(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
