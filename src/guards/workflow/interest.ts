import type { Interest } from '../../domain/guard';
import type { WorkflowModel } from './model';
import { SEED_DIR } from './place';

/** Without state no workflow is active, and a project pays nothing for its rules. */
const STATE_FILES: readonly string[] = [
  `${SEED_DIR}/state.json`,
  `${SEED_DIR}/projects`,
  'holdpoint/workflow.json',
  '.holdpoint/state/workflow.json',
];

const SHELLS = ['Bash', 'PowerShell', 'Monitor'];
const EDITORS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/** The events that the rules have anything to say to. */
export function interest(model: WorkflowModel): readonly Interest[] {
  const isOn = (...names: (keyof WorkflowModel['rules'])[]): boolean =>
    names.some((name) => model.rules[name].mode !== 'disabled');
  const owes = isOn('skill-delegation-enforcer', 'delegation-gate');
  return [
    { kind: 'tool.before', tools: ['Task', 'Agent', 'Skill', ...SHELLS, ...EDITORS], whenFile: STATE_FILES },
    { kind: 'tool.after', tools: ['Skill', 'AskUserQuestion', ...SHELLS, ...EDITORS], whenFile: STATE_FILES },
    // The menu of discovery is shown before there is any state.
    { kind: 'tool.after', tools: ['Task', 'Agent'], whenFile: [SEED_DIR, ...STATE_FILES] },
    ...(owes ? [{ kind: 'prompt.submit', whenFile: STATE_FILES } as const] : []),
    ...(owes ? [{ kind: 'prompt.expand', whenFile: STATE_FILES } as const] : []),
    ...(owes ? [{ kind: 'turn.stop', whenFile: STATE_FILES } as const] : []),
  ];
}
