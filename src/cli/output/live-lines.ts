import { printable } from './printable';

/** Lines that are drawn again in place on a terminal, and printed once as they change elsewhere. */
export interface LiveLines {
  /** Replaces what is shown. */
  show(lines: readonly string[]): void;
  /** Prints lines that stay, over what is shown. */
  above(lines: readonly string[]): void;
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
const COLOUR = /(\x1b\[[0-9;]*m)/;

export function openLiveLines(screen: Screen): LiveLines {
  return screen.isTerminal ? onTerminal(screen) : onPaper(screen);
}

/** Moves up over the last picture and writes the new one line by line, so that nothing flickers. */
function onTerminal({ columns, write }: Screen): LiveLines {
  let picture: readonly string[] = [];
  const up = (): string => (picture.length > 0 ? `\x1b[${picture.length}A` : HIDE_CURSOR);
  const drawn = (lines: readonly string[]): string =>
    lines.map((line) => `\x1b[2K${fitted(line, columns)}\n`).join('');
  return {
    show: (lines) => {
      write(`${up()}\r${drawn(lines)}\x1b[0J`);
      picture = lines;
    },
    // These may be longer than the terminal, so the picture is taken away before they are written.
    above: (lines) => {
      const kept = lines.map((line) => `${safe(line)}\n`).join('');
      write(`${up()}\r\x1b[0J${kept}${drawn(picture)}`);
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
    above: (lines) => {
      for (const line of lines) write(`${line}\n`);
    },
    end: () => undefined,
  };
}

/** Colours pass, everything else that a terminal might obey is shown. */
function safe(line: string): string {
  return line
    .split(COLOUR)
    .map((part) => (part.startsWith('\x1b[') ? part : printable(part)))
    .join('');
}

/** A line longer than the terminal would wrap and spoil the count; colours take no room. */
function fitted(line: string, columns: number): string {
  let shown = 0;
  let text = '';
  for (const part of line.split(COLOUR)) {
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
