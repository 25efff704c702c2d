import { setTimeout as wait } from 'node:timers/promises';
import { writeAll } from '../../exec/processes';
import type { ExitCode } from '../context';
import { fitted } from './output';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
/** Synchronized output: terminals that support it draw a frame at once, others ignore it. */
const [BEGIN_FRAME, END_FRAME] = ['\x1b[?2026h', '\x1b[?2026l'];
const READ_EVERY_MS = 1000;

/**
 * Shows lines on the alternate screen until Ctrl-C, SIGTERM or a hangup, then restores the terminal. Lines are read
 * every second and redrawn only if they or the size of the terminal changed.
 */
export async function watchScreen(read: () => Promise<readonly string[]>): Promise<ExitCode> {
  const ending = new AbortController();
  let code: ExitCode = 0;
  const stopWith = (number: ExitCode) => (): void => {
    code = number;
    ending.abort();
  };
  const [interrupt, terminate, hangUp] = [stopWith(130), stopWith(143), stopWith(129)];
  process.on('SIGINT', interrupt).on('SIGTERM', terminate).on('SIGHUP', hangUp);
  let shown = '';
  const draw = (lines: readonly string[]): void => {
    const { columns = 80, rows = 24 } = process.stdout;
    const frame = frameOf(lines, columns, rows);
    const now = `${columns} ${rows} ${frame}`;
    if (now === shown) return;
    shown = now;
    if (!writeAll(1, `${BEGIN_FRAME}\x1b[H${frame}\x1b[J${END_FRAME}`)) ending.abort();
  };
  writeAll(1, ENTER);
  try {
    while (!ending.signal.aborted) {
      const lines = await read();
      if (!ending.signal.aborted) draw(lines);
      await wait(READ_EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  } finally {
    writeAll(1, LEAVE);
    process.off('SIGINT', interrupt).off('SIGTERM', terminate).off('SIGHUP', hangUp);
  }
  return code;
}

/** If there are too many lines, the last one says how many are left out. */
function frameOf(lines: readonly string[], columns: number, rows: number): string {
  const isCut = lines.length > rows;
  const kept = isCut ? lines.slice(0, rows - 1) : lines;
  const more = `… ${lines.length - kept.length} more lines; make the window taller`;
  return (isCut ? [...kept, more] : kept).map((line) => `${fitted(line, columns)}\x1b[0m\x1b[K`).join('\r\n');
}
