import * as v from 'valibot';
import { described, type SeedFile, section, warnNotEnforced } from '../../config/section';
import { compileRequirement, given } from './compile-requirement';
import type { CarryOver, RequirementsConfig } from './config';
import { DESIGN_GATE } from './design-gate';
import { SECTION_KEYS } from './key-sentences';
import {
  MESSAGE_SEEDS,
  MESSAGES,
  messageFiles,
  messagesFor,
  reportTemplates,
  TEMPLATES,
  templateFiles,
} from './message-files';
import { fileKeys, type HooksInput, hooks, requirement } from './schema';
import { skillMap } from './skill-map';

/** The key of the model under which the rest of a requirements file stands. */
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
      skills: skillMap(enabled.map(([name, input]) => ({ name, satisfiedBy: input.satisfied_by_skill }))),
    } satisfies RequirementsConfig;
  },
});

type FromHooks = Omit<RequirementsConfig, 'enabled' | 'reach' | 'requirements' | 'skills'>;

function compileHooks(input: HooksInput, hasDesignGate: boolean): FromHooks {
  const { session_start: start = {}, stop = {}, session_learning: learning = {} } = input;
  return {
    stop: { verify: stop.verify_requirements ?? true, scopes: stop.verify_scopes ?? ['session'] },
    briefing: {
      inject: start.inject_context ?? true,
      format: start.briefing_format === 'standard' ? 'standard' : 'compact',
      ...given('header', start.custom_header),
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
