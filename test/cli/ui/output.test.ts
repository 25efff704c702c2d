import { expect, test } from 'vitest';
import { openLiveLines, printableLine } from '../../../src/cli/ui/output';

function screen(columns = 20) {
  const written: string[] = [];
  return { written, live: openLiveLines(columns, (text) => void written.push(text)) };
}

test('on a terminal a new picture is drawn over the last one, and what was longer is cleared', () => {
  const { written, live } = screen();
  live.show(['one', 'two']);
  live.show(['three']);
  live.end();
  expect(written).toEqual([
    '\x1b[?25l\r\x1b[2Kone\n\x1b[2Ktwo\n\x1b[0J',
    '\x1b[2A\r\x1b[2Kthree\n\x1b[0J',
    '\x1b[?25h',
  ]);
});

test('a line is cut to the terminal, colours taking no room and no control character passing', () => {
  const { written, live } = screen(6);
  live.show(['\x1b[31mabc\x1b[0mdefghi', 'a\x07b']);
  expect(written[0]).toContain('\x1b[2K\x1b[31mabc\x1b[0mdef\n');
  expect(written[0]).toContain('\x1b[2Ka\\x07b\n');
});

test('lines that stay are printed over the picture, whole, and the picture is drawn again below them', () => {
  const { written, live } = screen(6);
  live.show(['abcdefgh']);
  live.above(['a long line\x07', '\x1b[31mred\x1b[0m']);
  live.show([]);
  expect(written.slice(1)).toEqual([
    '\x1b[1A\r\x1b[0Ja long line\\x07\n\x1b[31mred\x1b[0m\n\x1b[2Kabcdef\n',
    '\x1b[1A\r\x1b[0J',
  ]);
});

test('of a line only our own colours reach the terminal', () => {
  expect(printableLine('\x1b[31mred\x1b[0m \x1b[8mhidden\x1b[2J\u202e\tx')).toBe(
    '\x1b[31mred\x1b[0m \\x1b[8mhidden\\x1b[2J\\u202e\tx',
  );
});
