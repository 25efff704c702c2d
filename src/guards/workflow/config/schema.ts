import * as v from 'valibot';
import { described, flag, name } from '../../../config/section';
import { RULE_MODES, RULE_NAMES, TELLS } from '../model';
import * as say from './key-sentences';
import { requirements } from './requirement-schema';

const names = v.array(name);

const place = v.strictObject(
  described({ phase: name, before: v.optional(name), after: v.optional(name) }, say.PLACE),
);
const phaseEdits = v.strictObject(
  described(
    { remove: v.optional(names), add: v.optional(v.array(place)), move: v.optional(v.array(place)) },
    say.PHASE_EDITS,
  ),
);
const phaseList = v.lazy((input) => (Array.isArray(input) ? names : phaseEdits));
const noBranch = v.literal(false);
const branch = v.lazy((input) => (typeof input === 'boolean' ? noBranch : name));

const workflowEntry = v.strictObject(
  described(
    {
      extends: v.optional(name),
      label: v.optional(name),
      phases: v.optional(phaseList),
      gate_mode: v.optional(v.picklist(['strict', 'permissive'])),
      branch: v.optional(branch),
      artifact_prefix: v.optional(name),
      skip: v.optional(v.record(v.string(), name)),
    },
    say.WORKFLOW_ENTRY,
  ),
);

const phase = v.strictObject(described({ needs_plan: flag, makes_plan: flag }, say.PHASE));

const agent = v.strictObject(
  described(
    {
      kind: v.optional(v.picklist(['orchestrator', 'setup', 'phase', 'sub', 'generic'])),
      phases: v.optional(names),
      aliases: v.optional(names),
    },
    say.AGENT,
  ),
);

const alias = v.lazy((input) => (Array.isArray(input) ? names : name));

const rule = v.strictObject(
  described({ mode: v.optional(v.picklist(RULE_MODES)), tell: v.optional(v.picklist(TELLS)) }, say.RULE),
);
const rules = v.strictObject(described(v.entriesFromList(RULE_NAMES, v.optional(rule)), say.RULES));

const relative = v.pipe(
  name,
  v.check((path) => !leadsOut(path), 'must be a path below the project'),
);

const projects = v.strictObject(
  described({ default: v.optional(name), paths: v.record(v.string(), relative) }, say.PROJECTS),
);

const obligation = v.strictObject(described({ agent: name, exempt: v.optional(names) }, say.OBLIGATION));

const models = v.strictObject(
  described(
    {
      agents: v.optional(v.record(v.string(), name)),
      phases: v.optional(v.record(v.string(), name)),
      default: v.optional(name),
    },
    say.MODELS,
  ),
);

const discipline = v.strictObject(
  described(
    {
      no_halfway_entry: flag,
      no_phase_skipping: flag,
      single_active_workflow: flag,
      require_cancellation_reason: flag,
    },
    say.DISCIPLINE,
  ),
);

/** The `workflow` section as people write it, and as the built-in workflows are written. */
export const workflow = v.strictObject(
  described(
    {
      extends: v.optional(v.picklist(['preset:isdlc', 'none'])),
      workflows: v.optional(v.record(v.string(), workflowEntry)),
      phases: v.optional(v.record(v.string(), phase)),
      agents: v.optional(v.record(v.string(), agent)),
      phase_aliases: v.optional(v.record(v.string(), alias)),
      requirements: v.optional(v.record(v.string(), requirements)),
      overrides: v.optional(v.record(v.string(), v.record(v.string(), requirements))),
      rules: v.optional(rules),
      protected_branches: v.optional(names),
      projects: v.optional(projects),
      plan_paths: v.optional(v.pipe(v.array(relative), v.nonEmpty('must name at least one place'))),
      constitution_paths: v.optional(v.pipe(v.array(relative), v.nonEmpty('must name at least one place'))),
      test_commands: v.optional(names),
      setup_commands: v.optional(names),
      must_delegate: v.optional(v.record(v.string(), obligation)),
      models: v.optional(models),
      discipline: v.optional(discipline),
    },
    say.WORKFLOW,
  ),
);

export type WorkflowInput = v.InferOutput<typeof workflow>;
export type WorkflowEntry = v.InferOutput<typeof workflowEntry>;
export type PlaceInput = v.InferOutput<typeof place>;
export type AgentInput = v.InferOutput<typeof agent>;

function leadsOut(path: string): boolean {
  return /^(?:[/\\~]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..');
}
