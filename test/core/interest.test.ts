import { describe, expect, test } from 'vitest';
import type { EventHeader, EventKind } from '../../src/core/event';
import type { Interest } from '../../src/core/guard';
import { isConcerned } from '../../src/core/guard';

function header(kind: EventKind, ...toolNames: string[]): EventHeader {
  return { host: 'claude-code', kind, hostEvent: 'E', sessionId: 's', cwd: '/p', toolNames };
}

const here =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

describe('an event concerns a guard', () => {
  test.each<[string, Interest[], EventHeader, string[], boolean]>([
    ['that watches its kind', [{ kind: 'turn.stop' }], header('turn.stop'), [], true],
    [
      'but not one that watches another kind',
      [{ kind: 'tool.after' }],
      header('tool.before', 'Bash'),
      [],
      false,
    ],
    ['but not one that watches nothing', [], header('turn.stop'), [], false],
    [
      'that watches its tool',
      [{ kind: 'tool.before', tools: ['Bash'] }],
      header('tool.before', 'Bash'),
      [],
      true,
    ],
    [
      'but not one that watches other tools',
      [{ kind: 'tool.before', tools: ['Edit'] }],
      header('tool.before', 'Bash'),
      [],
      false,
    ],
    [
      'whose list of tools is empty: never',
      [{ kind: 'tool.before', tools: [] }],
      header('tool.before', 'Bash'),
      [],
      false,
    ],
    ['that watches every tool', [{ kind: 'tool.before' }], header('tool.before', 'Bash'), [], true],
    [
      'by a pattern',
      [{ kind: 'tool.before', tools: ['mcp__*'] }],
      header('tool.before', 'mcp__a__b'),
      [],
      true,
    ],
    [
      'by another name of the tool',
      [{ kind: 'tool.before', tools: ['Task'] }],
      header('tool.before', 'Agent', 'Task'),
      [],
      true,
    ],
    [
      'but no list of tools covers an event without one',
      [{ kind: 'turn.stop', tools: ['*'] }],
      header('turn.stop'),
      [],
      false,
    ],
    [
      'while its file is there',
      [{ kind: 'turn.stop', whenFile: ['a', 'b'] }],
      header('turn.stop'),
      ['b'],
      true,
    ],
    [
      'but not while none of its files is',
      [{ kind: 'turn.stop', whenFile: ['a', 'b'] }],
      header('turn.stop'),
      ['c'],
      false,
    ],
    [
      'by any one of several interests',
      [
        { kind: 'tool.before', tools: ['Edit'] },
        { kind: 'turn.stop' },
        { kind: 'tool.before', tools: ['Bash'] },
      ],
      header('tool.before', 'Bash'),
      [],
      true,
    ],
  ])('%s', (_, interests, event, files, expected) => {
    expect(isConcerned(interests, event, here(...files))).toBe(expected);
  });

  test('and no file is looked for when kind or tool do not fit', () => {
    const interests: Interest[] = [
      { kind: 'turn.stop', whenFile: ['a'] },
      { kind: 'tool.before', tools: ['Edit'], whenFile: ['a'] },
    ];
    const asked: string[] = [];
    isConcerned(interests, header('tool.before', 'Bash'), (file) => asked.push(file) > 0);
    expect(asked).toEqual([]);
  });
});
