import { hasOwnLine, LAUNCH_MARK, linesIn } from '../hosts/own-lines';
import { isJsonObject, type Json, type JsonObject, jsonIn, objectIn } from './json';
import { ABSENT, type CacheHead, type CompiledConfig, textOf } from './project';

/** Settings of Claude Code below the project and the home, whose hooks and environment reach ours. */
export const SETTINGS_FILES = {
  project: ['.claude/settings.json', '.claude/settings.local.json'],
  home: ['.claude/settings.json'],
} as const;

/** Variables that switch us off, or that decide which program is started in our place. */
export const SWITCHES = [
  'HOLDPOINT_DISABLE',
  'CLAUDE_SKIP_REQUIREMENTS',
  'GAUNTLET_STOP_HOOK_ACTIVE',
  'IDLE_LOOP_DISABLE',
] as const;
const STARTERS = [
  'NODE_OPTIONS',
  'HOME',
  'PATH',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'BASH_ENV',
  'ENV',
  'ZDOTDIR',
];
/** Hooks of these events can answer a question in a person's place. */
const ANSWERING = ['PermissionRequest', 'Elicitation'];
/** Without these nothing would be held, or nobody would notice that nothing is. */
const NEEDED = ['SessionStart', 'PreToolUse', 'PostToolUse', 'Stop', 'ConfigChange'];

/** What became of a file on which Holdpoint rests. */
export interface Changed {
  readonly file: string;
  readonly what: string;
}

/** What became of the config files, and of what settings say about us. */
export function changesSince(before: CacheHead['stamps'], now: CacheHead['stamps']): Changed[] {
  const files = new Set([...before, ...now].map(([file]) => file));
  return [...files].flatMap((file) => {
    const [was = ABSENT, is = ABSENT] = [before, now].map(
      (stamps) => stamps.find(([one]) => one === file)?.[1],
    );
    if (was === is) return [];
    const plain = is === ABSENT ? 'was removed' : was === ABSENT ? 'is new' : 'has changed';
    return (isSettings(file) ? loosenedSettings(textOf(was), textOf(is)) : [plain]).map((what) => ({
      file,
      what,
    }));
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

export function isSettings(file: string): boolean {
  return [...SETTINGS_FILES.project, ...SETTINGS_FILES.home].some((name) => file.endsWith(`/${name}`));
}

/** What of a settings file was changed to our disadvantage since `before`, in words; empty where nothing was. */
function loosenedSettings(before: string | undefined, now: string | undefined): string[] {
  const [was, is] = [before, now].map((text) => settingsIn(text));
  if (is === undefined || was === undefined)
    return is === undefined && now !== undefined && !isSilent(was) ? ['is no longer valid JSON'] : [];
  const set = (one: JsonObject, name: string): Json => objectIn(one, 'env')[name] ?? null;
  const hooks = (one: JsonObject, event: string): Json => objectIn(one, 'hooks')[event] ?? null;
  const ours = (one: JsonObject, event: string): string => {
    const list = hooks(one, event);
    return JSON.stringify(Array.isArray(list) ? list.filter(hasOwnLine) : []);
  };
  const others = (one: JsonObject, event: string): string[] =>
    linesIn(hooks(one, event)).filter((line) => !line.includes(LAUNCH_MARK));
  return [
    ...(is['disableAllHooks'] === true && was['disableAllHooks'] !== true ? ['sets `disableAllHooks`'] : []),
    ...[...SWITCHES, ...STARTERS].flatMap((name) =>
      set(is, name) !== null && set(is, name) !== set(was, name) ? [`sets ${name} in \`env\``] : [],
    ),
    ...NEEDED.flatMap((event) => {
      if (ours(was, event) === ours(is, event) || ours(was, event) === '[]') return [];
      return [
        ours(is, event) === '[]'
          ? `no longer calls Holdpoint at ${event}`
          : `changes Holdpoint's entry for ${event}`,
      ];
    }),
    ...ANSWERING.flatMap((event) =>
      others(is, event).some((line) => !others(was, event).includes(line))
        ? [`adds a hook for ${event}`]
        : [],
    ),
  ];
}

function isSilent(settings: JsonObject | undefined): boolean {
  return settings === undefined || !hasOwnLine(settings['hooks'] ?? null);
}

/** A file that is missing or empty says nothing; one that is no JSON object is `undefined`. */
function settingsIn(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text.trim() === '') return {};
  const value = jsonIn(text.replace(/^\ufeff/, ''));
  return isJsonObject(value) ? value : undefined;
}

/** Which of the switches the settings set, for everything that the client starts. */
export function switchesIn(text: string | undefined): readonly string[] {
  const env = objectIn(settingsIn(text) ?? {}, 'env');
  return SWITCHES.filter((name) => env[name] !== undefined);
}
