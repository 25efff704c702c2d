import * as v from 'valibot';
import { byName, flag, name } from '../../../config/section';
import { RULE_MODES, RULE_NAMES, RULE_PURPOSES, type RuleName, TELLS } from '../model';
import { RULE_DEFAULTS } from './preset';

type Keys<Entries extends v.ObjectEntries> = {
  readonly [Key in keyof Entries]: readonly [schema: Entries[Key], sentence: string];
};

/** A mapping of these keys, each with its schema and its description. */
function mapping<Entries extends v.ObjectEntries>(keys: Keys<Entries>) {
  const pairs = Object.entries<readonly [v.GenericSchema, string]>(keys);
  const entries = pairs.map(([key, [schema, text]]) => [key, v.pipe(schema, v.description(text))]);
  return v.strictObject(Object.fromEntries(entries) as Entries);
}

const names = v.array(name);
const text = v.optional(name);
const list = v.optional(names);
const named = <S extends v.GenericSchema>(schema: S) => v.optional(byName(schema));
const notNegative = v.minValue<number, 0, string>(0, 'must not be negative');
const wholeNumber = v.pipe(v.number(), v.integer('must be a whole number'));
const count = v.optional(v.pipe(wholeNumber, notNegative));
const times = v.optional(
  v.pipe(wholeNumber, v.minValue(1, 'must be at least 1'), v.maxValue(1000, 'must be at most 1000')),
);
const percent = v.optional(v.pipe(v.number(), notNegative, v.maxValue(100, 'must be at most 100')));

/** A mapping, or `false`, which takes back what is required below, or `true`: with the usual numbers. */
function switchable<Entries extends v.ObjectEntries>(keys: Keys<Entries>) {
  const [schema, yesOrNo] = [mapping(keys), v.boolean()];
  return v.optional(v.lazy((input) => (typeof input === 'boolean' ? yesOrNo : schema)));
}

const tests = switchable({
  max_iterations: [times, 'Failing runs before a person has to decide. Default: 10.'],
  same_failures: [times, 'Identical failures in a row before a person has to decide. Default: 3.'],
  report_only: [flag, 'The tests must run, but need not pass. Default: false.'],
  min_coverage: [percent, 'Minimum coverage in percent, where the test output reports it. Default: none.'],
});

const constitution = switchable({
  articles: [list, 'The articles, as Roman numerals.'],
  max_iterations: [times, 'Rounds before a person has to decide. Default: 5.'],
});

const choices = v.optional(v.pipe(names, v.nonEmpty('must name at least one choice')));

const elicitation = switchable({
  min_interactions: [count, 'Questions a person must have answered. Default: 3.'],
  final_selections: [choices, 'Choices that end the questions. Default: [save, continue].'],
});

const trigger = mapping({
  trigger: [name, 'The name recorded as pending.'],
  unless_set: [list, 'Skip it if this field of the state is set, given as a path. Default: never skipped.'],
});

const requirements = mapping({
  tests: [tests, 'Tests must pass. `false` removes the demand, `true` uses the defaults.'],
  constitution: [constitution, 'Articles of the constitution must be checked. `false` removes the demand.'],
  elicitation: [elicitation, 'A person must be asked. `false` removes the demand, `true` uses the defaults.'],
  delegation: [flag, 'The work must be delegated to an agent of the phase. Default: false.'],
  approval: [flag, 'A person must approve the gate. Default: false.'],
  on_pass: [v.optional(v.array(trigger)), 'Reminders recorded when the gate is passed. Default: none.'],
});

const overrides = named(byName(requirements));

const place = mapping({
  phase: [name, 'The phase.'],
  before: [text, 'Insert it before this phase.'],
  after: [text, 'Insert it after this phase. Without `before` and `after` it comes last.'],
});

const phaseEdits = mapping({
  remove: [list, 'Phases to leave out.'],
  add: [v.optional(v.array(place)), 'Phases to insert.'],
  move: [v.optional(v.array(place)), 'Phases to move.'],
});
const gateMode = v.optional(v.picklist(['strict', 'permissive']));
const noBranch = v.literal(false);

const workflowEntry = mapping({
  extends: [text, 'The workflow this one is based on. Default: none.'],
  label: [text, 'Its name for people. Default: its key.'],
  phases: [
    v.optional(v.lazy((input) => (Array.isArray(input) ? names : phaseEdits))),
    'The phases in order, or the changes to those of the extended workflow.',
  ],
  gate_mode: [gateMode, '`permissive` gates only warn. Default: strict.'],
  branch: [
    v.optional(v.lazy((input) => (typeof input === 'boolean' ? noBranch : name))),
    'Name of its branch; `{artifact}` is the artifact’s id, `false` means no branch.',
  ],
  artifact_prefix: [text, 'Prefix of its artifact ids, such as REQ.'],
  skip: [named(name), 'Phases that a flag of `flow start` leaves out, each with its flag. Default: none.'],
});

const workflows = named(workflowEntry);

const phase = mapping({
  needs_plan: [flag, 'Delegations wait for the task plan, in workflows that make one. Default: false.'],
  makes_plan: [flag, 'The task plan is made in this phase. Default: false.'],
});

const agent = mapping({
  kind: [
    v.optional(v.picklist(['orchestrator', 'setup', 'phase', 'sub', 'generic'])),
    '`phase` does the work of its phases, `sub` helps there, `orchestrator` and `setup` are never held, `generic` belongs to no phase. Default: phase.',
  ],
  phases: [list, 'The phases it works in.'],
  aliases: [list, 'Other names of the agent. Default: none.'],
});

const tell = v.optional(v.picklist(TELLS));
const setting = mapping({
  mode: [
    v.optional(v.picklist(RULE_MODES)),
    '`deny` holds, `ask` asks the person, `warn` only warns, `observe` only logs, `disabled` turns the rule off.',
  ],
  tell: [tell, 'Who gets a warning: the agent, the person, both, or only the log.'],
});

const strictness = v.optional(setting);
const byRule = RULE_NAMES.map((rule) => {
  return [
    rule,
    [strictness, `Mode of the rule: ${RULE_PURPOSES[rule]} Default: ${RULE_DEFAULTS[rule]?.mode ?? 'deny'}.`],
  ];
});
const rules = mapping(Object.fromEntries(byRule) as Record<RuleName, readonly [typeof strictness, string]>);

/** A path that does not lead out of the project. */
const relative = v.pipe(
  name,
  v.check(
    (path) => !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..'),
    'must be a path below the project',
  ),
);
const places = v.optional(v.pipe(v.array(relative), v.nonEmpty('must name at least one place')));

const projects = mapping({
  default: [text, 'The project to use where nothing else decides. Default: none.'],
  paths: [byName(relative), 'The directory of each project, by its id.'],
});

const obligation = mapping({
  agent: [name, 'The agent to delegate to.'],
  exempt: [list, 'First words after the skill that need no delegation. Default: none.'],
});

const models = mapping({
  agents: [named(name), 'Models by agent.'],
  phases: [named(name), 'Models by phase.'],
  default: [text, 'The model for all other delegations. Default: the host’s.'],
});

const discipline = mapping({
  no_halfway_entry: [flag, 'If false, a workflow may start at a later phase. Default: true.'],
  no_phase_skipping: [flag, 'If false, `flow start --skip` may leave phases out. Default: true.'],
  single_active_workflow: [flag, 'If false, a workflow may start while another is active. Default: true.'],
  require_cancellation_reason: [flag, 'If false, `flow cancel` needs no reason. Default: true.'],
});

const alias = v.lazy((input) => (Array.isArray(input) ? names : name));

/** The `workflow` section as people write it, and as the built-in workflows are written. */
export const workflow = mapping({
  extends: [
    v.optional(v.picklist(['preset:isdlc', 'none'])),
    'What the section builds on: `preset:isdlc` is the seven built-in workflows with their agents, `none` is nothing. Default: preset:isdlc where `.isdlc/` exists or the section defines no workflows, else none.',
  ],
  workflows: [workflows, 'Workflows by name. One that the preset also has is changed, not replaced.'],
  phases: [named(phase), 'Properties of phases by name, in every workflow.'],
  agents: [
    named(agent),
    'Agents by name. An agent that is not listed belongs to no workflow and is never held.',
  ],
  phase_aliases: [named(alias), 'Other names of phases, such as an older numbering.'],
  requirements: [named(requirements), 'What the gate of each phase demands.'],
  overrides: [overrides, 'The same for one workflow: by workflow, then by phase.'],
  rules: [v.optional(rules), 'Mode of each rule, and who gets its warnings.'],
  protected_branches: [
    list,
    'Branches nobody may write to while a workflow is on its own branch. `*` matches anything, `@default` is the remote’s default branch. Default: [main, master, @default].',
  ],
  projects: [
    v.optional(projects),
    'Projects of a monorepo, each with its own workflow state. Default: one project.',
  ],
  plan_paths: [
    places,
    'Where to look for the task plan; `{project}` is `projects/<id>/` in a monorepo. Default: [docs/isdlc/{project}tasks.md, .isdlc/{project}tasks.md].',
  ],
  constitution_paths: [
    places,
    'Where to look for the constitution. Default: [docs/isdlc/{project}constitution.md, .isdlc/{project}constitution.md].',
  ],
  test_commands: [list, 'Commands that run this project’s tests, besides the usual runners. Default: none.'],
  setup_commands: [
    list,
    'Commands of the workflow skill that belong to no workflow, compared word for word.',
  ],
  must_delegate: [named(obligation), 'Skills that oblige the agent to delegate, by name.'],
  models: [v.optional(models), 'The model of each delegation. Default: the host’s.'],
  discipline: [v.optional(discipline), 'Settings of all workflows.'],
});

export type WorkflowInput = v.InferOutput<typeof workflow>;
export type WorkflowEntry = v.InferOutput<typeof workflowEntry>;
export type AgentInput = v.InferOutput<typeof agent>;
export type RequirementsInput = v.InferOutput<typeof requirements>;
