import { describe, expect, it } from 'vitest';
import { parseProcStat } from '../../src/exec/processes';

/** Fields 5 to 21, which nobody reads here. */
const BETWEEN = '1 1 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0';

describe('the line of a process', () => {
  const NAMES: Record<string, string> = {
    'a plain name': 'node',
    'a name with a space': 'npm exec hold',
    'a name with parentheses': 'a) Z (b',
    'a name of parentheses alone': ')',
    'an empty name': '',
    'a name with a line end': 'a\nb',
  };
  it.each(Object.entries(NAMES))('is read with %s', (_, name) => {
    expect(parseProcStat(`42 (${name}) S 7 ${BETWEEN} 123456 5 6\n`)).toEqual({
      name,
      state: 'S',
      parent: 7,
      group: 1,
      start: '123456',
    });
  });

  it.each(['', 'garbage', '42 (node) S 7', '42 (node)'])('is nothing when it is %j', (line) => {
    expect(parseProcStat(line)).toBeUndefined();
  });
});
