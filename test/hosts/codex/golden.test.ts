import { expect, test } from 'vitest';
import { host } from '../../../src/hosts/codex/index';
import { fixturesOf, readEvent } from '../fixtures';
import { goldenTests } from '../golden';
import { anyDocument } from '../properties';

test('no captured event is of an unknown kind', () => {
  const events = fixturesOf('codex').map((name) => host.parse(readEvent(name), 0));
  expect(events.filter((event) => event.kind === 'other')).toStrictEqual([]);
});

goldenTests(host, 'codex');
anyDocument(host, 'codex');
