import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { geminiSetup } from '../../../src/hosts/gemini/setup';

const LINE = 'L="$HOME/.config/holdpoint/launch"; . "$L"';
const WISHES = { start: { shell: LINE, library: 'l' }, stopSeconds: 900, failClosed: false };
const GROUND = { project: '/w', home: '/home/dev', env: {} };

test('times are in milliseconds, and the hook has a name', () => {
  const sheet = geminiSetup.sheet('project', GROUND, WISHES);
  if (sheet.kind !== 'entries') throw new Error('no entries');
  expect(sheet.file).toBe('/w/.gemini/settings.json');
  const hooks = sheet.entries.map(({ path, value }) => {
    const [hook] = value['hooks'] as unknown as [JsonObject];
    expect(hook['name']).toBe('holdpoint');
    return [path[1], hook['timeout']];
  });
  expect(Object.fromEntries(hooks)).toMatchObject({ AfterAgent: 900_000, BeforeTool: 30_000 });
});

const installed = (timeout: number): JsonObject => ({
  hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: LINE, timeout }] }] },
});

test.each<[string, JsonObject | undefined, string[]]>([
  ['nothing is wrong with what we write', installed(30_000), []],
  ['seconds are too short', installed(30), ['gemini-milliseconds']],
  [
    'hooks may be off altogether',
    { ...installed(30_000), hooksConfig: { enabled: false } },
    ['gemini-hooks-off'],
  ],
  [
    'or ours by its name',
    { ...installed(30_000), hooksConfig: { disabled: ['holdpoint'] } },
    ['gemini-hook-off'],
  ],
  [
    'other people’s seconds are their own',
    { hooks: { BeforeTool: [{ hooks: [{ command: 'x', timeout: 3 }] }] } },
    [],
  ],
  ['without settings there is nothing to say', undefined, []],
])('%s', (_, settings, ids) => {
  expect(geminiSetup.examine('project', GROUND, settings).map(({ id }) => id)).toStrictEqual(ids);
});
