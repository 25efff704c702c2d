import { expect, test } from 'vitest';
import { claimsCompletion, ordersToAdvance, phaseNameVariants } from '../../../src/guards/workflow/orders';
import { labelsIn } from '../../../src/guards/workflow/rules/records';
import { countsIn, coverageIn, errorLine, normalisedError } from '../../../src/guards/workflow/test-output';

const NAMES = {
  past: [],
  current: phaseNameVariants(['06-implementation']),
  later: phaseNameVariants(['07-testing']),
};

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
  'and then please now ',
  'go to the ',
  'next phase of ',
  'run the gate for ',
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
  ordersToAdvance(`and${text}`, NAMES);
  claimsCompletion(`and${text}`, NAMES);
  countsIn(text);
  coverageIn(`TOTAL${text}`);
  normalisedError(errorLine(`fail ${text.slice(0, 250)}`));
  labelsIn(text);
  expect(Date.now() - start).toBeLessThan(20_000);
});
