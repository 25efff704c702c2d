import type { Interest } from '../../core/guard';
import type { WorkflowModel } from './model';
import { SEED_DIR } from './place';

/** Without state no workflow is active, and a project pays nothing for its rules. */
const STATE_FILES: readonly string[] = [
  `${SEED_DIR}/state.json`,
  `${SEED_DIR}/projects`,
  'holdpoint/workflow.json',
  '.holdpoint/state/workflow.json',
];

/** Where nobody has configured anything, only a workflow that was started by hand is looked for. */
const STARTED_BY_HAND: readonly string[] = ['holdpoint/workflow.json'];

const SHELLS = ['Bash', 'PowerShell', 'Monitor'];
const EDITORS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/** The events that the rules have anything to say to. */
export function interest(model: WorkflowModel): readonly Interest[] {
  const isOn = (...names: (keyof WorkflowModel['rules'])[]): boolean =>
    names.some((name) => model.rules[name].mode !== 'disabled');
  const owes = isOn('skill-delegation-enforcer', 'delegation-gate');
  const whenFile = model.byHand === true ? STARTED_BY_HAND : STATE_FILES;
  return [
    { kind: 'tool.before', tools: ['Task', 'Agent', 'Skill', ...SHELLS, ...EDITORS], whenFile },
    { kind: 'tool.after', tools: ['Skill', 'AskUserQuestion', ...SHELLS, ...EDITORS], whenFile },
    // The menu of discovery is shown before there is any state.
    {
      kind: 'tool.after',
      tools: ['Task', 'Agent'],
      whenFile: model.byHand === true ? whenFile : [SEED_DIR, ...whenFile],
    },
    // A session hears where its workflow stands, and where one could be, that there is none.
    { kind: 'session.start', ...(model.byHand === true && { whenFile }) },
    ...(owes ? [{ kind: 'prompt.submit', whenFile } as const] : []),
    ...(owes ? [{ kind: 'prompt.expand', whenFile } as const] : []),
    ...(owes ? [{ kind: 'turn.stop', whenFile } as const] : []),
  ];
}
