import { describe, expect, test } from 'vitest';
import { asBlock } from '../../../src/config/edit-yaml';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import { PRESET_NAMES, PRESETS, pickedConfig } from '../../../src/guards/requirements/presets';
import { printed, readFiles } from '../../config/scratch';

function compiled(config: (typeof PRESETS)['strict']['config']): RequirementsConfig {
  const read = readFiles({ '.claude/requirements.yaml': `${asBlock(config, '1.1').join('\n')}\n` });
  expect(printed(read)).toBe('');
  return read.guards[0]?.config as unknown as RequirementsConfig;
}

function names({ requirements }: RequirementsConfig): string[] {
  return requirements.map(({ name }) => name);
}

describe('a preset', () => {
  test.each([
    ['minimal', []],
    ['inherit', []],
    ['relaxed', ['commit_plan']],
    ['strict', ['commit_plan', 'protected_branch']],
    [
      'advanced',
      [
        'commit_plan',
        'adr_reviewed',
        'tdd_planned',
        'protected_branch',
        'branch_size_limit',
        'pre_pr_review',
        'codex_reviewer',
      ],
    ],
  ] as const)('%s asks for what it says', (preset, enabled) => {
    const config = compiled(PRESETS[preset].config);
    expect(names(config)).toEqual(enabled);
  });

  test('is one of five', () => {
    expect([...PRESET_NAMES].sort()).toEqual(['advanced', 'inherit', 'minimal', 'relaxed', 'strict']);
  });

  test('that is strict leaves everything to people and looks again at the end of a turn', () => {
    const { requirements, stop } = compiled(PRESETS.strict.config);
    expect(requirements.map(({ agentMaySatisfy }) => agentMaySatisfy)).toEqual([false, false]);
    expect(stop.verify).toBe(true);
  });

  test('that is advanced limits the branch and reviews each pull request', () => {
    const { requirements } = compiled(PRESETS.advanced.config);
    expect(requirements.find(({ name }) => name === 'branch_size_limit')).toMatchObject({
      type: 'dynamic',
      calculator: 'branch_size',
      warn: 250,
      block: 400,
      approvalTtl: 3600,
    });
    expect(requirements.find(({ name }) => name === 'pre_pr_review')).toMatchObject({
      scope: 'single_use',
      triggers: [{ kind: 'command', tool: 'Bash', pattern: 'gh\\s+pr\\s+create' }],
    });
  });
});

test('what a person picks is switched on, whatever it is in the presets', () => {
  expect(names(compiled(pickedConfig(['github_ticket', 'commit_plan'])))).toEqual([
    'commit_plan',
    'github_ticket',
  ]);
});
