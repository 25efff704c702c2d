import { briefs, denies, isSilent } from '../answers.mjs';
import { after, bash, call, edit, prompt, stop } from '../events.mjs';

const BRANCH = 'feature/x';
const PHASE = '06-implementation';

/** Calls while a workflow is in its sixth phase, on the workflow's branch or on another. */
function projectOn(stage, branch) {
  const state = {
    active_workflow: {
      type: 'feature',
      current_phase: PHASE,
      current_phase_index: 6,
      git_branch: { name: BRANCH, status: 'active' },
    },
    phases: { [PHASE]: { status: 'in_progress' } },
  };
  const files = {
    '.isdlc/state.json': `${JSON.stringify(state, null, 2)}\n`,
    'docs/isdlc/tasks.md': '- [ ] T001 the parser\n',
    'a.ts': 'a\n',
  };
  return stage.repository(`workflow-${branch.replace('/', '-')}`, { branch, files });
}

const own = (stage) => projectOn(stage, BRANCH);
const main = (stage) => projectOn(stage, 'main');

const MESSAGE = `git add -A && git commit -m "$(cat <<'EOF'\nfeat: a parser\n\nIt reads lines.\nEOF\n)"`;
const delegationTo = (subagent_type) =>
  call('Task', { subagent_type, prompt: 'Build the parser as the plan has it.', description: 'build' });
const TESTS = bash('npm test 2>&1 | tail -20');
const PASSED = { stdout: 'Tests: 12 passed, 12 total', stderr: '', interrupted: false };

/** A workflow at delegations, commands, edits, prompts and ends of turns. */
export const workflow = [
  { name: 'workflow: task', place: own, event: delegationTo('software-developer'), expects: isSilent },
  { name: 'workflow: task out of order', place: own, event: delegationTo('qa-engineer'), expects: denies },
  { name: 'workflow: bash, tests', place: own, event: TESTS, expects: isSilent },
  { name: 'workflow: bash, commit', place: own, event: bash(MESSAGE), expects: isSilent },
  {
    name: 'workflow: bash, push',
    place: own,
    event: bash(`git push -u origin ${BRANCH}`),
    expects: isSilent,
  },
  { name: 'workflow: bash, commit to main', place: main, event: bash('git commit -m x'), expects: denies },
  { name: 'workflow: edit', place: own, event: edit, expects: isSilent },
  { name: 'workflow: after tests', place: own, event: after(TESTS, PASSED), expects: briefs },
  { name: 'workflow: prompt', place: own, event: prompt, expects: isSilent },
  { name: 'workflow: stop', place: own, event: stop, expects: isSilent },
];
