import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { itGoesOn, itIsDenied, itKeepsItsPass } from '../contract/denied';
import { endOfLoop, iterations, itIsHeldInSubagents } from '../contract/held';
import { itLeavesNoTrace } from '../contract/no-trace';
import { makeProject, type Project, type Start } from '../host-project';
import { inClient } from '../in-client';
import { call, say } from '../scripted-model';
import { opencode } from './client';

const TALK = fileURLToPath(new URL('talk-to-server.mjs', import.meta.url));

/** OpenCode's server instead, with one prompt, until the loop that begins there has ended. */
const asServer = ({ path, args, env }: Start): Start => ({
  path: process.execPath,
  args: [TALK, path, args.at(-1) ?? ''],
  env,
});

function loopProject(): Project {
  const project = makeProject(opencode, 'inherit: false\n');
  project.install();
  return project;
}

inClient('opencode', opencode.title, () => {
  itIsDenied(opencode);
  itGoesOn(opencode);
  itKeepsItsPass(opencode, true);
  itIsHeldInSubagents(
    opencode,
    { name: 'task', input: { description: 'as scripted', prompt: 'Touch it.', subagent_type: 'general' } },
    say('The helper is done.'),
    false,
  );
  itLeavesNoTrace(opencode, (foreign) => ({
    '.opencode/plugin/other.js': [
      "import { writeFileSync } from 'node:fs';",
      `export const Other = async () => { writeFileSync('${foreign}', ''); return {}; };`,
    ].join('\n'),
  }));

  it('knows the commands that came with it, and shows what they print', async () => {
    const project = loopProject();
    const { asked } = await project.play([say('Read.')], {
      instead: ({ args, ...start }) => ({
        ...start,
        args: [...args.slice(0, -1), '--command', 'holdpoint-status'],
      }),
    });
    expect(asked[0]).toContain('the config has no rules');
  });

  it('ends with the turn in `opencode run`, whatever waits for it, as `install` says', async () => {
    const project = makeProject(opencode, 'inherit: false\n');
    expect(project.install()).toContain('opencode run');
    const { asked, exitCode } = await project.play([
      call(opencode.shell("holdpoint loop start --max 9 'Do it'")),
      say('One.'),
    ]);
    expect([asked.length, exitCode]).toStrictEqual([2, 0]);
    expect(endOfLoop(project)).toBeUndefined();
  });

  it('is sent back to its loop by the server until it says that it is done', async () => {
    const project = loopProject();
    const { asked } = await project.play(
      [
        call(opencode.shell("holdpoint loop start --max 9 'Do it'")),
        say('One.'),
        say('Two.'),
        say('<loop-done>COMPLETE</loop-done>'),
      ],
      { instead: asServer },
    );
    expect(iterations(asked)).toStrictEqual([undefined, undefined, '2/9', '3/9']);
    expect(endOfLoop(project)).toBe('COMPLETE');
  });

  it('is let go by the server where it only talks', async () => {
    const project = loopProject();
    const start = call(opencode.shell("holdpoint loop start --max 99 'Do it'"));
    const talk = Array.from({ length: 40 }, (_, index) => say(`Thinking, ${index}.`));
    const { asked } = await project.play([start, ...talk], { instead: asServer });
    expect(asked).toHaveLength(10);
    expect(endOfLoop(project)).toBe('NO_PROGRESS');
  });
});
