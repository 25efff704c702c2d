import type { Interest } from '../../core/guard';
import { FALLBACK_PATH } from './documents';

/**
 * Where a loop may have left its state; `holdpoint/` stands for our own directory, wherever that is. A project
 * in which none of them is there pays nothing for loops.
 */
const STATE_FILES: readonly string[] = [
  '.jwz/messages.jsonl',
  '.zawinski/messages.jsonl',
  'holdpoint/loop.jsonl',
  FALLBACK_PATH,
];

const LIFE_FILES = ['holdpoint/loop-live.json'];

/** Tools are watched only while a loop is active. */
export function interest(): readonly Interest[] {
  return [
    { kind: 'turn.stop', whenFile: STATE_FILES },
    { kind: 'turn.error', whenFile: STATE_FILES },
    { kind: 'prompt.submit', whenFile: STATE_FILES },
    { kind: 'session.start', whenFile: STATE_FILES },
    { kind: 'tool.after', whenFile: LIFE_FILES },
  ];
}
