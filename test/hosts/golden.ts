import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/hosts/host';
import { decisions, expectGolden, fixturesOf, readEvent } from './fixtures';

/** Every fixture of a host as the neutral event, and with every decision as an answer that it accepts. */
export function goldenTests(host: Host, prefix: string): void {
  describe.each(fixturesOf(prefix))('%s', (name) => {
    const raw = readEvent(name);
    const event = host.parse(raw, 1_700_000_000_000);

    test('becomes the neutral event', () => {
      const { raw: kept, at, ...rest } = event;
      expect(kept).toBe(raw);
      expect(at).toBe(1_700_000_000_000);
      expectGolden(`${name}.event.json`, rest);
    });

    test('is answered in the forms of the host', () => {
      const answers = Object.entries(decisions).map(([kind, decision]) => [
        kind,
        host.render(event, decision),
      ]);
      expectGolden(`${name}.answers.json`, Object.fromEntries(answers));
    });

    test.each(Object.entries(decisions))('%s is an answer that the host accepts', (_, decision) => {
      expect(host.check(event, host.render(event, decision))).toBeUndefined();
    });
  });
}
