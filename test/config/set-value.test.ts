import { describe, expect, test } from 'vitest';
import { setValue } from '../../src/config/edit-yaml';
import type { Json } from '../../src/core/json';

function edited(text: string, path: string, value: Json, yaml: '1.1' | '1.2' = '1.1'): string {
  const result = setValue(text, path.split('.'), value, yaml);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

/** Odd on purpose: everything that a printer of YAML would lay out in its own way. */
const ODD = `# Ours.   Do not reformat!
version:   "1.0"   # quoted
requirements:
    plan:   # why
        enabled:   true    # for now
        message: |
            Plan first,
              then edit.


    # about review
    review: {enabled: true,   scope: 'branch'}   # flow
    later:
hooks: { stop: {verify_requirements: yes} }
# The end.
`;

describe('only the value changes, and every other byte stays', () => {
  test.each<[string, Json, string, string]>([
    ['requirements.plan.enabled', false, 'enabled:   true ', 'enabled:   false '],
    ['requirements.review.scope', 'session', "'branch'", 'session'],
    ['requirements.review.enabled', false, '{enabled: true,', '{enabled: false,'],
    ['requirements.review.message', 'Say so: now', '{enabled', '{message: "Say so: now", enabled'],
    ['hooks.stop', false, '{verify_requirements: yes}', 'false'],
    ['hooks.session_end', {}, '{ stop', '{ session_end: {}, stop'],
    ['version', 1, '"1.0"', '1'],
    ['requirements.later', false, 'later:\n', 'later: false\n'],
    ['requirements.plan.message', 'One', '|\n            Plan first,\n              then edit.\n', 'One\n'],
    ['requirements.plan.scope', 'branch', '\n\n\n', '\n        scope: branch\n\n\n'],
    ['requirements.more.enabled', true, 'hooks:', '    more:\n      enabled: true\nhooks:'],
    ['enabled', false, '# The end', 'enabled: false\n# The end'],
  ])('%s', (path, value, before, after) => {
    expect(ODD.split(before)).toHaveLength(2);
    expect(edited(ODD, path, value)).toBe(ODD.replace(before, after));
  });
});

test.each([
  ['', 'enabled: false\n'],
  ['# nothing yet', '# nothing yet\nenabled: false\n'],
  ['---\n', '---\nenabled: false\n'],
  ['a: 1', 'a: 1\nenabled: false\n'],
  ['a: 1\r\nb: 2\r\n', 'a: 1\r\nb: 2\r\nenabled: false\r\n'],
  ['\ufeffa: 1\n', '\ufeffa: 1\nenabled: false\n'],
  ['{}', '{enabled: false}'],
  ['enabled: true # x', 'enabled: false # x'],
  ['"enabled": true', '"enabled": false'],
  ['enabled: true\nenabled: true\n', 'enabled: true\nenabled: false\n'],
])('%j takes a new key', (text, after) => {
  expect(edited(text, 'enabled', false)).toBe(after);
});

test('a word that the older program takes for a boolean is quoted for it', () => {
  expect(edited('a: x\n', 'a', 'yes')).toBe('a: "yes"\n');
  expect(edited('a: x\n', 'a', 'yes', '1.2')).toBe('a: yes\n');
});

test('text of several lines stays one value', () => {
  expect(edited('a: {b: x}\n', 'a.b', 'one\ntwo')).toBe('a: {b: "one\\ntwo"}\n');
});

test.each([
  [
    '# first\nrequirements:   # none yet\n# last\n',
    '# first\nrequirements:   # none yet\n  plan:\n    enabled: true\n# last\n',
  ],
  ['requirements:', 'requirements:\n  plan:\n    enabled: true\n'],
  ['requirements:\n  plan:\n  b: {}\n', 'requirements:\n  plan:\n    enabled: true\n  b: {}\n'],
  ['requirements: {plan: }\n', 'requirements: {plan: {enabled: true}}\n'],
  ['requirements: {}\n', 'requirements: {plan: {enabled: true}}\n'],
])('%j takes a mapping below an empty key', (text, after) => {
  expect(edited(text, 'requirements.plan.enabled', true)).toBe(after);
});

test('a list gives way to a list', () => {
  expect(edited('a:\n  t:\n    - x\n    - y\n  u: 1\n', 'a.t', ['z', { tool: 'Bash' }])).toBe(
    'a:\n  t:\n    [z, {tool: Bash}]\n  u: 1\n',
  );
});

test.each([
  ['a: [', ['a'], { kind: 'broken', line: 1 }],
  ['- a', ['a'], { kind: 'broken' }],
  ['requirements: 5', ['requirements', 'plan', 'enabled'], { kind: 'not-a-mapping', path: ['requirements'] }],
  [
    'x: &x {enabled: true}\nrequirements: {plan: *x}',
    ['requirements', 'plan', 'enabled'],
    { kind: 'no-place' },
  ],
])('%j is left alone', (text, path, failure) => {
  expect(setValue(text, path, false, '1.1')).toMatchObject({ ok: false, failure });
});
