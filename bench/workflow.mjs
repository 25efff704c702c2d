// Calls before they run, while a workflow is in its sixth phase: commands on the workflow's branch and on main,
// and delegations to the agent whose turn it is and to another.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SESSIONS } from './scene.mjs';

const BRANCH = 'feature/x';
const PHASE = '06-implementation';

/** Variants as in variants.mjs. */
export function workflowVariants(scene, hook, rounds) {
  const [own, main] = [BRANCH, 'main'].map((branch) => project(scene, branch));
  const variant = (name, cwd, tool, tool_input, expects) => ({
    name,
    command: [process.execPath, hook],
    cwd,
    inputs: Array.from({ length: rounds + 2 }, (_, round) =>
      scene.write(`${name} ${round}.json`, JSON.stringify(event(cwd, tool, tool_input, round))),
    ),
    expects: ({ status, stdout }) => status === 0 && expects(stdout),
  });
  const isSilent = (stdout) => stdout === '';
  const denies = (stdout) => stdout.includes('"permissionDecision":"deny"');
  return [
    variant('workflow, tests', own, 'Bash', { command: 'npm test 2>&1 | tail -20' }, isSilent),
    variant('workflow, commit', own, 'Bash', { command: MESSAGE }, isSilent),
    variant('workflow, push', own, 'Bash', { command: `git push -u origin ${BRANCH}` }, isSilent),
    variant('workflow, commit to main', main, 'Bash', { command: 'git commit -m x' }, denies),
    variant('workflow, delegation', own, 'Task', delegationTo('software-developer'), isSilent),
    variant('workflow, out of order', own, 'Task', delegationTo('qa-engineer'), denies),
  ];
}

const MESSAGE = `git add -A && git commit -m "$(cat <<'EOF'\nfeat: a parser\n\nIt reads lines.\nEOF\n)"`;

function delegationTo(subagent_type) {
  return { subagent_type, prompt: 'Build the parser as the plan has it.', description: 'build' };
}

function event(cwd, tool_name, tool_input, round) {
  return {
    cwd,
    session_id: SESSIONS.quiet,
    transcript_path: '',
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input,
    tool_use_id: `toolu_bench_${round}`,
  };
}

function project(scene, branch) {
  const root = join(dirname(scene.repo), `workflow-${branch.replace('/', '-')}`);
  mkdirSync(join(root, '.isdlc'), { recursive: true });
  const state = {
    active_workflow: {
      type: 'feature',
      current_phase: PHASE,
      current_phase_index: 6,
      git_branch: { name: BRANCH, status: 'active' },
    },
    phases: { [PHASE]: { status: 'in_progress' } },
  };
  writeFileSync(join(root, '.isdlc', 'state.json'), `${JSON.stringify(state, null, 2)}\n`);
  mkdirSync(join(root, 'docs', 'isdlc'), { recursive: true });
  writeFileSync(join(root, 'docs', 'isdlc', 'tasks.md'), '- [ ] T001 the parser\n');
  scene.git(root, 'init', '--quiet', '-b', branch);
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  scene.git(root, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  return root;
}
