import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json';
import type { OtherHost } from '../../src/hosts/host';
import { decisions, fixturesOf, readEvent } from './fixtures';

/** Any document is an event, and any decision on it an answer that the host accepts. */
export function anyDocument(host: OtherHost, prefix: string): void {
  const fixtures = fixturesOf(prefix).map(readEvent);
  const keys = [...new Set(fixtures.flatMap((raw) => Object.keys(raw)))];
  const value = fc.jsonValue() as fc.Arbitrary<Json>;
  const changed = fc
    .tuple(fc.constantFrom(...fixtures), fc.dictionary(fc.constantFrom(...keys), value))
    .map(([raw, changes]): JsonObject => ({ ...raw, ...changes }));
  test('any document is an event, and any decision on it an answer that the host accepts', () => {
    fc.assert(
      fc.property(changed, fc.constantFrom(...Object.values(decisions)), (raw, decision) => {
        const event = host.parse(raw, 1);
        expect(host.glance(raw)).toMatchObject({
          kind: event.kind,
          sessionId: event.sessionId,
          cwd: event.cwd,
        });
        const answer = host.render(event, decision);
        expect(host.check(event, answer)).toBeUndefined();
        expect(answer.exitCode).toBe(0);
      }),
    );
  });
}
