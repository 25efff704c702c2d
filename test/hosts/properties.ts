import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision } from '../../src/core/decision';
import type { Json, JsonObject } from '../../src/core/json';
import { isJsonObject } from '../../src/core/json';
import type { OtherHost } from '../../src/hosts/host';
import { decisions, fixturesOf, readEvent } from './fixtures';

/** Any value, and those that a member might rather have. */
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.constantFrom<Json>('', null, 0, -1, 1e308, [], {}, ['bash', '-lc', 'x'], [{}], '__proto__', '\uD800'),
);

/** A document with some members, of its own or of the objects in it, replaced by anything. */
function changedOnes(fixtures: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
  const keysOf = (raw: JsonObject): string[] =>
    Object.entries(raw).flatMap(([key, part]) => (isJsonObject(part) ? [key, ...keysOf(part)] : [key]));
  const keys = [...new Set(fixtures.flatMap(keysOf))];
  const changes = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4 });
  const merged = (raw: JsonObject, change: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries({ ...raw, ...change }).map(([key, part]) => [
        key,
        isJsonObject(part) && !(key in change) ? merged(part, change) : part,
      ]),
    );
  return fc.tuple(fc.constantFrom(...fixtures), changes).map(([raw, change]) => merged(raw, change));
}

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' \n', 'x'.repeat(20_000), '"}\u0000', '\uD800'),
);
/** Each decision with any words in it. */
const anyDecision: fc.Arbitrary<Decision> = fc
  .tuple(fc.constantFrom(...Object.values(decisions)), words, words, words)
  .map(([decision, reason, toAgent, toPerson]) => ({
    ...decision,
    ...('reason' in decision && { reason }),
    toAgent: [toAgent],
    toPerson: [toPerson],
  }));

/** Any document is an event, and any decision on it an answer that the host accepts. */
export function anyDocument(
  host: OtherHost,
  prefix: string,
  more?: (event: string, stdout: string) => void,
): void {
  const changed = changedOnes(fixturesOf(prefix).map(readEvent));
  test('any document is an event, and any decision on it an answer that the host accepts', () => {
    fc.assert(
      fc.property(changed, anyDecision, (raw, decision) => {
        const event = host.parse(raw, 1);
        expect(host.glance(raw)).toMatchObject({
          kind: event.kind,
          sessionId: event.sessionId,
          cwd: event.cwd,
        });
        if ('call' in event) expect(event.call.paths.every((path) => path.startsWith('/'))).toBe(true);
        const answer = host.render(event, decision);
        expect(host.check(event, answer)).toBeUndefined();
        expect(answer.exitCode).toBe(0);
        if (answer.stdout !== '') more?.(event.hostEvent, answer.stdout);
      }),
      { numRuns: 400 },
    );
  });
}
