import * as v from 'valibot';
import { described, flag, name } from '../../../config/schema-parts';
import { RULE_MODES, RULE_NAMES, TELLS } from '../model';

const names = v.array(name);
const wholeNumber = v.pipe(v.number(), v.integer('must be a whole number'));
const times = v.pipe(
  wholeNumber,
  v.minValue(1, 'must be at least 1'),
  v.maxValue(1000, 'must be at most 1000'),
);
const percent = v.pipe(
  v.number(),
  v.minValue(0, 'must not be negative'),
  v.maxValue(100, 'must be at most 100'),
);

/** `false` takes back what is required below, `true` requires it with the usual numbers. */
function switchable<S extends v.GenericSchema>(schema: S) {
  const yesOrNo = v.boolean();
  return v.optional(v.lazy((input) => (typeof input === 'boolean' ? yesOrNo : schema)));
}

const tests = v.strictObject(
  described(
    {
      max_iterations: v.optional(times),
      same_failures: v.optional(times),
      report_only: flag,
      min_coverage: v.optional(percent),
    },
    {
      max_iterations: 'After how many failing runs a person has to decide; 10 unless given.',
      same_failures: 'After how many equal failures in a row a person has to decide; 3 unless given.',
      report_only: 'True: the tests have to run, and need not pass.',
      min_coverage: 'The least coverage in percent, where a run tells its coverage.',
    },
  ),
);

const constitution = v.strictObject(
  described(
    { articles: v.optional(names), max_iterations: v.optional(times) },
    {
      articles: 'The articles by their numerals.',
      max_iterations: 'After how many rounds a person has to decide; 5 unless given.',
    },
  ),
);

const elicitation = v.strictObject(
  described(
    {
      min_interactions: v.optional(v.pipe(wholeNumber, v.minValue(0, 'must not be negative'))),
      final_selections: v.optional(v.pipe(names, v.nonEmpty('must name at least one choice'))),
    },
    {
      min_interactions: 'The least number of questions; 3 unless given.',
      final_selections: 'What the last choice has to be; save or continue unless given.',
    },
  ),
);

const trigger = v.strictObject(
  described(
    { trigger: name, unless_set: v.optional(names) },
    {
      trigger: 'What is noted as pending.',
      unless_set: 'The path of a field in the state that makes it needless.',
    },
  ),
);

const requirements = v.strictObject(
  described(
    {
      tests: switchable(tests),
      constitution: switchable(constitution),
      elicitation: switchable(elicitation),
      delegation: flag,
      approval: flag,
      on_pass: v.optional(v.array(trigger)),
    },
    {
      tests: 'Tests that have to pass; false for none.',
      constitution: 'Articles of the constitution that have to be checked; false for none.',
      elicitation: 'How much the person has to be asked; false for not at all.',
      delegation: 'Whether an agent of the phase must have been handed the work.',
      approval: 'Whether a person has to approve the gate.',
      on_pass: 'What is noted for later when the gate is passed.',
    },
  ),
);

const place = v.strictObject(
  described(
    { phase: name, before: v.optional(name), after: v.optional(name) },
    {
      phase: 'The phase.',
      before: 'The phase that it comes right before.',
      after: 'The phase that it comes right after; without either it is the last.',
    },
  ),
);

const phaseEdits = v.strictObject(
  described(
    { remove: v.optional(names), add: v.optional(v.array(place)), move: v.optional(v.array(place)) },
    {
      remove: 'Phases that it goes without.',
      add: 'Phases that it has besides, each with its place.',
      move: 'Phases that stand elsewhere.',
    },
  ),
);
const noBranch = v.literal(false);

const workflowEntry = v.strictObject(
  described(
    {
      extends: v.optional(name),
      label: v.optional(name),
      phases: v.optional(v.lazy((input) => (Array.isArray(input) ? names : phaseEdits))),
      gate_mode: v.optional(v.picklist(['strict', 'permissive'])),
      branch: v.optional(v.lazy((input) => (typeof input === 'boolean' ? noBranch : name))),
      artifact_prefix: v.optional(name),
      skip: v.optional(v.record(v.string(), name)),
    },
    {
      extends: 'The workflow that this one is a variant of.',
      label: 'What it is called where people read it.',
      phases:
        'The phases in the order of work, or what is different from the workflow that this one extends.',
      gate_mode: '`permissive`: what a gate lacks is said, and does not hold.',
      branch:
        'How its branch is called, with `{artifact}` for the name of the piece of work; false for none.',
      artifact_prefix: 'What the names of its pieces of work begin with, such as REQ.',
      skip: 'Phases that a flag at the start leaves out, each with its flag.',
    },
  ),
);

const phase = v.strictObject(
  described(
    { needs_plan: flag, makes_plan: flag },
    {
      needs_plan: 'Whether work in it waits for the task plan, in workflows that make one.',
      makes_plan: 'Whether the task plan is made in it.',
    },
  ),
);

const agent = v.strictObject(
  described(
    {
      kind: v.optional(v.picklist(['orchestrator', 'setup', 'phase', 'sub', 'generic'])),
      phases: v.optional(names),
      aliases: v.optional(names),
    },
    {
      kind: '`phase` does the work of its phases, `sub` helps there, `orchestrator` and `setup` are never held, `generic` is nobody special. `phase` unless given.',
      phases: 'The phases that it works in.',
      aliases: 'Other names that it is called by.',
    },
  ),
);

const rule = v.strictObject(
  described(
    { mode: v.optional(v.picklist(RULE_MODES)), tell: v.optional(v.picklist(TELLS)) },
    {
      mode: '`deny` refuses, `ask` asks the person, `warn` only says it, `observe` only notes it, `disabled` does not look.',
      tell: 'Whom a warning is for: the agent, the person, both, or only the log.',
    },
  ),
);

const MODE = 'How strict the rule is, and whom it tells: ';

const rules = v.strictObject(
  described(v.entriesFromList(RULE_NAMES, v.optional(rule)), {
    'iteration-corridor': `${MODE}no way to the next phase while tests fail or articles are unchecked.`,
    'skill-validator': `${MODE}an agent manifest that must be there is there.`,
    'phase-loop-controller': `${MODE}a phase is begun before work in it is handed out.`,
    'plan-surfacer': `${MODE}no implementation without a task plan.`,
    'phase-sequence-guard': `${MODE}work goes to agents of the current phase only.`,
    'gate-blocker': `${MODE}a gate opens once everything that it asks for is there.`,
    'constitution-validator': `${MODE}no phase is called complete before its articles are checked.`,
    'branch-guard': `${MODE}no commits to protected branches while a workflow has its own.`,
    'state-write-validator': `${MODE}nobody writes claims into the state file.`,
    'log-skill-usage': `${MODE}who was handed work is noted.`,
    'menu-tracker': `${MODE}questions to the person are counted.`,
    'walkthrough-tracker': `${MODE}discovery ends with a walk through the constitution.`,
    'discover-menu-guard': `${MODE}the menu of discovery has its options.`,
    'skill-delegation-enforcer': `${MODE}a workflow skill is followed by a delegation.`,
    'test-watcher': `${MODE}test runs are noted, and the same failure again and again is escalated.`,
    'review-reminder': `${MODE}a team is reminded of review after a commit.`,
    'delegation-gate': `${MODE}a turn does not end before the delegation that a skill asks for.`,
    'model-provider-router': `${MODE}delegations get the model that is set for them.`,
  }),
);

/** A path that does not lead out of the project. */
const relative = v.pipe(
  name,
  v.check(
    (path) => !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..'),
    'must be a path below the project',
  ),
);
const places = v.optional(v.pipe(v.array(relative), v.nonEmpty('must name at least one place')));

const projects = v.strictObject(
  described(
    { default: v.optional(name), paths: v.record(v.string(), relative) },
    {
      default: 'The project that counts where nothing else tells.',
      paths: 'The directory of each project by its id.',
    },
  ),
);

const obligation = v.strictObject(
  described(
    { agent: name, exempt: v.optional(names) },
    {
      agent: 'The agent that the work has to be handed to.',
      exempt: 'First words after the skill that ask for no delegation.',
    },
  ),
);

const models = v.strictObject(
  described(
    {
      agents: v.optional(v.record(v.string(), name)),
      phases: v.optional(v.record(v.string(), name)),
      default: v.optional(name),
    },
    {
      agents: 'The model for an agent, by its name.',
      phases: 'The model for the agents of a phase, by its name.',
      default: 'The model for all others.',
    },
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
    {
      no_halfway_entry: 'False: a workflow may be started in the middle.',
      no_phase_skipping: 'False: phases may be left out.',
      single_active_workflow: 'False: a workflow may be started while another is active.',
      require_cancellation_reason: 'False: a workflow may be cancelled without saying why.',
    },
  ),
);

const alias = v.lazy((input) => (Array.isArray(input) ? names : name));

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
      plan_paths: places,
      constitution_paths: places,
      test_commands: v.optional(names),
      setup_commands: v.optional(names),
      must_delegate: v.optional(v.record(v.string(), obligation)),
      models: v.optional(models),
      discipline: v.optional(discipline),
    },
    {
      extends:
        'What the section builds on: `preset:isdlc` is the seven built-in workflows with their agents, `none` is nothing. The preset unless given, where `.isdlc/` is in use or no workflows are written here.',
      workflows: 'The workflows by name. One that the preset has too is changed, not replaced.',
      phases: 'What is special about a phase, by name, whatever workflow it is part of.',
      agents:
        'Who does the work, by name. Agents that stand nowhere belong to no workflow and are never held.',
      phase_aliases: 'Other names of phases, such as those of an older numbering.',
      requirements: 'What the gate of a phase asks for, by phase.',
      overrides: 'The same where it differs, by workflow and phase.',
      rules: 'How strict each rule is, and whom it tells.',
      protected_branches:
        'Branches that get no commits while a workflow has its own, with `*` for anything; `@default` is the default branch of the remote.',
      projects: 'The projects of a monorepo, each with a workflow of its own.',
      plan_paths:
        'Where the task plan may lie, the usual place first; `{project}` stands for `projects/<id>/` in a monorepo.',
      constitution_paths: 'Where the constitution may lie, in the same way.',
      test_commands: 'Commands that run the tests of this project, besides the usual runners.',
      setup_commands:
        'What may follow the name of a workflow skill and belongs to no workflow, word for word.',
      must_delegate: 'Skills after which work has to be handed to an agent, by the name of the skill.',
      models: 'Which model a delegation gets.',
      discipline: 'What holds for all workflows.',
    },
  ),
);

export type WorkflowInput = v.InferOutput<typeof workflow>;
export type WorkflowEntry = v.InferOutput<typeof workflowEntry>;
export type AgentInput = v.InferOutput<typeof agent>;
export type RequirementsInput = v.InferOutput<typeof requirements>;
