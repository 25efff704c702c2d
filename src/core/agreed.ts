import { hasOwnLine, LAUNCH_MARK, linesIn } from '../hosts/own-lines';
import { isJsonObject, type Json, type JsonObject, jsonIn, objectIn } from './json';
import { ABSENT, type CacheHead, type CompiledConfig, isSameContent, textOf } from './project';

/** Settings of Claude Code below the project and the home, whose hooks and environment reach ours. */
export const SETTINGS_FILES = {
  project: ['.claude/settings.json', '.claude/settings.local.json'],
  home: ['.claude/settings.json'],
} as const;

/** Variables that decide whether we are asked, which program is started in our place, and what our checks run. */
const DECIDING =
  /^(?:HOLDPOINT_|GAUNTLET_|IDLE_LOOP_|ISDLC_|JWZ_|NODE_|LD_|DYLD_|GIT_|COPILOT_|CLAUDE_(?:SKIP_REQUIREMENTS|PID|PROJECT_DIR|CONFIG_DIR|ENV_FILE|PLUGIN_|CODE_(?:STOP_HOOK|SESSION|CHILD))|(?:CLAUDECODE|AI_AGENT|HOME|PATH|SHELL|IFS|BASH_ENV|ENV|ZDOTDIR|NVM_DIR|CODEX_HOME|XDG_CONFIG_HOME|XDG_RUNTIME_DIR)$)/i;
/** Hooks of these events can answer a question in a person's place. */
const ANSWERING = ['PermissionRequest', 'Elicitation'];
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
    if (isSameContent(was, is)) return [];
    const plain = is === ABSENT ? 'was removed' : was === ABSENT ? 'is new' : 'has changed';
    const found = isSettings(file) ? loosenedSettings(was, is) : [{ what: plain }];
    return found.map((one) => ({ file, ...one }));
  });
}

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
  const [was, is] = [before, now].map(settingsIn);
  if (is === undefined)
    return isSilent(was) && textOf(now) !== undefined ? [] : [{ what: 'cannot be read any more' }];
  const [old, hooks] = [was, is].map((one) => objectIn(one ?? {}, 'hooks'));
  const events = Object.keys({ ...old, ...hooks });
  const entries = (one: JsonObject | undefined, event: string): Json[] => {
    const list = one?.[event];
    return Array.isArray(list) ? list : [];
  };
  const ours = (one: JsonObject | undefined, event: string): string =>
    JSON.stringify(entries(one, event).filter(hasOwnLine));
  const others = (one: JsonObject | undefined, event: string): string[] =>
    linesIn(entries(one, event)).filter((line) => !line.includes(LAUNCH_MARK));
  const plugins = Object.entries(objectIn(was ?? {}, 'enabledPlugins')).filter(
    ([name, value]) => name.startsWith('holdpoint@') && value === true,
  );
  return [
    ...(is['disableAllHooks'] === true && was?.['disableAllHooks'] !== true
      ? [{ what: 'sets `disableAllHooks`' }]
      : []),
    ...variablesSet(was, is).map((name) => ({ what: `sets ${name} in \`env\`` })),
    ...plugins
      .filter(([name]) => objectIn(is, 'enabledPlugins')[name] !== true)
      .map(() => ({ what: "disables Holdpoint's plugin" })),
    ...events.flatMap((event) => {
      if (ours(old, event) === ours(hooks, event) || ours(old, event) === '[]') return [];
      const isGone = ours(hooks, event) === '[]';
      const what = isGone
        ? `no longer calls Holdpoint at ${event}`
        : `changes Holdpoint's entry for ${event}`;
      return [{ what, ofEntry: true } as const];
    }),
    ...ANSWERING.flatMap((event) =>
      others(hooks, event).some((line) => !others(old, event).includes(line))
        ? [{ what: `adds a hook for ${event}` }]
        : [],
    ),
  ];
}

/** The variables that decide something for us and that settings set to something else than before. */
function variablesSet(was: JsonObject | undefined, is: JsonObject): string[] {
  const [before, now] = [objectIn(was ?? {}, 'env'), objectIn(is, 'env')];
  return Object.keys(now).filter((name) => DECIDING.test(name) && now[name] !== before[name]);
}

/** The same over all settings. */
export function variablesSince(before: CacheHead['stamps'], now: CacheHead['stamps']): string[] {
  const known = new Map(before);
  return now
    .filter(([file]) => isSettings(file))
    .flatMap(([file, stamp]) => variablesSet(settingsIn(known.get(file) ?? ABSENT), settingsIn(stamp) ?? {}));
}

function isSilent(settings: JsonObject | undefined): boolean {
  return settings === undefined || !hasOwnLine(settings['hooks'] ?? null);
}

/** A file that is missing or empty says nothing; one that is no JSON object, or too large, is `undefined`. */
function settingsIn(stamp: string): JsonObject | undefined {
  const text = stamp === ABSENT ? '' : textOf(stamp);
  if (text === undefined) return undefined;
  if (text.trim() === '') return {};
  const value = jsonIn(text.replace(/^\ufeff/, ''));
  return isJsonObject(value) ? value : undefined;
}
