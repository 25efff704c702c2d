import { expect, it } from 'vitest';
import { inOrder, withSubagents } from '../in-order';
import { bash, type Call, call, say } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

function flowProject(): Project {
  const project = makeProject('inherit: false\n');
  for (const name of ['requirements-analyst', 'software-developer'])
    project.write(
      `.claude/agents/${name}.md`,
      `---\nname: ${name}\ndescription: Does its part\n---\nWork.\n`,
    );
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'agents');
  project.git('checkout', '--quiet', '-b', 'main');
  install(project);
  return project;
}

function delegate(agent: string, prompt: string): Call {
  return {
    name: 'Agent',
    input: { description: 'a part', subagent_type: agent, prompt, run_in_background: false },
  };
}

const START = call(bash("holdpoint flow start fix --description 'Login fails' && holdpoint flow begin"));

inClaudeCode('a workflow in Claude Code', () => {
  it('denies a delegation that is out of order, and notes the one that is in order', async () => {
    const project = flowProject();
    const script = inOrder([
      START,
      call(delegate('software-developer', 'Implement the fix. WORD-DEVELOPER')),
      call(delegate('requirements-analyst', 'Write the requirements. WORD-ANALYST')),
      say('Delegated.'),
    ]);
    const played = await project.playScript(
      withSubagents(script, {
        'WORD-DEVELOPER': () => say('The developer has worked.'),
        'WORD-ANALYST': () => say('The analyst has worked.'),
      }),
    );
    const main = played.asked.filter(({ opening }) => !opening.includes('WORD-'));
    expect(main[1]?.news).toContain('Began 01-requirements');
    expect(main[2]?.news).toContain('01-requirements');
    expect(main[2]?.news).not.toContain('The developer has worked.');
    expect(main[3]?.news).toContain('The analyst has worked.');
    const status = project.holdpoint(['flow', 'status', '--json']).json as { missing: { what: string }[] };
    expect(status.missing.map(({ what }) => what)).not.toContain('agent_delegation');
  });

  it('denies a commit to the protected branch, and lets one to its own branch pass', async () => {
    const project = flowProject();
    const before = project.git('rev-parse', 'main');
    const played = await project.play([
      START,
      call(bash('git checkout --quiet main && git commit --allow-empty --quiet -m sneaky')),
      call(bash('git commit --allow-empty --quiet -m honest')),
      say('Done.'),
    ]);
    expect(played.news(2)).toContain('main');
    expect(project.git('rev-parse', 'main')).toBe(before);
    expect(project.git('log', '-1', '--format=%s')).toBe('honest');
    expect(project.git('branch', '--show-current')).toBe('bugfix/BUG-0001-login-fails');
  });

  it('does not let the agent open a gate or write its state', async () => {
    const project = flowProject();
    const played = await project.play([
      START,
      call(bash('holdpoint flow approve 01-requirements')),
      call(bash("echo '{}' > .git/holdpoint/workflow.json")),
      call(bash('holdpoint flow advance; echo "exit $?"')),
      say('A person has to decide.'),
    ]);
    expect(played.news(4)).toContain('Held by gate-blocker: GATE-01 is closed');
    const status = project.holdpoint(['flow', 'status', '--json']).json;
    expect(status).toMatchObject({ active: true, phase: '01-requirements' });
  });
});
