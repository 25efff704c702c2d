import * as v from 'valibot';
import { pointerOf } from '../../config/pointer';
import {
  type CompileContext,
  described,
  regexSource,
  type SeedFile,
  section,
  warnNotEnforced,
} from '../../config/section';
import { expandBraces } from '../../core/glob';
import {
  type CarryOver,
  DESIGN_GATE,
  type Evidence,
  type Requirement,
  type RequirementsConfig,
  type Trigger,
} from './config';
import {
  MESSAGE_SEEDS,
  MESSAGES,
  type MessageFile,
  messageFiles,
  messagesFor,
  reportTemplates,
  TEMPLATES,
  templateFiles,
} from './message-files';
import {
  type EvidenceInput,
  fileKeys,
  type HooksInput,
  hooks,
  type RequirementInput,
  requirement,
  SECTION_KEYS,
  type TriggerInput,
} from './schema';

/** The key of the model for the rest of a requirements file. */
export const FILE = 'requirements.yaml';

const MOUNTED_AS_THEMSELVES = ['requirements', 'hooks', 'inherit', 'enforce_everywhere'];
const NOBODY_READS = ['logging', 'console', 'debug', 'budgets'];
const NO_HOOK_READS = 'agent_teams wip_tracking lazy_dev obsidian qdrant retrieval diff_scope'.split(' ');
const NOT_YET = [`${FILE}/strict_preflight`, `${FILE}/workflow`];
const REMOVED_FORMAT = 'hooks/session_start/briefing_format';

function seedFile(layer: SeedFile['layer'], base: SeedFile['base'], path: string): SeedFile {
  const mount = (key: string): readonly string[] =>
    MOUNTED_AS_THEMSELVES.includes(key) ? [key] : [FILE, key];
  return { layer, base, path, yaml: '1.1', mount };
}

/** The requirements' part of the config: our own keys and the files of the older program. */
export const requirementsSection = section({
  guard: 'requirements',
  keys: {
    ...described(
      { requirements: v.record(v.string(), requirement), hooks, enforce_everywhere: v.boolean() },
      SECTION_KEYS,
    ),
    [FILE]: fileKeys,
    [MESSAGES]: messageFiles,
    [TEMPLATES]: templateFiles,
  },
  seedOnly: [FILE, MESSAGES, TEMPLATES],
  files: [
    seedFile('global', 'home', '.claude/requirements.yaml'),
    seedFile('project', 'project', '.claude/requirements.yaml'),
    seedFile('local', 'project', '.claude/requirements.local.yaml'),
    ...MESSAGE_SEEDS,
  ],
  units: ['requirements/*'],
  tolerated: [...NOBODY_READS.map((key) => `${FILE}/${key}`), ...NO_HOOK_READS.map((key) => `hooks/${key}`)],
  compile(valid, context) {
    reportTemplates(valid[TEMPLATES], context);
    if (Object.keys(valid).every((key) => key === MESSAGES || key === TEMPLATES)) return undefined;
    const rich = valid.hooks?.session_start?.briefing_format === 'rich';
    warnNotEnforced(valid, rich ? [...NOT_YET, REMOVED_FORMAT] : NOT_YET, context);
    const here = context.layers.some((layer) => layer !== 'global') || valid.enforce_everywhere === true;
    const enabled = Object.entries(valid.requirements ?? {}).filter(([, input]) => input.enabled === true);
    return {
      enabled: context.switchedOn && (valid[FILE]?.enabled ?? true),
      reach: here ? 'project' : 'global-only',
      requirements: enabled.map(([name, input]) =>
        compileRequirement(name, input, messagesFor(valid[MESSAGES], name), context),
      ),
      ...compileHooks(
        valid.hooks ?? {},
        enabled.some(([name]) => name === DESIGN_GATE),
      ),
      skills: skillMap(enabled),
    } satisfies RequirementsConfig;
  },
});

function compileHooks(
  input: HooksInput,
  hasDesignGate: boolean,
): Omit<RequirementsConfig, 'enabled' | 'reach' | 'requirements' | 'skills'> {
  const { session_start: start = {}, stop = {}, session_learning: learning = {} } = input;
  return {
    stop: { verify: stop.verify_requirements ?? true, scopes: stop.verify_scopes ?? ['session'] },
    briefing: {
      inject: start.inject_context ?? true,
      format: start.briefing_format === 'standard' ? 'standard' : 'compact',
      header: start.custom_header,
    },
    carryOver: {
      sources: carryOverSources(start.carry_over?.enabled),
      windowSeconds: start.carry_over?.window_seconds ?? 300,
      scopes: start.carry_over?.scopes ?? ['session'],
    },
    clearSessionState: input.session_end?.clear_session_state ?? false,
    denyDangerous: input.permission_request?.auto_deny_dangerous ?? true,
    thinkFirst: hasDesignGate ? thinkFirstOf(input) : { onPlan: false, onPrompt: false },
    review: {
      onStop: (learning.enabled ?? false) && (learning.prompt_on_stop ?? true),
      minToolUses: learning.min_tool_uses ?? 5,
    },
  };
}

function thinkFirstOf({ plan_enter: plan, prompt_submit: prompt }: HooksInput) {
  return { onPlan: plan?.brainstorm_on_enter ?? true, onPrompt: prompt?.brainstorm_nudge ?? true };
}

/** Unless asked for, only a cleared conversation inherits: there the same person goes on with the same work. */
function carryOverSources(enabled: boolean | undefined): CarryOver['sources'] {
  if (enabled === undefined) return ['clear'];
  return enabled ? ['startup', 'clear'] : [];
}

const PLUGIN = 'requirements-framework';

const PLAN_REVIEW = ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed'];
const CHANGE_REVIEW = ['pre_pr_review'];

/** What the skills of the older program's plugin satisfy, former names included. */
const KNOWN_SKILLS: Readonly<Record<string, readonly string[]>> = {
  'pre-commit': ['pre_commit_review'],
  'requesting-code-review': ['pre_commit_review'],
  'codex-review': ['codex_reviewer'],
  'deep-review': CHANGE_REVIEW,
  'v3-review': CHANGE_REVIEW,
  'quality-check': CHANGE_REVIEW,
  'arch-review': PLAN_REVIEW,
  'plan-review': PLAN_REVIEW,
  brainstorming: ['design_approved'],
  'writing-plans': ['plan_written', 'commit_plan'],
  'test-driven-development': ['tdd_planned'],
  'systematic-debugging': ['debugging_systematic'],
  'verification-before-completion': ['verification_evidence'],
};

/** Which enabled requirements a skill satisfies, by its full name and by the name that a person types. */
function skillMap(enabled: readonly (readonly [string, RequirementInput])[]): RequirementsConfig['skills'] {
  const map = new Map<string, Set<string>>();
  for (const [name, { satisfied_by_skill: own }] of enabled) {
    const known = Object.keys(KNOWN_SKILLS).filter((skill) => KNOWN_SKILLS[skill]?.includes(name));
    const skills = [...known.map((skill) => `${PLUGIN}:${skill}`), ...(own === undefined ? [] : [own])];
    for (const skill of skills) {
      const short = skill.slice(skill.lastIndexOf(':') + 1);
      for (const key of [skill, short]) map.set(key, (map.get(key) ?? new Set()).add(name));
    }
  }
  return Object.fromEntries([...map].map(([skill, names]) => [skill, [...names]]));
}

const EDITING_TOOLS = ['Edit', 'Write', 'MultiEdit'];
const PLAN_DIRS = ['.claude/plans'];
const BRANCH_SIZE_NAMES = ['branch_size', 'branch_size_calculator'];

/** One enabled requirement with every default filled in; `words` is its message file. */
function compileRequirement(
  name: string,
  input: RequirementInput,
  words: MessageFile,
  context: CompileContext,
): Requirement {
  const common = commonParts(name, input, words, context);
  const { calculator, thresholds } = input;
  if (input.type === 'dynamic' && calculator !== undefined && thresholds !== undefined) {
    return {
      ...common,
      type: 'dynamic',
      calculator: BRANCH_SIZE_NAMES.includes(calculator) ? 'branch_size' : calculator,
      block: thresholds.block,
      warn: thresholds.warn,
      cacheTtl: input.cache_ttl ?? 60,
      approvalTtl: input.approval_ttl ?? 300,
      blockingMessage: input.blocking_message,
    };
  }
  if (input.type !== 'guard') return { ...common, type: 'blocking' };
  if (input.guard_type === 'single_session')
    return { ...common, type: 'condition', condition: 'single_session' };
  const branches = expandBraces(input.protected_branches ?? ['master', 'main']);
  return { ...common, type: 'condition', condition: 'protected_branch', branches };
}

function commonParts(name: string, input: RequirementInput, words: MessageFile, context: CompileContext) {
  return {
    name,
    place: context.place(pointerOf(['requirements', name])) ?? '',
    scope: input.scope ?? 'session',
    triggers: (input.trigger_tools ?? EDITING_TOOLS).flatMap(compileTrigger),
    paths: expandBraces(input.paths ?? []),
    excludePaths: expandBraces(input.exclude_paths ?? []),
    message: messageOf(input, words),
    shortMessage: input.short_message ?? words.short_message,
    description: input.description,
    skill: input.auto_resolve_skill,
    stopOnly: input.stop_only ?? false,
    agentMaySatisfy: input.agent_may_satisfy ?? true,
    replanTtl: input.replan_ttl,
    evidence: input.evidence && compileEvidence(input.evidence),
  } as const;
}

/** What the config says comes first, and a computed requirement may say it under its own key. */
function messageOf(input: RequirementInput, words: MessageFile): string | undefined {
  if (input.message !== undefined) return input.message;
  const saysItself = input.type === 'dynamic' && input.blocking_message !== undefined;
  return saysItself ? undefined : words.blocking_message;
}

function compileEvidence(input: EvidenceInput): Evidence {
  return {
    dirs: input.dirs ?? PLAN_DIRS,
    markers: input.require_markers ?? [],
    verdict: input.require_verdict,
    maxAgeSeconds: input.max_age_seconds,
    command: input.command,
  };
}

function compileTrigger(input: TriggerInput): Trigger[] {
  const { tool: named, command_pattern: pattern } =
    typeof input === 'string' ? { tool: input, command_pattern: undefined } : input;
  return expandBraces([named]).map((tool) =>
    pattern === undefined ? { kind: 'tool', tool } : { kind: 'command', tool, pattern: regexSource(pattern) },
  );
}
