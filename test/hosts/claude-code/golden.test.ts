import { expect, test } from 'vitest';
import { claudeCode } from '../../../src/hosts/claude-code/index';
import { fixturesOf, readEvent } from '../fixtures';
import { goldenTests } from '../golden';

const NATIVE_EVENTS = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
  UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
  PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
  Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
  FileChanged DirectoryAdded MessageDisplay`.split(/\s+/);

test('there is a fixture for each of the 33 events, and none is of an unknown kind', () => {
  const events = fixturesOf('claude').map((name) => claudeCode.parse(readEvent(name), 0));
  expect(new Set(events.map((event) => event.hostEvent))).toStrictEqual(new Set(NATIVE_EVENTS));
  expect(events.filter((event) => event.kind === 'other')).toStrictEqual([]);
});

goldenTests(claudeCode, 'claude');
