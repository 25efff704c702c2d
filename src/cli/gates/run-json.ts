import type { GateResult, RunResult, SlotResult } from '../../guards/gates/run-result';

/** The one document that a run prints for programs. What there is none of is null, so that every key is there. */
export function runJson({ status, message, consoleLogPath, gates }: RunResult): object {
  return { status, message, consoleLog: consoleLogPath ?? null, gates: gates.map(gateJson) };
}

function gateJson(gate: GateResult): object {
  const { id, status, message, durationMs, log, slots = [] } = gate;
  return {
    id,
    status,
    durationMs,
    log: log ?? worst(slots)?.log ?? null,
    review: worst(slots)?.review ?? gate.reviews?.[0] ?? null,
    message,
    ...(slots.length > 0 && { slots: slots.map(slotJson) }),
  };
}

/** The reviewer whose words decided: there may be several, and one place for them. */
function worst(slots: readonly SlotResult[]): SlotResult | undefined {
  return (
    slots.find(({ status }) => status === 'fail') ??
    slots.find(({ status }) => status === 'error') ??
    slots[0]
  );
}

function slotJson({ slot, status, message, durationMs, log, review }: SlotResult): object {
  return { slot, status, durationMs, log: log ?? null, review: review ?? null, message };
}
