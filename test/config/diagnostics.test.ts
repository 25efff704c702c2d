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
      'disabled until this is fixed: everything in this file',
    ],
  },
  'bad indentation': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks:\n  stop: {}\n requirements: {}\n' },
    text: [
      '.holdpoint/config.yaml:3:1: error: not valid YAML: All mapping items must start at the same column',
      '   requirements: {}',
      '  ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a brace that is never closed': {
    code: 'config.syntax',
    files: { [OURS]: 'loop: {}\nhooks: {}\nrequirements: {plan: {enabled: true}\n' },
    text: [
      '.holdpoint/config.yaml:3:15: error: not valid YAML: this { is never closed',
      '  requirements: {plan: {enabled: true}',
      '                ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a brace that is never closed, on a last line without an end': {
    code: 'config.syntax',
    files: { [OURS]: 'requirements: {plan: {enabled: true}' },
    text: [
      '.holdpoint/config.yaml:1:15: error: not valid YAML: this { is never closed',
      '  requirements: {plan: {enabled: true}',
      '                ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a bracket that another key follows': {
    code: 'config.syntax',
    files: { [OURS]: 'loop:\r\n  worktrees: [a, b\r\nhooks: {}\r\n' },
    text: [
      '.holdpoint/config.yaml:2:14: error: not valid YAML: this [ is not closed before line 3, which is not indented enough to belong to it',
      '    worktrees: [a, b',
      '               ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a bracket that another sign closes': {
    code: 'config.syntax',
    files: { [OURS]: '[a, b}\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: not valid YAML: this [ is not closed before the } in line 1',
      '  [a, b}',
      '  ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a quote that is never closed': {
    code: 'config.syntax',
    files: { [OURS]: 'requirements:\n  plan:\n    message: "first plan\n    enabled: true\n\n# end\n' },
    text: [
      '.holdpoint/config.yaml:3:14: error: not valid YAML: this " is never closed',
      '      message: "first plan',
      '               ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a second document': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks: {}\n---\nhooks: {}\n' },
    text: [
      '.holdpoint/config.yaml:2:1: error: a second YAML document starts here; a config file has only one',
      '  ---',
      '  ^~~',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a list as a key': {
    code: 'config.syntax',
    files: { [OURS]: '? [a]\n: 1\n' },
    text: [
      '.holdpoint/config.yaml:1:3: error: a key must be text, not a list or a mapping',
      '  ? [a]',
      '    ^',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'an alias without its anchor': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks: *gone\n' },
    text: [
      '.holdpoint/config.yaml:1:8: error: `*gone` refers to an anchor that is not defined above it; put a glob in quotes',
      '  hooks: *gone',
      '         ^~~~~',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'text with a colon': {
    code: 'config.syntax',
    files: { [OURS]: 'description: Note: do it\n' },
    text: [
      '.holdpoint/config.yaml:1:14: error: not valid YAML: Nested mappings are not allowed in compact mappings',
      '  description: Note: do it',
      '               ^',
      'hint: put text that contains `: `, or begins with a special character, in quotes',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'an alias inside its own anchor': {
    code: 'config.syntax',
    files: { [OURS]: 'hooks: &h\n  stop: *h\n' },
    text: [
      '.holdpoint/config.yaml:2:9: error: `*h` is inside its own anchor',
      '    stop: *h',
      '          ^~',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a file over a mebibyte': {
    code: 'config.too-large',
    files: { [OURS]: '#'.repeat(1024 * 1024 + 1) },
    text: [
      '.holdpoint/config.yaml:1:1: error: the file has 1048577 bytes; the limit is 1048576',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a file that is not text': {
    code: 'config.unreadable',
    files: { [OURS]: new Uint8Array([0x61, 0xff, 0xfe]) },
    text: [
      '.holdpoint/config.yaml:1:1: error: the file is not UTF-8 text',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a directory in the place of a file': {
    code: 'config.unreadable',
    files: { [`${OURS}/inside`]: '' },
    text: [
      '.holdpoint/config.yaml:1:1: error: this is not a regular file',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a list at the top': {
    code: 'config.not-a-mapping',
    files: { [OURS]: '- requirements\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: the file must be a mapping of keys to values',
      '  - requirements',
      '  ^~~~~~~~~~~~~~',
      'disabled until this is fixed: everything in this file',
    ],
  },
  'a key given twice': {
    code: 'config.duplicate-key',
    files: { [OURS]: 'requirements:\n  plan:\n    scope: session\n    scope: branch\n' },
    text: [
      '.holdpoint/config.yaml:4:5: error: `scope` appears twice in this mapping, first on line 3; this one wins',
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
      'disabled until this is fixed: requirments',
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
      'disabled until this is fixed: hooks.stop.colour',
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
      'disabled until this is fixed: requirement',
    ],
  },
  'an unknown key of a seed file': {
    code: 'config.unknown-key',
    files: { '.claude/requirements.yaml': 'fooo: 1\n' },
    text: [
      '.claude/requirements.yaml:1:1: error: unknown key `fooo`',
      '  fooo: 1',
      '  ^~~~',
      'hint: known here: version, inherit, guards, requirements, hooks, enforce_everywhere, hub, workflow, rules, gates, loop, enabled, strict_preflight',
      'disabled until this is fixed: fooo',
    ],
  },
  'a key that only a seed file can fill': {
    code: 'config.unknown-key',
    files: { [OURS]: 'requirements.yaml: {enabled: false}\n' },
    text: [
      '.holdpoint/config.yaml:1:1: error: unknown key `requirements.yaml`',
      '  requirements.yaml: {enabled: false}',
      '  ^~~~~~~~~~~~~~~~~',
      'hint: known here: version, inherit, guards, requirements, hooks, enforce_everywhere, hub, workflow, rules, gates, loop',
      'disabled until this is fixed: requirements.yaml',
    ],
  },
  'a near miss where users keep keys of their own': {
    code: 'config.unknown-key',
    files: { [OURS]: 'requirements:\n  plan: {triggerTool: [Bash], adr_path: docs}\n' },
    text: [
      '.holdpoint/config.yaml:2:10: error: `triggerTool` looks like a misspelt `trigger_tools`',
      '    plan: {triggerTool: [Bash], adr_path: docs}',
      '           ^~~~~~~~~~~',
      'note: the rest of `requirements.plan` counts without it, and may hold more than you meant',
      'disabled until this is fixed: requirements.plan.triggerTool',
    ],
  },
  'a key of a trigger, without which it applies to every call': {
    code: 'config.unknown-key',
    files: { [OURS]: 'requirements:\n  plan: {trigger_tools: [{tool: Bash, comand_pattern: push}]}\n' },
    text: [
      '.holdpoint/config.yaml:2:39: error: unknown key `comand_pattern`',
      '    plan: {trigger_tools: [{tool: Bash, comand_pattern: push}]}',
      '                                        ^~~~~~~~~~~~~~',
      'hint: did you mean `command_pattern`?',
      'note: the rest of `requirements.plan.trigger_tools[0]` counts without it, and may hold more than you meant',
      'disabled until this is fixed: requirements.plan.trigger_tools[0].comand_pattern',
    ],
  },
  'a near miss of a key that is there': {
    code: 'config.not-read',
    files: { [OURS]: 'requirements:\n  plan: {scope: session, scop: branch}\n' },
    text: ['.holdpoint/config.yaml:2:26: warning: `requirements.plan.scop` is accepted, but has no effect'],
  },
  'a value of the wrong type': {
    code: 'config.wrong-type',
    files: { '~/.config/holdpoint/config.yaml': 'requirements:\n  plan:\n    enabled: "yes"\n' },
    text: [
      '~/.config/holdpoint/config.yaml:3:14: error: `enabled` must be true or false, not "yes"',
      '      enabled: "yes"',
      '               ^~~~~',
      'disabled until this is fixed: requirements.plan',
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
      'disabled until this is fixed: guards.requirements.on_error',
    ],
  },
  'a version of the future': {
    code: 'config.invalid-value',
    files: { [OURS]: 'version: 2\n' },
    text: [
      '.holdpoint/config.yaml:1:10: error: `version` must be 1, the only version there is',
      '  version: 2',
      '           ^',
    ],
  },
  'a number that JSON cannot hold': {
    code: 'config.invalid-value',
    files: { [OURS]: 'requirements:\n  plan: {replan_ttl: .inf}\n' },
    text: [
      '.holdpoint/config.yaml:2:22: error: Infinity is not a valid value in a config',
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
      'disabled until this is fixed: requirements.main_only',
    ],
  },
  'a needed key with nothing behind it': {
    code: 'config.missing-key',
    files: { [OURS]: 'requirements:\n  main_only:\n    type: guard\n    guard_type:\n' },
    text: [
      '.holdpoint/config.yaml:4:5: error: `guard_type` is required but empty',
      '      guard_type:',
      '      ^~~~~~~~~~',
      'disabled until this is fixed: requirements.main_only',
    ],
  },
  'a key in our file and in a seed file of the same layer': {
    code: 'config.defined-twice',
    files: { [OURS]: 'version: 1\nhooks: {}\n', '.claude/requirements.yaml': 'hooks: {}\n' },
    text: [
      '.claude/requirements.yaml:1:1: error: `hooks` is also defined at .holdpoint/config.yaml:2:1, which wins',
      '  hooks: {}',
      '  ^~~~~',
      'hint: keep it in one of the two files',
      'disabled until this is fixed: hooks of .claude/requirements.yaml',
    ],
  },
  'a key that nothing reads': {
    code: 'config.not-read',
    files: { '~/.claude/requirements.yaml': 'logging: {level: debug}\n' },
    text: ['~/.claude/requirements.yaml:1:1: warning: `logging` is accepted, but has no effect'],
  },
  'a key that is not acted on yet': {
    code: 'config.not-enforced',
    files: { '.claude/requirements.yaml': 'enabled: true\nstrict_preflight: true\n' },
    text: ['.claude/requirements.yaml:2:1: warning: `strict_preflight` is not enforced by this version'],
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
