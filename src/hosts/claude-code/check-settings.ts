import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/failure';
import { isDisabled } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn, listIn, objectIn } from '../../core/json';
import { errorFound, fileText, hasOwnLine, linesIn } from '../own-lines';
import type { Finding, Scope } from '../setup';

/** Directories of an organisation's managed settings, which override all others. */
export const MANAGED = [
  '/etc/claude-code',
  '/Library/Application Support/ClaudeCode',
  'C:\\Program Files\\ClaudeCode',
];

/**
 * What in a settings file of Claude Code keeps our entries from working, or makes them run twice. Managed settings are
 * examined together with the user's.
 */
export function examine(
  scope: Scope,
  file: string,
  settings: Json | undefined,
  managed: readonly string[] = MANAGED,
): readonly Finding[] {
  return [
    ...(isJsonObject(settings) ? examineFile(file, settings) : []),
    ...(scope === 'user' ? managed.flatMap(managedFiles).flatMap(examineManaged) : []),
  ];
}

function examineFile(file: string, settings: JsonObject): Finding[] {
  const keys = wrongKeys(settings).join(', ');
  const wrong = `${file}: Claude Code does not accept the value of ${keys}; it may ignore the whole file because of it, and with it Holdpoint's entries`;
  const isDoubled = hasPlugin(settings) && hasOwnLine(settings['hooks'] ?? null);
  const doubled: Finding = {
    id: 'plugin-and-settings',
    level: 'warning',
    text: `the plugin and ${file} both call the hook: every event runs it twice`,
    fix: '`holdpoint uninstall`, or `claude plugin disable holdpoint@holdpoint`',
  };
  return [
    ...(keys === '' ? [] : [errorFound('wrong-key', wrong, `Correct or remove ${keys}`)]),
    ...allDisabled(file, settings),
    ...(isDoubled ? [doubled] : []),
    ...otherHooks(file, settings),
  ];
}

function allDisabled(file: string, settings: JsonObject): Finding[] {
  const hooks = `${file} says \`disableAllHooks\`: Claude Code runs no hook`;
  const ours = `${file} sets HOLDPOINT_DISABLE in \`env\``;
  return [
    ...(settings['disableAllHooks'] === true
      ? [errorFound('hooks-disabled', hooks, `Remove \`disableAllHooks\` from ${file}`)]
      : []),
    ...(isDisabled(objectIn(settings, 'env') as Readonly<Record<string, string>>)
      ? [errorFound('disabled-by-env', ours, `Remove HOLDPOINT_DISABLE from ${file}`)]
      : []),
  ];
}

/** Whether a finding with this id means that Holdpoint decides nothing in this host. */
export function runsNoHook(id: string): boolean {
  return ['hooks-disabled', 'disabled-by-env', 'managed-only'].includes(id);
}

function examineManaged(file: string): Finding[] {
  const settings = jsonObjectIn(fileText(file)) ?? {};
  const text = `${file} says \`allowManagedHooksOnly\`: Claude Code runs only your organisation's hooks`;
  const fix = 'Ask whoever manages this machine to add Holdpoint to the managed settings';
  const isOnly = settings['allowManagedHooksOnly'] === true;
  return [...allDisabled(file, settings), ...(isOnly ? [errorFound('managed-only', text, fix)] : [])];
}

export function managedFiles(dir: string): string[] {
  const parts = join(dir, 'managed-settings.d');
  const names = attempt(() => readdirSync(parts)) ?? [];
  return [join(dir, 'managed-settings.json'), ...names.map((name) => join(parts, name))];
}

/** Whether the settings enable our plugin, which has the same hooks. */
export function hasPlugin(settings: Json | undefined): boolean {
  const plugins = isJsonObject(settings) ? objectIn(settings, 'enabledPlugins') : {};
  return Object.keys(plugins).some((key) => key.startsWith('holdpoint@') && plugins[key] === true);
}

/** Other hooks for our events. They do no harm, but may be what holds an agent. */
function otherHooks(file: string, settings: JsonObject): Finding[] {
  const hooks = objectIn(settings, 'hooks');
  const others = Object.keys(hooks).flatMap((event) => {
    const list = listIn(hooks, event);
    if (!list.some(hasOwnLine)) return [];
    const lines = linesIn(list).filter((line) => !hasOwnLine({ command: line }));
    return lines.map((line) => `${event}: ${line}`);
  });
  if (others.length === 0) return [];
  const shown = others.slice(0, 3).map((line) => (line.length > 60 ? `${line.slice(0, 59)}…` : line));
  const more = others.length > 3 ? `; and ${others.length - 3} more` : '';
  const count = others.length === 1 ? '1 other hook' : `${others.length} other hooks`;
  const text = `${file} has ${count} for the same events beside Holdpoint's (${shown.join('; ')}${more})`;
  return [{ id: 'other-hooks', level: 'fine', text }];
}

type Test = (value: Json | undefined) => boolean;
type Tests = Readonly<Record<string, Test>>;

const text: Test = (value) => typeof value === 'string';
const flag: Test = (value) => typeof value === 'boolean';
const texts: Test = (value) => Array.isArray(value) && value.every(text);
const object: Test = (value) => isJsonObject(value);

/** Valid values of the client's common settings. It drops a whole file for one invalid value. */
const SETTINGS: Tests = {
  permissions: object,
  hooks: object,
  env: (value) => isJsonObject(value) && Object.values(value).every(text),
  disableAllHooks: flag,
  allowManagedHooksOnly: flag,
  model: text,
  apiKeyHelper: text,
  cleanupPeriodDays: (value) => typeof value === 'number' && value >= 0,
  includeCoAuthoredBy: flag,
  enableAllProjectMcpServers: flag,
  enabledMcpjsonServers: texts,
  disabledMcpjsonServers: texts,
  statusLine: object,
  outputStyle: text,
  enabledPlugins: object,
  extraKnownMarketplaces: object,
  sandbox: object,
};
const PERMISSIONS: Tests = {
  allow: texts,
  deny: texts,
  ask: texts,
  additionalDirectories: texts,
  defaultMode: text,
};
const GROUP: Tests = { matcher: text, hooks: (value) => Array.isArray(value) };
const HANDLER: Tests = {
  type: (value) => ['command', 'http', 'prompt', 'agent', 'mcp_tool'].includes(String(value)),
  command: text,
  args: texts,
  url: text,
  prompt: text,
  timeout: (value) => typeof value === 'number' && value > 0,
  if: text,
  statusMessage: text,
  once: flag,
  async: flag,
  asyncRewake: flag,
  onFailure: text,
};

/** The invalid settings, as paths such as `hooks.Stop[0].hooks[0].timeout`. */
export function wrongKeys(settings: JsonObject): string[] {
  const hooks = objectIn(settings, 'hooks');
  return [
    ...wrongIn(settings, SETTINGS, ''),
    ...wrongIn(objectIn(settings, 'permissions'), PERMISSIONS, 'permissions.'),
    ...Object.entries(hooks).flatMap(([event, list]) => wrongInEvent(`hooks.${event}`, list)),
  ];
}

function wrongInEvent(path: string, list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [path];
  return list.flatMap((group: Json, index) => {
    const at = `${path}[${index}]`;
    if (!isJsonObject(group)) return [at];
    const handlers = listIn(group, 'hooks').flatMap((handler, place) =>
      isJsonObject(handler)
        ? wrongIn({ type: null, ...handler }, HANDLER, `${at}.hooks[${place}].`)
        : [`${at}.hooks[${place}]`],
    );
    return [...wrongIn({ hooks: null, ...group }, GROUP, `${at}.`), ...handlers];
  });
}

function wrongIn(found: JsonObject, tests: Tests, path: string): string[] {
  const keys = Object.keys(found).filter((key) => Object.hasOwn(tests, key) && !tests[key]?.(found[key]));
  return keys.map((key) => `${path}${key}`);
}
