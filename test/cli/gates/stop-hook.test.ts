import { expect, test } from 'vitest';
import { withStopHook } from '../../../src/cli/gates/init-files';

const ENTRY = { hooks: [{ type: 'command', command: 'agent-gauntlet stop-hook', timeout: 300 }] };

/** The settings after the edit, which is made twice: the second time nothing may change. */
function edited(text: string): string {
  const once = withStopHook(text);
  if (!once.ok) throw new Error(once.failure);
  const { text: after } = once.value;
  expect(withStopHook(after)).toMatchObject({ ok: true, value: { text: after } });
  return after;
}

test.each<[string, string]>([
  ['nothing', ''],
  ['an empty mapping', '{}'],
  ['an empty mapping with room', '{\n}\n'],
  ['other keys on one line', '{"model":"x"}'],
  ['other keys on lines', '{\n  "model": "x"\n}\n'],
  ['tabs', '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": []}\n\t\t]\n\t}\n}\n'],
  ['other hooks', '{"hooks": {"PreToolUse": []}}'],
  ['an empty list', '{"hooks": {"Stop": [ ]}}'],
  [
    'another stop hook',
    '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": []\n      }\n    ]\n  },\n  "z": 1\n}',
  ],
  ['signs in texts', '{"a": "}] // \\" # ", "b": ["hooks", {"Stop": []}], "hooks" : {"x": [] } }'],
])('settings with %s get the entry and keep the rest', (_what, text) => {
  const after = edited(text);
  const before = text === '' ? {} : JSON.parse(text);
  const stop = before.hooks?.Stop ?? [];
  expect(JSON.parse(after)).toEqual({ ...before, hooks: { ...before.hooks, Stop: [...stop, ENTRY] } });
  // Every byte that was there is there still, in its order, around one place.
  const common = [...text].findIndex((char, at) => char !== after[at]);
  const head = common < 0 ? text : text.slice(0, common);
  expect(after.startsWith(head)).toBe(true);
  expect(after.endsWith(text.slice(head.length).trimStart())).toBe(true);
});

test.each([2, 4, '\t'])('the entry is laid out as what stands around it, indented by %j', (indent) => {
  const laidOut = (value: object): string => `${JSON.stringify(value, null, indent)}\n`;
  const other = { hooks: [] };
  expect(edited(laidOut({ model: 'x' }))).toBe(laidOut({ model: 'x', hooks: { Stop: [ENTRY] } }));
  expect(edited(laidOut({ hooks: { Stop: [other] }, z: 1 }))).toBe(
    laidOut({ hooks: { Stop: [other, ENTRY] }, z: 1 }),
  );
});

test.each([
  '{',
  '[]',
  'null',
  '"x"',
  '{"hooks": 1}',
  '{"hooks": {"Stop": "x"}}',
  '{} // no',
  '{"hooks": {}, "hooks": {}}',
])('%s is refused', (text) => expect(withStopHook(text).ok).toBe(false));
