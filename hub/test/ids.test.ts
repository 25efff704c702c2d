import { expect, test } from 'vitest';
import { newId } from '../src/hub.js';

test('no id begins with a dash, so that `hub revoke ID` takes none for an option', () => {
  const ids = Array.from({ length: 2000 }, newId);
  expect(ids.filter((id) => !/^\w[\w-]{21}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
