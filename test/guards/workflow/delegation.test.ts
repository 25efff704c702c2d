import { describe, expect, it, test } from 'vitest';
import type { ToolCall } from '../../../src/core/event';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import {
  agentNamed,
  delegationOf,
  isSetupCommand,
  notedName,
  plainAgentName,
  plainSkillName,
  usageOf,
} from '../../../src/guards/workflow/delegation';
import { workflowNamed } from '../../../src/guards/workflow/model';

const model = builtinModel();

test.each([
  ['its name', 'qa-engineer', 'qa-engineer'],
  ['capitals', 'QA-Engineer', 'qa-engineer'],
  ['underscores', 'qa_engineer', 'qa-engineer'],
  ['spaces', 'QA Engineer', 'qa-engineer'],
  ['spaces around it', '  qa-engineer ', 'qa-engineer'],
  ['the plugin that brings it', 'team:qa-engineer', 'qa-engineer'],
  ['plugin, number and capitals', 'Team:07-QA_Engineer', 'qa-engineer'],
  ['its number', '07-qa-engineer', 'qa-engineer'],
  ['a number that it never had', '14-upgrade-engineer', 'upgrade-engineer'],
  ['a number with a letter', 'D0-discover-orchestrator', 'discover-orchestrator'],
  ['a number with two letters', 'IA1-impact-analyzer', 'impact-analyzer'],
  ['an alias', 'QA', 'qa-engineer'],
  ['an alias of the setup', 'd0', 'discover-orchestrator'],
  ['a number before an alias', '05-developer', 'software-developer'],
  ['the older name of a role', '10-dev-environment-engineer', 'environment-builder'],
])('an agent is known by %s', (_, given, name) => {
  expect(agentNamed(model, given)?.name).toBe(name);
});

test.each([
  'Explore',
  'general-purpose',
  'constructor',
  '__proto__',
  'toString',
  '',
  ':',
  '07-',
  'qa-engineer-2',
])('%j is nobody special', (given) => {
  expect(agentNamed(model, given)).toBeUndefined();
});

test('an unknown agent is noted in plain spelling', () => {
  expect(notedName(model, 'My Plugin:Code Reviewer')).toBe('code-reviewer');
  expect(notedName(model, 'qa')).toBe('qa-engineer');
  expect(plainAgentName('A  b_c')).toBe('a-b-c');
});

test.each([
  ['the phase that it owns', 'qa', '06-implementation', '08-code-review'],
  ['the current one of several phases', 'environment-builder', '12-remote-build', '12-remote-build'],
  ['the current one under its older number', 'release-manager', '13-production', '13-production'],
  ['`all` for who runs workflows', 'sdlc-orchestrator', '06-implementation', 'all'],
  ['`setup` for who prepares projects', 'd3', '06-implementation', 'setup'],
  [
    'the phase of the setup agent that owns one',
    'r2',
    'R2-characterization-tests',
    'R2-characterization-tests',
  ],
  ['nothing for an unknown agent', 'Explore', '06-implementation', ''],
])('work is noted under %s', (_, given, current, phase) => {
  expect(usageOf(model, agentNamed(model, given), current).phase).toBe(phase);
});

const FEATURE = workflowNamed(model, 'feature')?.phases ?? [];

function call(parts: Partial<ToolCall>): ToolCall {
  return { nativeName: 'Agent', names: ['Agent', 'Task'], op: 'agent', input: {}, paths: [], ...parts };
}

/** The delegation in a few words: its kind, then agent and phases where it has them. */
function told(parts: Partial<ToolCall>, known: readonly string[] = FEATURE): string {
  const found = delegationOf(model, call(parts), known);
  if (found.kind === 'none' || found.kind === 'generic') return found.kind;
  const phases = found.kind === 'phase' ? found.phases : [];
  return [found.kind, found.agent?.name ?? '-', ...phases].join(' ');
}

describe('a delegation is told by the agent', () => {
  it.each([
    ['known agent', 'software-developer', 'phase software-developer 06-implementation'],
    ['a helper of a phase', 'risk-assessor', 'phase risk-assessor 02-impact-analysis'],
    [
      'an agent with two phases',
      'upgrade-engineer',
      'phase upgrade-engineer 16-upgrade-plan 16-upgrade-execute',
    ],
    ['who runs workflows', 'sdlc-orchestrator', 'orchestrator sdlc-orchestrator'],
    ['who prepares projects', 'discover-orchestrator', 'setup discover-orchestrator'],
    ['a stranger', 'Explore', 'generic'],
  ])('%s', (_, agentType, expected) => {
    expect(told({ agentType, prompt: 'go' })).toBe(expected);
  });

  it.each([
    'Review the initial commit',
    'HTTP status handling',
    'Check installed packages',
    'discoverability of setup.py',
    'read the constitution first',
  ])('and no word of its prompt makes it another: %s', (prompt) => {
    expect(told({ agentType: 'qa-engineer', prompt })).toBe('phase qa-engineer 08-code-review');
  });

  it.each([
    'how does the 64-bit codec work',
    'look at 05-test-strategy.md',
    'text about the qa-engineer role',
    'phase: 08-code-review',
    '08-code-review: look at it',
  ])('and a stranger stays one, whatever the prompt says: %s', (prompt) => {
    expect(told({ agentType: 'general-purpose', prompt })).toBe('generic');
  });
});

describe('without an agent a phase in the prompt counts', () => {
  it.each([
    ['in the first line', 'Do 06-implementation now\nplease', '06-implementation'],
    ['after blank lines', '\n\n  Phase 06-implementation: build', '06-implementation'],
    ['at the end of a sentence', 'Go on with 07-testing.', '07-testing'],
    ['in capitals', 'PHASE 08-CODE-REVIEW', '08-code-review'],
    ['by its number alone', 'Start phase 07 now', '07-testing'],
    ['under an older number', 'Phase 05-implementation', '06-implementation'],
    ['in a tag further down', 'Build it.\n\nphase: 10-cicd\n', '10-cicd'],
    ['in a tag in capitals', 'Build it.\nPHASE: 10-CICD', '10-cicd'],
  ])('%s', (_, prompt, phase) => {
    expect(told({ prompt })).toBe(`phase - ${phase}`);
  });

  it.each([
    ['further down in prose', 'Build it.\nThen 07-testing follows.'],
    ['as part of a file name', 'Read 05-test-strategy.md'],
    ['as part of a path', 'Read docs/05-test-strategy/notes'],
    ['as part of a longer word', 'Run 06-implementation-notes'],
    ['if it is no phase: 64-bit', 'The 64-bit codec'],
    ['if it is no phase: a date', 'Apply 20240115-add-users.sql'],
    ['if it is no phase: an encoding', 'Decode utf-16-le'],
    ['if it is not part of the workflow', 'Phase 09-validation'],
    ['if the tag names none', 'Build it.\nphase: soon'],
    ['if it is only an agent’s name', 'Ask the qa-engineer'],
  ])('but not %s', (_, prompt) => {
    expect(told({ prompt })).toBe('generic');
  });

  it('and the workflow decides which phases there are', () => {
    const upgrade = workflowNamed(model, 'upgrade')?.phases ?? [];
    expect(told({ prompt: 'phase: 15-upgrade-plan' }, upgrade)).toBe('phase - 16-upgrade-plan');
    expect(told({ prompt: 'phase: r1-behavior-extraction' }, ['R1-behavior-extraction'])).toBe(
      'phase - R1-behavior-extraction',
    );
    expect(told({ prompt: 'phase: 06-implementation' }, [])).toBe('generic');
  });
});

test('other tools delegate nothing', () => {
  expect(told({ op: 'shell', agentType: 'qa-engineer', prompt: 'phase: 06-implementation' })).toBe('none');
});

test.each(model.setupCommands)('`%s` is a command of the setup', (command) => {
  expect(isSetupCommand(model, command)).toBe(true);
  expect(isSetupCommand(model, ` ${command.toUpperCase()} --verbose now `)).toBe(true);
});

test.each([
  'advance',
  'advance --status',
  'status advance',
  'feature "init the status page"',
  'initial',
  '',
  'statuses',
])('`%s` is not', (args) => {
  expect(isSetupCommand(model, args)).toBe(false);
});

test.each([
  ['/sdlc', 'sdlc'],
  ['isdlc:SDLC', 'sdlc'],
  [' discover ', 'discover'],
])('the skill %j is %s', (given, name) => {
  expect(plainSkillName(given)).toBe(name);
});
