import { isJsonObject, type Json, type JsonObject } from '../../core/json';

type Test = (value: Json | undefined) => boolean;

const text: Test = (value) => typeof value === 'string';
const flag: Test = (value) => typeof value === 'boolean';
const count: Test = (value) => typeof value === 'number' && value >= 0;
const seconds: Test = (value) => typeof value === 'number' && value > 0;
const texts: Test = (value) => Array.isArray(value) && value.every(text);
const mapping: Test = (value) => isJsonObject(value);
const textMapping: Test = (value) => isJsonObject(value) && Object.values(value).every(text);

/** What the common keys of the client's settings must hold. It drops a whole file for one that is wrong. */
const SETTINGS: Readonly<Record<string, Test>> = {
  permissions: mapping,
  hooks: mapping,
  env: textMapping,
  disableAllHooks: flag,
  allowManagedHooksOnly: flag,
  model: text,
  apiKeyHelper: text,
  cleanupPeriodDays: count,
  includeCoAuthoredBy: flag,
  enableAllProjectMcpServers: flag,
  enabledMcpjsonServers: texts,
  disabledMcpjsonServers: texts,
  statusLine: mapping,
  outputStyle: text,
  enabledPlugins: mapping,
  extraKnownMarketplaces: mapping,
  sandbox: mapping,
};
const PERMISSIONS: Readonly<Record<string, Test>> = {
  allow: texts,
  deny: texts,
  ask: texts,
  additionalDirectories: texts,
  defaultMode: text,
};
const GROUP: Readonly<Record<string, Test>> = { matcher: text, hooks: (value) => Array.isArray(value) };
const HANDLER: Readonly<Record<string, Test>> = {
  type: (value) => ['command', 'http', 'prompt', 'agent', 'mcp_tool'].includes(String(value)),
  command: text,
  args: texts,
  url: text,
  prompt: text,
  timeout: seconds,
  if: text,
  statusMessage: text,
  once: flag,
  async: flag,
  asyncRewake: flag,
  onFailure: text,
};

/** The keys that hold something the client does not take, as paths such as `hooks.Stop[0].hooks[0].timeout`. */
export function wrongKeys(settings: Json | undefined): string[] {
  if (!isJsonObject(settings)) return [];
  const { permissions, hooks } = settings as Record<string, Json>;
  return [
    ...wrongIn(settings, SETTINGS, ''),
    ...(isJsonObject(permissions) ? wrongIn(permissions, PERMISSIONS, 'permissions.') : []),
    ...(isJsonObject(hooks)
      ? Object.entries(hooks).flatMap(([event, list]) => wrongInEvent(event, list))
      : []),
  ];
}

function wrongInEvent(event: string, list: Json | undefined): string[] {
  const at = `hooks.${event}`;
  if (!Array.isArray(list)) return [at];
  return list.flatMap((group: Json, index) => {
    if (!isJsonObject(group)) return [`${at}[${index}]`];
    const handlers = Array.isArray(group['hooks']) ? group['hooks'] : [];
    return [
      ...wrongIn({ hooks: null, ...group }, GROUP, `${at}[${index}].`),
      ...handlers.flatMap((handler: Json, place) => {
        const name = `${at}[${index}].hooks[${place}]`;
        return isJsonObject(handler) ? wrongIn({ type: null, ...handler }, HANDLER, `${name}.`) : [name];
      }),
    ];
  });
}

function wrongIn(found: JsonObject, tests: Readonly<Record<string, Test>>, path: string): string[] {
  return Object.keys(found).flatMap((key) => {
    const test = Object.hasOwn(tests, key) ? tests[key] : undefined;
    const value = found[key];
    return test === undefined || value === undefined || test(value) ? [] : [`${path}${key}`];
  });
}
