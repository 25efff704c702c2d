import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atTerminal } from '../at-terminal';
import { makeProject } from '../host-project';
import { inClient } from '../in-client';
import { call, say } from '../scripted-model';
import { codex } from './client';

const CONFIG = `requirements:
  plan: {enabled: true, trigger_tools: [Bash], agent_may_satisfy: false, description: Agree on a plan first.}
`;

inClient('codex', codex.title, () => {
  it('names a line in its hold, and a person who types it approves', async () => {
    const project = makeProject(codex, CONFIG);
    project.install();
    const turns = [
      call(codex.shell('touch one.txt')),
      say('I wait.'),
      call(codex.shell('touch two.txt')),
      say('It is done.'),
    ];
    const start = (modelUrl: string) => {
      const { path, args, env } = codex.start({ rig: project, modelUrl, prompt: '' });
      // A shared server would run the hooks, and nobody can tell who sits before which client of it.
      return {
        path,
        env,
        args: ['--no-daemon', ...args.filter((word) => !['exec', '--json', ''].includes(word))],
      };
    };
    await atTerminal(codex, project, turns, start, async (terminal) => {
      await terminal.shows('scripted');
      await terminal.enter('Do the work.');
      await terminal.until('the hold to be read', () => terminal.asked.length === 2);
      expect(terminal.asked[1]).toContain('as a whole message: holdpoint approve plan');
      await terminal.shows('I wait.');
      await terminal.enter('holdpoint approve plan');
      await terminal.shows('Approved: plan');
      // No turn of the model began.
      expect(terminal.asked).toHaveLength(2);
      await terminal.enter('Go on.');
      await terminal.until('the work to be done', () => terminal.asked.length === 4);
    });
    expect(existsSync(join(project.repo, 'one.txt'))).toBe(false);
    expect(existsSync(join(project.repo, 'two.txt'))).toBe(true);
    const given = project.journal().filter(({ changes }) => String(changes).includes('satisfied plan'));
    expect(given).toMatchObject([{ actor: 'person', channel: 'command' }]);
  });
});
