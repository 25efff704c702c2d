import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { findCandidates } from '../../src/config/files';
import type { CompileContext, Section } from '../../src/config/section';
import { section } from '../../src/config/section';
import { inScratch, printed, readFiles } from './scratch';

const check = v.strictObject({ command: v.string(), timeout: v.optional(v.number()) });
const entry = v.strictObject({ path: v.string(), limits: v.optional(v.strictObject({ max: v.number() })) });

/** A section with what the requirements' one has not: units in lists, needed keys, one file for each rule. */
function checks(compile: (valid: object, context: CompileContext) => string[]): Section {
  return section({
    guard: 'gates',
    keys: {
      gates: v.strictObject({
        checks: v.optional(v.record(v.string(), check)),
        entries: v.optional(v.array(entry)),
        limits: v.optional(v.strictObject({ max: v.number(), colour: v.optional(v.string()) })),
      }),
    },
    legacyOnly: [],
    files: [
      {
        layer: 'project',
        base: 'project',
        path: '.checks/*.yml',
        yaml: '1.2',
        mount: (key, name) => ['gates', 'checks', name, key],
      },
    ],
    units: ['gates/checks/*', 'gates/entries/*'],
    tolerated: [],
    compile,
  });
}

const asJson = checks((valid) => [JSON.stringify(valid)]);

describe('a directory of files, one for each rule', () => {
  test('is read by name, each file to its own place', () => {
    const read = readFiles(
      {
        '.checks/lint.yml': 'command: npm run lint\n',
        '.checks/unit.yml': 'command: 5\n',
        '.checks/notes.md': '',
      },
      [asJson],
    );
    expect(read.guards).toMatchObject([
      { config: ['{"gates":{"checks":{"lint":{"command":"npm run lint"}}}}'] },
    ]);
    expect(printed(read)).toBe(
      [
        '.checks/unit.yml:1:10: error: `command` must be text, not 5',
        '  command: 5',
        '           ^',
        'disabled until this is fixed: gates.checks.unit',
      ].join('\n'),
    );
  });

  test('counts as a candidate itself, so that a new file is noticed', () => {
    inScratch({ '.checks/lint.yml': '' }, (root, home) => {
      const { files, directories } = findCandidates({ root, home }, [asJson]);
      expect(directories).toEqual([`${root}/.checks/`]);
      expect(files.map((file) => file.path)).toContain(`${root}/.checks/lint.yml`);
    });
  });
});

describe('the smallest thing goes', () => {
  test('a list item where items are units, and the places of the others stay right', () => {
    const places = checks((_, context) =>
      ['0', '1'].map((at) => context.place(`gates/entries/${at}/path`) ?? ''),
    );
    const text = 'gates:\n  entries:\n    - path: a\n    - path: 5\n    - path: c\n';
    expect(readFiles({ '.holdpoint/config.yaml': text }, [places]).guards).toMatchObject([
      { config: ['.holdpoint/config.yaml:3:7', '.holdpoint/config.yaml:5:7'] },
    ]);
  });

  test('a mapping that cannot be without its bad key', () => {
    const text = 'gates:\n  limits: {max: many, colour: red}\n  entries: []\n';
    const read = readFiles({ '.holdpoint/config.yaml': text }, [asJson]);
    expect(read.guards).toMatchObject([{ config: ['{"gates":{"entries":[]}}'] }]);
    expect(read.diagnostics).toMatchObject([{ code: 'config.wrong-type', switchesOff: 'gates.limits' }]);
  });

  test('an optional key alone', () => {
    const text = 'gates:\n  limits: {max: 1, colour: 2}\n';
    const read = readFiles({ '.holdpoint/config.yaml': text }, [asJson]);
    expect(read.guards).toMatchObject([{ config: ['{"gates":{"limits":{"max":1}}}'] }]);
  });

  test('only the unknown key, not the rule around it', () => {
    const read = readFiles({ '.checks/lint.yml': 'command: x\ntimeuot: 5\n' }, [asJson]);
    expect(read.guards).toMatchObject([{ config: ['{"gates":{"checks":{"lint":{"command":"x"}}}}'] }]);
    expect(read.diagnostics).toMatchObject([{ code: 'config.unknown-key', hint: 'did you mean `timeout`?' }]);
  });

  test('the whole key where it is of the wrong kind', () => {
    const read = readFiles({ '.holdpoint/config.yaml': 'gates: [1]\n' }, [asJson]);
    expect(read.guards).toMatchObject([{ config: ['{}'] }]);
    expect(read.diagnostics).toMatchObject([{ message: '`gates` must be a mapping, not a list' }]);
  });
});

test('a section that compiles to nothing configures no guard', () => {
  const none: Section = { ...asJson, compile: () => undefined };
  expect(readFiles({ '.holdpoint/config.yaml': 'gates: {}\n' }, [none]).guards).toEqual([]);
});

test('with the home as the project one file is read once, as the project’s', () => {
  inScratch({}, (root) => {
    const files = findCandidates({ root, home: root }, [
      { ...asJson, files: (['global', 'project'] as const).map(seedAt) },
    ]).files.filter((file) => file.legacy);
    expect(files.map(({ layer, shown }) => [layer, shown])).toEqual([['project', '.x/y.yaml']]);
  });
});

function seedAt(layer: 'global' | 'project'): Section['files'][number] {
  const base = layer === 'global' ? 'home' : 'project';
  return { layer, base, path: '.x/y.yaml', yaml: '1.2', mount: (key) => [key] };
}
