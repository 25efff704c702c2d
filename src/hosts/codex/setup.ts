import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject, listIn, objectIn } from '../../core/json';
import { sha256Hex } from '../../core/text';
import { EVENT_SECONDS, errorFound, fileText, hasOwnLine, hookGroups, STOP_SECONDS } from '../own-lines';
import type { Finding, HostSetup, InstallTarget, Scope } from '../setup';
import { startLineFor } from '../start-line';

/** Codex allows no more at the end of a session. */
const END_SECONDS = 3;

/** No matchers: a requirement may name any tool, and would miss a tool that a matcher leaves out. */
const EVENTS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PreCompact',
  'Stop',
  'SessionEnd',
];

export const codexSetup = {
  name: 'codex',
  title: 'Codex',
  scopes: ['project', 'user'],
  signs: { project: ['.codex'], home: ['.codex'], programs: ['codex'] },
  afterwards: (scope) => [
    'Start Codex, open /hooks and trust the Holdpoint hooks. Until then Codex silently skips them, also in `codex exec`.',
    ...(scope === 'user' ? [] : ['Codex reads `.codex/hooks.json` only in projects that it trusts.']),
  ],
  installSpec: (scope, target) => ({
    file: hooksFile(scope, target),
    // Codex drops the whole file for one unknown key, so we write no others.
    entries: hookGroups(EVENTS, (event) => ({
      type: 'command',
      command: startLineFor('codex'),
      timeout: event === 'Stop' ? STOP_SECONDS : event === 'SessionEnd' ? END_SECONDS : EVENT_SECONDS,
    })),
  }),
  examine: (scope, target, settings) => examine(hooksFile(scope, target), codexHome(target), settings),
} satisfies HostSetup;

function hooksFile(scope: Scope, target: InstallTarget): string {
  return join(scope === 'user' ? codexHome(target) : join(target.project, '.codex'), 'hooks.json');
}

function codexHome({ home, env }: InstallTarget): string {
  return env['CODEX_HOME'] || join(home, '.codex');
}

const TRUST = 'Start Codex in this project, open /hooks and trust the Holdpoint hooks.';

/** What in Codex's own files keeps our hooks from running. It silently skips a hook that nobody has trusted. */
function examine(file: string, home: string, settings: Json | undefined): readonly Finding[] {
  const config = fileText(join(home, 'config.toml'));
  const ours = ownHooks(file, settings, hookStates(config));
  const untrusted = ours.filter(({ state }) => state?.trustedHash === undefined);
  const changed = ours.filter((hook) => !untrusted.includes(hook) && hook.state?.trustedHash !== hook.hash);
  const isTrusted = ours.length > 0 && untrusted.length + changed.length === 0;
  const off = ours.filter(({ state }) => state?.enabled === false);
  const skipped = `Codex skips the hooks for ${eventsOf(untrusted)} silently: they are not trusted yet.`;
  // Only a warning: a newer Codex may compute the hash differently.
  const otherHash: Finding = {
    id: 'codex-changed',
    level: 'warning',
    text: `The hooks for ${eventsOf(changed)} have changed since they were trusted, so Codex silently skips them.`,
    fix: TRUST,
  };
  return [
    ...(hasFeatureOff(config) ? [HOOKS_OFF] : []),
    ...fileUnread(file, settings),
    ...(untrusted.length > 0 ? [errorFound('codex-untrusted', skipped, TRUST)] : []),
    ...(changed.length > 0 ? [otherHash] : []),
    ...(isTrusted ? [TRUSTED] : []),
    ...off.map(({ event }) => {
      const text = `The hook for ${event} is disabled in Codex's /hooks.`;
      return errorFound('codex-hook-off', text, 'Start Codex, open /hooks and enable it.');
    }),
  ];
}

const HOOKS_OFF = errorFound(
  'codex-hooks-off',
  'Codex runs no hooks at all: its config.toml says `hooks = false` under [features].',
  'Remove that line from config.toml.',
);
const TRUSTED: Finding = { id: 'codex-trusted', level: 'fine', text: 'Codex trusts the Holdpoint hooks.' };

/** Codex drops the whole file for a member at its top that it does not know, or a handler of type `http`. */
function fileUnread(file: string, settings: Json = {}): Finding[] {
  const keys = Object.keys(settings ?? {}).filter((key) => !['hooks', 'description'].includes(key));
  const isHttp = JSON.stringify(settings).includes('"type":"http"');
  const parts = [...keys, ...(isHttp ? ['a hook of type http'] : [])].join(', ');
  const text = `Codex ignores ${file}, and Holdpoint's entries with it: it does not know ${parts}.`;
  return parts === '' ? [] : [errorFound('codex-unread', text, `Remove from ${file}: ${parts}.`)];
}

/** A person's decision about one hook, as Codex stores it in `config.toml`. */
type HookState = ReturnType<typeof stateIn>;

function ownHooks(file: string, settings: Json | undefined, states: ReadonlyMap<string, HookState>) {
  const events = isJsonObject(settings) ? objectIn(settings, 'hooks') : {};
  const realFile = attempt(() => realpathSync(file)) ?? file;
  return Object.keys(events).flatMap((event) =>
    listIn(events, event).flatMap((value, group) =>
      (isJsonObject(value) ? listIn(value, 'hooks') : []).flatMap((hook, index) => {
        if (!isJsonObject(hook) || !hasOwnLine(hook)) return [];
        // Codex identifies a hook by its file, event and position.
        const place = `:${labelOf(event)}:${group}:${index}`;
        const state = states.get(`${file}${place}`) ?? states.get(`${realFile}${place}`);
        return [{ event, hash: hookHash(event, hook), state }];
      }),
    ),
  );
}

function eventsOf(hooks: readonly { event: string }[]): string {
  return hooks.map(({ event }) => event).join(', ');
}

/** Codex's name for an event in the keys of these entries. */
export function labelOf(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}

/** The hash that Codex compares, for a hook as `install` writes it: its members sorted by name. */
export function hookHash(event: string, { command, timeout, type }: JsonObject): string {
  const identity = { event_name: labelOf(event), hooks: [{ async: false, command, timeout, type }] };
  return `sha256:${sha256Hex(JSON.stringify(identity))}`;
}

/** As a table, or in the table at the top of the file. */
const FEATURE_OFF = [
  /^\s*\[\s*features\s*\].*$[\s\S]*^\s*["']?hooks["']?\s*=\s*false/m,
  /^(?!\s*\[)(?:.*\n)*?\s*features\s*(?:\.\s*hooks\s*=\s*false|=\s*\{[^}\n]*\bhooks\s*=\s*false)/,
];
const hasFeatureOff = (toml: string): boolean =>
  tablesIn(toml).some((table) => FEATURE_OFF.some((form) => form.test(table)));

/** Whether a `config.toml` switches hooks off, all or single ones. */
export function runsNoHooks(toml: string): boolean {
  return hasFeatureOff(toml) || [...hookStates(toml).values()].some(({ enabled }) => enabled === false);
}

const STATE_TABLE = /^\s*\[\s*hooks\s*\.\s*state\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*\]/;
const STATES_TABLE = /^\s*\[\s*hooks\s*\.\s*state\s*\]/;
const STATE_ITEM = /^\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*=\s*\{(.*)\}/gm;

/** The states by key, in the two forms that Codex itself writes. */
function hookStates(toml: string): Map<string, HookState> {
  const states = new Map<string, HookState>();
  for (const table of tablesIn(toml)) {
    const header = STATE_TABLE.exec(table);
    if (header) states.set(keyOf(header), stateIn(table));
    const items = STATES_TABLE.test(table) ? table.matchAll(STATE_ITEM) : [];
    for (const item of items) states.set(keyOf(item), stateIn(item[3] ?? ''));
  }
  return states;
}

/** The text of each TOML table, beginning with its header. */
function tablesIn(toml: string): string[] {
  return toml.split(/^(?=[ \t]*\[)/m);
}

function keyOf([, double, single]: RegExpExecArray): string {
  return double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1');
}

function stateIn(body: string) {
  return {
    /** The hash of the hook when it was trusted; undefined if nobody has trusted it. */
    trustedHash: /(?:^|[\s,{])trusted_hash\s*=\s*["']([^"'\s]+)/m.exec(body)?.[1],
    enabled: !/(?:^|[\s,{])enabled\s*=\s*false/m.test(body),
  };
}
