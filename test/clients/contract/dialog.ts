import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atTerminal, type Terminal } from '../at-terminal';
import { makeProject, type Start } from '../host-project';
import type { RealClient } from '../real-client';
import { call, say } from '../scripted-model';

/** A rule that only a person can satisfy. */
const CONFIG = `requirements:
  plan: {enabled: true, trigger_tools: [Bash], agent_may_satisfy: false, description: Agree on a plan first.}
`;

/** How a client is worked with at a terminal. */
interface Handling {
  /** How it is started there, in a mode in which it asks for nothing by itself. */
  start(usual: Start): Start;
  /** What stands on the screen once it can be typed to. */
  readonly ready: string;
  /** The end of its dialog. */
  readonly dialog: string;
  readonly yes: string;
  readonly no: string;
}

/** A person answers in the client's own dialog. */
export function itAsksInItsDialog(client: RealClient, handling: Handling): void {
  const work = (turns: Parameters<typeof atTerminal>[2], act: (at: Terminal) => Promise<void>) => {
    const project = makeProject(client, CONFIG);
    project.install();
    const start = (modelUrl: string): Start =>
      handling.start(client.start({ rig: project, modelUrl, prompt: '' }));
    const done = atTerminal(client, project, turns, start, async (terminal) => {
      await terminal.shows(handling.ready);
      await terminal.enter('Do the work.');
      // The dialog shows what is asked for, and what yes means.
      await terminal.shows('do you approve `plan` (Agree on a plan first.)?');
      await terminal.shows(handling.dialog);
      await act(terminal);
    });
    return { project, done };
  };

  it('asks in its own dialog, and yes satisfies the rule for the session', async () => {
    const turns = [
      call(client.shell('touch one.txt')),
      call(client.shell('touch two.txt')),
      say('Both are done.'),
    ];
    const { project, done } = work(turns, async (terminal) => {
      expect(existsSync(join(project.repo, 'one.txt'))).toBe(false);
      terminal.press(handling.yes);
      await terminal.until('both calls to end', () => terminal.asked.length === 3);
    });
    await done;
    for (const file of ['one.txt', 'two.txt']) expect(existsSync(join(project.repo, file)), file).toBe(true);
    const asked = project.journal().filter(({ decision }) => decision === 'ask');
    expect(asked).toHaveLength(1);
    const given = project.journal().filter(({ changes }) => String(changes).includes('satisfied plan'));
    expect(given).toMatchObject([{ actor: 'person', channel: 'dialog' }]);
    const [rule] = (
      project.holdpoint(['why', String(asked[0]?.['id']), '--json']).json as { outcome: unknown[] }
    ).outcome;
    expect(rule).toMatchObject({ rule: 'plan', state: 'approved', by: 'person', channel: 'dialog' });
  });

  it('asks in its own dialog, and no leaves the rule open', async () => {
    const { project, done } = work(
      [call(client.shell('touch one.txt')), say('GAVE UP')],
      async (terminal) => {
        terminal.press(handling.no);
        await terminal.until('the answer', () => isOver(terminal));
        const waits = project.holdpoint(['waiting', '--json']).json;
        expect(waits).toMatchObject([{ rule: 'plan', channel: 'dialog' }]);
      },
    );
    const isOver = (terminal: Terminal): boolean =>
      terminal.asked.length > 1 ||
      /GAVE UP|Request cancelled|cancelled|Operation aborted/i.test(terminal.screen());
    await done;
    expect(existsSync(join(project.repo, 'one.txt'))).toBe(false);
    expect(project.journal().some(({ changes }) => String(changes).includes('satisfied'))).toBe(false);
  });
}
