import * as v from 'valibot';
import { isRegexSource } from '../../config/regex-source';
import { amount, flag, name, seconds, text, words } from '../../config/schema-parts';
import { isJsonObject } from '../../domain/json';

export const SCOPES = ['session', 'branch', 'permanent', 'single_use'] as const;

const scopes = v.optional(v.array(v.picklist(SCOPES)));
const guardType = v.picklist(['protected_branch', 'single_session']);
const thresholds = v.strictObject({ block: amount, warn: v.optional(amount) });

const commandTrigger = v.strictObject({
  tool: name,
  command_pattern: v.optional(
    v.pipe(v.string(), v.check(isRegexSource, 'is not a valid regular expression')),
  ),
});
const trigger = v.lazy((input) => (typeof input === 'string' ? name : commandTrigger));

const evidence = v.strictObject({
  dirs: words,
  require_markers: words,
  require_verdict: v.optional(name),
  max_age_seconds: seconds,
  command: v.optional(name),
});

const requirementKeys = {
  enabled: flag,
  type: v.optional(v.picklist(['blocking', 'dynamic', 'guard'])),
  scope: v.optional(v.picklist(SCOPES)),
  trigger_tools: v.optional(v.array(trigger)),
  paths: words,
  exclude_paths: words,
  message: text,
  short_message: text,
  checklist: words,
  description: text,
  auto_resolve_skill: v.optional(name),
  satisfied_by_skill: v.optional(name),
  stop_only: flag,
  agent_may_satisfy: flag,
  replan_ttl: seconds,
  evidence: v.optional(evidence),
  deprecated: flag,
  deprecated_message: text,
  calculator: v.optional(name),
  thresholds: v.optional(thresholds),
  cache_ttl: seconds,
  approval_ttl: seconds,
  blocking_message: text,
  guard_type: v.optional(guardType),
  protected_branches: words,
};

const plainRequirement = v.looseObject(requirementKeys);
const guardRequirement = v.looseObject({ ...requirementKeys, guard_type: guardType });
const dynamicRequirement = v.looseObject({ ...requirementKeys, calculator: name, thresholds });

/** A requirement as the config has it, once it was found to be right. */
export type RequirementInput = v.InferOutput<typeof plainRequirement>;
export type TriggerInput = v.InferOutput<typeof trigger>;
export type EvidenceInput = v.InferOutput<typeof evidence>;

/** Which keys are needed depends on the type; each variant names its own missing ones. */
export const requirement = v.lazy((input): v.GenericSchema<unknown, RequirementInput> => {
  const type = isJsonObject(input) ? input['type'] : undefined;
  if (type === 'guard') return guardRequirement;
  return type === 'dynamic' ? dynamicRequirement : plainRequirement;
});

/** What the requirements do at each of the host's events. */
export const hooks = v.strictObject({
  session_start: v.optional(
    v.strictObject({
      inject_context: flag,
      briefing_format: v.optional(v.picklist(['compact', 'standard', 'rich'])),
      custom_header: text,
      carry_over: v.optional(v.strictObject({ enabled: flag, window_seconds: seconds, scopes })),
    }),
  ),
  stop: v.optional(v.strictObject({ verify_requirements: flag, verify_scopes: scopes })),
  session_end: v.optional(v.strictObject({ clear_session_state: flag })),
  plan_enter: v.optional(v.strictObject({ brainstorm_on_enter: flag })),
  prompt_submit: v.optional(v.strictObject({ brainstorm_nudge: flag })),
  permission_request: v.optional(v.strictObject({ auto_deny_dangerous: flag })),
  session_learning: v.optional(
    v.strictObject({ enabled: flag, prompt_on_stop: flag, min_tool_uses: v.optional(amount) }),
  ),
});

export type HooksInput = v.InferOutput<typeof hooks>;

const phase = v.strictObject({ name, gate: text, skill: text, description: text, brainstorm_on_enter: flag });

/** The rest of a requirements file. Its `workflow` is not the discipline of that name. */
export const fileKeys = v.strictObject({
  version: v.optional(v.unknown()),
  enabled: flag,
  strict_preflight: flag,
  workflow: v.optional(
    v.strictObject({ phases: v.optional(v.array(phase)), default_phase: text, ship_phase: text }),
  ),
});
