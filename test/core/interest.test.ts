import { describe, expect, test } from 'vitest';
import type { EventKind } from '../../src/core/event';
import type { EventHeader as Glance } from '../../src/core/event-header';
import type { Interest } from '../../src/core/guard';
import { isConcerned } from '../../src/core/interest';

function glance(kind: EventKind, ...toolNames: string[]): Glance {
  return { host: 'claude-code', kind, hostEvent: 'E', sessionId: 's', cwd: '/p', toolNames };
}

const here =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

describe('an event concerns a guard', () => {
  test.each<[string, Interest[], Glance, string[], boolean]>([
    ['that watches its kind', [{ kind: 'turn.stop' }], glance('turn.stop'), [], true],
    [
      'but not one that watches another kind',
      [{ kind: 'tool.after' }],
      glance('tool.before', 'Bash'),
      [],
      false,
    ],
    ['but not one that watches nothing', [], glance('turn.stop'), [], false],
    [
      'that watches its tool',
      [{ kind: 'tool.before', tools: ['Bash'] }],
      glance('tool.before', 'Bash'),
      [],
      true,
    ],
    [
      'but not one that watches other tools',
      [{ kind: 'tool.before', tools: ['Edit'] }],
      glance('tool.before', 'Bash'),
      [],
      false,
    ],
    [
      'whose list of tools is empty: never',
      [{ kind: 'tool.before', tools: [] }],
      glance('tool.before', 'Bash'),
      [],
      false,
    ],
    ['that watches every tool', [{ kind: 'tool.before' }], glance('tool.before', 'Bash'), [], true],
    [
      'by a pattern',
      [{ kind: 'tool.before', tools: ['mcp__*'] }],
      glance('tool.before', 'mcp__a__b'),
      [],
      true,
    ],
    [
      'by another name of the tool',
      [{ kind: 'tool.before', tools: ['Task'] }],
      glance('tool.before', 'Agent', 'Task'),
      [],
      true,
    ],
    [
      'but no list of tools covers an event without one',
      [{ kind: 'turn.stop', tools: ['*'] }],
      glance('turn.stop'),
      [],
      false,
    ],
    [
      'while its file is there',
      [{ kind: 'turn.stop', whenFile: ['a', 'b'] }],
      glance('turn.stop'),
      ['b'],
      true,
    ],
    [
      'but not while none of its files is',
      [{ kind: 'turn.stop', whenFile: ['a', 'b'] }],
      glance('turn.stop'),
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
      glance('tool.before', 'Bash'),
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
    isConcerned(interests, glance('tool.before', 'Bash'), (file) => asked.push(file) > 0);
    expect(asked).toEqual([]);
  });
});
