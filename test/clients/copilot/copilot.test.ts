import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { itGoesOn, itIsDenied, itKeepsItsPass, PLAN_CONFIG, textIn } from '../contract/denied';
import { iterations, itIsHeldAtTheEnd, itIsHeldInSubagents } from '../contract/held';
import { itLeavesNoTrace } from '../contract/no-trace';
import { makeProject } from '../host-project';
import { inClient } from '../in-client';
import { call, say } from '../scripted-model';
import { copilot } from './client';

const touch = call(copilot.shell('touch a.txt'));
const HELPER = {
  agent_type: 'general-purpose',
  name: 'helper',
  description: 'as scripted',
  prompt: 'Touch it.',
  mode: 'sync',
};

inClient('copilot', copilot.title, () => {
  itIsDenied(copilot);
  itGoesOn(copilot);
  itKeepsItsPass(copilot, true);
  itIsHeldAtTheEnd(copilot);
  itIsHeldInSubagents(copilot, { name: 'task', input: HELPER }, say('The helper is done.'), true);
  itLeavesNoTrace(copilot, (foreign) => {
    const hooks = { SessionStart: [{ type: 'command', bash: `touch '${foreign}'`, timeoutSec: 5 }] };
    return { '.github/hooks/other.json': JSON.stringify({ version: 1, hooks }, null, '\t') };
  });

  it('is held by the entries for Claude Code alone, which it runs as well', async () => {
    const project = makeProject(copilot, PLAN_CONFIG);
    project.holdpoint(['install', '--host', 'claude-code']);
    const { asked } = await project.play([
      touch,
      call(copilot.shell("req satisfy plan; holdpoint loop start --max 2 'Do it'")),
      touch,
      say('One.'),
      say('Two.'),
    ]);
    expect(asked[1]).toContain('requires `plan` before');
    expect(iterations(asked)[4]).toBe('2/2');
    expect(asked).toHaveLength(5);
    expect(textIn(project, 'a.txt')).toBe('');
  });

  it('is judged once where it runs both', async () => {
    const project = makeProject(copilot, PLAN_CONFIG);
    project.install();
    project.holdpoint(['install', '--host', 'claude-code']);
    const { asked } = await project.play([
      touch,
      touch,
      call(copilot.shell("holdpoint loop start --max 3 'Do it'")),
      say('One.'),
      say('Two.'),
      say('Three.'),
    ]);
    expect(iterations(asked).slice(3)).toStrictEqual([undefined, '2/3', '3/3']);
    const journal = project.journal();
    const key = String(journal[0]?.['session']).slice(0, 8);
    const counts = project.readJson(`.git/requirements/sessions/${key}.json`);
    expect(at(counts, 'tools', 'Bash')).toMatchObject({ count: 2, blocked_count: 2 });
    const judged = journal.map(({ event, decision }) => `${event} ${decision}`);
    expect(judged.filter((one) => one.startsWith('SessionStart'))).toHaveLength(1);
    expect(judged.filter((one) => one === 'PreToolUse deny')).toHaveLength(2);
    expect(judged.filter((one) => one === 'Stop hold')).toHaveLength(2);
  });

  it('goes one step with a loop at a stop, also where it is installed in two scopes', async () => {
    const project = makeProject(copilot, PLAN_CONFIG);
    project.install();
    project.holdpoint(['install', '--user', '--host', 'copilot']);
    const { asked } = await project.play([
      call(copilot.shell("req satisfy plan; holdpoint loop start --max 3 'Do it'")),
      say('One.'),
      say('Two.'),
      say('Three.'),
    ]);
    expect(iterations(asked).slice(1)).toStrictEqual([undefined, '2/3', '3/3']);
  });

  it('is denied what it types into a command that runs already', async () => {
    const project = makeProject(copilot, PLAN_CONFIG);
    project.install();
    const { asked } = await project.play([
      call({
        name: 'bash',
        input: { command: 'cat', description: 'as scripted', mode: 'async', shellId: 'one' },
      }),
      call({ name: 'write_bash', input: { shellId: 'one', input: 'touch a.txt{enter}', delay: 1 } }),
      say('Done.'),
    ]);
    // How the command ends may be told in between.
    expect(asked.slice(2).join('\n')).toContain('requires `plan` before');
  });
});
