import * as v from 'valibot';
import { byName, flag, name } from '../../../config/section';
import { RULE_MODES, RULE_NAMES, RULE_PURPOSES, type RuleName, TELLS } from '../model';

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
  max_iterations: [times, 'After how many failing runs a person has to decide; 10 unless given.'],
  same_failures: [times, 'After how many equal failures in a row a person has to decide; 3 unless given.'],
  report_only: [flag, 'True: the tests have to run, and need not pass.'],
  min_coverage: [percent, 'The least coverage in percent, where a run tells its coverage.'],
});

const constitution = switchable({
  articles: [list, 'The articles by their numerals.'],
  max_iterations: [times, 'After how many rounds a person has to decide; 5 unless given.'],
});

const choices = v.optional(v.pipe(names, v.nonEmpty('must name at least one choice')));

const elicitation = switchable({
  min_interactions: [count, 'The least number of questions; 3 unless given.'],
  final_selections: [choices, 'What the last choice has to be; save or continue unless given.'],
});

const trigger = mapping({
  trigger: [name, 'What is noted as pending.'],
  unless_set: [list, 'The path of a field in the state that makes it needless.'],
});

const requirements = mapping({
  tests: [tests, 'Tests that have to pass; false for none.'],
  constitution: [constitution, 'Articles of the constitution that have to be checked; false for none.'],
  elicitation: [elicitation, 'How much the person has to be asked; false for not at all.'],
  delegation: [flag, 'Whether an agent of the phase must have been handed the work.'],
  approval: [flag, 'Whether a person has to approve the gate.'],
  on_pass: [v.optional(v.array(trigger)), 'What is noted for later when the gate is passed.'],
});

const overrides = named(byName(requirements));

const place = mapping({
  phase: [name, 'The phase.'],
  before: [text, 'The phase that it comes right before.'],
  after: [text, 'The phase that it comes right after; without either it is the last.'],
});

const phaseEdits = mapping({
  remove: [list, 'Phases that it goes without.'],
  add: [v.optional(v.array(place)), 'Phases that it has besides, each with its place.'],
  move: [v.optional(v.array(place)), 'Phases that stand elsewhere.'],
});
const gateMode = v.optional(v.picklist(['strict', 'permissive']));
const noBranch = v.literal(false);

const workflowEntry = mapping({
  extends: [text, 'The workflow that this one is a variant of.'],
  label: [text, 'What it is called where people read it.'],
  phases: [
    v.optional(v.lazy((input) => (Array.isArray(input) ? names : phaseEdits))),
    'The phases in the order of work, or what is different from the workflow that this one extends.',
  ],
  gate_mode: [gateMode, '`permissive`: what a gate lacks is said, and does not hold.'],
  branch: [
    v.optional(v.lazy((input) => (typeof input === 'boolean' ? noBranch : name))),
    'How its branch is called, with `{artifact}` for the name of the piece of work; false for none.',
  ],
  artifact_prefix: [text, 'What the names of its pieces of work begin with, such as REQ.'],
  skip: [named(name), 'Phases that a flag at the start leaves out, each with its flag.'],
});

const workflows = named(workflowEntry);

const phase = mapping({
  needs_plan: [flag, 'Whether work in it waits for the task plan, in workflows that make one.'],
  makes_plan: [flag, 'Whether the task plan is made in it.'],
});

const agent = mapping({
  kind: [
    v.optional(v.picklist(['orchestrator', 'setup', 'phase', 'sub', 'generic'])),
    '`phase` does the work of its phases, `sub` helps there, `orchestrator` and `setup` are never held, `generic` is nobody special. `phase` unless given.',
  ],
  phases: [list, 'The phases that it works in.'],
  aliases: [list, 'Other names that it is called by.'],
});

const tell = v.optional(v.picklist(TELLS));
const setting = mapping({
  mode: [
    v.optional(v.picklist(RULE_MODES)),
    '`deny` refuses, `ask` asks the person, `warn` only says it, `observe` only notes it, `disabled` does not look.',
  ],
  tell: [tell, 'Whom a warning is for: the agent, the person, both, or only the log.'],
});

const strictness = v.optional(setting);
const byRule = RULE_NAMES.map((rule) => {
  return [rule, [strictness, `How strict the rule is, and whom it tells: ${RULE_PURPOSES[rule]}`]];
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
  default: [text, 'The project that counts where nothing else tells.'],
  paths: [byName(relative), 'The directory of each project by its id.'],
});

const obligation = mapping({
  agent: [name, 'The agent that the work has to be handed to.'],
  exempt: [list, 'First words after the skill that ask for no delegation.'],
});

const models = mapping({
  agents: [named(name), 'The model for an agent, by its name.'],
  phases: [named(name), 'The model for the agents of a phase, by its name.'],
  default: [text, 'The model for all others.'],
});

const discipline = mapping({
  no_halfway_entry: [flag, 'False: a workflow may be started in the middle.'],
  no_phase_skipping: [flag, 'False: phases may be left out.'],
  single_active_workflow: [flag, 'False: a workflow may be started while another is active.'],
  require_cancellation_reason: [flag, 'False: a workflow may be cancelled without saying why.'],
});

const alias = v.lazy((input) => (Array.isArray(input) ? names : name));

/** The `workflow` section as people write it, and as the built-in workflows are written. */
export const workflow = mapping({
  extends: [
    v.optional(v.picklist(['preset:isdlc', 'none'])),
    'What the section builds on: `preset:isdlc` is the seven built-in workflows with their agents, `none` is nothing. The preset unless given, where `.isdlc/` is in use or no workflows are written here.',
  ],
  workflows: [workflows, 'The workflows by name. One that the preset has too is changed, not replaced.'],
  phases: [named(phase), 'What is special about a phase, by name, whatever workflow it is part of.'],
  agents: [
    named(agent),
    'Who does the work, by name. Agents that stand nowhere belong to no workflow and are never held.',
  ],
  phase_aliases: [named(alias), 'Other names of phases, such as those of an older numbering.'],
  requirements: [named(requirements), 'What the gate of a phase asks for, by phase.'],
  overrides: [overrides, 'The same where it differs, by workflow and phase.'],
  rules: [v.optional(rules), 'How strict each rule is, and whom it tells.'],
  protected_branches: [
    list,
    'Branches that get no commits while a workflow has its own, with `*` for anything; `@default` is the default branch of the remote.',
  ],
  projects: [v.optional(projects), 'The projects of a monorepo, each with a workflow of its own.'],
  plan_paths: [
    places,
    'Where the task plan may lie, the usual place first; `{project}` stands for `projects/<id>/` in a monorepo.',
  ],
  constitution_paths: [places, 'Where the constitution may lie, in the same way.'],
  test_commands: [list, 'Commands that run the tests of this project, besides the usual runners.'],
  setup_commands: [
    list,
    'What may follow the name of a workflow skill and belongs to no workflow, word for word.',
  ],
  must_delegate: [
    named(obligation),
    'Skills after which work has to be handed to an agent, by the name of the skill.',
  ],
  models: [v.optional(models), 'Which model a delegation gets.'],
  discipline: [v.optional(discipline), 'What holds for all workflows.'],
});

export type WorkflowInput = v.InferOutput<typeof workflow>;
export type WorkflowEntry = v.InferOutput<typeof workflowEntry>;
export type AgentInput = v.InferOutput<typeof agent>;
export type RequirementsInput = v.InferOutput<typeof requirements>;
