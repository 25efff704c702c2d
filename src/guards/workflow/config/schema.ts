import * as v from 'valibot';
import { byName, flag, type Keys, mapping, name } from '../../../config/section';
import {
  MODE_WORDS,
  RULE_MODES,
  RULE_NAMES,
  RULE_PURPOSES,
  type RuleName,
  SWITCHABLE_PARTS,
  TELLS,
} from '../model';
import { DENIES, RULE_DEFAULTS } from './preset';

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

/** A mapping, or `true` for the default numbers, or `false` to drop what a lower layer requires. */
function switchable<Entries extends v.ObjectEntries>(keys: Keys<Entries>) {
  const [schema, yesOrNo] = [mapping(keys), v.boolean()];
  return v.optional(v.lazy((input) => (typeof input === 'boolean' ? yesOrNo : schema)));
}

const tests = switchable({
  max_iterations: [times, 'Failing runs after which a person has to decide. Default: 10.'],
  same_failures: [times, 'Equal failures in a row after which a person has to decide. Default: 3.'],
  report_only: [flag, 'If true, the tests have to run, but need not pass. Default: false.'],
  min_coverage: [percent, 'Minimum coverage in percent, if a test run prints its coverage. Default: none.'],
});

const numeral = v.pipe(name, v.regex(/^[IVXLCivxlc]{1,10}$/, 'must be a Roman numeral, such as IV'));

const constitution = switchable({
  articles: [v.optional(v.array(numeral)), 'The articles by their Roman numerals. Default: none.'],
  max_iterations: [times, 'Rounds after which a person has to decide. Default: 5.'],
});

const choices = v.optional(v.pipe(names, v.nonEmpty('must name at least one choice')));

const elicitation = switchable({
  min_interactions: [count, 'How often the user has to answer. Default: 3.'],
  final_selections: [choices, 'Accepted last choices. Default: save, continue.'],
});

const trigger = mapping({
  trigger: [name, 'The name that is recorded as pending.'],
  unless_set: [list, 'Path of a state field; if it has a value, nothing is recorded. Default: none.'],
});

const requirements = mapping({
  tests: [tests, 'Tests have to pass; false turns it off. Default: not needed.'],
  constitution: [
    constitution,
    'Articles of the constitution to check; false turns it off. Default: not needed.',
  ],
  elicitation: [elicitation, 'The user has to answer questions; false turns it off. Default: not needed.'],
  delegation: [flag, 'If true, an agent of the phase has to do the work. Default: false.'],
  approval: [flag, 'If true, a person has to approve the gate. Default: false.'],
  on_pass: [
    v.optional(v.array(trigger)),
    'What to record as pending when the gate is passed. Default: nothing.',
  ],
});

const overrides = named(byName(requirements));

const place = mapping({
  phase: [name, 'The phase.'],
  before: [text, 'The phase that comes right after it. Default: none.'],
  after: [text, 'The phase that comes right before it. Default: the last phase.'],
});

const phaseEdits = mapping({
  remove: [list, 'Phases to remove. Default: none.'],
  add: [v.optional(v.array(place)), 'Phases to add, each with its place. Default: none.'],
  move: [v.optional(v.array(place)), 'Phases to move, each with its new place. Default: none.'],
});
const gateMode = v.optional(v.picklist(['strict', 'permissive']));
const noBranch = v.literal(false);

const workflowEntry = mapping({
  extends: [text, 'The workflow that this one is based on. Default: none.'],
  label: [text, 'The name that people see. Default: its key.'],
  phases: [
    v.optional(v.lazy((input) => (Array.isArray(input) ? names : phaseEdits))),
    'The phases in order, or the changes to those of the workflow that this one extends. Default: those of that workflow.',
  ],
  gate_mode: [gateMode, 'With `permissive`, gates warn instead of holding. Default: strict.'],
  branch: [
    v.optional(v.lazy((input) => (typeof input === 'boolean' ? noBranch : name))),
    'The name of its branch, with `{artifact}` for the name of the work; false for no branch. Default: no branch.',
  ],
  artifact_prefix: [text, 'Prefix of the names of its work. Default: REQ.'],
  skip: [named(name), 'Phases that a flag of `flow start` skips, each with its flag. Default: none.'],
});

const workflows = named(workflowEntry);

const phase = mapping({
  needs_plan: [
    flag,
    'If true, agents of this phase wait for the task plan, in workflows that make one. Default: false.',
  ],
  makes_plan: [flag, 'If true, this phase makes the task plan. Default: false.'],
});

const agent = mapping({
  kind: [
    v.optional(v.picklist(['orchestrator', 'setup', 'phase', 'sub', 'generic'])),
    '`phase` does the work of its phases, `sub` helps there, `orchestrator` and `setup` are never held, `generic` belongs to no phase. Default: phase.',
  ],
  phases: [list, 'The phases it works in. Default: none.'],
  aliases: [list, 'Its other names. Default: none.'],
});

const tell = v.optional(v.picklist(TELLS));
const WORDS = Object.keys(MODE_WORDS) as readonly (keyof typeof MODE_WORDS)[];
const setting = mapping({
  mode: [
    v.optional(v.picklist([...RULE_MODES, ...WORDS])),
    '`hold` (or `deny`) holds, `ask` asks the user, `warn` warns, `shadow` (or `observe`) only records, `disabled` turns the rule off. Default: see the rule.',
  ],
  tell: [tell, 'Who reads a warning: the agent, the person, both, or only the log. Default: see the rule.'],
});

const strictness = v.optional(setting);
const byRule = RULE_NAMES.map((rule) => {
  const { mode, tell: reader } = RULE_DEFAULTS[rule] ?? DENIES;
  const usual =
    rule === 'model-provider-router' ? 'disabled, unless `models` is given' : `${mode}, ${reader}`;
  return [rule, [strictness, `Mode and tell of the rule: ${RULE_PURPOSES[rule]} Default: ${usual}.`]];
});
const rules = mapping(Object.fromEntries(byRule) as Record<RuleName, readonly [typeof strictness, string]>);

/** A path that stays inside the project. */
const relative = v.pipe(
  name,
  v.check(
    (path) => !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..'),
    'must be a path below the project',
  ),
);
const places = v.optional(v.pipe(v.array(relative), v.nonEmpty('must name at least one place')));

const projects = mapping({
  default: [text, 'The project to use when nothing else names one. Default: none.'],
  paths: [byName(relative), 'The directory of each project by its id.'],
});

const obligation = mapping({
  agent: [name, 'The agent that has to do the work.'],
  exempt: [list, 'First words after the skill name that need no delegation. Default: none.'],
});

const models = mapping({
  agents: [named(name), 'The model of each agent. Default: none.'],
  phases: [named(name), 'The model of the agents of each phase. Default: none.'],
  default: [text, 'The model of all others. Default: their own.'],
});

const discipline = mapping({
  no_halfway_entry: [flag, 'If false, `flow start --from` may start in the middle. Default: true.'],
  no_phase_skipping: [flag, 'If false, `flow start --skip` may skip phases. Default: true.'],
  single_active_workflow: [
    flag,
    'If false, a workflow may be started while another is active. Default: true.',
  ],
  require_cancellation_reason: [
    flag,
    'If false, a workflow may be cancelled without saying why. Default: true.',
  ],
});

const alias = v.lazy((input) => (Array.isArray(input) ? names : name));

/** The `workflow` section, as users and the preset write it. */
export const workflow = mapping({
  extends: [
    v.optional(v.picklist(['preset:isdlc', 'none'])),
    'What this section is based on: `preset:isdlc` (the seven built-in workflows) or `none`. Default: the preset, unless `workflows` is given and there is no `.isdlc/`.',
  ],
  workflows: [
    workflows,
    'The workflows by name. An entry changes a built-in workflow of the same name. Default: the built-in ones.',
  ],
  phases: [named(phase), 'Options of phases, by name, in every workflow. Default: those built in.'],
  agents: [
    named(agent),
    'The agents that work in phases, by name. Agents that are not listed are never held. Default: those built in.',
  ],
  phase_aliases: [named(alias), 'Other names of phases, such as older numbers. Default: those built in.'],
  requirements: [named(requirements), 'What the gate of each phase needs. Default: as built in.'],
  overrides: [overrides, 'The same for one workflow, by workflow and phase. Default: as built in.'],
  without: [
    v.optional(v.array(v.picklist(SWITCHABLE_PARTS))),
    'What no phase needs: `agents` (any agent may do a phase), `constitution`, `elicitation` (questions to the user), `plan`. Default: none.',
  ],
  rules: [v.optional(rules), 'Mode of each rule, and who reads its warnings. Default: see each rule.'],
  protected_branches: [
    list,
    'Branches that get no commits while a workflow has its own branch. `*` matches anything; `@default` is the default branch of the remote. Default: [main, master, @default].',
  ],
  projects: [
    v.optional(projects),
    'The projects of a monorepo, each with a workflow of its own. Default: none.',
  ],
  plan_paths: [
    places,
    'Where the task plan may be, the usual place first. `{project}` is `projects/<id>/` in a monorepo. Default: see docs/workflow.md.',
  ],
  constitution_paths: [places, 'Where the constitution may be, likewise. Default: see docs/workflow.md.'],
  test_commands: [
    list,
    'Commands that run the tests of this project, in addition to the usual runners. Default: none.',
  ],
  setup_commands: [
    list,
    'Exact arguments of a workflow skill that belong to no workflow. Default: those built in.',
  ],
  must_delegate: [
    named(obligation),
    'Skills that have to delegate to an agent, by name. Default: those built in.',
  ],
  models: [v.optional(models), 'The model of delegations. Default: their own.'],
  discipline: [v.optional(discipline), 'Options for all workflows. Default: all true.'],
});

export type WorkflowInput = v.InferOutput<typeof workflow>;
export type WorkflowEntry = v.InferOutput<typeof workflowEntry>;
export type AgentInput = v.InferOutput<typeof agent>;
export type RequirementsInput = v.InferOutput<typeof requirements>;
