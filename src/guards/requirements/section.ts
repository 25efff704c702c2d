import * as v from 'valibot';
import { notEnforced } from '../../config/messages';
import { warnNotEnforced } from '../../config/not-enforced';
import { pointerOf } from '../../config/pointer';
import { isRegexSource, regexSource } from '../../config/regex-source';
import { amount, flag, name, seconds, text, words } from '../../config/schema-parts';
import { type CompileContext, type SeedFile, section } from '../../config/section';
import { isJsonObject } from '../../domain/json';
import type { Requirement, RequirementsConfig, Trigger } from './config';

const SCOPES = ['session', 'branch', 'permanent', 'single_use'] as const;
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
  evidence: v.optional(
    v.strictObject({ dirs: words, require_markers: words, require_verdict: text, max_age_seconds: seconds }),
  ),
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

type RequirementInput = v.InferOutput<typeof plainRequirement>;

/** Which keys are needed depends on the type; each variant names its own missing ones. */
const requirement = v.lazy((input): v.GenericSchema<unknown, RequirementInput> => {
  const type = isJsonObject(input) ? input['type'] : undefined;
  if (type === 'guard') return guardRequirement;
  return type === 'dynamic' ? dynamicRequirement : plainRequirement;
});

const hooks = v.strictObject({
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
});

const phase = v.strictObject({ name, gate: text, skill: text, description: text, brainstorm_on_enter: flag });

/** The rest of a requirements file. Its `workflow` is not the discipline of that name. */
const fileKeys = v.strictObject({
  version: v.optional(v.unknown()),
  enabled: flag,
  strict_preflight: flag,
  workflow: v.optional(
    v.strictObject({ phases: v.optional(v.array(phase)), default_phase: text, ship_phase: text }),
  ),
});

const FILE = 'requirements.yaml';
const MOUNTED_AS_THEMSELVES = ['requirements', 'hooks', 'inherit', 'enforce_everywhere'];
const NOBODY_READS = ['logging', 'console', 'debug', 'budgets'];
const NO_HOOK_READS =
  'session_learning agent_teams wip_tracking lazy_dev obsidian qdrant retrieval diff_scope'.split(' ');
const REQUIREMENT_NOT_YET = ['evidence', 'satisfied_by_skill', 'replan_ttl', 'paths', 'exclude_paths'];
const NOT_YET = [
  'hooks/session_start/carry_over',
  'hooks/session_end/clear_session_state',
  'hooks/plan_enter/brainstorm_on_enter',
  'hooks/prompt_submit/brainstorm_nudge',
  'hooks/permission_request/auto_deny_dangerous',
  `${FILE}/strict_preflight`,
  `${FILE}/workflow`,
];

function seedFile(layer: SeedFile['layer'], base: SeedFile['base'], path: string): SeedFile {
  const mount = (key: string): readonly string[] =>
    MOUNTED_AS_THEMSELVES.includes(key) ? [key] : [FILE, key];
  return { layer, base, path, yaml: '1.1', mount };
}

/** The requirements' part of the config: our own keys and the files of the older program. */
export const requirementsSection = section({
  guard: 'requirements',
  keys: {
    requirements: v.record(v.string(), requirement),
    hooks,
    enforce_everywhere: v.boolean(),
    [FILE]: fileKeys,
  },
  seedOnly: [FILE],
  files: [
    seedFile('global', 'home', '.claude/requirements.yaml'),
    seedFile('project', 'project', '.claude/requirements.yaml'),
    seedFile('local', 'project', '.claude/requirements.local.yaml'),
  ],
  units: ['requirements/*'],
  tolerated: [...NOBODY_READS.map((key) => `${FILE}/${key}`), ...NO_HOOK_READS.map((key) => `hooks/${key}`)],
  freeForm: ['requirements/*'],
  compile(valid, context) {
    if (Object.keys(valid).length === 0) return undefined;
    warnNotEnforced(valid, NOT_YET, context);
    const { session_start: start = {}, stop = {} } = valid.hooks ?? {};
    const here = context.layers.some((layer) => layer !== 'global') || valid.enforce_everywhere === true;
    if (start.briefing_format === 'rich')
      warnNotEnforced(valid, ['hooks/session_start/briefing_format'], context);
    return {
      enabled: valid[FILE]?.enabled ?? true,
      reach: here ? 'project' : 'global-only',
      requirements: Object.entries(valid.requirements ?? {}).flatMap(([key, input]) =>
        compileRequirement(key, input, context),
      ),
      stop: { verify: stop.verify_requirements ?? true, scopes: stop.verify_scopes ?? ['session'] },
      briefing: {
        inject: start.inject_context ?? true,
        format: start.briefing_format === 'standard' ? 'standard' : 'compact',
        ...textOf('header', start.custom_header),
      },
    } satisfies RequirementsConfig;
  },
});

function compileRequirement(key: string, input: RequirementInput, context: CompileContext): Requirement[] {
  const pointer = pointerOf(['requirements', key]);
  if (input.enabled !== true) return [];
  if (input.type === 'dynamic') {
    const switchesOff = `requirements.${key}`;
    const message = notEnforced('`type: dynamic`');
    context.report(pointer, { code: 'config.not-enforced', severity: 'error', message, switchesOff });
    return [];
  }
  const notYet = REQUIREMENT_NOT_YET.map((option) => pointerOf(['requirements', key, option]));
  warnNotEnforced({ requirements: { [key]: input } }, notYet, context);
  const common = {
    name: key,
    place: context.place(pointer) ?? '',
    scope: input.scope ?? 'session',
    triggers: (input.trigger_tools ?? ['Edit', 'Write', 'MultiEdit']).map(compileTrigger),
    ...textOf('message', input.message),
    ...textOf('description', input.description),
    ...textOf('skill', input.auto_resolve_skill),
    stopOnly: input.stop_only ?? false,
    agentMaySatisfy: input.agent_may_satisfy ?? true,
  };
  if (input.type !== 'guard') return [{ ...common, type: 'blocking' }];
  if (input.guard_type === 'single_session')
    return [{ ...common, type: 'condition', condition: 'single_session' }];
  const branches = input.protected_branches ?? ['master', 'main'];
  return [{ ...common, type: 'condition', condition: 'protected_branch', branches }];
}

function textOf<K extends string>(key: K, value: string | undefined): { [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: string });
}

function compileTrigger(input: v.InferOutput<typeof trigger>): Trigger {
  if (typeof input === 'string') return { kind: 'tool', tool: input };
  const { tool, command_pattern: pattern } = input;
  return pattern === undefined
    ? { kind: 'tool', tool }
    : { kind: 'command', tool, pattern: regexSource(pattern) };
}
