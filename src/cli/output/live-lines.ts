import { printable } from './printable';

/** Lines that are drawn again in place on a terminal, and printed once as they change elsewhere. */
export interface LiveLines {
  /** Replaces what is shown. */
  show(lines: readonly string[]): void;
  /** Leaves the last picture where it is. */
  end(): void;
}

interface Screen {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';

export function openLiveLines(screen: Screen): LiveLines {
  return screen.isTerminal ? onTerminal(screen) : onPaper(screen);
}

/** Moves up over the last picture and writes the new one line by line, so that nothing flickers. */
function onTerminal({ columns, write }: Screen): LiveLines {
  let height = 0;
  return {
    show: (lines) => {
      const up = height > 0 ? `\x1b[${height}A` : HIDE_CURSOR;
      const cut = lines.map((line) => `\x1b[2K${fitted(line, columns)}`);
      write(`${up}\r${cut.join('\n')}\n\x1b[0J`);
      height = lines.length;
    },
    end: () => write(SHOW_CURSOR),
  };
}

/** A log has no place to go back to: only lines that were not there before are printed. */
function onPaper({ write }: Screen): LiveLines {
  let before: readonly string[] = [];
  return {
    show: (lines) => {
      for (const line of lines) if (!before.includes(line)) write(`${line}\n`);
      before = lines;
    },
    end: () => undefined,
  };
}

/** A line longer than the terminal would wrap and spoil the count; colours take no room. */
function fitted(line: string, columns: number): string {
  let shown = 0;
  let text = '';
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) {
      text += part;
      continue;
    }
    const room = Math.max(0, columns - shown);
    text += printable(part).slice(0, room);
    shown += Math.min(room, part.length);
  }
  return text;
}
