import { readFileSync } from 'node:fs';
import { readProcStat } from './proc-stat';

/** The kernel counts in hundredths of a second, everywhere that Node runs. */
const TICK_MS = 10;

/**
 * When a process began, in milliseconds since the epoch, never too early; `undefined` where the kernel does not say.
 * A shell that has become another program is still the same process.
 */
export function beganAt(pid: number): number | undefined {
  const ticks = Number(readProcStat(pid)?.start);
  const upMs = Number(uptime().split(' ', 1)[0]) * 1000;
  // Asked for last: whatever the machine does in between would make the beginning earlier.
  const began = Date.now() - upMs + (ticks + 1) * TICK_MS;
  return Number.isFinite(began) ? began : undefined;
}

function uptime(): string {
  try {
    return readFileSync('/proc/uptime', 'utf8');
  } catch {
    return 'unknown';
  }
}
