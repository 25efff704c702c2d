import { expect, test } from 'vitest';
import { claimsCompletion, ordersToAdvance } from '../../../src/guards/workflow/attempts';
import { menusIn } from '../../../src/guards/workflow/rules/records';
import { countsIn, coverageIn, errorLine, normalisedError } from '../../../src/guards/workflow/test-output';

const SHAPES = [
  '\n',
  ' ',
  '\t\n',
  '1',
  '=',
  'rm ',
  'git ',
  'and ',
  'mark a ',
  'advance ',
  'Tests: ',
  '1. ',
  ':1',
  '"',
  "-m '",
  '.i',
];

test.each(SHAPES)('nothing but %j, however long, is done in a moment', (shape) => {
  const text = shape.repeat(Math.floor(8192 / shape.length));
  const start = Date.now();
  ordersToAdvance(`and${text}`, ['06-implementation']);
  claimsCompletion(`and${text}`, ['06-implementation']);
  countsIn(text);
  coverageIn(`TOTAL${text}`);
  normalisedError(errorLine(`fail ${text.slice(0, 250)}`));
  menusIn(text);
  expect(Date.now() - start).toBeLessThan(2000);
});
