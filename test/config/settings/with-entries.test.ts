import { describe, expect, it } from 'vitest';
import { type WantedEntries, withEntries, withoutEntries } from '../../../src/config/settings/entries';
import type { Json, JsonObject } from '../../../src/core/json';

const mark = (name: string) => (value: Json) => JSON.stringify(value).includes(name);
const OURS = { hooks: [{ command: 'ours' }] };

function wanted(more: Partial<WantedEntries> = {}): WantedEntries {
  return {
    entries: [{ path: ['hooks', 'Stop'], value: OURS }],
    skeleton: {},
    isOurs: mark('ours'),
    makesRoom: () => false,
    keepsOut: () => false,
    ...more,
  };
}

function edited(text: string, more?: Partial<WantedEntries>): string {
  const result = withEntries(text, wanted(more));
  if (!result.ok) throw new Error(result.failure.text);
  return result.value.text;
}

function takenOut(text: string): string {
  const result = withoutEntries(text, {
    parents: [['hooks']],
    skeleton: ['version'],
    undo: undefined,
    isOurs: mark('ours'),
  });
  if (!result.ok) throw new Error(result.failure.text);
  return result.value;
}

const lines = (...all: string[]): string => all.join('\n');

describe('an entry is written as its neighbours are', () => {
  it.each<[string, string, string]>([
    [
      'no text',
      '',
      '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "command": "ours"\n          }\n        ]\n      }\n    ]\n  }\n}\n',
    ],
    ['one line without blanks', '{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[{"command":"ours"}]}]}}'],
    [
      'one line with blanks',
      '{ "a": 1 }',
      '{ "a": 1, "hooks": { "Stop": [ { "hooks": [ { "command": "ours" } ] } ] } }',
    ],
    [
      'tabs, in an empty list',
      '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
      '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"command": "ours"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}',
    ],
    [
      'lines that end in two ways',
      '{\r\n    "a": 1,\n    "b": 2\r\n}',
      '{\r\n    "a": 1,\n    "b": 2,\n    "hooks": {\n        "Stop": [\n            {\n                "hooks": [\n                    {\n                        "command": "ours"\n                    }\n                ]\n            }\n        ]\n    }\r\n}',
    ],
  ])('%s', (_name, before, after) => {
    expect(edited(before)).toBe(after);
  });
});

describe('what is refused, with its place', () => {
  it.each<[string, string, string, string]>([
    ['a comment', '{\n  "a": 1, // why\n  "b": 2\n}', '2:11', 'comment'],
    ['a comment in front', '/* x */ {}', '1:1', 'comment'],
    ['a comma behind the last member', '{\n  "a": 1,\n}', '2:9', 'trailing-comma'],
    ['a comma behind the last value', '{"a": [1,\r\n]}', '1:9', 'trailing-comma'],
    [
      'a key on the way that is there twice',
      '{\n  "hooks": {},\n  "a": 1, "hooks": {}\n}',
      '3:11',
      'duplicate-key',
    ],
    ['a list that is there twice', '{\n  "hooks": {"Stop": [],\n  "Stop": []}\n}', '3:3', 'duplicate-key'],
    ['a list for a document', ' []', '1:2', 'not-an-object'],
    ['half a document', '{"a": ', '1:7', 'syntax'],
    ['a single quote', "{'a': 1}", '1:2', 'syntax'],
    ['two documents', '{} {}', '1:4', 'syntax'],
    ['a number that only JavaScript knows', '{"a": 01}', '1:8', 'syntax'],
    ['hooks that are a list', '{"hooks": []}', '1:11', 'wrong-type'],
    ['hooks that are null', '{"hooks": null}', '1:11', 'wrong-type'],
    ['an event that is an object', '{"hooks": {"Stop": {}}}', '1:20', 'wrong-type'],
  ])('%s', (_name, text, place, kind) => {
    const result = withEntries(text, wanted());
    expect(
      result.ok ? 'edited' : `${result.failure.line}:${result.failure.column} ${result.failure.kind}`,
    ).toBe(`${place} ${kind}`);
  });
});

describe('ours that stand there already', () => {
  const group = (...commands: string[]): JsonObject => ({ hooks: commands.map((command) => ({ command })) });
  const document = (hooks: JsonObject): string => JSON.stringify({ hooks });
  it.each<[string, JsonObject, JsonObject]>([
    ['stay as they are', { Stop: [OURS, group('x')] }, { Stop: [OURS, group('x')] }],
    [
      'are brought up to date in their place',
      { Stop: [group('ours, old'), group('x')] },
      { Stop: [OURS, group('x')] },
    ],
    ['are there once', { Stop: [OURS, group('x'), group('ours')] }, { Stop: [OURS, group('x')] }],
    [
      'leave events that are none of ours any more',
      { Idle: [OURS], Start: [group('x'), OURS] },
      { Start: [group('x')], Stop: [OURS] },
    ],
    [
      'are taken out of a group of somebody else',
      { Stop: [group('x', 'ours, old', 'y')] },
      { Stop: [group('x', 'y'), OURS] },
    ],
  ])('%s', (_name, before, after) => {
    expect(JSON.parse(edited(document(before)))).toEqual({ hooks: after });
  });

  it('are not added where another entry does the work', () => {
    const text = document({ Stop: [group('hand')] });
    expect(edited(text, { keepsOut: mark('hand') })).toBe(text);
  });
});

it('entries that make room come back with their own text, even where the document has changed since', () => {
  const before = lines(
    '{',
    '  "hooks": {',
    '    "Stop": [',
    '      {"hooks":   [{"command":"old"}]},',
    '      {',
    '        "hooks": [{"command": "x"}, { "command":"old 2" }]',
    '      }',
    '    ]',
    '  }',
    '}',
  );
  const result = withEntries(before, wanted({ makesRoom: mark('old') }));
  if (!result.ok) throw new Error(result.failure.text);
  expect(JSON.parse(result.value.text).hooks.Stop).toEqual([{ hooks: [{ command: 'x' }] }, OURS]);
  const changed = result.value.text.replace('{\n', '{\n  "model": "m",\n');
  const back = withoutEntries(changed, {
    parents: [['hooks']],
    skeleton: [],
    undo: result.value.undo,
    isOurs: mark('ours'),
  });
  expect(back).toEqual({ ok: true, value: before.replace('{\n', '{\n  "model": "m",\n') });
});

describe('where nobody noted what was there before', () => {
  it.each<[string, string, string]>([
    ['what ours leave empty goes too', '{"a":1,"hooks":{"Stop":[{"command":"ours"}]}}', '{"a":1}'],
    [
      'what others stand in stays',
      '{"hooks":{"Stop":[{"command":"ours"}],"Idle":[]}}',
      '{"hooks":{"Idle":[]}}',
    ],
    [
      'members for our sake go when nothing else is left',
      '{"version":1,"hooks":{"Stop":[{"command":"ours"}]}}',
      '{}',
    ],
    [
      'and stay when something is',
      '{"version":1,"x":2,"hooks":{"Stop":[{"command":"ours"}]}}',
      '{"version":1,"x":2}',
    ],
  ])('%s', (_name, before, after) => {
    expect(takenOut(before)).toBe(after);
  });
});
