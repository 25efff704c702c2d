import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { commandFile, runLater } from '../e2e/rig';
import { inClaudeCode, makeProject, type Project } from './claude-code/rig';
import { install } from './claude-code/wire';
import { bash, type Call, call, type Script, say, write } from './scripted-model';

const CHROMIUM = '/usr/bin/chromium';
const HUB = join(import.meta.dirname, '../../hub/dist/main.mjs');
const CONFIG = `inherit: false
requirements:
  plan: {enabled: true, approval: hub, trigger_tools: [Edit], description: Agree on a plan.}
  new_file: {enabled: true, approval: hub, trigger_tools: [Write], description: Ask before a new file.}
`;
const PASSPHRASE = 'correct horse battery';

/** A hub with a home of its own, as another user would run it. */
interface Hub {
  readonly url: string;
  /** Runs `holdpoint hub …` there; fails the test where that fails. */
  command(args: readonly string[], input?: string): Promise<string>;
}

let running: ChildProcess | undefined;
let browser: Browser | undefined;
afterEach(async () => {
  await browser?.close();
  if (running?.exitCode !== null) return;
  running.kill('SIGTERM');
  await once(running, 'close');
});

async function startHub({ dir, environment }: Project): Promise<Hub> {
  const home = join(dir, 'hub');
  mkdirSync(home);
  const place = { cwd: home, env: environment({ HOME: home }) };
  const data = ['--data', join(home, 'data')];
  const args = [commandFile('holdpoint'), 'hub', '--json', '--port', '0', ...data];
  running = spawn(process.execPath, args, { ...place, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: running.stdout as NodeJS.ReadableStream }), 'line');
  const { url } = JSON.parse(String(line)) as { url: string };
  return {
    url,
    command: async (words, input = '') => {
      const ended = await runLater('holdpoint', ['hub', ...words, ...data], input, place);
      expect(ended).toMatchObject({ exitCode: 0 });
      return ended.stdout;
    },
  };
}

async function signedIn({ url }: Hub): Promise<Page> {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Passphrase').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

/** Waits for a line of the journal, and tells when it was written. */
async function noted(project: Project, isIt: (line: JsonObject) => boolean): Promise<number> {
  for (const end = Date.now() + 20_000; Date.now() < end; await after(20)) {
    const line = project.journal().find(isIt);
    if (line !== undefined) return Date.parse(String(line['at']));
  }
  throw new Error('nothing like it in the journal');
}

const edit = (from: string, to: string): Call => ({
  name: 'Edit',
  input: { file_path: 'a.txt', old_string: from, new_string: to },
});
const read: Call = { name: 'Read', input: { file_path: 'a.txt' } };
const idIn = (news: string): string => /holdpoint why (\w+)/.exec(news)?.[1] ?? '';

/** Far more than is seen where nothing else runs; the figures are printed on demand. */
const SOON_MS = 5000;

inClaudeCode(
  'the hub and Claude Code',
  () => {
    it('a person approves and rejects on the page; leaving opens nothing', async () => {
      const project = makeProject(CONFIG);
      project.write('a.txt', 'one\n');
      install(project);
      const env = { HOLDPOINT_RUNTIME_DIR: join(project.dir, 'run') };
      const person = (...args: string[]) => project.holdpoint(args, { env });
      const hub = await startHub(project);
      await hub.command(['user', 'add', 'ada', '--role', 'approver', '--passphrase-stdin'], PASSPHRASE);
      const { code } = JSON.parse(await hub.command(['invite', '--json'])) as { code: string };
      expect(person('join', hub.url, code, '--name', 'here')).toMatchObject({ exitCode: 0, stderr: '' });
      const page = await signedIn(hub);

      const took: Record<string, number> = {};
      let clicked = 0;
      const card = (rule: string) => page.locator('article.card', { hasText: rule });
      const shown = async (rule: string): Promise<number> => {
        await card(rule).waitFor({ timeout: 60_000 });
        return Date.now();
      };
      /** A person answers on the page while the model thinks; then the agent tries once more. */
      const answered = (answer: 'approve' | 'reject', rule: string, again: Call): Script => {
        const seen = shown(rule);
        return async () => {
          const isHold = ({ tool, decision }: JsonObject) => tool === again.name && decision === 'deny';
          took[`${rule}: hold to page`] = (await seen) - (await noted(project, isHold));
          const name = answer === 'approve' ? /Approve/ : /Reject/;
          await card(rule).getByRole('button', { name }).click();
          if (answer === 'reject') await page.getByLabel('Note for the agent').fill('use a.txt instead');
          clicked = Date.now();
          await page.getByRole('dialog').getByRole('button', { name }).click();
          const here = await noted(project, ({ event, tool }) => event === answer && tool === rule);
          took[`${rule}: click to machine`] = here - clicked;
          return call(again);
        };
      };
      const passed: Script = () => {
        took['plan: click to passed'] = Date.now() - clicked;
        return call(write('b.txt', 'new\n'));
      };
      const played = await project.play(
        [
          call(read),
          call(edit('one', 'two')),
          call(bash('holdpoint approve plan; holdpoint leave; echo "exit $?"')),
          answered('approve', 'plan', edit('one', 'two')),
          passed,
          answered('reject', 'new_file', write('b.txt', 'new\n')),
          say('Done.'),
        ],
        { env },
      );
      if (process.env['HOLDPOINT_TEST_TELL']) console.log(took);

      expect(played.news(2)).toContain('Edit is held until a person approves `plan`');
      expect(played.news(2)).toContain(`on the hub's page (${hub.url})`);
      expect(played.news(3)).toContain('exit 1');
      expect(played.news(4)).toContain('has been updated');
      expect(readFileSync(join(project.repo, 'a.txt'), 'utf8')).toBe('two\n');
      expect(played.news(5)).toContain('Write is held until a person approves `new_file`');
      expect(played.news(6)).toContain('Rejected by a person: use a.txt instead');
      expect(existsSync(join(project.repo, 'b.txt'))).toBe(false);
      for (const [what, ms] of Object.entries(took)) expect([what, ms < SOON_MS]).toEqual([what, true]);

      expect(person('log').stdout).toMatch(/approve .*plan by a person on the hub \(ada\)/);
      expect(person('log').stdout).toMatch(/reject .*new_file by a person on the hub \(ada\)/);
      expect(project.journal()).toContainEqual(expect.objectContaining({ event: 'approve', by: 'ada' }));
      expect(person('why', idIn(played.news(2))).stdout).toMatch(
        /outcome +approved at .* by a person on the hub \(ada\)$/m,
      );
      // The session has ended, so nobody waits.
      await card('new_file').waitFor({ state: 'detached' });

      expect(person('leave')).toMatchObject({ exitCode: 0, stderr: '' });
      const left = await project.play([call(read), call(edit('two', 'three')), say('I wait.')], {
        env,
        args: ['--resume', played.sessionId],
      });
      expect(left.sessionId).toBe(played.sessionId);
      expect(left.news(2)).toContain('this machine has not joined one');
      expect(readFileSync(join(project.repo, 'a.txt'), 'utf8')).toBe('two\n');
    });
  },
  [CHROMIUM, HUB].map((file) => (existsSync(file) ? undefined : `no ${file}`)).find(Boolean),
);
