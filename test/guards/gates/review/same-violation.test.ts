import { describe, expect, it } from 'vitest';
import {
  findRepeated,
  type Violation,
  type ViolationStatus,
} from '../../../../src/guards/gates/review/violations';

const at = (line: number, issue: string, status: ViolationStatus = 'new', file = 'a.ts'): Violation => ({
  file,
  line,
  issue,
  status,
});

describe('a finding repeats an earlier one', () => {
  it.each<[string, Violation, Violation, boolean]>([
    ['with the same words on another line', at(90, 'Unused variable'), at(5, 'Unused variable'), true],
    ['with other case and signs', at(5, '"Unused" variable!'), at(5, 'unused variable'), true],
    ['with most of the words', at(6, 'The variable x is still unused'), at(5, 'variable x is unused'), true],
    ['but not in another file', at(5, 'Unused variable', 'new', 'b.ts'), at(5, 'Unused variable'), false],
    ['but not with few of the words', at(5, 'Unused import of fs'), at(5, 'Unused variable x'), false],
    [
      'a skipped one with the same words anywhere',
      at(90, 'No null check on user'),
      at(5, 'No null check on user', 'skipped'),
      true,
    ],
    [
      'a skipped one in other words nearby',
      at(6, 'No null check on user here'),
      at(5, 'No null check on user', 'skipped'),
      true,
    ],
    [
      'but not a skipped one in other words far away',
      at(90, 'No null check on config'),
      at(5, 'No null check on user', 'skipped'),
      false,
    ],
  ])('%s', (_, now, earlier, isRepeated) => {
    expect(findRepeated([now], [earlier]).has(0)).toBe(isRepeated);
  });

  it('the nearest, where several say the same', () => {
    const earlier = [at(5, 'Unused variable', 'skipped'), at(20, 'Unused variable', 'fixed')];
    expect([...findRepeated([at(21, 'Unused variable')], earlier)]).toEqual([[0, 1]]);
  });

  it('and no two repeat the same one', () => {
    const now = [at(5, 'Unused variable'), at(6, 'Unused variable')];
    expect([...findRepeated(now, [at(6, 'Unused variable')])]).toEqual([[1, 0]]);
  });
});
