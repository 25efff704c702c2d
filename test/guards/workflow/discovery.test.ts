import { expect, it } from 'vitest';
import { menusIn } from '../../../src/guards/workflow/rules/records';

it.each<[string, string, string[][]]>([
  ['options in a line', 'Choose: [1] One [2] Two [3] Three', [['One', 'Two', 'Three']]],
  ['options below each other', '1. **One**\n2) Two\n', [['One', 'Two']]],
  ['options by name', 'Option 1: One\nOption 2: Two', [['One', 'Two']]],
  [
    'two menus',
    '1. a\n2. b\n\n1. c\n2. d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a single option', '1. One', []],
  ['numbers that do not follow', '3. One\n7. Two', []],
  ['no numbers', 'One, two', []],
  ['a list of sentences', `1. ${'long '.repeat(30)}\n2. ${'long '.repeat(30)}`, []],
  ['versions and dates', 'since 1.2.3 of 2026-01-01', []],
])('%s', (_, text, menus) => expect(menusIn(text)).toEqual(menus));
