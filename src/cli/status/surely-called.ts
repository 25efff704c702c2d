import { existsSync, readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { hasPlugin } from '../../hosts/claude-code/examine';
import { claudeCodeSetup } from '../../hosts/claude-code/setup';
import { hasOwnLine, ownProgramsIn } from '../../hosts/own-lines';
import type { Ground, Scope } from '../../hosts/setup';
import { startLineFor } from '../install/launch';
import { launchTrouble } from './launch-trouble';

/**
 * Whether Claude Code calls us beyond doubt, told from its settings alone and in little time: they are plain JSON,
 * nothing in them is against it, and where they name us they do for every event. Who hears no has to look closer.
 */
export function isSurelyCalled(ground: Ground): boolean {
  try {
    const files = claudeCodeSetup.scopes.map((scope) => settingsOf(scope, ground));
    if (files.some(({ findings }) => findings.some(({ level }) => level === 'error'))) return false;
    const named = files.filter(({ hooks }) => hasOwnLine(hooks));
    if (named.length === 0) return files.some(({ settings }) => hasPlugin(settings));
    return named.every(isWhole) && launchTrouble(ground.home, () => '') === undefined;
  } catch {
    return false;
  }
}

interface Settings {
  readonly settings: Json | undefined;
  readonly hooks: JsonObject;
  readonly events: readonly string[];
  readonly findings: ReturnType<typeof claudeCodeSetup.examine>;
}

/** Throws where they cannot be read or are no plain JSON. */
function settingsOf(scope: Scope, ground: Ground): Settings {
  const wishes = { start: startLineFor('claude-code'), stopSeconds: 0, failClosed: false };
  const sheet = claudeCodeSetup.sheet(scope, ground, wishes);
  const settings = existsSync(sheet.file)
    ? (JSON.parse(readFileSync(sheet.file, 'utf8')) as Json)
    : undefined;
  const hooks = isJsonObject(settings) ? settings['hooks'] : undefined;
  return {
    settings,
    hooks: isJsonObject(hooks) ? hooks : {},
    events: sheet.kind === 'entries' ? sheet.entries.map(({ path }) => path.at(-1) ?? '') : [],
    findings: claudeCodeSetup.examine(scope, ground, settings),
  };
}

/** A program that is started without a shell has to be looked at by itself. */
function isWhole({ hooks, events }: Settings): boolean {
  return events.every((event) => {
    const list = hooks[event] ?? null;
    return hasOwnLine(list) && ownProgramsIn(list).length === 0;
  });
}
