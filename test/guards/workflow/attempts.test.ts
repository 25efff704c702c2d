import { describe, expect, it } from 'vitest';
import { claimsCompletion, ordersToAdvance, personCommand } from '../../../src/guards/workflow/attempts';
import { commandLines } from '../../../src/shell';

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

const found = (command: string): string | undefined => personCommand(command, commandLines(command, '/r'));

describe("a line runs a person's command", () => {
  it.each<[string, string]>([
    ['holdpoint flow approve GATE-06', 'approve'],
    ['holdpoint flow suspend', 'suspend'],
    ['holdpoint flow cancel --reason "it is hard"', 'cancel'],
    ['holdpoint flow --yes approve', 'approve'],
    ['./node_modules/.bin/holdpoint flow approve', 'approve'],
    ['node /opt/x/dist/holdpoint.cjs flow approve', 'approve'],
    ['node --no-warnings dist/holdpoint.cjs flow approve', 'approve'],
    ['npx holdpoint flow cancel --reason x', 'cancel'],
    ['npx --yes holdpoint@0.1.0 flow approve', 'approve'],
    ['pnpm exec holdpoint flow approve', 'approve'],
    ['env -u CLAUDECODE holdpoint flow approve', 'approve'],
    ['env -i PATH="$PATH" HOME="$HOME" holdpoint flow approve', 'approve'],
    ['CLAUDECODE= holdpoint flow approve', 'approve'],
    ['unset CLAUDECODE AI_AGENT; holdpoint flow approve', 'approve'],
    ['cd sub && npm test && holdpoint flow suspend', 'suspend'],
    ['(unset CLAUDECODE && holdpoint flow approve) | cat', 'approve'],
    ['bash -c "holdpoint flow approve"', 'approve'],
    ["bash <<'E'\nholdpoint flow approve\nE", 'approve'],
    ['echo "$(holdpoint flow approve)"', 'approve'],
    ['echo "holdpoint flow approve" | env -u CLAUDECODE sh', 'approve'],
    ['V=approve; holdpoint flow $V', 'approve'],
    ['holdpoint flow app""rove', 'approve'],
    ['hold""point fl""ow appro\'\'ve', 'approve'],
    ['some-wrapper -h host holdpoint flow approve', 'approve'],
    ['some-wrapper --from holdpoint holdpoint flow approve', 'approve'],
    ['git bisect run holdpoint flow approve', 'approve'],
    ['holdpoint flow cancel --reason holdpoint', 'cancel'],
    ['holdpoint flow cancel --reason x -- --help', 'cancel'],
    ['find . -name a -exec holdpoint flow approve ";"', 'approve'],
  ])('%s', (command, verb) => {
    expect(found(command)).toBe(verb);
  });
});

describe('a line runs none', () => {
  it.each([
    'holdpoint flow status',
    'holdpoint flow advance',
    'holdpoint flow record constitution --articles I',
    'holdpoint flow approve --help',
    'holdpoint flow help approve',
    'holdpoint help flow approve',
    'echo holdpoint flow approve',
    'echo "ask a person: holdpoint flow approve"',
    'printf "%s\\n" holdpoint flow cancel',
    'grep -rn "holdpoint flow approve" docs',
    'rg holdpoint flow approve',
    'holdpoint flow cancel --reason x --help',
    'git commit -m "explain holdpoint flow approve"',
    "cat > docs/a.txt <<'E'\nholdpoint flow approve\nE",
    'npm test # then holdpoint flow approve',
    'npm run flow approve',
  ])('%s', (command) => {
    expect(found(command)).toBeUndefined();
  });
});
