import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { inOrder, withSubagents } from '../in-order';
import { bash, call, say, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

function planProject(): Project {
  const project = makeProject('inherit: false\nrequirements: {plan: {enabled: true}}\n');
  install(project);
  return project;
}

const keyOf = (session: string): string => session.replaceAll('-', '').slice(0, 8);
const satisfied = (project: Project): object =>
  at(project.readJson('.git/requirements/feature-auth.json'), 'requirements', 'plan', 'sessions') as object;

inClaudeCode('sessions of Claude Code', () => {
  it('work side by side in one repository, each with a state of its own', async () => {
    const project = planProject();
    const names = ['a', 'b', 'c'];
    const all = await Promise.all(
      names.map((name) =>
        project.play([
          call(write(`${name}.txt`, 'early\n')),
          call(bash('req satisfy plan')),
          call(write(`${name}.txt`, `${name}\n`)),
          say('Done.'),
        ]),
      ),
    );
    for (const played of all) expect(played.news(1)).toContain('requires `plan` before');
    expect(names.map((name) => readFileSync(join(project.repo, `${name}.txt`), 'utf8'))).toEqual(
      names.map((name) => `${name}\n`),
    );
    expect(Object.keys(satisfied(project)).sort()).toEqual(
      all.map(({ sessionId }) => keyOf(sessionId)).sort(),
    );
  });

  it('hold their subagents too, and what the parent has satisfied counts for them', async () => {
    const project = planProject();
    const helper = {
      name: 'Agent',
      input: {
        description: 'help',
        subagent_type: 'general-purpose',
        prompt: 'WORD-HELPER',
        run_in_background: false,
      },
    };
    const helping = inOrder([
      call(write('early.txt', 'one\n')),
      say('I was held.'),
      call(write('late.txt', 'two\n')),
      say('I wrote it.'),
    ]);
    const main = inOrder([call(helper), call(bash('req satisfy plan')), call(helper), say('Done.')]);
    const played = await project.playScript(withSubagents(main, { 'WORD-HELPER': helping }));
    const helped = played.asked.filter(({ opening }) => opening.includes('WORD-HELPER'));
    expect(helped[1]?.news).toContain(`req satisfy plan --session ${keyOf(played.sessionId)}`);
    expect(existsSync(join(project.repo, 'early.txt'))).toBe(false);
    expect(existsSync(join(project.repo, 'late.txt'))).toBe(true);
    expect(Object.keys(satisfied(project))).toEqual([keyOf(played.sessionId)]);
  });

  it('end a turn uncounted while a background task runs, and are held when it is over', async () => {
    const project = planProject();
    const background = {
      name: 'Bash',
      input: { command: 'sleep 2', description: 'waits', run_in_background: true },
    };
    const played = await project.play([
      call(bash("holdpoint loop start --max 3 'Do it'")),
      call(background),
      say('I wait for it.'),
      say('It is over.'),
      say('Once more.'),
      say('And again.'),
    ]);
    const held = played.asked.map(({ news }) => /\[ITERATION \d\/\d\]/.exec(news)?.[0]);
    expect(held).toEqual([undefined, undefined, undefined, undefined, '[ITERATION 2/3]', '[ITERATION 3/3]']);
  });

  it('keep what was satisfied when they are resumed and compacted, and a new session has to do it again', async () => {
    const project = planProject();
    const first = await project.play([call(bash('req satisfy plan')), say('Approved.')]);
    const resume = ['--resume', first.sessionId];
    await project.play([call(write('resumed.txt', 'one\n')), say('Done.')], { args: resume });
    const compacted = await project.playScript(() => say('<summary>Approved and written.</summary>'), {
      args: resume,
      prompt: '/compact',
    });
    expect(compacted.stream).toContainEqual(expect.objectContaining({ subtype: 'compact_boundary' }));
    await project.play([call(write('compacted.txt', 'two\n')), say('Done.')], { args: resume });
    const other = await project.play([call(write('other.txt', 'three\n')), say('Held.')]);
    expect(
      ['resumed', 'compacted', 'other'].map((name) => existsSync(join(project.repo, `${name}.txt`))),
    ).toEqual([true, true, false]);
    expect(other.news(1)).toContain('requires `plan` before');
    const counts = project.readJson(`.git/requirements/sessions/${keyOf(first.sessionId)}.json`);
    expect(counts).toMatchObject({ compaction_count: 1 });
  });

  it('that are forked from another have to do it themselves', async () => {
    const project = planProject();
    const first = await project.play([call(bash('req satisfy plan')), say('Approved.')]);
    const fork = await project.play([call(write('forked.txt', 'one\n')), say('Held.')], {
      args: ['--resume', first.sessionId, '--fork-session'],
    });
    expect(fork.sessionId).not.toBe(first.sessionId);
    expect(fork.news(1)).toContain(`req satisfy plan --session ${keyOf(fork.sessionId)}`);
    expect(existsSync(join(project.repo, 'forked.txt'))).toBe(false);
  });
});
