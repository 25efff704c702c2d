import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../../src/hosts/claude-code/index';
import { decisions, expectGolden, fixtureNames, readEvent } from './fixtures';

const NATIVE_EVENTS = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
  UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
  PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
  Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
  FileChanged DirectoryAdded MessageDisplay`.split(/\s+/);

test('there is a fixture for each of the 33 events, and none is of an unknown kind', () => {
  const events = fixtureNames.map((name) => claudeCode.parse(readEvent(name), 0));
  expect(new Set(events.map((event) => event.hostEvent))).toStrictEqual(new Set(NATIVE_EVENTS));
  expect(events.filter((event) => event.kind === 'other')).toStrictEqual([]);
});

describe.each(fixtureNames)('%s', (name) => {
  const raw = readEvent(name);
  const event = claudeCode.parse(raw, 1_700_000_000_000);

  test('becomes the neutral event', () => {
    const { raw: kept, at, ...rest } = event;
    expect(kept).toBe(raw);
    expect(at).toBe(1_700_000_000_000);
    expectGolden(`${name}.event.json`, rest);
  });

  test('is answered in the forms of the host', () => {
    const answers = Object.entries(decisions).map(([kind, decision]) => [
      kind,
      claudeCode.render(event, decision),
    ]);
    expectGolden(`${name}.answers.json`, Object.fromEntries(answers));
  });

  test.each(Object.entries(decisions))('%s is an answer that the host accepts', (_, decision) => {
    expect(claudeCode.check(event, claudeCode.render(event, decision))).toBeUndefined();
  });
});
