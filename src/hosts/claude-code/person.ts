import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/failure';
import { type Json, jsonObjectIn, listIn, objectIn, objectsIn, textIn } from '../../core/json';
import { ancestry, type ProcessFacts } from '../../exec/ancestry';
import type { Environment } from '../host';
import { fileText, hasOwnLine } from '../own-lines';
import { MANAGED, managedFiles } from './check-settings';
import { skillsFrom } from './skill';

/* Loaded only if a person may be about to answer. */

/** This process and its ancestors; the first one with its command line. */
export function ancestorsOf(pid: number): (ProcessFacts & { readonly line?: string })[] {
  return ancestry(pid).map((one, index) =>
    index === 0 ? { ...one, line: fileText(`/proc/${one.pid}/cmdline`).replaceAll('\0', ' ') } : one,
  );
}

/**
 * Other hooks that could answer for the person when this tool asks, from every readable settings file and plugin, and
 * from the front matter of skills. Each as `EVENT in FILE`.
 */
export function answeringHooks(tool: string, project: string, home: string, env: Environment): string[] {
  const config = env['CLAUDE_CONFIG_DIR'] || join(home, '.claude');
  const files = [
    join(config, 'settings.json'),
    join(project, '.claude', 'settings.json'),
    join(project, '.claude', 'settings.local.json'),
    ...MANAGED.flatMap(managedFiles),
    ...pluginFiles(config),
  ];
  const settings = files.map((file) => ({ file, head: jsonObjectIn(fileText(file)) }));
  return [...settings, ...skillsFrom(project, config)].flatMap(({ file, head }) => {
    const hooks = objectIn(head, 'hooks');
    return Object.keys(hooks)
      .filter((event) => listIn(hooks, event).some((group) => answers(event, group, tool)))
      .map((event) => `${event} in ${file}`);
  });
}

/** Whether a hook group may decide about the tool: it answers elicitations or permission requests, or names the tool. */
function answers(event: string, group: Json, tool: string): boolean {
  const handlers = objectsIn(group, 'hooks').filter((handler) => !hasOwnLine(handler));
  if (handlers.length === 0) return false;
  const matcher = textIn(group, 'matcher') ?? '';
  if (event === 'Elicitation') return true;
  if (event === 'PermissionRequest') return matches(matcher, tool);
  // One for every call is usually a log; one that picks out the question may rewrite it.
  const isPicked = matcher.includes(tool) || (matches(matcher, tool) && !matches(matcher, ''));
  return event === 'PreToolUse' && tool === 'AskUserQuestion' && isPicked;
}

/** Like the client's matchers: empty or `*` for all, a list of names, or a regular expression. */
function matches(matcher: string, tool: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w|, -]+$/.test(matcher)) return matcher.split(/[|,]/).some((name) => name.trim() === tool);
  return attempt(() => new RegExp(matcher).test(tool)) ?? true;
}

/** The hook files of installed plugins, except ours. */
function pluginFiles(config: string): string[] {
  const installed = jsonObjectIn(fileText(join(config, 'plugins', 'installed_plugins.json'))) ?? {};
  const plugins = objectIn(installed, 'plugins');
  return Object.keys(plugins)
    .filter((name) => !name.startsWith('holdpoint@'))
    .flatMap((name) => objectsIn(plugins, name))
    .flatMap((one) => {
      const dir = textIn(one, 'installPath');
      return dir === undefined
        ? []
        : [...jsonFilesIn(join(dir, 'hooks')), join(dir, '.claude-plugin', 'plugin.json')];
    });
}

function jsonFilesIn(dir: string): string[] {
  const names = attempt(() => readdirSync(dir)) ?? [];
  return names.filter((name) => name.endsWith('.json')).map((name) => join(dir, name));
}
