import { expect, test } from 'vitest';
import { draw } from '../../tools/picture.mjs';
import { textOf } from './documents';

test('the picture of a held agent is what the scripted session prints; `node tools/picture.mjs` draws it', () => {
  expect(textOf('docs/held.svg')).toBe(draw());
});
