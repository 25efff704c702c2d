import * as v from 'valibot';
import { amount, described, flag, isRegexSource, name, seconds, text, words } from '../../config/section';
import { isJsonObject } from '../../core/json';
import * as say from './key-sentences';
import { nameTrouble, pathTrouble, toolTrouble } from './path-globs';

/** Text that must not be what `trouble` finds something wrong with. */
function sound(trouble: (text: string) => string | undefined) {
  return v.pipe(
    name,
    v.check(
      (given) => trouble(given) === undefined,
      ({ input }) => trouble(input) ?? '',
    ),
  );
}

const toolName = sound(toolTrouble);
const paths = v.optional(v.array(sound(pathTrouble)));
const branches = v.optional(v.array(sound(nameTrouble)));
const directory = sound((dir) =>
  dir.includes('*') ? 'is a directory with all that is in it, and takes no `*`' : undefined,
);

export const SCOPES = ['session', 'branch', 'permanent', 'single_use'] as const;

const scopes = v.optional(v.array(v.picklist(SCOPES)));
const guardType = v.picklist(['protected_branch', 'single_session']);
const thresholds = v.strictObject(described({ block: amount, warn: v.optional(amount) }, say.THRESHOLDS));

const commandPattern = v.pipe(v.string(), v.check(isRegexSource, 'is not a valid regular expression'));
const commandTrigger = v.strictObject(
  described({ tool: toolName, command_pattern: v.optional(commandPattern) }, say.TRIGGER),
);
const trigger = v.lazy((input) => (typeof input === 'string' ? toolName : commandTrigger));

const evidence = v.strictObject(
  described(
    {
      dirs: v.optional(v.array(directory)),
      require_markers: words,
      require_verdict: v.optional(name),
      max_age_seconds: seconds,
      command: v.optional(name),
    },
    say.EVIDENCE,
  ),
);

const requirementKeys = described(
  {
    enabled: flag,
    type: v.optional(v.picklist(['blocking', 'dynamic', 'guard'])),
    scope: v.optional(v.picklist(SCOPES)),
    trigger_tools: v.optional(v.array(trigger)),
    paths,
    exclude_paths: paths,
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
    protected_branches: branches,
  },
  say.REQUIREMENT,
);

const plainRequirement = v.looseObject(requirementKeys);
const guardRequirement = v.looseObject({
  ...requirementKeys,
  ...described({ guard_type: guardType }, say.REQUIREMENT),
});
const dynamicRequirement = v.looseObject({
  ...requirementKeys,
  ...described({ calculator: name, thresholds }, say.REQUIREMENT),
});

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
export const hooks = v.strictObject(
  described(
    {
      session_start: part(
        {
          inject_context: flag,
          briefing_format: v.optional(v.picklist(['compact', 'standard', 'rich'])),
          custom_header: text,
          carry_over: part({ enabled: flag, window_seconds: seconds, scopes }, say.CARRY_OVER),
        },
        say.SESSION_START,
      ),
      stop: part({ verify_requirements: flag, verify_scopes: scopes }, say.STOP),
      session_end: part({ clear_session_state: flag }, say.SESSION_END),
      plan_enter: part({ brainstorm_on_enter: flag }, say.PLAN_ENTER),
      prompt_submit: part({ brainstorm_nudge: flag }, say.PROMPT_SUBMIT),
      permission_request: part({ auto_deny_dangerous: flag }, say.PERMISSION_REQUEST),
      session_learning: part(
        { enabled: flag, prompt_on_stop: flag, min_tool_uses: v.optional(amount) },
        say.SESSION_LEARNING,
      ),
    },
    say.HOOKS,
  ),
);

function part<Entries extends v.ObjectEntries>(
  entries: Entries,
  sentences: { readonly [Key in keyof Entries]: string },
) {
  return v.optional(v.strictObject(described(entries, sentences)));
}

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
