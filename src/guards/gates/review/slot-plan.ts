import type { SlotRecord } from './ledger';

/** What is to be done about one of a review's slots. */
export type SlotPlan =
  | { readonly kind: 'ask'; readonly slot: number; readonly earlier?: SlotRecord; readonly isLatch: boolean }
  | {
      readonly kind: 'skip';
      readonly slot: number;
      readonly earlier: SlotRecord;
      readonly iteration: number;
    };

/**
 * Where several reviewers look, one that has passed is not asked again, whoever it was. If all have,
 * the first looks once more: somebody has to see what has changed since.
 */
export function planSlots(count: number, records: ReadonlyMap<number, SlotRecord>): readonly SlotPlan[] {
  const slots = Array.from({ length: count }, (_, at) => at + 1);
  const passed = (slot: number): SlotRecord | undefined => {
    const record = records.get(slot);
    return count > 1 && record !== undefined && hasPassed(record) ? record : undefined;
  };
  const all = count > 1 && slots.every((slot) => passed(slot) !== undefined);
  return slots.map((slot) => {
    const before = passed(slot);
    const isLatch = all && slot === 1;
    if (before !== undefined && !isLatch) {
      return { kind: 'skip', slot, earlier: before, iteration: before.passIteration ?? before.run };
    }
    const earlier = records.get(slot);
    return { kind: 'ask', slot, isLatch, ...(earlier !== undefined && { earlier }) };
  });
}

/** What is said to be fixed has to be looked at, whatever the file calls itself by now. */
function hasPassed({ status, violations }: SlotRecord): boolean {
  return status !== 'fail' && violations.every((one) => one.status === 'skipped');
}
