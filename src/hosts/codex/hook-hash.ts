import { sha256Hex } from '../../core/hash';
import type { JsonObject } from '../../core/json';

/** How Codex calls an event in the keys of its states. */
export function labelOf(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}

/** What Codex compares, for a hook with no more than `install` writes: its members in the order of their names. */
export function hookHash(event: string, hook: JsonObject): string {
  const { command, timeout, type } = hook;
  const identity = { event_name: labelOf(event), hooks: [{ async: false, command, timeout, type }] };
  return `sha256:${sha256Hex(JSON.stringify(identity))}`;
}
