import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { printed, readAll } from '../config/scratch';
import { deniedBecause, makeRig } from '../e2e/rig';
import { blocksIn, DOCUMENTS, rulesIn, textOf } from './documents';

const CONFIG = '.holdpoint/config.yaml';

/** Every config that a document shows, with the file that its first line names. Pages of errors show wrong ones. */
const samples = DOCUMENTS.filter((document) => !document.startsWith('docs/errors/')).flatMap((document) =>
  blocksIn(textOf(document), 'yaml').map((text, index) => ({
    sample: `${document} ${index + 1}`,
    path: /^# (\S+)\n/.exec(text)?.[1] ?? '',
    text,
  })),
);

test('every sample says which file it is', () => {
  expect(samples.length).toBeGreaterThan(15);
  expect(samples.filter(({ path }) => !/^\.(?:holdpoint|claude|gauntlet)\//.test(path))).toEqual([]);
});

/** What the guide of rules speaks of: its own samples, and a package. */
const RULES = {
  ...rulesIn('docs/rules.md'),
  'node_modules/@acme/holdpoint-rules/package.json': '{}',
  'node_modules/@acme/holdpoint-rules/index.js':
    "exports.default = { name: 'acme-review', on: 'push', decide() {} };\n",
};

describe('is valid without a warning', () => {
  test.each(samples.filter(({ path }) => !path.startsWith('.gauntlet/')))('$sample', ({ path, text }) => {
    const around = 'requirements:\n  commit_plan:\n    enabled: true\n';
    const read = readAll({ ...RULES, [CONFIG]: around, [path]: text });
    expect(printed(read)).toBe('');
    expect(read.guards.length).toBeGreaterThan(0);
  });
});

test('documents in the guides are JSON', () => {
  const documents = DOCUMENTS.flatMap((document) => blocksIn(textOf(document), 'json'));
  expect(documents.length).toBeGreaterThan(4);
  for (const document of documents) expect(() => JSON.parse(document)).not.toThrow();
});

test('the config of the README holds an edit, by each of its requirements', () => {
  const [example = ''] = blocksIn(textOf('README.md'), 'yaml');
  const rig = makeRig(example, CONFIG);
  try {
    rig.git('branch', '-m', 'main');
    const input = { file_path: join(rig.repo, 'a.js'), old_string: 'a', new_string: 'b' };
    const event = { session_id: '5e551011-0000', cwd: rig.repo, hook_event_name: 'PreToolUse' };
    const held = deniedBecause(
      rig.hook({ ...event, tool_name: 'Edit', tool_use_id: 't1', tool_input: input }),
    );
    for (const name of ['commit_plan', 'plan_approved', 'release_branches']) expect(held).toContain(name);
  } finally {
    rig.remove();
  }
});

/** The default in the reference beside the value that an empty config compiles to. */
test.each([
  ['gates', { [CONFIG]: 'gates: {entry_points: [{path: ., checks: [a]}], checks: {a: {command: x}}}\n' }],
  ['loop', { [CONFIG]: 'version: 1\n' }],
])('the defaults of %s in the reference are those in force', (section, files) => {
  const config = readAll(files).guards.find(({ name }) => name === section)?.config as JsonObject;
  const rows = [
    ...textOf('docs/reference.md').matchAll(
      new RegExp(`^\\| \`${section}\\.(\\w+)\` \\| [^|]+ \\| ([^|]+) \\|`, 'gm'),
    ),
  ];
  const compiled = rows.flatMap(([, key = '', shown = '']) => {
    const value = config[key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    const inForce =
      value === undefined ? 'no limit' : key === 'stall' && value === true ? 'on' : String(value);
    return shown.trim() === '' ? [] : [{ key, shown, inForce }];
  });
  expect(compiled.length).toBeGreaterThan(4);
  expect(compiled.filter(({ shown, inForce }) => shown !== inForce)).toEqual([]);
});
