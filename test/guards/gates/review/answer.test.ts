import { describe, expect, it } from 'vitest';
import { answerIn } from '../../../../src/guards/gates/review/ask-reviewer';

const ROOT = '/home/me/project';
const PASS = '{"status":"pass","message":"ok"}';
const failing = (issue: string): string =>
  JSON.stringify({ status: 'fail', violations: [{ file: 'a', line: 1, issue, priority: 'low' }] });
const failed = (issue: string): object => ({
  status: 'fail',
  violations: [{ file: 'a', line: 1, issue, priority: 'low', status: 'new' }],
});
const passed = { status: 'pass', message: 'ok' };

describe('the answer in what a reviewer printed', () => {
  it.each<[string, string, object | undefined]>([
    ['nothing but the object', PASS, passed],
    ['an object between prose', `I looked.\n${PASS}\nThat is all.`, passed],
    ['a marked block', `Look:\n\`\`\`json\n${failing('x')}\n\`\`\`\nas I said`, failed('x')],
    ['a block whose mark is in capitals', `\`\`\`JSON\n${PASS}\n\`\`\``, passed],
    ['a marked block before a later object', `\`\`\`json\n${failing('x')}\n\`\`\`\n${PASS}`, failed('x')],
    ['findings after a quoted pass', `\`\`\`json\n${PASS}\n\`\`\` is in a.md.\n${failing('x')}`, failed('x')],
    ['a pass after earlier findings', `${failing('x')} is fixed.\n\`\`\`json\n${PASS}\n\`\`\``, passed],
    [
      'the first marked block with a status',
      `\`\`\`json\n{"a":1}\n\`\`\`\n\`\`\`json\n${PASS}\n\`\`\``,
      passed,
    ],
    [
      'a block that holds a fence in a string',
      `\`\`\`json\n${failing('```js {}```')}\n\`\`\``,
      failed('```js {}```'),
    ],
    ['the last of several objects', `{"status":"fail","violations":[]} no: ${PASS}`, passed],
    ['objects without a status around it', `{"a":{"b":1}} ${PASS} {"c":2}`, passed],
    ['braces in strings', `note ${failing('use } or { "x\\" }')} end`, failed('use } or { "x\\" }')],
    ['code with braces before it', `if (x) { y("} ");\n${PASS}`, passed],
    ['a brace that is never closed', `{ ${PASS}`, passed],
    ['a status in capitals', '{"status":"PASS"}', { status: 'pass' }],
    ['a status that is no verdict', '{"status":"maybe"}', undefined],
    ['broken JSON', '{"status":"pass",}', undefined],
    ['no JSON', 'all good', undefined],
    ['nothing', '', undefined],
    ['a list', '["status","pass"]', undefined],
  ])('%s', (_, printed, answer) => {
    expect(answerIn(printed, ROOT)).toEqual(answer);
  });

  it('does not take for ever over braces that are never closed', () => {
    expect(answerIn('{'.repeat(200_000), ROOT)).toBeUndefined();
  });
});

describe('what is said of a violation', () => {
  it.each([
    ['a line as text', { line: '12' }, { line: 12 }],
    ['a range of lines', { line: '12-15' }, { line: 12 }],
    ['no line', { line: null }, { line: undefined }],
    ['an absolute path', { file: '/home/me/project/src/a.ts' }, { file: 'src/a.ts' }],
    ['a path with a dot', { file: './src/a.ts' }, { file: 'src/a.ts' }],
    ['a status of its own', { status: 'skipped', result: 'no' }, { status: 'new', result: undefined }],
    ['no priority', { priority: undefined }, { priority: undefined }],
  ])('is read with %s', (_, parts, read) => {
    const violation = { file: 'a', line: 1, issue: 'i', priority: 'low', ...parts };
    const answer = answerIn(JSON.stringify({ status: 'fail', violations: [violation, 'x', null] }), ROOT);
    expect(answer).toEqual({
      status: 'fail',
      violations: [{ file: 'a', line: 1, issue: 'i', priority: 'low', status: 'new', ...read }],
    });
  });
});
