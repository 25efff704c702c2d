import { realpathSync } from 'node:fs';
import { runsNoHooks } from '../hosts/codex/setup';
import { hasOwnLine, LAUNCH_MARK, linesIn } from '../hosts/own-lines';
import { readSmallFile } from '../state/files';
import { attempt } from './failure';
import { isJsonObject, type JsonObject, jsonIn, objectIn } from './json';
import { ABSENT, type CacheHead, type CompiledConfig, contentOf, digestStamp } from './project';
import { digest } from './text';

/** Claude Code's settings in the project and the home: their hooks and environment affect ours. */
export const SETTINGS_FILES = {
  project: ['.claude/settings.json', '.claude/settings.local.json'],
  home: ['.claude/settings.json'],
} as const;

/** In the home: agents write mods here, which Claude Code loads in some modes without asking anybody. */
export const MODS_DIR = '.claude/dev-mods';

/** Variables that decide whether we are called, which program starts instead, and what programs load: what our checks run. */
const RELEVANT_VARIABLES =
  /^(?:HOLDPOINT_|GAUNTLET_|IDLE_LOOP_|ISDLC_|JWZ_|NODE_|LD_|DYLD_|GLIBC_|OPENSSL_|MALLOC_|UV_|GIT_|GITHUB_|npm_config_|PYTHON|PYTEST_|CARGO|RUST|COPILOT_|PHP_|R_|TOX|BASH_FUNC_|CLAUDE_(?:SKIP_REQUIREMENTS|PID|PROJECT_DIR|CONFIG_DIR|ENV_FILE|PLUGIN_|CODE_(?:STOP_HOOK|SESSION|CHILD|PLUGIN))|(?:CLAUDECODE|AI_AGENT|HOME|PATH|SHELL|IFS|BASH_ENV|SHELLOPTS|ENV|ZDOTDIR|NVM_DIR|CODEX_HOME|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|CI|GOENV)$)|(?:OPTS?|OPTIONS|FLAGS|ARGS|PATH|LIB|FILES|WRAPPER|HOOKS|PRELOAD|STARTUP|INIT|RC|SHELL|TOOLCHAIN)$/i;
/** Hooks of these events can answer a question for a person. */
const ANSWERING = ['PermissionRequest', 'Elicitation'];
/** Besides hooks, command lines that Claude Code runs by itself. */
const PROGRAMS = [
  ...['statusLine', 'fileSuggestion', 'apiKeyHelper', 'otelHeadersHelper'],
  ...['awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'],
];

/** What matters to us in settings; our own entries as digests. */
type SettingsFacts = {
  /** The setting that switches hooks off. */
  readonly off?: string;
  readonly env?: JsonObject;
  readonly ours?: JsonObject;
  /** What the host runs besides us, where no rule sees it: hooks of others and `PROGRAMS`, as digests. */
  readonly others?: JsonObject;
  readonly plugins?: readonly string[];
};
const UNREADABLE = '!';

/** The stamp of a host's settings, which covers only what concerns us. */
export function settingsStamp(file: string): string {
  return digestStamp(file, () => {
    // Hosts follow symlinks to settings kept elsewhere, such as dotfiles.
    const real = attempt(() => realpathSync.native(file)) ?? file;
    const text = readSmallFile(real, LARGEST_SETTINGS)
      ?.replace(/^\ufeff/, '')
      .trim();
    if (file.endsWith('.toml')) return JSON.stringify(runsNoHooks(text ?? '') ? { off: '`hooks`' } : {});
    const value = text === '' ? {} : jsonIn(text ?? '');
    return isJsonObject(value) ? JSON.stringify(factsIn(value)) : UNREADABLE;
  });
}

/** Far more than anybody's settings: what we did not read would go unnoticed. */
const LARGEST_SETTINGS = 128 * 1024 * 1024;

function factsIn(settings: JsonObject): SettingsFacts {
  const ours: Record<string, string> = {};
  const others: Record<string, string> = {};
  for (const [event, list] of Object.entries(objectIn(settings, 'hooks'))) {
    if (!Array.isArray(list)) continue;
    const own = list.filter(hasOwnLine);
    if (own.length > 0) ours[event] = digest(JSON.stringify(own));
    const lines = linesIn(list).filter((line) => !line.includes(LAUNCH_MARK));
    if (lines.length > 0) others[event] = digest(lines.join('\n'));
  }
  for (const name of PROGRAMS)
    if (settings[name] !== undefined) others[name] = digest(JSON.stringify(settings[name]));
  const off = switchedOffBy(settings);
  const env = Object.entries(objectIn(settings, 'env')).filter(([name]) => RELEVANT_VARIABLES.test(name));
  const plugins = Object.entries(objectIn(settings, 'enabledPlugins')).flatMap(([name, value]) =>
    name.startsWith('holdpoint@') && value === true ? [name] : [],
  );
  return {
    ...(off !== undefined && { off }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(Object.keys(ours).length > 0 && { ours }),
    ...(Object.keys(others).length > 0 && { others }),
    ...(plugins.length > 0 && { plugins }),
  };
}

function switchedOffBy(settings: JsonObject): string | undefined {
  if (settings['disableAllHooks'] === true) return '`disableAllHooks`';
  const { enabled, disabled } = objectIn(settings, 'hooksConfig');
  const isOff = enabled === false || (Array.isArray(disabled) && disabled.includes('holdpoint'));
  return isOff ? '`hooksConfig`' : undefined;
}

/** What a stamp says: nothing for a missing file, `undefined` for one that could not be read. */
function factsOf(stamp: string): SettingsFacts | undefined {
  if (stamp === ABSENT) return {};
  const value = jsonIn(contentOf(stamp));
  return isJsonObject(value) ? (value as SettingsFacts) : undefined;
}

/** A change of a file that Holdpoint depends on. */
export interface UnacceptedChange {
  readonly file: string;
  readonly what: string;
  /** It concerns an entry of ours, which `uninstall` may remove. */
  readonly ofEntry?: true;
  /** It takes nothing from us: the person is told, but the host may apply it. */
  readonly isBeside?: true;
}

/** Changes of config files, and of what settings say about us. */
export function changesSince(before: CacheHead['stamps'], now: CacheHead['stamps']): UnacceptedChange[] {
  const files = new Set([...before, ...now].map(([file]) => file));
  return [...files].flatMap((file) => {
    const [was = ABSENT, is = ABSENT] = [before, now].map(
      (stamps) => stamps.find(([one]) => one === file)?.[1],
    );
    if (contentOf(was) === contentOf(is)) return [];
    if (isModsDir(file)) return is === ABSENT ? [] : [{ file, what: HAS_MODS }];
    const plain = is === ABSENT ? 'was removed' : was === ABSENT ? 'is new' : 'has changed';
    const found = isSettings(file, was, is) ? loosenedSettings(was, is) : [{ what: plain }];
    return found.map((one) => ({ file, ...one }));
  });
}

export function isModsDir(file: string): boolean {
  return file.endsWith(`/${MODS_DIR}`);
}

const HAS_MODS = 'may have new mods, programs that Claude Code runs beside its hooks';

/** Changes that no person has accepted yet. */
export function unacceptedChanges(config: CompiledConfig | undefined): UnacceptedChange[] {
  const { agreed, stamps } = config?.head ?? {};
  return agreed === undefined || stamps === undefined ? [] : changesSince(agreed, stamps);
}

export function changePhrase({ file, what }: UnacceptedChange): string {
  return `${file} ${what}`;
}

const SETTINGS =
  /\/(?:\.claude\/settings(?:\.local)?|\.gemini\/settings|\.(?:codex|cursor)\/hooks|\.github\/hooks\/[^/]+|\.copilot\/config)\.json$|\/\.codex\/config\.toml$/;

/** Whether this is a host's settings file, of which only what concerns us counts. */
export function isSettings(file: string, ...stamps: readonly string[]): boolean {
  return SETTINGS.test(file) || stamps.some(isSettingsStamp);
}

/** Settings in another directory than usual are known by their stamp, even while they do not exist. */
export function relocatedSettingsStamp(file: string): string {
  const stamp = settingsStamp(file);
  return stamp === ABSENT ? '#0:{}' : stamp;
}

function isSettingsStamp(stamp: string): boolean {
  return /^[{!]/.test(contentOf(stamp));
}

/** The settings in another directory than usual. */
export function relocatedSettings(stamps: CacheHead['stamps']): CacheHead['stamps'] {
  return stamps.filter(([file, stamp]) => !SETTINGS.test(file) && isSettingsStamp(stamp));
}

/** How a settings file was changed to our disadvantage, in words; empty if it was not. */
function loosenedSettings(before: string, now: string): Omit<UnacceptedChange, 'file'>[] {
  const [was = {}, is] = [before, now].map(factsOf);
  // Hosts ignore a file that they cannot parse.
  if (is === undefined) return was.ours === undefined ? [] : [{ what: 'is no longer valid JSON' }];
  // A second copy of the same entry counts too: it may be slower, or answer too late.
  const differing = Object.keys({ ...was.ours, ...is.ours }).filter(
    (event) => was.ours?.[event] !== is.ours?.[event],
  );
  const isGone = (event: string): boolean => is.ours?.[event] === undefined;
  const entries = (how: string, events: readonly string[]) =>
    events.length === 0 ? [] : [{ what: `${how} ${events.join(', ')}`, ofEntry: true as const }];
  const added = Object.keys(is.others ?? {}).filter((name) => is.others?.[name] !== was.others?.[name]);
  return [
    ...(is.off !== undefined && is.off !== was.off ? [{ what: `sets ${is.off}` }] : []),
    ...variablesSet(was, is).map((name) => ({ what: `sets ${name} in \`env\`` })),
    ...(was.plugins?.some((name) => !is.plugins?.includes(name))
      ? [{ what: "disables Holdpoint's plugin" }]
      : []),
    ...entries('no longer calls Holdpoint at', differing.filter(isGone)),
    ...entries(
      "changes Holdpoint's entry for",
      differing.filter((event) => !isGone(event)),
    ),
    ...added.map((name) => ({
      what: PROGRAMS.includes(name) ? `sets a program for ${name}` : `adds a hook for ${name}`,
      ...(!ANSWERING.includes(name) && { isBeside: true as const }),
    })),
  ];
}

/** Variables that matter to us and that settings set to a new value. */
function variablesSet(was: SettingsFacts, is: SettingsFacts): string[] {
  return Object.keys(is.env ?? {}).filter((name) => is.env?.[name] !== was.env?.[name]);
}

/** The same for all settings files. */
export function variablesSetSince(before: CacheHead['stamps'], now: CacheHead['stamps']): string[] {
  const known = new Map(before);
  return now.flatMap(([file, stamp]) =>
    variablesSet(factsOf(known.get(file) ?? ABSENT) ?? {}, factsOf(stamp) ?? {}),
  );
}
