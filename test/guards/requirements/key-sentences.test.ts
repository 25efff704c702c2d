import { describe, expect, test } from 'vitest';
import { printableSchema } from '../../../src/core/compile-config';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json';

const TOP = ['version', 'inherit', 'guards', 'requirements', 'hooks', 'enforce_everywhere'];

/** Every key that the schema knows, by its path, with what is said of it. */
function keysOf(schema: Json | undefined, path: string): [path: string, said: Json | undefined][] {
  if (Array.isArray(schema)) return schema.flatMap((part) => keysOf(part, path));
  if (!isJsonObject(schema)) return [];
  const { properties, ...rest } = schema;
  const own = Object.entries(isJsonObject(properties) ? properties : {}).filter(
    ([, key]) => isJsonObject(key) && !Object.hasOwn(key, 'const'),
  );
  return [
    ...own.flatMap(([name, key]) => [
      [`${path}/${name}`, (key as JsonObject)['description']] as [string, Json | undefined],
      ...keysOf(key, `${path}/${name}`),
    ]),
    ...Object.values(rest).flatMap((part) => keysOf(part, path)),
  ];
}

const keys = keysOf(printableSchema(), '').filter(([path]) => TOP.includes(path.split('/')[1] ?? ''));

describe('what an editor shows beside a key', () => {
  test('the schema is walked to its leaves', () => {
    const known = keys.map(([path]) => path);
    for (const path of [
      '/requirements',
      '/requirements/trigger_tools/command_pattern',
      '/requirements/evidence/max_age_seconds',
      '/requirements/thresholds/block',
      '/hooks/session_start/carry_over/window_seconds',
      '/guards/loop/on_error',
    ])
      expect(known).toContain(path);
  });

  test.each(keys)('%s: %s', (_path, said) => {
    expect(said).toMatch(/^(?:[A-Z0-9]|`).*\.$/s);
    expect(String(said).length).toBeGreaterThan(15);
  });
});
