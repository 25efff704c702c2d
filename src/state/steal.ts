import { renameSync, unlinkSync } from 'node:fs';
import { errorCode } from '../core/error-code';
import type { Holder } from './lock-file';
import { holderOf, isAbandoned, isHeldBy, placeLock, removeOwn } from './lock-file';
import { temporaryBeside } from './nonce';
import { newStamp, shortText } from './stamp';

/**
 * Removes an abandoned lock. Only who holds `<lock>.steal` may, and only if the lock is still the one
 * that was judged: a slow thief would otherwise remove the fresh lock of a fast one.
 */
export function removeAbandoned(file: string, judged: Holder): void {
  try {
    removeGuarded(file, judged);
  } catch (error) {
    // What went or came between two of our steps was somebody else being faster.
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error))) throw error;
  }
}

function removeGuarded(file: string, judged: Holder): void {
  const guard = `${file}.steal`;
  const text = shortText(newStamp());
  if (!placeLock(guard, text)) {
    removeDeadGuard(guard);
    return;
  }
  try {
    const unchanged = holderOf(file)?.identity === judged.identity;
    if (unchanged && isHeldBy(guard, text)) unlinkSync(file);
  } finally {
    removeOwn(guard, text);
  }
}

/** A thief that died is moved away first and looked at then; a living one moved by mistake is put back. */
function removeDeadGuard(guard: string): void {
  const dead = holderOf(guard);
  if (!dead || !isAbandoned(dead, Date.now())) return;
  const aside = temporaryBeside(guard);
  renameSync(guard, aside);
  try {
    const moved = holderOf(aside);
    if (moved !== undefined && moved.identity !== dead.identity) placeLock(guard, moved.text);
  } finally {
    unlinkSync(aside);
  }
}
