import * as v from 'valibot';
import { byName, flag, name } from '../../../config/section';
import { RULE_MODES, RULE_NAMES, RULE_PURPOSES, type RuleName, TELLS, WITHOUT } from '../model';

type Keys<Entries extends v.ObjectEntries> = {
  readonly [Key in keyof Entries]: readonly [schema: Entries[Key], sentence: string];
};

/** A mapping of these keys, each with its schema and a sentence that editors show beside it. */
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
  max_iterations: [times, 'Failing runs after which a person has to decide. Default: 10.'],
  same_failures: [times, 'Equal failures in a row after which a person has to decide. Default: 3.'],
  report_only: [flag, 'True: the tests have to run, but need not pass.'],
  min_coverage: [percent, 'Minimum coverage in percent, if a test run prints its coverage.'],
});

const constitution = switchable({
  articles: [list, 'The articles by their Roman numerals.'],
  max_iterations: [times, 'Rounds after which a person has to decide. Default: 5.'],
});

const choices = v.optional(v.pipe(names, v.nonEmpty('must name at least one choice')));

const elicitation = switchable({
  min_interactions: [count, 'How often the user has to answer. Default: 3.'],
  final_selections: [choices, 'Accepted last choices. Default: save, continue.'],
});

const trigger = mapping({
  trigger: [name, 'The name that is recorded as pending.'],
  unless_set: [list, 'Path of a state field; if it has a value, nothing is recorded.'],
});

const requirements = mapping({
  tests: [tests, 'Tests have to pass; false to switch off.'],
  constitution: [constitution, 'Articles of the constitution to check; false to switch off.'],
  elicitation: [elicitation, 'The user has to answer questions; false to switch off.'],
  delegation: [flag, 'True: an agent of the phase has to do the work.'],
  approval: [flag, 'True: a person has to approve the gate.'],
  on_pass: [v.optional(v.array(trigger)), 'What to record as pending when the gate is passed.'],
});

const overrides = named(byName(requirements));

const place = mapping({
  phase: [name, 'The phase.'],
  before: [text, 'The phase that comes right after it.'],
  after: [text, 'The phase that comes right before it. Without `before` and `after` it is last.'],
});

const phaseEdits = mapping({
  remove: [list, 'Phases to remove.'],
  add: [v.optional(v.array(place)), 'Phases to add, each with its place.'],
  move: [v.optional(v.array(place)), 'Phases to move, each with its new place.'],
});
const gateMode = v.optional(v.picklist(['strict', 'permissive']));
const noBranch = v.literal(false);

const workflowEntry = mapping({
  extends: [text, 'The workflow that this one is based on.'],
  label: [text, 'The name that people see.'],
  phases: [
    v.optional(v.lazy((input) => (Array.isArray(input) ? names : phaseEdits))),
    'The phases in order, or the changes to those of the workflow that this one extends.',
  ],
  gate_mode: [gateMode, '`permissive`: gates warn instead of holding.'],
  branch: [
    v.optional(v.lazy((input) => (typeof input === 'boolean' ? noBranch : name))),
    'The name of its branch, with `{artifact}` for the name of the work; false for no branch.',
  ],
  artifact_prefix: [text, 'Prefix of the names of its work, such as REQ.'],
  skip: [named(name), 'Phases that a flag of `flow start` skips, each with its flag.'],
});

const workflows = named(workflowEntry);

const phase = mapping({
  needs_plan: [flag, 'True: agents of this phase wait for the task plan, in workflows that make one.'],
  makes_plan: [flag, 'True: this phase makes the task plan.'],
});

const agent = mapping({
  kind: [
    v.optional(v.picklist(['orchestrator', 'setup', 'phase', 'sub', 'generic'])),
    '`phase` does the work of its phases, `sub` helps there, `orchestrator` and `setup` are never held, `generic` belongs to no phase. Default: `phase`.',
  ],
  phases: [list, 'The phases it works in.'],
  aliases: [list, 'Its other names.'],
});

const tell = v.optional(v.picklist(TELLS));
const setting = mapping({
  mode: [
    v.optional(v.picklist(RULE_MODES)),
    '`deny` holds, `ask` asks the user, `warn` warns, `observe` only records, `disabled` switches the rule off.',
  ],
  tell: [tell, 'Who reads a warning: the agent, the person, both, or only the log.'],
});

const strictness = v.optional(setting);
const byRule = RULE_NAMES.map((rule) => {
  return [rule, [strictness, `Mode of the rule, and who reads its warnings: ${RULE_PURPOSES[rule]}`]];
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
  default: [text, 'The project to use when nothing else names one.'],
  paths: [byName(relative), 'The directory of each project by its id.'],
});

const obligation = mapping({
  agent: [name, 'The agent that has to do the work.'],
  exempt: [list, 'First words after the skill name that need no delegation.'],
});

const models = mapping({
  agents: [named(name), 'The model of each agent.'],
  phases: [named(name), 'The model of the agents of each phase.'],
  default: [text, 'The model of all others.'],
});

const discipline = mapping({
  no_halfway_entry: [flag, 'False: `flow start --from` may start in the middle.'],
  no_phase_skipping: [flag, 'False: `flow start --skip` may skip phases.'],
  single_active_workflow: [flag, 'False: a workflow may be started while another is active.'],
  require_cancellation_reason: [flag, 'False: a workflow may be cancelled without saying why.'],
});

const alias = v.lazy((input) => (Array.isArray(input) ? names : name));

/** The `workflow` section as people write it, and as the built-in workflows are written. */
export const workflow = mapping({
  extends: [
    v.optional(v.picklist(['preset:isdlc', 'none'])),
    'What this section is based on: `preset:isdlc` (the seven built-in workflows) or `none`. Default: the preset, unless `workflows` is given and there is no `.isdlc/`.',
  ],
  workflows: [workflows, 'The workflows by name. An entry changes a built-in workflow of the same name.'],
  phases: [named(phase), 'Options of phases, by name, in every workflow.'],
  agents: [
    named(agent),
    'The agents that work in phases, by name. Agents that are not listed are never held.',
  ],
  phase_aliases: [named(alias), 'Other names of phases, such as older numbers.'],
  requirements: [named(requirements), 'What the gate of each phase needs.'],
  overrides: [overrides, 'The same for one workflow, by workflow and phase.'],
  without: [
    v.optional(v.array(v.picklist(WITHOUT))),
    'What no phase needs: `agents` (any agent may do a phase), `constitution`, `elicitation` (questions to the user), `plan`.',
  ],
  rules: [v.optional(rules), 'Mode of each rule, and who reads its warnings.'],
  protected_branches: [
    list,
    'Branches that get no commits while a workflow has its own branch. `*` matches anything; `@default` is the default branch of the remote.',
  ],
  projects: [v.optional(projects), 'The projects of a monorepo, each with a workflow of its own.'],
  plan_paths: [
    places,
    'Where the task plan may be, the usual place first. `{project}` is `projects/<id>/` in a monorepo.',
  ],
  constitution_paths: [places, 'Where the constitution may be, likewise.'],
  test_commands: [list, 'Commands that run the tests of this project, in addition to the usual runners.'],
  setup_commands: [list, 'Exact arguments of a workflow skill that belong to no workflow.'],
  must_delegate: [named(obligation), 'Skills that have to delegate to an agent, by name.'],
  models: [v.optional(models), 'The model of delegations.'],
  discipline: [v.optional(discipline), 'Options for all workflows.'],
});

export type WorkflowInput = v.InferOutput<typeof workflow>;
export type WorkflowEntry = v.InferOutput<typeof workflowEntry>;
export type AgentInput = v.InferOutput<typeof agent>;
export type RequirementsInput = v.InferOutput<typeof requirements>;
