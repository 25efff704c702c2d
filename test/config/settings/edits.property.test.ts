import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type WantedEntries, withEntries, withoutEntries } from '../../../src/config/settings/entries';
import { isJsonObject, type Json } from '../../../src/core/json';
import { times } from '../../stress';

const EVENTS = ['SessionStart', 'PreToolUse', 'Stop'];
const OURS = 'launch/ours';

const isOurs = (value: Json): boolean => JSON.stringify(value).includes(OURS);
const wanted = (version: number): WantedEntries => ({
  entries: EVENTS.map((event) => ({
    path: ['hooks', event],
    value: { hooks: [{ type: 'command', command: `${OURS} ${version}`, timeout: 30 }] },
  })),
  skeleton: {},
  isOurs,
  makesRoom: () => false,
  keepsOut: () => false,
});
const unwanted = { parents: [['hooks']], skeleton: [], isOurs };

/** Text of a value in which every gap is drawn anew, as somebody may have typed it. */
function typed(value: Json, gap: () => string): string {
  const around = (parts: readonly string[], open: string, close: string): string =>
    `${open}${gap()}${parts.join(`${gap()},${gap()}`)}${parts.length > 0 ? gap() : ''}${close}`;
  if (Array.isArray(value))
    return around(
      value.map((item: Json) => typed(item, gap)),
      '[',
      ']',
    );
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}${gap()}:${gap()}${typed(member ?? null, gap)}`,
  );
  return around(members, '{', '}');
}

const word = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('ü', '日本', '\u2028', '💥', '\ud800', '"', '\\', 'hooks'),
);
const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
const anything = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(word, tie('node'), { maxKeys: 3 }),
  ) as fc.Arbitrary<Json>,
})).node;
const group = fc.record({
  matcher: fc.constantFrom('Bash', '*'),
  hooks: fc.array(fc.record({ type: fc.constant('command'), command: word }), { maxLength: 2 }),
});
const hooks = fc.dictionary(fc.constantFrom(...EVENTS, 'Notification'), fc.array(group, { maxLength: 3 }));
const settings = fc
  .tuple(
    fc.dictionary(
      word.filter((key) => key !== 'hooks' && key !== '__proto__'),
      anything,
      { maxKeys: 4 },
    ),
    fc.option(hooks, { nil: undefined }),
  )
  .map(([others, found]): Json => (found === undefined ? others : { ...others, hooks: found }));

const gaps = fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\n  ', '\r\n\t\t', '  ');
const text = fc
  .oneof(
    fc
      .tuple(
        settings,
        fc.constantFrom('\t', 2, 4, 1, ''),
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('', '\n', '\r\n'),
      )
      .map(([value, indent, end, last]) => JSON.stringify(value, null, indent).replaceAll('\n', end) + last),
    fc
      .tuple(settings, fc.infiniteStream(gaps))
      .map(([value, stream]) => typed(value, () => stream.next().value ?? '')),
    fc.constantFrom('', '\n', '{}', '{ }\n', '{\n}\n', '{"hooks":{}}', '{\r\n\t"hooks": {\r\n\t}\r\n}'),
  )
  .chain((body) => fc.constantFrom(body, `\ufeff${body}`));

/** The rest of a text behind the first, if all of that stands in it in this order. */
function isPieced(whole: string, part: string): boolean {
  let at = 0;
  for (const char of part) {
    at = whole.indexOf(char, at);
    if (at < 0) return false;
    at += char.length;
  }
  return true;
}

it('what is put in and taken out again leaves every byte as it was', () => {
  fc.assert(
    fc.property(text, (before) => {
      const edited = withEntries(before, wanted(1));
      if (!edited.ok) throw new Error(edited.failure.text);
      const after = edited.value.text;
      const value = JSON.parse(after.replace(/^\ufeff/, ''));
      for (const event of EVENTS) expect(value.hooks[event].filter(isOurs)).toHaveLength(1);
      expect(withEntries(after, wanted(1))).toMatchObject({ value: { text: after } });
      const back = withoutEntries(after, { ...unwanted, undo: edited.value.undo });
      expect(back).toEqual({ ok: true, value: before });
    }),
    { numRuns: times(200, 1000) },
  );
});

it('only our entries differ from what was there: without them the documents say the same, in the same order', () => {
  fc.assert(
    fc.property(text, (before) => {
      const edited = withEntries(before, wanted(1));
      if (!edited.ok) throw new Error(edited.failure.text);
      // Blanks between the brackets of something empty make room; everything else stays where it was.
      expect(isPieced(edited.value.text, before.replace(/(?<=[[{])\s+(?=[\]}])/g, ''))).toBe(true);
    }),
  );
});

it('an update of ours leaves the rest as it was, and can be taken back just as well', () => {
  fc.assert(
    fc.property(text, (before) => {
      const first = withEntries(before, wanted(1));
      if (!first.ok) throw new Error(first.failure.text);
      const second = withEntries(first.value.text, wanted(2));
      if (!second.ok) throw new Error(second.failure.text);
      expect(second.value.text).toBe(first.value.text.replaceAll(`${OURS} 1`, `${OURS} 2`));
      const back = withoutEntries(second.value.text, { ...unwanted, undo: first.value.undo });
      expect(back).toEqual({ ok: true, value: before });
    }),
    { numRuns: times(200, 1000) },
  );
});
