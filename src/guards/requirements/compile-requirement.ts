import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import { regexSource } from '../../config/section';
import { expandBraces } from '../../core/glob';
import type { Evidence, Requirement, Trigger } from './config';
import type { MessageFile } from './message-files';
import type { EvidenceInput, RequirementInput, TriggerInput } from './schema';

const EDITING_TOOLS = ['Edit', 'Write', 'MultiEdit'];
const PLAN_DIRS = ['.claude/plans'];
const BRANCH_SIZE_NAMES = ['branch_size', 'branch_size_calculator'];

/** One enabled requirement with every default filled in; `words` is its message file. */
export function compileRequirement(
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
      ...given('warn', thresholds.warn),
      cacheTtl: input.cache_ttl ?? 60,
      approvalTtl: input.approval_ttl ?? 300,
      ...given('blockingMessage', input.blocking_message),
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
    ...given('message', messageOf(input, words)),
    ...given('shortMessage', input.short_message ?? words.short_message),
    ...given('description', input.description),
    ...given('skill', input.auto_resolve_skill),
    stopOnly: input.stop_only ?? false,
    agentMaySatisfy: input.agent_may_satisfy ?? true,
    ...given('replanTtl', input.replan_ttl),
    ...given('evidence', input.evidence && compileEvidence(input.evidence)),
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
    ...given('verdict', input.require_verdict),
    ...given('maxAgeSeconds', input.max_age_seconds),
    ...given('command', input.command),
  };
}

function compileTrigger(input: TriggerInput): Trigger[] {
  const { tool: named, command_pattern: pattern } =
    typeof input === 'string' ? { tool: input, command_pattern: undefined } : input;
  return expandBraces([named]).map((tool) =>
    pattern === undefined ? { kind: 'tool', tool } : { kind: 'command', tool, pattern: regexSource(pattern) },
  );
}

/** An optional key of what is compiled, left out where the config has none. */
export function given<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
