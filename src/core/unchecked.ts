import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { CompiledConfig } from './config-cache';
import type { EventHeader as Glance } from './event-header';
import type { Failure } from './failure';
import { isConcerned } from './interest';
import type { Selection } from './selection';
import type { Surroundings } from './surroundings';

/*
 * Why an event that could have been held is not checked although nobody has decided so. To let it pass is right, to
 * let it pass without a word would be a guard that is silently off.
 */

/** A config that does not parse, and a call that names no tool although somebody watches tools. */
export function uncheckedBy(
  glance: Glance,
  config: CompiledConfig,
  selection: Selection,
  exists: (file: string) => boolean,
): Failure[] {
  if (!mayBeHeld(glance)) return [];
  const { guards, unread } = config.head;
  const failures: Failure[] = [];
  if (unread.length > 0) failures.push({ code: 'config.unreadable', detail: unread.join(', ') });
  const { kind, toolNames, hostEvent } = glance;
  if (kind !== 'tool.before' || toolNames.length > 0) return failures;
  const concernsTools = guards.some(({ name, interests }) => {
    const ofAnyTool = interests.map(({ tools: _, ...interest }) => interest);
    return selection.guards.includes(name) && isConcerned(ofAnyTool, glance, exists);
  });
  if (concernsTools) failures.push({ code: 'input.no-tool', event: hostEvent });
  return failures;
}

/**
 * An event from nowhere belongs to no project. Where the host says in which one it was started, the directory of the
 * moment may be gone, as a work tree that was removed; and a Cursor without a folder has none. To end a turn where
 * nothing is left to be done there needs no word either.
 */
export function withoutPlace(glance: Glance, { env, literal }: Surroundings): Failure | undefined {
  const { kind, host, cwd, hostEvent } = glance;
  if (!mayBeHeld(glance) || host === 'cursor' || literal === true) return undefined;
  if (isAbsolute(env['CLAUDE_PROJECT_DIR'] ?? '')) return undefined;
  const isPlace = isAbsolute(cwd) && (kind === 'turn.stop' || existsSync(cwd));
  return isPlace ? undefined : { code: 'input.no-directory', event: hostEvent };
}

function mayBeHeld({ kind }: Glance): boolean {
  return kind === 'tool.before' || kind === 'turn.stop';
}
