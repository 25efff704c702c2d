import { Ajv2020 } from 'ajv/dist/2020';
import { describe, expect, test } from 'vitest';
import { host } from '../../../src/hosts/codex/index';
import { decisions, fixturesOf, readEvent } from '../fixtures';
import { OUTPUTS } from './schema/outputs';

const ajv = new Ajv2020({ strict: true, strictRequired: false });

describe.each(fixturesOf('codex'))('%s', (name) => {
  const event = host.parse(readEvent(name), 0);

  test.each(Object.entries(decisions))('%s is valid for the schema of its event', (_, decision) => {
    const { stdout, exitCode } = host.render(event, decision);
    expect(exitCode).toBe(0);
    if (stdout === '') return;
    const validate = ajv.compile(OUTPUTS[event.hostEvent] ?? false);
    validate(JSON.parse(stdout));
    expect(validate.errors ?? []).toStrictEqual([]);
  });
});

test.each([
  ['an unknown key', { unknown: 1 }],
  ['a question', { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }],
  [
    'a refusal without a reason',
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } },
  ],
  ['hidden output', { suppressOutput: true }],
])('the schema refuses %s', (_, output) => {
  expect(ajv.validate(OUTPUTS['PreToolUse'] ?? false, output)).toBe(false);
});
