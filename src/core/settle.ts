import { appendJournal } from '../state/journal';
import { updateDocuments } from '../state/update';
import type { Wish } from './stead';

/**
 * Writes what several events want, all that one project has to keep under one lock and in one step. Gives back the
 * wishes that were not fulfilled whole; their events must not be answered.
 */
export function settle(wishes: readonly Wish[], waitMs: number): ReadonlySet<Wish> {
  const unfulfilled = new Set<Wish>();
  for (const together of byLayout(wishes)) {
    if (!isFulfilled(together, waitMs)) for (const wish of together) unfulfilled.add(wish);
  }
  return unfulfilled;
}

type Together = [Wish, ...Wish[]];

function byLayout(wishes: readonly Wish[]): Iterable<Together> {
  const found = new Map<string, Together>();
  for (const wish of wishes) {
    const key = JSON.stringify(wish.layout);
    const others = found.get(key);
    if (others === undefined) found.set(key, [wish]);
    else others.push(wish);
  }
  return found.values();
}

function isFulfilled(together: Together, waitMs: number): boolean {
  const [{ layout }] = together;
  const changes = together.flatMap((wish) => wish.changes);
  const [line, ...more] = together.flatMap((wish) => wish.lines);
  try {
    const report = updateDocuments(layout, changes, waitMs);
    if (!report.ok || report.value.failures.length + report.value.setAside.length > 0) return false;
    return line === undefined || appendJournal(layout, line, ...more) === undefined;
  } catch {
    return false;
  }
}
