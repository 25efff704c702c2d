import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { times } from '../stress';
import { at, deniedBecause, type HostDocument, runLater } from './rig';
import { bashed, inPhase, task, tasked, type WorkflowProject, workflowProject } from './workflow-project';

const ROUNDS = times(1, 50);
const PHASE = '06-implementation';
/** The rules of one event, as a settings file that registers them one by one has them run. */
const DENIERS = ['iteration-corridor', 'phase-sequence-guard', 'gate-blocker', 'constitution-validator'];

let project: WorkflowProject;

afterEach(() => project.rig.remove());

it('rules that run beside each other all deny, and lose no record', { timeout: 600_000 }, async () => {
  project = workflowProject();
  const { rig } = project;
  const start = (event: HostDocument, only: string) =>
    runLater('hook', ['--only', only], JSON.stringify({ cwd: rig.repo, ...event }), {
      cwd: rig.dir,
      env: rig.environment(),
    });
  const failing = {
    completed: false,
    last_test_result: 'failed',
    current_iteration: 1,
    history: [{ error: 'boom' }],
  };
  for (let round = 0; round < ROUNDS; round++) {
    project.state(inPhase(PHASE, {}, { iteration_requirements: { test_iteration: failing } }));
    const claim = task(
      'sdlc-orchestrator',
      'The implementation phase is complete. Advance to the next phase.',
      {
        tool_use_id: `p${round}`,
      },
    );
    const ordered = task('qa-engineer', 'x', { tool_use_id: `o${round}` });
    const ended = await Promise.all([
      ...DENIERS.map((only) => start(only === 'phase-sequence-guard' ? ordered : claim, only)),
      start(tasked('software-developer', 'x', 'done', { tool_use_id: `l${round}` }), 'log-skill-usage'),
      start(tasked('software-developer', 'x', 'done', { tool_use_id: `m${round}` }), 'log-skill-usage'),
      start(bashed('npm test', 'Tests: 1 failed, 5 total', { tool_use_id: `t${round}` }), 'test-watcher'),
    ]);
    for (const one of ended.slice(0, DENIERS.length)) deniedBecause(one);
    for (const one of ended) expect(one).toMatchObject({ exitCode: 0, stderr: '' });
    const state = project.stored();
    const types = (at(state, 'pending_escalations') as HostDocument[]).map(({ type }) => type).sort();
    expect(types).toEqual(['constitution_blocked', 'corridor_blocked', 'gate_blocked']);
    const calls = (at(state, 'skill_usage_log') as HostDocument[])
      .map(({ tool_use_id }) => tool_use_id)
      .sort();
    expect(calls).toEqual([`l${round}`, `m${round}`]);
    expect(at(state, 'phases', PHASE, 'gate_validation', 'status')).toBe('blocked');
    expect(at(state, 'phases', PHASE, 'constitutional_validation', 'status')).toBe('pending');
    const tests = at(state, 'phases', PHASE, 'iteration_requirements', 'test_iteration');
    expect(tests).toMatchObject({ current_iteration: 2, failures_count: 2 });
  }
  expect(readdirSync(join(rig.repo, '.isdlc')).sort()).toEqual(['.keep', 'state.json']);
});
