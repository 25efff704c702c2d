import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { OWN_DIR } from '../state/layout';
import type { EventHeader } from './event-header';
import { findMessageStore, MESSAGES } from './message-store';
import type { Ground } from './route';

type Environment = Readonly<Record<string, string | undefined>>;

const FALLBACK = '.claude/idle-loop.local.md';
/** The events at which a workflow has anything to say. */
const FLOW_KINDS = [
  'tool.before',
  'tool.after',
  'prompt.submit',
  'prompt.expand',
  'turn.stop',
  'session.start',
];
const TURN_KINDS = ['turn.stop', 'turn.error', 'prompt.submit', 'session.start'];

/** Whether something may be going on that was started by hand, without any config: a workflow or a loop. */
export function hasTraces(header: EventHeader, ground: Ground, env: Environment): boolean {
  const { own } = ground.layout;
  const hasFlow = FLOW_KINDS.includes(header.kind) && existsSync(`${own}/workflow.json`);
  return hasFlow || hasLoopTraces(header, ground, env);
}

/** A few looks, and those only at events that loops care for. */
function hasLoopTraces({ kind, cwd }: EventHeader, { root, layout }: Ground, env: Environment): boolean {
  if (kind.startsWith('tool.')) return existsSync(`${layout.own}/loop-live.json`);
  if (kind !== 'session.end' && !TURN_KINDS.includes(kind)) return false;
  if (existsSync(`${layout.own}/loop.jsonl`) || storeWithMessages(cwd, env) !== undefined) return true;
  return fallbackAbove(isAbsolute(cwd) ? cwd : root, root) !== undefined;
}

/** The message store of a directory, unless nothing was ever written to it. */
function storeWithMessages(cwd: string, env: Environment): string | undefined {
  const store = findMessageStore(cwd, env);
  return hasMessages(store) ? store : undefined;
}

export function hasMessages(store: string | undefined): boolean {
  return store !== undefined && existsSync(`${store}/${MESSAGES}`);
}

/**
 * A project for the loop alone, where there is neither git nor a directory of ours but a store of the loop's:
 * its lock lies in there, and nothing else is kept.
 */
export function borrowedGround(
  { kind, cwd: given }: Pick<EventHeader, 'kind' | 'cwd'>,
  env: Environment,
): Ground | undefined {
  const cwd = isAbsolute(given) ? given : (env['CLAUDE_PROJECT_DIR'] ?? '');
  if (!TURN_KINDS.includes(kind) || !isAbsolute(cwd)) return undefined;
  const store = storeWithMessages(cwd, env);
  const place = store ?? fallbackAbove(cwd, '/');
  if (place === undefined) return undefined;
  const root = `${cwd}/`.startsWith(`${dirname(place)}/`) ? dirname(place) : cwd;
  const own = join(root, OWN_DIR, 'state');
  const home = isAbsolute(env['HOME'] ?? '') ? (env['HOME'] ?? '') : join(own, 'home');
  const layout = { root, git: join(root, OWN_DIR), own, home, soleLock: join(place, 'holdpoint.lock') };
  return { root, home, git: undefined, layout, marked: false, configured: false };
}

/** The directory of the nearest state file of the older program, from one directory up to another. */
function fallbackAbove(start: string, top: string): string | undefined {
  for (let dir = start; ; dir = dirname(dir)) {
    const here = dir === '/' ? '' : dir;
    if (existsSync(`${here}/${FALLBACK}`)) return `${here}/${dirname(FALLBACK)}`;
    if (dir === top || dirname(dir) === dir) return undefined;
  }
}
