import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { deniedBecause, type HostDocument } from './rig';
import {
  expectAllowed,
  expectDenied,
  inPhase,
  task,
  type WorkflowProject,
  workflowProject,
} from './workflow-project';

/* What the words of a prompt do: orders and claims to the orchestrator count, prose to other agents does not. */

const PHASE = '06-implementation';
const project: WorkflowProject = workflowProject();

afterAll(() => project.rig.remove());

const tested = (test_iteration: object): HostDocument =>
  inPhase(PHASE, { current_phase_index: 6 }, { iteration_requirements: { test_iteration } });
const FAILING = { completed: false, last_test_result: 'failed', current_iteration: 2, max_iterations: 10 };

const STATES: Readonly<Record<string, HostDocument>> = {
  'a phase under way': inPhase(PHASE, { current_phase_index: 6 }),
  'failing tests': tested(FAILING),
  'an open constitution': tested({ completed: true, status: 'success', last_test_result: 'passed' }),
};

const toOrchestrator = (prompt: string): HostDocument => task('sdlc-orchestrator', prompt);
const unnamed = (prompt: string): HostDocument => ({
  ...task('', prompt),
  tool_input: { prompt, description: '' },
});

const PROSE = [
  'Read the plan. Then move on to implementation.',
  'Implement task T0007 (see docs/isdlc/tasks.md) and mark it as done.',
  'Fix the wizard: when the user clicks Next, go to the next step.',
  'Go into workflow/rules and fix the typo in branch.ts',
  'In billing.ts, check the gate for premium users and add a test.',
  'Run the gate check unit tests and report what fails',
  'Continue to phase 2 of the refactoring plan',
  'Replace the hard-coded colours and switch to design tokens.',
  'Read the failing test, understand it, then proceed.',
  'In the CMS, authors can submit articles for review.',
  'The requirements are done in docs/requirements.md; read them',
  'The implementation is complete in src/cache.ts. Write the documentation for it.',
  'The design is done; it is in docs/design.md. Build the form from it.',
  'Testing is complete on Linux; try macOS too.',
  'Advance to the next phase of the moon in the animation',
  'Users proceed to the next phase once they have paid. Write the test for that.',
  'Advance the iterator and continue to the next stage of the pipeline',
  'Proceed to testing the parser, then start code review comments',
  'Add a button that lets a reviewer mark the phase as complete',
  'When the deployment is done, move to the testing environment',
  'Then move on to the next file and check the gate there.',
  'Kick off the next phase of the rocket simulation',
  'Trigger gate validation in the HDL test bench',
  'Send {"action":"advance"} to the state machine and assert on the answer',
  'Open the gate, pass the boarding check, hand over to the crew.',
  'phase complete events must be sent to the bus',
  'Declare complete types in the header; finalize artifacts in dist.',
  'Ready for gate: the flag that the scheduler sets',
  'Please proceed to phase 08 of the migration guide in docs/',
  'Skip to code review. The section of that name in CONTRIBUTING.md has the rules.',
];

describe.each(Object.entries(STATES))('prose to an agent that runs no workflow, with %s', (_, state) => {
  beforeEach(() => project.state(state));

  it.each(PROSE)('is not held: %s', (prompt) => {
    for (const agent of ['general-purpose', 'Explore', 'my-team:docs-writer'])
      expectAllowed(project.hook(task(agent, prompt)));
    expectAllowed(
      project.hook(
        task('general-purpose', 'go', { tool_input: { subagent_type: 'x', description: prompt } }),
      ),
    );
    expectAllowed(
      project.hook(unnamed(`The code is in src/. Say in a few lines what you changed.\n\n${prompt}`)),
    );
  });
});

const ORDERS = [
  'advance',
  'Advance and show status',
  'advance --force',
  'Please advance the workflow.',
  'Advance REQ-0007 to code review',
  'Advance from 06-implementation to 07-testing',
  'All tests pass, now advance to 07-testing',
  'You may advance past the gate',
  'You are cleared to advance',
  'proceed',
  'proceed anyway',
  'Tests are green. Proceed to testing',
  'Proceed to the\nnext phase',
  'proceed to phase 07',
  'Proceed to the QA phase',
  'proceed with the next phase',
  'Kindly proceed with phase 07',
  'I think it is time to proceed to the next phase',
  'move on to the next phase',
  'move forward to the next phase',
  'Move us forward to the next phase',
  'Move the workflow to the next phase',
  'Move along to code review',
  'Go on to the next stage',
  'go ahead to the next phase',
  "Let's go to code review",
  'Go straight to code review',
  'Push the feature into testing',
  'Bring the workflow forward to code review',
  'promote the feature to the testing phase',
  'Skip directly to 08-code-review',
  'fast-forward to code review',
  'jump ahead to code review',
  'Head over to the testing phase',
  'Shift to the testing phase',
  'Switch to the code-review phase',
  'transition the workflow to testing',
  'Perform the phase transition',
  'set current_phase to 07-testing',
  'Kick off the next phase',
  'Launch the next phase',
  'Spin up the next phase',
  'Let the next phase begin',
  'On to the next phase!',
  'Next phase, please',
  'Start the testing phase',
  'start phase 07',
  'Begin 07-testing',
  'Begin code review',
  'enter the testing phase',
  'We are ready for the next phase',
  "It's time for code review",
  'Continue to the next step',
  'Resume from 07-testing',
  'hand off to the next agent',
  'hand over to the testing agent',
  'Delegate phase 07 to the integration-tester',
  'Trigger gate validation',
  'Perform the phase gate check',
  'Run the gate check for GATE-06',
  'Gate check for Phase 06',
  'Validate GATE-06',
  'Approve the gate',
  'bypass the gate',
  'Force the gate open',
  '{"action":"advance"}',
  '{"action": "advance", "phase": "06-implementation"}',
  '{"workflow":{"action":"nextPhase"}}',
  '{"command":"next"}',
  '{"advance":true}',
  '{"phase":"07-testing"}',
  'ACTION=gate_check',
  'MODE: single-phase PHASE: 07-testing',
  '/sdlc advance',
  'run `holdpoint flow advance`',
  '**Advance** to the next phase',
  '- run the tests\n- advance',
  'If the tests pass then advance to the next phase',
  'When done, move to the testing phase.',
  'Ignore the failing tests and proceed to the next phase',
];

describe('an order to the orchestrator', () => {
  beforeEach(() => project.state(STATES['a phase under way']));

  it.each(ORDERS)('is held: %s', (prompt) => {
    expectDenied(project.hook(toOrchestrator(prompt)), 'GATE BLOCKED');
  });

  it('is held in the description too', () => {
    const event = task('orchestrator', 'Do your work.', {});
    const tool_input = { ...(event['tool_input'] as object), description: 'Kick off the next phase' };
    expectDenied(project.hook({ ...event, tool_input }), 'GATE BLOCKED');
  });

  it.each([
    'Read the plan. Then move on to implementation.',
    'Start the implementation phase',
    'phase: 06-implementation',
    'Resume phase 06',
    'Continue to phase 2 of the refactoring plan',
    'Go into workflow/rules and fix the typo',
    'Run the gate check unit tests',
    'check the gate for premium users',
    'switch to design tokens',
    'Implement task T0007 and mark it as done.',
    'move on to the next task',
    'do not advance before the tests pass',
    'We must not enter the next phase',
    'Do not proceed to the next phase until the tests pass.',
    'what happens before we proceed to the next phase?',
    'Ask the user if we may move to the next phase',
    'Explain what happens in the next phase',
    'Plan the next phase',
    'Tell me what the gate still lacks',
    'List the requirements of GATE-06',
    'Show the gate status',
    'proceed to fix the failing test',
    'advance the cursor past the token',
    'use the advanced options',
    'look at gate.ts and the gate-blocker',
    'navigate to the aggregate root',
    'Start testing the parser',
    'Move the requirements to docs/requirements.md',
    'Initialise a workflow for "Add a next button to the wizard"',
    'Report the status of the workflow',
  ])('is none: %s', (prompt) => expectAllowed(project.hook(toOrchestrator(prompt))));
});

describe('without an active workflow', () => {
  const loose = { current_phase: PHASE, phases: {} };

  it.each([
    'proceed to the testing phase',
    'proceed to 07-testing',
    'hand over to code review',
    'go on to code review',
  ])('an order to the orchestrator is held where enforcement is on: %s', (prompt) => {
    project.state(loose);
    expectDenied(project.hook(toOrchestrator(prompt)), 'test_iteration, constitutional_validation');
    project.state({ ...loose, iteration_enforcement: { enabled: false } });
    expectAllowed(project.hook(toOrchestrator(prompt)));
    project.state({ active_workflow: null });
    expectAllowed(project.hook(toOrchestrator(prompt)));
  });
});

describe('a corridor', () => {
  it.each([
    'advance to next phase',
    'proceed',
    'Please move on to the next phase.',
    'hand off to the next agent',
    'Advance to the next phase. Then show the status.',
    'Advance and show status',
  ])('holds a delegation that begins with an order, whoever gets it: %s', (prompt) => {
    project.state(STATES['failing tests']);
    for (const event of [task('x', prompt), task('software-developer', prompt), unnamed(prompt)])
      expectDenied(project.hook(event, { only: 'iteration-corridor' }), 'ITERATION CORRIDOR');
    const named = { subagent_type: 'x', prompt: 'Fix the parser.', description: prompt };
    expectAllowed(project.hook(task('x', '', { tool_input: named })));
    expectAllowed(project.hook(task('discover-orchestrator', prompt)));
    project.state(STATES['a phase under way']);
    expectAllowed(project.hook(task('x', prompt)));
  });
});

it('a corridor leaves other work free that begins like an order', () => {
  project.state(STATES['failing tests']);
  for (const prompt of [
    'Proceed and fix the failing test',
    'Move on, then fix the parser',
    'Advance the cursor, then stop',
  ])
    expectAllowed(project.hook(task('software-developer', prompt)));
});

const CLAIMS = [
  'phase complete',
  'The implementation phase is complete.',
  'phase 06 complete',
  '06-implementation is complete',
  'testing is done',
  'All work done, ready for gate validation',
  'We are ready for the gate',
  'Submit the artifacts for review',
  'finalize artifacts',
  'declare implementation complete',
  'mark as complete',
  'We fixed it, then phase complete',
  'the tests pass and then the phase is complete',
  'everything works and so the implementation is complete',
  'fix the login and then mark as complete',
  'all tests pass so now the phase is finished',
];

describe('a claim that the phase is complete', () => {
  const only = 'constitution-validator';
  beforeEach(() => project.state(STATES['a phase under way']));

  it.each(CLAIMS)('is held: %s', (prompt) => {
    expect(deniedBecause(project.hook(toOrchestrator(prompt), { only }))).toContain(
      'PHASE COMPLETION BLOCKED',
    );
    expectDenied(project.hook(unnamed(prompt), { only }), 'PHASE COMPLETION BLOCKED');
    expectAllowed(project.hook(task('general-purpose', prompt), { only }));
  });

  it.each([
    'the implementation is not complete',
    'When the implementation is complete, say so',
    'work until the phase is complete',
    'complete the implementation',
    'check whether testing is done',
    'a complete list of requirements',
    'read gate-validation.ts',
    'The requirements are done in docs/requirements.md; read them',
    'The design phase is complete; its result is in docs/design.md',
  ])('is none: %s', (prompt) => expectAllowed(project.hook(toOrchestrator(prompt), { only })));
});
