import { describe, expect, test } from 'vitest';
import { type DiagnosticCode, formatDiagnostic } from '../../src/config/diagnostics';
import { type Files, printed, readFiles } from './scratch';

const OURS = '.holdpoint/config.yaml';

interface Case {
  readonly code: DiagnosticCode;
  readonly files: Files;
  readonly text: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  'a tab that indents': {
    code: 'config.syntax',
    files: { [OURS]: 'requirements:\n\tplan: {}\n' },
    text: [
      '.holdpoint/config.yaml:2:1: error: a tab cannot indent YAML; use spaces',
      '  \\tplan: {}',
      '  ^~',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'bad indentation': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks:\n  stop: {}\n requirements: {}\n' },
    text: [
      '.holdpoint/config.yaml:3:1: error: not valid YAML: All mapping items must start at the same column',
      '   requirements: {}',
      '  ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a brace that is never closed': {
    code: 'config.syntax',
    files: { [OURS]: 'loop: {}\nhooks: {}\nrequirements: {plan: {enabled: true}\n' },
    text: [
      '.holdpoint/config.yaml:3:15: error: not valid YAML: this { is never closed',
      '  requirements: {plan: {enabled: true}',
      '                ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a brace that is never closed, on a last line without an end': {
    code: 'config.syntax',
    files: { [OURS]: 'requirements: {plan: {enabled: true}' },
    text: [
      '.holdpoint/config.yaml:1:15: error: not valid YAML: this { is never closed',
      '  requirements: {plan: {enabled: true}',
      '                ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a bracket that another key follows': {
    code: 'config.syntax',
    files: { [OURS]: 'loop:\r\n  worktrees: [a, b\r\nhooks: {}\r\n' },
    text: [
      '.holdpoint/config.yaml:2:14: error: not valid YAML: this [ is not closed before line 3, which is not indented as a part of it',
      '    worktrees: [a, b',
      '               ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a bracket that another sign closes': {
    code: 'config.syntax',
    files: { [OURS]: '[a, b}\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: not valid YAML: this [ is not closed before the } in line 1',
      '  [a, b}',
      '  ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a quote that is never closed': {
    code: 'config.syntax',
    files: { [OURS]: 'requirements:\n  plan:\n    message: "first plan\n    enabled: true\n\n# end\n' },
    text: [
      '.holdpoint/config.yaml:3:14: error: not valid YAML: this " is never closed',
      '      message: "first plan',
      '               ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a second document': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks: {}\n---\nhooks: {}\n' },
    text: [
      '.holdpoint/config.yaml:2:1: error: a second YAML document starts here; a config file holds one',
      '  ---',
      '  ^~~',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a list as a key': {
    code: 'config.syntax',
    files: { [OURS]: '? [a]\n: 1\n' },
    text: [
      '.holdpoint/config.yaml:1:3: error: a key must be text, not a list or a mapping',
      '  ? [a]',
      '    ^',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'an alias without its anchor': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks: *gone\n' },
    text: [
      '.holdpoint/config.yaml:1:8: error: `*gone` names no anchor that stands before it',
      '  hooks: *gone',
      '         ^~~~~',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'an alias inside its own anchor': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks: &h\n  stop: *h\n' },
    text: [
      '.holdpoint/config.yaml:2:9: error: `*h` stands inside what it names',
      '    stop: *h',
      '          ^~',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a file over a mebibyte': {
    code: 'config.too-large',
    files: { [OURS]: '#'.repeat(1024 * 1024 + 1) },
    text: [
      '.holdpoint/config.yaml:1:1: error: the file has 1048577 bytes; a config file may have 1048576',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a file that is not text': {
    code: 'config.unreadable',
    files: { [OURS]: new Uint8Array([0x61, 0xff, 0xfe]) },
    text: [
      '.holdpoint/config.yaml:1:1: error: the file is not UTF-8 text',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a directory in the place of a file': {
    code: 'config.unreadable',
    files: { [`${OURS}/inside`]: '' },
    text: [
      '.holdpoint/config.yaml:1:1: error: this is not a regular file',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a list at the top': {
    code: 'config.not-a-mapping',
    files: { [OURS]: '- requirements\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: the file must hold a mapping of keys to values',
      '  - requirements',
      '  ^~~~~~~~~~~~~~',
      'everything in this file is switched off until this is fixed',
    ],
  },
  'a key given twice': {
    code: 'config.duplicate-key',
    files: { [OURS]: 'requirements:\n  plan:\n    scope: session\n    scope: branch\n' },
    text: [
      '.holdpoint/config.yaml:4:5: error: `scope` is given twice in this mapping, first on line 3; only this one counts',
      '      scope: branch',
      '      ^~~~~',
    ],
  },
  'an unknown key at the top': {
    code: 'config.unknown-key',
    files: { [OURS]: 'requirments: {}\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: unknown key `requirments`',
      '  requirments: {}',
      '  ^~~~~~~~~~~',
      'hint: did you mean `requirements`?',
      'requirments is switched off until this is fixed',
    ],
  },
  'an unknown key that is close to nothing': {
    code: 'config.unknown-key',
    files: { [OURS]: 'hooks:\n  stop: {colour: red}\n' },
    text: [
      '.holdpoint/config.yaml:2:10: error: unknown key `colour`',
      '    stop: {colour: red}',
      '           ^~~~~~',
      'hint: known here: verify_requirements, verify_scopes',
      'hooks.stop.colour is switched off until this is fixed',
    ],
  },
  'an unknown key at the top of a seed file, meant for another place of the model': {
    code: 'config.unknown-key',
    files: { '.claude/requirements.yaml': 'requirement: {}\n' },
    text: [
      '.claude/requirements.yaml:1:1: error: unknown key `requirement`',
      '  requirement: {}',
      '  ^~~~~~~~~~~',
      'hint: did you mean `requirements`?',
      'requirement is switched off until this is fixed',
    ],
  },
  'a key that only a seed file can fill': {
    code: 'config.unknown-key',
    files: { [OURS]: 'requirements.yaml: {enabled: false}\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: unknown key `requirements.yaml`',
      '  requirements.yaml: {enabled: false}',
      '  ^~~~~~~~~~~~~~~~~',
      'hint: known here: version, inherit, guards, requirements, hooks, enforce_everywhere, workflow, gates, loop',
      'requirements.yaml is switched off until this is fixed',
    ],
  },
  'a near miss where users keep keys of their own': {
    code: 'config.unknown-key',
    files: { [OURS]: 'requirements:\n  plan: {triggerTool: [Bash], adr_path: docs}\n' },
    text: [
      '.holdpoint/config.yaml:2:10: error: `triggerTool` looks like a misspelt `trigger_tools`',
      '    plan: {triggerTool: [Bash], adr_path: docs}',
      '           ^~~~~~~~~~~',
      'requirements.plan.triggerTool is switched off until this is fixed',
    ],
  },
  'a value of the wrong type': {
    code: 'config.wrong-type',
    files: { '~/.config/holdpoint/config.yaml': 'requirements:\n  plan:\n    enabled: "yes"\n' },
    text: [
      '~/.config/holdpoint/config.yaml:3:14: error: `enabled` must be true or false, not "yes"',
      '      enabled: "yes"',
      '               ^~~~~',
      'requirements.plan is switched off until this is fixed',
    ],
  },
  'a `<<` that names no mapping': {
    code: 'config.wrong-type',
    files: { [OURS]: 'hooks:\n  <<: 5\n' },
    text: [
      '.holdpoint/config.yaml:2:3: error: `<<` takes a mapping or a list of mappings',
      '    <<: 5',
      '    ^~',
    ],
  },
  'a word that is not among the allowed ones': {
    code: 'config.invalid-value',
    files: { [OURS]: 'guards:\n  requirements:\n    on_error: hodl\n' },
    text: [
      '.holdpoint/config.yaml:3:15: error: `on_error` must be one of allow, hold, not "hodl"',
      '      on_error: hodl',
      '                ^~~~',
      'hint: did you mean `hold`?',
      'guards.requirements.on_error is switched off until this is fixed',
    ],
  },
  'a version of the future': {
    code: 'config.invalid-value',
    files: { [OURS]: 'version: 2\n' },
    text: [
      '.holdpoint/config.yaml:1:10: error: `version` must be 1, the only version there is',
      '  version: 2',
      '           ^',
      'version is switched off until this is fixed',
    ],
  },
  'a number that JSON cannot hold': {
    code: 'config.invalid-value',
    files: { [OURS]: 'requirements:\n  plan: {replan_ttl: .inf}\n' },
    text: [
      '.holdpoint/config.yaml:2:22: error: Infinity is not a value that a config can hold',
      '    plan: {replan_ttl: .inf}',
      '                       ^~~~',
    ],
  },
  'a missing key': {
    code: 'config.missing-key',
    files: { [OURS]: 'requirements:\n  main_only: {enabled: true, type: guard}\n' },
    text: [
      '.holdpoint/config.yaml:2:3: error: `requirements.main_only` needs the key `guard_type`',
      '    main_only: {enabled: true, type: guard}',
      '    ^~~~~~~~~',
      'requirements.main_only is switched off until this is fixed',
    ],
  },
  'a needed key with nothing behind it': {
    code: 'config.missing-key',
    files: { [OURS]: 'requirements:\n  main_only:\n    type: guard\n    guard_type:\n' },
    text: [
      '.holdpoint/config.yaml:4:5: error: `guard_type` is empty, and it is needed',
      '      guard_type:',
      '      ^~~~~~~~~~',
      'requirements.main_only is switched off until this is fixed',
    ],
  },
  'a key in our file and in a seed file of the same layer': {
    code: 'config.defined-twice',
    files: { [OURS]: 'version: 1\nhooks: {}\n', '.claude/requirements.yaml': 'hooks: {}\n' },
    text: [
      '.claude/requirements.yaml:1:1: error: `hooks` is also defined at .holdpoint/config.yaml:2:1, which stays in force',
      '  hooks: {}',
      '  ^~~~~',
      'hint: keep it in one of the two files',
      'hooks of .claude/requirements.yaml is switched off until this is fixed',
    ],
  },
  'a key that nothing reads': {
    code: 'config.not-read',
    files: { '~/.claude/requirements.yaml': 'logging: {level: debug}\n' },
    text: [
      '~/.claude/requirements.yaml:1:1: warning: `logging` is accepted, but nothing reads it',
      '  logging: {level: debug}',
      '  ^~~~~~~',
    ],
  },
  'a key that is not acted on yet': {
    code: 'config.not-enforced',
    files: { '.claude/requirements.yaml': 'enabled: true\nstrict_preflight: true\n' },
    text: [
      '.claude/requirements.yaml:2:1: warning: `strict_preflight` is not enforced by this version',
      '  strict_preflight: true',
      '  ^~~~~~~~~~~~~~~~',
    ],
  },
};

describe('what a person reads about', () => {
  test.each(Object.entries(CASES))('%s', (_, { code, files, text }) => {
    const read = readFiles(files);
    expect(printed(read)).toBe(text.join('\n'));
    expect(read.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
  });
});

test('all errors of all files are reported at once, in the order of layers and lines', () => {
  const read = readFiles({
    [OURS]: 'nope_one: 1\nrequirements:\n  b: 2\n  a: 1\n',
    '~/.config/holdpoint/config.yaml': 'nope_two: 1\n',
    '.holdpoint/config.local.yaml': 'nope_three: [\n',
  });
  expect(read.diagnostics.map(({ place }) => `${place.file}:${place.line}`)).toEqual([
    '~/.config/holdpoint/config.yaml:1',
    '.holdpoint/config.yaml:1',
    '.holdpoint/config.yaml:3',
    '.holdpoint/config.yaml:4',
    '.holdpoint/config.local.yaml:1',
  ]);
});

test('control characters and reordering marks of a file never reach the terminal', () => {
  const [diagnostic] = readFiles({ [OURS]: '"a\\e[31m\u202eb": 1 # \u0007\n' }).diagnostics;
  const text = formatDiagnostic(diagnostic!);
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(text).toContain('\\u202e');
  expect(text).toContain('\\u0007');
});

test('a line of a thousand characters is cut, and left out where the error is far to the right', () => {
  const near = readFiles({ [OURS]: `nope: ${'x'.repeat(1000)}\n` }).diagnostics[0];
  expect(near?.place.sourceLine).toHaveLength(160);
  const far = readFiles({ [OURS]: `{${' '.repeat(1000)}nope: 1}\n` }).diagnostics[0];
  expect(far?.place).toMatchObject({ line: 1, column: 1002, sourceLine: '' });
});
