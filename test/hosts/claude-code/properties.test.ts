import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision } from '../../../src/core/decision';
import { GUARD_NAMES } from '../../../src/core/guard-name';
import type { JsonObject } from '../../../src/core/json';
import { isJsonObject } from '../../../src/core/json';
import { claudeCode } from '../../../src/hosts/claude-code/index';
import { fixturesOf, readEvent } from '../fixtures';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('é🚦'.repeat(6_000)));
/** Never blank: a refusal always says why. */
const reason = text.map((rest) => `Because ${rest}`);
const remarks = { toAgent: fc.array(text), toPerson: fc.array(text) };
const report = fc.option(fc.record({ status: text, message: text }), { nil: undefined });
const refused = { id: text, by: fc.subarray([...GUARD_NAMES], { minLength: 1 }), reason, ...remarks };

const decision = fc
  .oneof(
    fc.record({ kind: fc.constant('nothing'), report, ...remarks }),
    fc.record({
      kind: fc.constant('advise'),
      id: text,
      report,
      updatedInput: fc.option(fc.dictionary(text, fc.jsonValue()), { nil: undefined }),
      ...remarks,
    }),
    fc.record({ kind: fc.constant('hold'), report, ...refused }),
    fc.record({ kind: fc.constantFrom('ask', 'deny'), ...refused }),
  )
  .map((value) => value as Decision);

const captured = fixturesOf('claude').map(readEvent);
const names = captured.map((raw) => String(raw['hook_event_name']));
const fields = [...new Set(captured.flatMap((raw) => Object.keys(raw)))];

/** Documents that look like the host's but hold anything, and documents that look like nothing. */
const document = fc
  .oneof(
    fc.record({
      name: fc.constantFrom(...names),
      rest: fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()),
    }),
    fc.record({ name: fc.jsonValue(), rest: fc.dictionary(fc.string(), fc.jsonValue()) }),
  )
  .map(({ name, rest }) => JSON.parse(JSON.stringify({ ...rest, hook_event_name: name })) as JsonObject);

test('any document is an event, and any decision on it an answer that the host accepts', () => {
  fc.assert(
    fc.property(document, decision, (raw, decided) => {
      const event = claudeCode.parse(raw, 1);
      const answer = claudeCode.render(event, decided);
      expect(event.raw).toBe(raw);
      if (answer.stdout !== '') {
        expect(answer.stdout.endsWith('}\n')).toBe(true);
        expect(isJsonObject(JSON.parse(answer.stdout))).toBe(true);
      }
      expect(claudeCode.check(event, answer)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test('parsing leaves the document as it was', () => {
  fc.assert(
    fc.property(document, (raw) => {
      const copy = structuredClone(raw);
      claudeCode.parse(raw, 1);
      expect(raw).toStrictEqual(copy);
    }),
  );
});
