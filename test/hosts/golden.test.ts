import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/core/event';
import { GUARD_NAMES } from '../../src/core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json';
import type { Answer, Decision } from '../../src/core/verdict';
import { claudeCode } from '../../src/hosts/claude-code/index';
import { host as codex } from '../../src/hosts/codex/index';
import { host as copilot } from '../../src/hosts/copilot/index';
import { host as cursor } from '../../src/hosts/cursor/index';
import { host as gemini } from '../../src/hosts/gemini/index';
import type { Host } from '../../src/hosts/host';
import { host as opencode } from '../../src/hosts/opencode/index';
import { whyDropped } from './accepted-answers';
import { OUTPUTS } from './codex-outputs';
import { decisions, expectGolden, fixturesOf, readEvent } from './fixtures';

const AT = 1_700_000_000_000;
const ajv = new Ajv2020({ strict: true, strictRequired: false });

const HOSTS: readonly (readonly [prefix: string, host: Host])[] = [
  ['claude', claudeCode],
  ['codex', codex],
  ['gemini', gemini],
  ['copilot', copilot],
  ['cursor', cursor],
  ['opencode', opencode],
];

/** The host accepts the answer, by its documented fields and, for Codex, by its schema. */
function expectAccepted(host: Host, event: Event, answer: Answer): void {
  expect(whyDropped(host, event, answer)).toBeUndefined();
  if (answer.stdout !== '') expect(isJsonObject(JSON.parse(answer.stdout))).toBe(true);
  if (host.name !== 'claude-code') expect(answer.exitCode).toBe(0);
  if (host.name !== 'codex' || answer.stdout === '') return;
  const validate = ajv.compile(OUTPUTS[event.hostEvent] ?? false);
  validate(JSON.parse(answer.stdout));
  expect(validate.errors ?? []).toStrictEqual([]);
}

describe.each(HOSTS)('documents of %s', (prefix, host) => {
  test.each(fixturesOf(prefix))('%s becomes the neutral event and is answered in the host’s form', (name) => {
    const raw = readEvent(name);
    const event = host.parse(raw, AT);
    const { raw: kept, at, ...rest } = event;
    expect(kept).toBe(raw);
    expect(at).toBe(AT);
    expectGolden(`${name}.event.json`, rest);
    const answers = Object.entries(decisions).map(
      ([kind, decision]) => [kind, host.render(event, decision)] as const,
    );
    // The same for all events of a kind; VS Code takes other answers than Copilot CLI does.
    const client = name.includes('vs-code') ? `${prefix}-vs-code` : prefix;
    expectGolden(`${client}-${event.hostEvent}-${event.kind}.answers.json`, Object.fromEntries(answers));
    for (const [, answer] of answers) expectAccepted(host, event, answer);
  });

  test('any document is an event, and any decision on it an answer that the host accepts', () => {
    const documents = changedOnes(fixturesOf(prefix).map(readEvent));
    fc.assert(
      fc.property(documents, anyDecision(host), (raw, decision) => {
        const copy = structuredClone(raw);
        const event = host.parse(raw, 1);
        const { kind, sessionId, cwd } = event;
        expect(host.readHeader(raw)).toMatchObject({ kind, sessionId, cwd });
        if ('call' in event) expect(event.call.paths.every((path) => path.startsWith('/'))).toBe(true);
        expectAccepted(host, event, host.render(event, decision));
        expect(raw).toStrictEqual(copy);
      }),
      { numRuns: 400 },
    );
  });
});

const CLAUDE_EVENTS = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
  UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
  PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
  Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
  FileChanged DirectoryAdded MessageDisplay`.split(/\s+/);

test('there is a fixture for each of the 33 events of Claude Code', () => {
  const events = fixturesOf('claude').map((name) => claudeCode.parse(readEvent(name), 0).hostEvent);
  expect(new Set(events)).toStrictEqual(new Set(CLAUDE_EVENTS));
});

test.each(HOSTS.slice(0, 3))('no captured event of %s is of an unknown kind', (prefix, host) => {
  const kinds = fixturesOf(prefix).map((name) => host.parse(readEvent(name), 0).kind);
  expect(kinds).not.toContain('other');
});

test.each([
  ['an unknown key', { unknown: 1 }],
  ['a question', { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }],
  [
    'a refusal without a reason',
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } },
  ],
  ['hidden output', { suppressOutput: true }],
])('the schema of Codex refuses %s', (_, output) => {
  expect(ajv.validate(OUTPUTS['PreToolUse'] ?? false, output)).toBe(false);
});

/** A document with some members, of its own or of the objects in it, replaced by anything. */
function changedOnes(fixtures: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
  const value: fc.Arbitrary<Json> = fc.oneof(
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.constantFrom<Json>('', null, 0, -1, 1e308, [], {}, ['bash', '-lc', 'x'], [{}], '__proto__', '\uD800'),
  );
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

/** Any decision with any words in it. Only the reason for a refusal by exit code is never blank. */
function anyDecision(host: Host): fc.Arbitrary<Decision> {
  const words = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', ' \n', 'x'.repeat(20_000), 'é🚦'.repeat(6_000), '"}\u0000', '\uD800'),
  );
  const reason = host.name === 'claude-code' ? words.map((rest) => `Because ${rest}`) : words;
  const remarks = { toAgent: fc.array(words), toPerson: fc.array(words) };
  const report = fc.option(fc.record({ status: words, message: words }), { nil: undefined });
  const refused = { id: words, by: fc.subarray([...GUARD_NAMES], { minLength: 1 }), reason, ...remarks };
  const updatedInput = fc.option(fc.dictionary(words, fc.jsonValue()), { nil: undefined });
  return fc
    .oneof(
      fc.record({ kind: fc.constant('nothing'), report, ...remarks }),
      fc.record({ kind: fc.constant('advise'), id: words, report, updatedInput, ...remarks }),
      fc.record({ kind: fc.constant('hold'), report, ...refused }),
      fc.record({ kind: fc.constantFrom('ask', 'deny'), ...refused }),
    )
    .map((decision) => decision as Decision);
}
