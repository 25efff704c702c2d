import { setTimeout as wait } from 'node:timers/promises';
import { writeAll } from '../../exec/standard-io';
import type { ExitCode } from '../context';
import { COLOUR, printableLine } from './output';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
/** Synchronized output: terminals that support it draw a frame at once, others ignore it. */
const [BEGIN_FRAME, END_FRAME] = ['\x1b[?2026h', '\x1b[?2026l'];
const READ_EVERY_MS = 1000;

/**
 * Shows lines on the alternate screen until Ctrl-C, SIGTERM or a hangup, then restores the terminal. Lines are read
 * every second and redrawn only if they changed.
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
  let lines: readonly string[] = [];
  let shown = '';
  const draw = (): void => {
    const frame = frameOf(lines, process.stdout.columns ?? 80, process.stdout.rows ?? 24);
    if (frame === shown) return;
    shown = frame;
    if (!writeAll(1, `${BEGIN_FRAME}\x1b[H${frame}\x1b[J${END_FRAME}`)) ending.abort();
  };
  const redraw = (): void => {
    shown = '';
    draw();
  };
  process.stdout.on('resize', redraw);
  writeAll(1, ENTER);
  try {
    while (!ending.signal.aborted) {
      lines = await read();
      if (!ending.signal.aborted) draw();
      await wait(READ_EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  } finally {
    writeAll(1, LEAVE);
    process.stdout.off('resize', redraw);
    process.off('SIGINT', interrupt).off('SIGTERM', terminate).off('SIGHUP', hangUp);
  }
  return code;
}

/** If lines do not fit, the last one says how many are left out. */
function frameOf(lines: readonly string[], columns: number, rows: number): string {
  const folded = lines.flatMap((line) => foldLine(printableLine(line), columns));
  const isCut = folded.length > rows;
  const kept = isCut ? folded.slice(0, rows - 1) : folded;
  const more = `… ${folded.length - kept.length} more lines; make the window taller`.slice(0, columns);
  return (isCut ? [...kept, more] : kept).map((line) => `${line}\x1b[0m\x1b[K`).join('\r\n');
}

const INDENT = '    ';

/** Wraps between words, or inside a word that is too long. Colours take no room and continue on the next line. */
function foldLine(line: string, columns: number): string[] {
  const lines = [''];
  let [room, colour] = [columns, ''];
  const add = (text: string): void => {
    lines.push(`${lines.pop()}${text}`);
    room -= text.length;
  };
  const breakLine = (): void => {
    lines.push(INDENT + colour);
    room = columns - INDENT.length;
  };
  for (const [index, part] of line.split(COLOUR).entries()) {
    if (index % 2 === 1) {
      colour = part;
      lines.push(`${lines.pop()}${part}`);
      continue;
    }
    for (let word of part.split(/(?<= )(?! )/)) {
      if (word.trimEnd().length > room && word.trim().length <= columns - INDENT.length) breakLine();
      for (; word.trimEnd().length > room; breakLine()) {
        const piece = word.slice(0, Math.max(1, room));
        add(piece);
        word = word.slice(piece.length);
      }
      add(word.length > room ? word.trimEnd() : word);
    }
  }
  return lines;
}
