import { expect, it } from 'vitest';
import { itGoesOn, itIsDenied, itKeepsItsPass } from '../contract/denied';
import { iterations, itIsHeldAtTheEnd, itIsHeldInSubagents, itIsLetGoInTheEnd } from '../contract/held';
import { itLeavesNoTrace } from '../contract/no-trace';
import { makeProject } from '../host-project';
import { inClient } from '../in-client';
import { call, say } from '../scripted-model';
import { gemini } from './client';

inClient('gemini', gemini.title, () => {
  itIsDenied(gemini);
  itGoesOn(gemini);
  itKeepsItsPass(gemini, true);
  itIsHeldAtTheEnd(gemini);
  itIsLetGoInTheEnd(gemini);
  itIsHeldInSubagents(
    gemini,
    { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: 'Touch it.' } },
    call({ name: 'complete_task', input: { result: { response: 'The helper is done.' } } }),
    true,
  );
  itLeavesNoTrace(gemini, (foreign) => ({
    '.gemini/settings.json': [
      '{',
      '\t"ui":{ "hideTips":true },',
      '\t"hooks": {',
      `\t\t"BeforeAgent": [{ "hooks": [{ "type": "command", "command": "touch '${foreign}'" }] }]`,
      '\t}',
      '}',
    ].join('\r\n'),
  }));

  it('knows the commands that came with it: what they print is shown, and a loop begins as they say', async () => {
    const project = makeProject(gemini, 'inherit: false\n');
    project.install();
    const status = await project.play([say('Read.')], { prompt: '/holdpoint-status' });
    expect(status.asked[0]).toContain('the config has no rules');
    const start = "holdpoint loop start --max 2 - <<'END_OF_TASK'\ntidy up\nEND_OF_TASK";
    const loop = await project.play([call(gemini.shell(start)), say('One.'), say('Two.')], {
      prompt: '/holdpoint-loop --max 2 tidy up',
    });
    expect(loop.asked[0]).toContain('--max 2 tidy up');
    expect(loop.asked[0]).toContain("- <<'END_OF_TASK'");
    expect(iterations(loop.asked)).toStrictEqual([undefined, undefined, '2/2']);
  });
});
