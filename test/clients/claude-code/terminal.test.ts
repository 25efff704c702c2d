import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { hasTerminals } from '../../e2e/terminal';
import { inOrder } from '../in-order';
import { bash, call, type Script, say, type Turn, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { atTerminal } from './terminal';
import { install } from './wire';

const SESSION = '5e551011-0000-4000-8000-000000000001';
const FREELY = ['--permission-mode', 'bypassPermissions'];
const PLAN = 'inherit: false\nrequirements: {plan: {enabled: true, trigger_tools: [Write]}}\n';

function wired(config: string): Project {
  const project = makeProject(config);
  install(project);
  return project;
}

/** Follows the turns, and keeps what was read. */
function reading(turns: readonly (Turn | Script)[]): { script: Script; news: string[] } {
  const news: string[] = [];
  const order = inOrder(turns);
  const script: Script = (asked) => {
    news.push(asked.news);
    return order(asked);
  };
  return { script, news };
}

const loopOf = (project: Project): unknown =>
  project.holdpoint(['loop', 'status', '--json', '--session', SESSION]).json;

inClaudeCode(
  'at a terminal of Claude Code',
  () => {
    it('a person sees that it is on and what was held', async () => {
      const project = wired(PLAN);
      const { script, news } = reading([call(write('a.txt', 'one\n')), say('I was held.')]);
      await atTerminal(project, script, FREELY, async ({ enter, shows, until }) => {
        await shows('Holdpoint is on: 1 requirement.');
        await enter('Do the work');
        await shows('This project requires');
        await until('the second question', () => news.length === 2);
      });
      expect(news[1]).toContain('requires `plan` before');
      expect(existsSync(join(project.repo, 'a.txt'))).toBe(false);
    });

    it('after init the agent satisfies its plan without a dialog, and the status line follows', async () => {
      const project = makeProject('');
      expect(project.holdpoint(['init', '--yes', '--preset', 'relaxed']).exitCode).toBe(0);
      const { script, news } = reading([
        call(write('a.txt', 'one\n')),
        ({ news: hold }) => call(bash(/`(req satisfy [^`]+)`/.exec(hold)?.[1] ?? 'exit 1')),
        say('Recorded.'),
      ]);
      await atTerminal(project, script, ['--permission-mode', 'default'], async ({ enter, shows, until }) => {
        await shows('holdpoint on · 1/1 req open');
        await enter('Do the work');
        await until('the third question', () => news.length === 3);
        // The client paints only what has changed in its line.
        await shows('req satisfied');
        project.holdpoint(['pause']);
        await shows('paused');
      });
      expect(news[2]).toContain("Satisfied 'commit_plan' for session ");
    });

    it('a typed cancel ends the loop', async () => {
      const project = wired('inherit: false\n');
      project.holdpoint(['loop', 'start', '--session', SESSION, '--max', '5', 'Do it']);
      const { script, news } = reading([say('It is over.'), say('Wrong.')]);
      await atTerminal(project, script, [...FREELY, '--session-id', SESSION], async ({ enter, shows }) => {
        await enter('loop cancel');
        await shows('It is over.');
      });
      expect(loopOf(project)).toMatchObject({ active: false, reason: 'USER_CANCELLED' });
      expect(news).toHaveLength(1);
    });

    it('a request that the service refuses pauses the loop', async () => {
      const project = wired('inherit: false\n');
      project.holdpoint(['loop', 'start', '--session', SESSION, '--max', '5', 'Do it']);
      const refused: Turn = { kind: 'error', status: 400, type: 'invalid_request_error', text: 'scripted' };
      await atTerminal(
        project,
        () => refused,
        [...FREELY, '--session-id', SESSION],
        async ({ enter, until }) => {
          await enter('Do the work');
          await until('the loop to pause', () => at(loopOf(project), 'paused') !== undefined);
        },
      );
    });

    it('a destructive command is answered with no before anybody is asked', async () => {
      const project = wired(PLAN);
      const { script, news } = reading([call(bash('git push --force origin main')), say('I may not.')]);
      await atTerminal(project, script, ['--permission-mode', 'default'], async ({ enter, until }) => {
        await enter('Push it');
        await until('the second question', () => news.length === 2);
      });
      expect(news[1]).toContain('Holdpoint denies such requests');
    });

    it('a session that goes on after /clear takes over what was satisfied', async () => {
      const project = wired(PLAN);
      const { script, news } = reading([
        call(bash('req satisfy plan')),
        say('Approved.'),
        call(write('a.txt', 'one\n')),
        say('Written.'),
      ]);
      await atTerminal(project, script, FREELY, async ({ enter, shows, until }) => {
        await enter('Get it approved');
        await shows('Approved.');
        await enter('/clear');
        await until('the new session', () =>
          project
            .journal()
            .some(
              ({ event, session }) =>
                event === 'SessionStart' && session !== project.journal()[0]?.['session'],
            ),
        );
        await enter('Write it');
        await until('the last question', () => news.length === 4);
      });
      expect(existsSync(join(project.repo, 'a.txt'))).toBe(true);
    });
  },
  hasTerminals ? undefined : 'no script of util-linux, which gives a terminal',
);
