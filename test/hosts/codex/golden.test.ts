import { Ajv2020 } from 'ajv/dist/2020';
import { expect, test } from 'vitest';
import { host } from '../../../src/hosts/codex/index';
import { fixturesOf, readEvent } from '../fixtures';
import { goldenTests } from '../golden';
import { anyDocument } from '../properties';
import { OUTPUTS } from './schema/outputs';

test('no captured event is of an unknown kind', () => {
  const events = fixturesOf('codex').map((name) => host.parse(readEvent(name), 0));
  expect(events.filter((event) => event.kind === 'other')).toStrictEqual([]);
});

goldenTests(host, 'codex');

const ajv = new Ajv2020({ strict: true, strictRequired: false });
anyDocument(host, 'codex', (event, stdout) => {
  expect(ajv.validate(OUTPUTS[event] ?? false, JSON.parse(stdout))).toBe(true);
});
