import { realpathSync } from 'node:fs';
import { attempt } from '../exec/attempt';
import { hasOwnLine, LAUNCH_MARK, linesIn } from '../hosts/own-lines';
import { readSmallFile } from '../state/files';
import { isJsonObject, type JsonObject, jsonIn, objectIn } from './json';
import { ABSENT, type CacheHead, type CompiledConfig, contentOf, summedStamp } from './project';
import { digest } from './text';

/** Settings of Claude Code below the project and the home, whose hooks and environment reach ours. */
export const SETTINGS_FILES = {
  project: ['.claude/settings.json', '.claude/settings.local.json'],
  home: ['.claude/settings.json'],
} as const;

/** Below the home: where an agent writes mods, which Claude Code loads in some modes without asking anybody. */
export const MODS = '.claude/dev-mods';

/** Variables that decide whether we are asked, which program is started in our place, and what our checks run. */
const DECIDING =
  /^(?:HOLDPOINT_|GAUNTLET_|IDLE_LOOP_|ISDLC_|JWZ_|NODE_|LD_|DYLD_|GLIBC_|OPENSSL_|MALLOC_|UV_|GIT_|GITHUB_|npm_config_|PYTHON|PYTEST_|CARGO_|COPILOT_|CLAUDE_(?:SKIP_REQUIREMENTS|PID|PROJECT_DIR|CONFIG_DIR|ENV_FILE|PLUGIN_|CODE_(?:STOP_HOOK|SESSION|CHILD|PLUGIN))|(?:CLAUDECODE|AI_AGENT|HOME|PATH|SHELL|IFS|BASH_ENV|ENV|ZDOTDIR|NVM_DIR|CODEX_HOME|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|CI|MAKEFLAGS|GOFLAGS|RUBYOPT|JAVA_TOOL_OPTIONS|MAVEN_OPTS|GRADLE_OPTS)$)/i;
/** Hooks of these events can answer a question in a person's place. */
const ANSWERING = ['PermissionRequest', 'Elicitation'];

/** What settings say that matters to us; our own entries by their digests. */
type Facts = {
  readonly off?: true;
  readonly env?: JsonObject;
  readonly ours?: JsonObject;
  /** Others' hooks that can answer in a person's place. */
  readonly answering?: JsonObject;
  readonly plugins?: readonly string[];
};
const UNREADABLE = '!';

/** The stamp of a host's settings: only what concerns us is in it. */
export function settingsStamp(file: string): string {
  return summedStamp(file, () => {
    // Hosts follow links, by which people keep their settings elsewhere.
    const real = attempt(() => realpathSync.native(file)) ?? file;
    const value = jsonIn(
      readSmallFile(real, LARGEST_SETTINGS)
        ?.replace(/^\ufeff/, '')
        .trim() || '{}',
    );
    return isJsonObject(value) ? JSON.stringify(factsIn(value)) : UNREADABLE;
  });
}

const LARGEST_SETTINGS = 1024 * 1024;

function factsIn(settings: JsonObject): Facts {
  const ours: Record<string, string> = {};
  const answering: Record<string, string> = {};
  for (const [event, list] of Object.entries(objectIn(settings, 'hooks'))) {
    if (!Array.isArray(list)) continue;
    const own = list.filter(hasOwnLine);
    if (own.length > 0) ours[event] = digest(JSON.stringify(own));
    const others = linesIn(list).filter((line) => !line.includes(LAUNCH_MARK));
    if (ANSWERING.includes(event) && others.length > 0) answering[event] = digest(others.join('\n'));
  }
  const env = Object.entries(objectIn(settings, 'env')).filter(([name]) => DECIDING.test(name));
  const plugins = Object.entries(objectIn(settings, 'enabledPlugins')).flatMap(([name, value]) =>
    name.startsWith('holdpoint@') && value === true ? [name] : [],
  );
  return {
    ...(settings['disableAllHooks'] === true && { off: true }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(Object.keys(ours).length > 0 && { ours }),
    ...(Object.keys(answering).length > 0 && { answering }),
    ...(plugins.length > 0 && { plugins }),
  };
}

/** What a stamp says; a file that is not there says nothing, and of one that cannot be read nobody knows. */
function factsOf(stamp: string): Facts | undefined {
  if (stamp === ABSENT) return {};
  const value = jsonIn(contentOf(stamp));
  return isJsonObject(value) ? (value as Facts) : undefined;
}

/** What became of a file on which Holdpoint rests. */
export interface Changed {
  readonly file: string;
  readonly what: string;
  /** It is about an entry of ours, which `uninstall` may remove. */
  readonly ofEntry?: true;
}

/** What became of the config files, and of what settings say about us. */
export function changesSince(before: CacheHead['stamps'], now: CacheHead['stamps']): Changed[] {
  const files = new Set([...before, ...now].map(([file]) => file));
  return [...files].flatMap((file) => {
    const [was = ABSENT, is = ABSENT] = [before, now].map(
      (stamps) => stamps.find(([one]) => one === file)?.[1],
    );
    if (contentOf(was) === contentOf(is)) return [];
    if (isModsPlace(file)) return is === ABSENT ? [] : [{ file, what: HAS_MODS }];
    const plain = is === ABSENT ? 'was removed' : was === ABSENT ? 'is new' : 'has changed';
    const found = isSettings(file) ? loosenedSettings(was, is) : [{ what: plain }];
    return found.map((one) => ({ file, ...one }));
  });
}

export function isModsPlace(file: string): boolean {
  return file.endsWith(`/${MODS}`);
}

const HAS_MODS = 'may have new mods, programs that Claude Code runs beside its hooks';

/** What has changed since a person last agreed to it. */
export function changesIn(config: CompiledConfig | undefined): Changed[] {
  const { agreed, stamps } = config?.head ?? {};
  return agreed === undefined || stamps === undefined ? [] : changesSince(agreed, stamps);
}

export function phraseOf({ file, what }: Changed): string {
  return `${file} ${what}`;
}

const SETTINGS =
  /\/(?:\.claude\/settings(?:\.local)?|\.gemini\/settings|\.(?:codex|cursor)\/hooks|\.github\/hooks\/[^/]+)\.json$/;

/** Whether a file is a host's: of it only what concerns us counts. */
export function isSettings(file: string): boolean {
  return SETTINGS.test(file);
}

/** What of a settings file was changed to our disadvantage since `before`, in words; empty where nothing was. */
function loosenedSettings(before: string, now: string): Omit<Changed, 'file'>[] {
  const [was = {}, is] = [before, now].map(factsOf);
  // Hosts ignore a file that they cannot read.
  if (is === undefined) return was.ours === undefined ? [] : [{ what: 'is no longer valid JSON' }];
  const gone = (event: string): boolean => is.ours?.[event] === undefined;
  const added = Object.keys(is.answering ?? {}).filter(
    (event) => is.answering?.[event] !== was.answering?.[event],
  );
  return [
    ...(is.off && !was.off ? [{ what: 'sets `disableAllHooks`' }] : []),
    ...variablesSet(was, is).map((name) => ({ what: `sets ${name} in \`env\`` })),
    ...(was.plugins?.some((name) => !is.plugins?.includes(name))
      ? [{ what: "disables Holdpoint's plugin" }]
      : []),
    // The same line once more may be slower, or answered too late to count.
    ...Object.keys({ ...was.ours, ...is.ours })
      .filter((event) => was.ours?.[event] !== is.ours?.[event])
      .map((event) => ({
        what: `${gone(event) ? 'no longer calls Holdpoint at' : "changes Holdpoint's entry for"} ${event}`,
        ofEntry: true as const,
      })),
    ...added.map((event) => ({ what: `adds a hook for ${event}` })),
  ];
}

/** The variables that decide something for us and that settings set to something else than before. */
function variablesSet(was: Facts, is: Facts): string[] {
  return Object.keys(is.env ?? {}).filter((name) => is.env?.[name] !== was.env?.[name]);
}

/** The same over all settings. */
export function variablesSince(before: CacheHead['stamps'], now: CacheHead['stamps']): string[] {
  const known = new Map(before);
  return now.flatMap(([file, stamp]) =>
    variablesSet(factsOf(known.get(file) ?? ABSENT) ?? {}, factsOf(stamp) ?? {}),
  );
}
