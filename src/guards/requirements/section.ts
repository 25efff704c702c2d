import * as v from 'valibot';
import { nearest } from '../../config/diagnostics';
import type { Layer } from '../../config/files';
import { pointerOf } from '../../config/pointer';
import {
  byName,
  type CompileContext,
  described,
  type LegacyFile,
  regexSource,
  section,
  text,
  warnNotEnforced,
} from '../../config/section';
import { notRead } from '../../config/validate';
import type { Effect } from '../../core/effect-kinds';
import { expandBraces, secondsIn } from '../../core/text';
import { fileKeys, hooks, hub, type RequirementInput, requirement, SECTION_KEYS } from './schema';
import { DESIGN_GATE } from './state';

/** Model key for those keys of a requirements file that have no place of their own in the model. */
export const FILE = 'requirements.yaml';
/** Model keys for message files, by layer: files of different layers are never merged. */
const MESSAGES = 'messages.yaml';
const TEMPLATES = 'message templates';

const MOUNTED_AS_THEMSELVES = ['requirements', 'hooks', 'inherit', 'enforce_everywhere'];
const IGNORED_KEYS = ['logging', 'console', 'debug', 'budgets'];
const COMMAND_ONLY_KEYS =
  'agent_teams session_learning wip_tracking lazy_dev obsidian qdrant retrieval diff_scope'.split(' ');
const NOT_ENFORCED_YET = [`${FILE}/strict_preflight`, `${FILE}/workflow`];
const REMOVED_FORMAT = 'hooks/session_start/briefing_format';

function legacyFile(layer: Layer, base: LegacyFile['base'], path: string): LegacyFile {
  const mount = (key: string) => (MOUNTED_AS_THEMSELVES.includes(key) ? [key] : [FILE, key]);
  return { layer, base, path, yaml: '1.1', mount };
}

function legacyMessageFile(layer: Layer, base: LegacyFile['base'], path: string): LegacyFile {
  const mount = (key: string, name: string) => [isTemplate(name) ? TEMPLATES : MESSAGES, layer, name, key];
  return { layer, base, path, yaml: '1.1', mount, configures: false };
}

/** Paths of message files; each is named after its requirement. */
export const LEGACY_MESSAGE_FILES: readonly LegacyFile[] = [
  legacyMessageFile('global', 'home', '.claude/messages/*.yaml'),
  legacyMessageFile('project', 'project', '.claude/messages/*.yaml'),
  legacyMessageFile('local', 'project', '.claude/messages.local/*.yaml'),
];

/** Files such as `_templates.yaml` and `_status.yaml` belong to no requirement. */
export function isTemplate(name: string): boolean {
  return name.startsWith('_');
}

/** Message keys that are ignored without a warning: ignoring them weakens no rule. */
export const UNUSED_TEXTS = ['success_message', 'header', 'action_label', 'fallback_text'] as const;

const messageFile = v.strictObject({
  version: v.optional(v.unknown()),
  blocking_message: text,
  short_message: text,
  ...v.entriesFromList(UNUSED_TEXTS, text),
});

function byLayer<Schema extends v.GenericSchema>(schema: Schema) {
  const files = v.optional(byName(schema));
  return v.strictObject({ global: files, project: files, local: files });
}

const keys = {
  ...described(
    { requirements: byName(requirement), hooks, enforce_everywhere: v.boolean(), hub },
    SECTION_KEYS,
  ),
  [FILE]: fileKeys,
  [MESSAGES]: byLayer(messageFile),
  [TEMPLATES]: byLayer(byName(v.unknown())),
};

type Model = { readonly [Key in keyof typeof keys]?: v.InferOutput<(typeof keys)[Key]> };

/** The requirements section of the config: our own keys, and the files of the old framework. */
export const requirementsSection = section({
  guard: 'requirements',
  keys,
  legacyOnly: [FILE, MESSAGES, TEMPLATES],
  files: [
    legacyFile('global', 'home', '.claude/requirements.yaml'),
    legacyFile('project', 'project', '.claude/requirements.yaml'),
    legacyFile('local', 'project', '.claude/requirements.local.yaml'),
    ...LEGACY_MESSAGE_FILES,
  ],
  units: ['requirements/*'],
  tolerated: [
    ...IGNORED_KEYS.map((key) => `${FILE}/${key}`),
    ...COMMAND_ONLY_KEYS.map((key) => `hooks/${key}`),
  ],
  compile(valid, context) {
    reportTemplates(valid, context);
    return keysUsed(valid).length > 0 ? compileModel(valid, context) : undefined;
  },
});

/** Warns about each template file, at its first line, that it is not used. */
function reportTemplates({ [TEMPLATES]: files = {} }: Model, context: CompileContext): void {
  for (const [layer, named] of Object.entries(files)) {
    for (const [name, content] of Object.entries(named ?? {})) {
      const pointer = pointerOf([TEMPLATES, layer, name, Object.keys(content)[0] ?? '']);
      const message = notRead(`${name}.yaml`);
      context.report(pointer, { code: 'config.not-read', severity: 'warning', message });
    }
  }
}

/** The compiled requirements, as plain data; schema.ts describes the keys. */
export type RequirementsConfig = ReturnType<typeof compileModel>;

function compileModel(valid: Model, context: CompileContext) {
  const rich = valid.hooks?.session_start?.briefing_format === 'rich';
  warnNotEnforced(valid, rich ? [...NOT_ENFORCED_YET, REMOVED_FORMAT] : NOT_ENFORCED_YET, context);
  warnOfReach(valid, context);
  const here = context.layers.some((layer) => layer !== 'global') || valid.enforce_everywhere === true;
  const enabled = Object.entries(valid.requirements ?? {}).filter(([, input]) => input.enabled === true);
  const hasDesignGate = enabled.some(([name, { mode = 'hold' }]) => name === DESIGN_GATE && mode === 'hold');
  return {
    enabled: context.switchedOn && (valid[FILE]?.enabled ?? true),
    /** `global-only`: this project has no requirements config of its own, so none are enforced. */
    reach: here ? ('project' as const) : ('global-only' as const),
    /** True if only shadow rules are configured: for everything else the guard counts as not configured. */
    isSilent: isSilent(valid),
    /** True if only warn or only shadow rules are left in this config; see concerns.ts. */
    isApart: false,
    /** True if no config file has any, not even a disabled or an invalid one. */
    isEmpty: Object.keys(valid.requirements ?? {}).length === 0 && context.errors().length === 0,
    /** Only the enabled ones, in the order of the config. */
    requirements: enabled.map(([name, input]) => compileRequirement(name, input, valid, context)),
    ...compileHooks(valid.hooks ?? {}, hasDesignGate),
    /** If set, only approvals signed by this key or its successors count. */
    hubKey: valid.hub?.key,
    /** The requirements that a skill satisfies, by its full name and by the part after its last colon. */
    skills: skillMap(enabled),
  };
}

/** A project that configures requirements enforces them anyway. */
function warnOfReach({ enforce_everywhere }: Model, context: CompileContext): void {
  const pointer = pointerOf(['enforce_everywhere']);
  if (enforce_everywhere === undefined || context.place(pointer)?.startsWith('~/')) return;
  const message = '`enforce_everywhere` has no effect here: it counts only in the global file';
  context.report(pointer, { code: 'config.invalid-value', severity: 'warning', message });
}

/** Without message files, which configure nothing. */
function keysUsed(valid: Model): string[] {
  return Object.keys(valid).filter((key) => key !== MESSAGES && key !== TEMPLATES);
}

function isSilent(valid: Model): boolean {
  const rules = Object.values(valid.requirements ?? {});
  return (
    keysUsed(valid).every((key) => key === 'requirements') &&
    rules.some(({ enabled }) => enabled === true) &&
    rules.every(({ mode }) => mode === 'shadow')
  );
}

function compileHooks(input: NonNullable<Model['hooks']>, hasDesignGate: boolean) {
  const { session_start: start = {}, stop = {} } = input;
  const {
    enabled: carries,
    window_seconds: windowSeconds = 300,
    scopes = ONE_SESSION,
  } = start.carry_over ?? {};
  return {
    stop: { verify: stop.verify_requirements ?? true, scopes: stop.verify_scopes ?? ONE_SESSION },
    briefing: {
      inject: start.inject_context ?? true,
      format: start.briefing_format === 'standard' ? ('standard' as const) : ('compact' as const),
      header: start.custom_header,
    },
    carryOver: { sources: carryOverSources(carries), windowSeconds, scopes },
    clearSessionState: input.session_end?.clear_session_state ?? false,
    denyDangerous: input.permission_request?.auto_deny_dangerous ?? true,
    thinkFirst: {
      onPlan: hasDesignGate && input.plan_enter?.brainstorm_on_enter !== false,
      onPrompt: hasDesignGate && input.prompt_submit?.brainstorm_nudge !== false,
    },
  };
}

const ONE_SESSION: Scope[] = ['session'];

/** By default only after `/clear`: there the same person continues the same work. */
function carryOverSources(enabled: boolean | undefined): ('startup' | 'clear')[] {
  if (enabled === undefined) return ['clear'];
  return enabled ? ['startup', 'clear'] : [];
}

const PLUGIN = 'requirements-framework';

const PLAN_REVIEW = ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed'];
const CHANGE_REVIEW = ['pre_pr_review'];

/** Requirements that the skills of the old framework's plugin satisfy, including former skill names. */
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

function skillMap(enabled: readonly (readonly [string, RequirementInput])[]): Record<string, string[]> {
  const pairs = enabled.flatMap(([name, { satisfied_by_skill: own }]) => {
    const known = Object.keys(KNOWN_SKILLS).filter((skill) => KNOWN_SKILLS[skill]?.includes(name));
    const skills = [...known.map((skill) => `${PLUGIN}:${skill}`), ...(own === undefined ? [] : [own])];
    return skills.map((skill) => ({ name, skill }));
  });
  const keys = new Set(pairs.flatMap(({ skill }) => [skill, shortName(skill)]));
  const namesOf = (key: string): string[] => {
    // A skill that the config names without a plugin is meant with any plugin.
    const meant = pairs.filter(
      ({ skill }) => [key, shortName(key)].includes(skill) || shortName(skill) === key,
    );
    return [...new Set(meant.map(({ name }) => name))];
  };
  return Object.fromEntries([...keys].map((key) => [key, namesOf(key)]));
}

function shortName(skill: string): string {
  return skill.slice(skill.lastIndexOf(':') + 1);
}

const EDITING_TOOLS = ['Edit', 'Write', 'MultiEdit'];
const PLAN_DIRS = ['.claude/plans'];
const BRANCH_SIZE_NAMES = ['branch_size', 'branch_size_calculator'];

export type Requirement = ReturnType<typeof compileRequirement>;
export type DynamicRequirement = Extract<Requirement, { type: 'dynamic' }>;
export type Scope = Requirement['scope'];
export type Trigger = Requirement['triggers'][number];
export type Evidence = NonNullable<Requirement['evidence']>;

/** Tools that rules are usually about. A similar name is most likely a typo; any other may be a tool that we do not know. */
const USUAL_TOOLS = 'Edit Write MultiEdit NotebookEdit Bash Read Grep Glob WebFetch WebSearch Task'.split(
  ' ',
);

/** Warns about valid values that can never do what they say. */
function warnOfNoEffect(
  name: string,
  { thresholds, trigger_tools: tools = [] }: RequirementInput,
  context: CompileContext,
) {
  const warn = (keys: readonly string[], message: string): void =>
    context.report(pointerOf(['requirements', name, ...keys]), {
      code: 'config.invalid-value',
      severity: 'warning',
      message,
    });
  if (thresholds?.warn !== undefined && thresholds.warn >= thresholds.block)
    warn(['thresholds', 'warn'], `the agent is never warned: \`block: ${thresholds.block}\` holds first`);
  for (const tool of tools.map((one) => (typeof one === 'string' ? one : one.tool))) {
    const meant = /^[A-Z][a-zA-Z]+$/.test(tool) && !USUAL_TOOLS.includes(tool) && nearest(tool, USUAL_TOOLS);
    if (meant) warn(['trigger_tools'], `no known tool is named '${tool}'. Did you mean '${meant}'?`);
  }
}

/** One enabled requirement with every default filled in. */
function compileRequirement(name: string, input: RequirementInput, model: Model, context: CompileContext) {
  const { calculator, thresholds } = input;
  warnOfNoEffect(name, input, context);
  const common = commonParts(name, input, model, context);
  if (input.type === 'dynamic' && calculator !== undefined && thresholds !== undefined) {
    return {
      ...common,
      type: 'dynamic' as const,
      calculator: BRANCH_SIZE_NAMES.includes(calculator) ? 'branch_size' : calculator,
      block: thresholds.block,
      warn: thresholds.warn,
      cacheTtl: input.cache_ttl ?? 60,
      approvalTtl: common.approvalTtl ?? 300,
      blockingMessage: input.blocking_message,
    };
  }
  if (input.type !== 'guard') return { ...common, type: 'blocking' as const };
  const condition = { ...common, type: 'condition' as const };
  if (input.guard_type === 'single_session') return { ...condition, condition: 'single_session' as const };
  const branches = expandBraces(input.protected_branches ?? ['master', 'main']);
  return { ...condition, condition: 'protected_branch' as const, branches };
}

/** Matches the `file:line:column` of an entry in a requirements file of the old framework. */
const LEGACY_FILE = /(?:^|[/\\])\.claude[/\\]requirements(?:\.local)?\.yaml:/;

function commonParts(name: string, input: RequirementInput, model: Model, context: CompileContext) {
  const words = messagesFor(name, model);
  const place = context.place(pointerOf(['requirements', name])) ?? '';
  const legacy = LEGACY_FILE.test(place);
  // The config takes precedence over message files; a dynamic requirement may use `blocking_message` for it.
  const saysItself = input.type === 'dynamic' && input.blocking_message !== undefined;
  return {
    name,
    mode: input.mode ?? ('hold' as const),
    /** `file:line:column` of its name in the config. */
    place,
    /** Defined in a file of the old framework: keeps its messages and its per-branch `session` scope. */
    legacy,
    scope: input.scope ?? ('session' as const),
    /** By default true for protected branches: waiving one of them must not waive the others. */
    perBranch: input.per_branch ?? (legacy || input.guard_type === 'protected_branch'),
    ...whatTriggers(input, legacy),
    paths: expandBraces(input.paths ?? []),
    excludePaths: expandBraces(input.exclude_paths ?? []),
    message: input.message ?? (saysItself ? undefined : words.blocking_message),
    shortMessage: input.short_message ?? words.short_message,
    description: input.description,
    skill: input.auto_resolve_skill ?? input.satisfied_by_skill,
    stopOnly: input.stop_only ?? false,
    agentMaySatisfy: input.agent_may_satisfy !== false && input.approval === undefined,
    /** If set, the only channel that can approve it. */
    approval: input.approval,
    /** Seconds that an approval lasts; `undefined`: as long as the scope says. */
    approvalTtl: ttlOf(input),
    replanTtl: input.replan_ttl,
    evidence: input.evidence && compileEvidence(input.evidence),
  };
}

function ttlOf({ approval_ttl: ttl }: RequirementInput): number | undefined {
  return typeof ttl === 'string' ? secondsIn(ttl) : ttl;
}

/** A protected branch is protected from every tool; in files of the old framework only from editing tools. */
const BRANCH_EFFECTS: readonly Effect[] = ['edit', 'commit', 'merge', 'push'];

function whatTriggers(
  { on, trigger_tools: tools, guard_type: condition }: RequirementInput,
  legacy: boolean,
) {
  const isWhole = on === undefined && tools === undefined && condition === 'protected_branch' && !legacy;
  const effects = isWhole ? BRANCH_EFFECTS : on === undefined ? [] : [on].flat();
  return {
    triggers: (tools ?? (effects.length > 0 ? [] : EDITING_TOOLS)).flatMap(compileTrigger),
    effects: [...new Set(effects)],
  };
}

function compileEvidence(evidence: NonNullable<RequirementInput['evidence']>) {
  return {
    dirs: evidence.dirs ?? PLAN_DIRS,
    markers: evidence.require_markers ?? [],
    verdict: evidence.require_verdict,
    maxAgeSeconds: evidence.max_age_seconds,
    command: evidence.command,
  };
}

/** The message file of the highest layer that has one; files of lower layers are not merged into it. */
function messagesFor(name: string, { [MESSAGES]: files = {} }: Model): v.InferOutput<typeof messageFile> {
  const named = [files.local, files.project, files.global];
  return named.find((layer) => layer !== undefined && Object.hasOwn(layer, name))?.[name] ?? {};
}

/** A tool name or a glob with `*`; for commands also a regular expression, searched anywhere in the command. */
function compileTrigger(input: NonNullable<RequirementInput['trigger_tools']>[number]) {
  const { tool: named, command_pattern: pattern } =
    typeof input === 'string' ? { tool: input, command_pattern: undefined } : input;
  return expandBraces([named]).map((tool) =>
    pattern === undefined
      ? { kind: 'tool' as const, tool }
      : { kind: 'command' as const, tool, pattern: regexSource(pattern) },
  );
}
