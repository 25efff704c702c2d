import { describe, expect, it } from 'vitest';
import { claimsCompletion, ordersToAdvance } from '../../../src/guards/workflow/attempts';

const PHASES = ['01-requirements', '06-implementation', '07-testing', '08-code-review'];

describe('an order to leave the phase', () => {
  it.each([
    'advance',
    'Advance.',
    'advance to next phase',
    'Advance and show status',
    'advance the gate',
    'advance; current status is fine',
    'Please advance the workflow.',
    'All tests pass, now advance to 07-testing',
    'You may advance past the gate',
    'proceed',
    'Proceed to the next phase.',
    'Tests are green. Proceed to testing',
    'proceed to phase 07',
    'move on to the next phase',
    'move to phase 08',
    'progress to the next phase',
    'Skip to code review.',
    'validate the gate',
    'Run the gate check for GATE-06',
    'pass GATE-06',
    'hand off to the next agent',
    'begin the next phase',
    'Mark the phase as complete',
    'declare complete',
    'I think it is time to proceed to the next phase',
    'first do this\nthen advance',
  ])('is given by: %s', (text) => expect(ordersToAdvance(text, PHASES)).toBe(true));

  it.each([
    '',
    'investigate why the test fails',
    'navigate to the aggregate root',
    'use the advanced options',
    'look at gate.ts and the gate-blocker',
    'why does the logic gate simulation fail',
    'do not advance before the tests pass',
    "don't proceed",
    'explain why we cannot proceed',
    'how to proceed with the refactoring',
    'advance the cursor past the token',
    'Proceed with the fix',
    'proceed to fix the failing test',
    'continue',
    'continue with the implementation',
    'the delegate pattern in Kotlin',
    'mark the todo as done',
    'check the gateway',
    'run the tests until they pass',
    'what happens before we proceed to the next phase?',
    'go to the file and open it',
  ])('is not given by: %s', (text) => expect(ordersToAdvance(text, PHASES)).toBe(false));

  it('takes no time on a long prompt', () => {
    const text = `${'and then please now '.repeat(20_000)}advanced`;
    expect(ordersToAdvance(text, PHASES)).toBe(false);
    expect(claimsCompletion(text, PHASES)).toBe(false);
  });
});

describe('a claim that the phase is complete', () => {
  it.each([
    'phase complete',
    'The implementation phase is complete.',
    'Implementation complete, go on',
    'phase 06 complete',
    'testing is done',
    'We are ready for the gate',
    'run gate validation',
    'Submit the artifacts for review',
    'finalize artifacts',
    'declare implementation complete',
    'mark as complete',
  ])('is made by: %s', (text) => expect(claimsCompletion(text, PHASES)).toBe(true));

  it.each([
    'the implementation is not complete',
    'When the implementation is complete, say so',
    'work until the phase is complete',
    'complete the implementation',
    'check whether testing is done',
    'a complete list of requirements',
    'read gate-validation.ts',
  ])('is not made by: %s', (text) => expect(claimsCompletion(text, PHASES)).toBe(false));
});
