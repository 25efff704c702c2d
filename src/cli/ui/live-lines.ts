import { printable } from './output';

/** Lines that are redrawn in place on a terminal; elsewhere, lines that are new are printed once. */
export interface LiveLines {
  /** Replaces what is shown. */
  show(lines: readonly string[]): void;
  /** Prints lines that stay, above what is shown. */
  above(lines: readonly string[]): void;
  /** Leaves the last lines on the screen. */
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
  return screen.isTerminal ? onTerminal(screen) : inLog(screen);
}

/** Moves up over the lines shown and overwrites them one by one, so that nothing flickers. */
function onTerminal({ columns, write }: Screen): LiveLines {
  let shown: readonly string[] = [];
  const up = (): string => (shown.length > 0 ? `\x1b[${shown.length}A` : HIDE_CURSOR);
  const drawn = (lines: readonly string[]): string =>
    lines.map((line) => `\x1b[2K${fitted(line, columns)}\n`).join('');
  return {
    show: (lines) => {
      write(`${up()}\r${drawn(lines)}\x1b[0J`);
      shown = lines;
    },
    // These may be longer than the terminal, so everything below is erased before they are written.
    above: (lines) => {
      const kept = lines.map((line) => `${fitted(line, Number.POSITIVE_INFINITY)}\n`).join('');
      write(`${up()}\r\x1b[0J${kept}${drawn(shown)}`);
    },
    end: () => write(SHOW_CURSOR),
  };
}

function inLog({ write }: Screen): LiveLines {
  let before: readonly string[] = [];
  const print = (lines: readonly string[]): void => {
    for (const line of lines) write(`${line}\n`);
  };
  return {
    show: (lines) => {
      print(lines.filter((line) => !before.includes(line)));
      before = lines;
    },
    above: print,
    end: () => undefined,
  };
}

/** Cuts a line, since one that wraps would spoil the count of lines. Colours pass and take no room. */
function fitted(line: string, columns: number): string {
  let room = columns;
  return line
    .split(COLOUR)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const text = printable(part).slice(0, room);
      room -= text.length;
      return text;
    })
    .join('');
}
