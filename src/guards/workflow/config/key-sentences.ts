/* What an editor shows beside each key of the workflow section: a sentence a key. */

export const WORKFLOW_SENTENCE =
  'In which phases work is done, by which agents, and what each phase has to prove before the next begins.';

export const WORKFLOW = {
  extends:
    'What the section builds on: `preset:isdlc` is the seven built-in workflows with their agents, `none` is nothing. The preset unless given, where `.isdlc/` is in use or no workflows are written here.',
  workflows: 'The workflows by name. One that the preset has too is changed, not replaced.',
  phases: 'What is special about a phase, by name, whatever workflow it is part of.',
  agents: 'Who does the work, by name. Agents that stand nowhere belong to no workflow and are never held.',
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
  setup_commands: 'What may follow the name of a workflow skill and belongs to no workflow, word for word.',
  must_delegate: 'Skills after which work has to be handed to an agent, by the name of the skill.',
  models: 'Which model a delegation gets.',
  discipline: 'What holds for all workflows.',
};

export const WORKFLOW_ENTRY = {
  extends: 'The workflow that this one is a variant of.',
  label: 'What it is called where people read it.',
  phases: 'The phases in the order of work, or what is different from the workflow that this one extends.',
  gate_mode: '`permissive`: what a gate lacks is said, and does not hold.',
  branch: 'How its branch is called, with `{artifact}` for the name of the piece of work; false for none.',
  artifact_prefix: 'What the names of its pieces of work begin with, such as REQ.',
  skip: 'Phases that a flag at the start leaves out, each with its flag.',
};

export const PHASE_EDITS = {
  remove: 'Phases that it goes without.',
  add: 'Phases that it has besides, each with its place.',
  move: 'Phases that stand elsewhere.',
};

export const PLACE = {
  phase: 'The phase.',
  before: 'The phase that it comes right before.',
  after: 'The phase that it comes right after; without either it is the last.',
};

export const PHASE = {
  needs_plan: 'Whether work in it waits for the task plan, in workflows that make one.',
  makes_plan: 'Whether the task plan is made in it.',
};

export const AGENT = {
  kind: '`phase` does the work of its phases, `sub` helps there, `orchestrator` and `setup` are never held, `generic` is nobody special. `phase` unless given.',
  phases: 'The phases that it works in.',
  aliases: 'Other names that it is called by.',
};

const MODE = 'How strict the rule is, and whom it tells: ';

export const RULES = {
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
};

export const RULE = {
  mode: '`deny` refuses, `ask` asks the person, `warn` only says it, `observe` only notes it, `disabled` does not look.',
  tell: 'Whom a warning is for: the agent, the person, both, or only the log.',
};

export const PROJECTS = {
  default: 'The project that counts where nothing else tells.',
  paths: 'The directory of each project by its id.',
};

export const OBLIGATION = {
  agent: 'The agent that the work has to be handed to.',
  exempt: 'First words after the skill that ask for no delegation.',
};

export const MODELS = {
  agents: 'The model for an agent, by its name.',
  phases: 'The model for the agents of a phase, by its name.',
  default: 'The model for all others.',
};

export const DISCIPLINE = {
  no_halfway_entry: 'False: a workflow may be started in the middle.',
  no_phase_skipping: 'False: phases may be left out.',
  single_active_workflow: 'False: a workflow may be started while another is active.',
  require_cancellation_reason: 'False: a workflow may be cancelled without saying why.',
};

export const REQUIREMENTS = {
  tests: 'Tests that have to pass; false for none.',
  constitution: 'Articles of the constitution that have to be checked; false for none.',
  elicitation: 'How much the person has to be asked; false for not at all.',
  delegation: 'Whether an agent of the phase must have been handed the work.',
  approval: 'Whether a person has to approve the gate.',
  on_pass: 'What is noted for later when the gate is passed.',
};

export const TESTS = {
  max_iterations: 'After how many failing runs a person has to decide; 10 unless given.',
  same_failures: 'After how many equal failures in a row a person has to decide; 3 unless given.',
  report_only: 'True: the tests have to run, and need not pass.',
  min_coverage: 'The least coverage in percent, where a run tells its coverage.',
};

export const CONSTITUTION = {
  articles: 'The articles by their numerals.',
  max_iterations: 'After how many rounds a person has to decide; 5 unless given.',
};

export const ELICITATION = {
  min_interactions: 'The least number of questions; 3 unless given.',
  final_selections: 'What the last choice has to be; save or continue unless given.',
};

export const TRIGGER = {
  trigger: 'What is noted as pending.',
  unless_set: 'The path of a field in the state that makes it needless.',
};
