import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { makeProject, type Project, type Start } from '../host-project';
import type { RealClient } from '../real-client';
import { call, say } from '../scripted-model';

export const PLAN_CONFIG = [
  'inherit: false',
  'requirements:',
  '  plan: {enabled: true, scope: session, trigger_tools: [Write, {tool: Bash, command_pattern: touch}]}',
  '',
].join('\n');

export function textIn({ repo }: Project, name: string): string | undefined {
  const file = join(repo, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

export function itIsDenied(client: RealClient): void {
  const { shell, write } = client;
  it('is denied commands and edits, reads why, and may go on after `req satisfy` in its own shell', async () => {
    const project = makeProject(client, PLAN_CONFIG);
    project.install();
    const work = call(shell('touch a.txt'), write(project, 'b.txt', 'two\n'));
    const { asked } = await project.play([work, call(shell('ls; req satisfy plan')), work, say('Done.')]);
    expect(asked).toHaveLength(4);
    expect(asked[0]).toContain('req satisfy plan');
    expect(asked[1]?.match(/requires `plan` before/g)).toHaveLength(2);
    expect(asked[2]).toContain("Satisfied 'plan' for session ");
    expect(asked[2]).not.toMatch(/\b[ab]\.txt\b/);
    expect(['a.txt', 'b.txt'].map((name) => textIn(project, name))).toStrictEqual(['', 'two\n']);
    const sessions = at(
      project.readJson('.git/requirements/feature-auth.json'),
      'requirements',
      'plan',
      'sessions',
    );
    expect(Object.values(sessions as object)).toStrictEqual([
      expect.objectContaining({ satisfied: true, satisfied_by: 'cli', actor: 'agent', triggered: true }),
    ]);
  });
}

export function itGoesOn(client: RealClient): void {
  it('keeps what it has satisfied when its session is resumed', async () => {
    const project = makeProject(client, PLAN_CONFIG);
    project.install();
    await project.play([call(client.shell('req satisfy plan')), say('Done.')]);
    const touch = call(client.shell('touch a.txt'));
    const resumed = ({ args, ...start }: Start): Start => ({ ...start, args: client.resuming(args) });
    await project.play([touch, say('Done.')], { instead: resumed });
    expect(textIn(project, 'a.txt')).toBe('');
  });
}

/** Whether a host tells that a command has failed shows in what becomes of a pass for one commit. */
export function itKeepsItsPass(client: RealClient, afterFailures: boolean): void {
  const { shell } = client;

  it(`may make one commit with one pass, and a commit that fails ${afterFailures ? 'leaves it' : 'uses it up as well'}`, async () => {
    const project = makeProject(
      client,
      "{inherit: false, requirements: {reviewed: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]}}}\n",
    );
    project.install();
    project.git('config', 'user.name', 'A');
    project.git('config', 'user.email', 'a@example.invalid');
    const commit = call(shell('git commit --allow-empty --quiet -m work'));
    const { asked } = await project.play([
      commit,
      call(shell('req satisfy reviewed')),
      call(shell('git commit -m nothing')),
      commit,
      commit,
      say('Done.'),
    ]);
    const denied = asked.map((news) => news.includes('Nothing was changed.'));
    expect(denied).toStrictEqual([false, true, false, false, !afterFailures, true]);
    expect(project.git('rev-list', '--count', 'HEAD')).toBe(afterFailures ? '2' : '1');
  });
}
