/**
 * What Codex 0.166 accepts on standard output, event by event, as JSON Schema: what its binary publishes, and
 * those of its further rules that can be said this way. One key too many and the whole answer is dropped.
 */
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string', minLength: 1 };

function strict(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', additionalProperties: false, properties, required };
}

/** `hookSpecificOutput`, which has to name its event. */
function specific(event: string, properties: Readonly<Record<string, Schema>>, rules: Schema = {}): Schema {
  return { ...strict({ hookEventName: { const: event }, ...properties }, ['hookEventName']), ...rules };
}

const together = (first: string, second: string): Schema => ({
  dependentRequired: { [first]: [second], [second]: [first] },
});

const note = { systemMessage: text };
const block = { decision: { const: 'block' }, reason: text };
const context = (event: string): Schema => specific(event, { additionalContext: text });

const denial = strict({ behavior: { const: 'deny' }, message: text }, ['behavior']);

export const OUTPUTS: Readonly<Record<string, Schema>> = {
  PreToolUse: strict({
    ...note,
    hookSpecificOutput: specific(
      'PreToolUse',
      { additionalContext: text, permissionDecision: { const: 'deny' }, permissionDecisionReason: text },
      together('permissionDecision', 'permissionDecisionReason'),
    ),
  }),
  PostToolUse: strict({ ...note, hookSpecificOutput: context('PostToolUse') }),
  PermissionRequest: strict({
    ...note,
    hookSpecificOutput: specific('PermissionRequest', { decision: denial }),
  }),
  UserPromptSubmit: {
    ...strict({ ...note, ...block, hookSpecificOutput: context('UserPromptSubmit') }),
    ...together('decision', 'reason'),
  },
  SessionStart: strict({ ...note, hookSpecificOutput: context('SessionStart') }),
  SubagentStart: strict({ ...note, hookSpecificOutput: context('SubagentStart') }),
  Stop: { ...strict({ ...note, ...block }), ...together('decision', 'reason') },
  SubagentStop: { ...strict({ ...note, ...block }), ...together('decision', 'reason') },
  PreCompact: strict(note),
  PostCompact: strict(note),
  Interrupt: strict(note),
};
