import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { at, commandFile } from '../../e2e/rig';
import { bash, call, say, write } from '../scripted-model';
import type { How } from './project';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SESSION = '5e551011-0000-4000-8000-000000000001';
const PLAN = 'inherit: false\nrequirements: {plan: {enabled: true}}\n';

/** The plugin beside the build, as in the package, and a PATH on which none of our commands are. */
function pluggedIn({ dir }: Project): Required<Pick<How, 'args' | 'env'>> {
  const plugin = join(dir, 'package', 'plugin');
  mkdirSync(dirname(plugin));
  cpSync(join(ROOT, 'plugin'), plugin, { recursive: true });
  symlinkSync(dirname(commandFile('hook')), join(dir, 'package', 'dist'));
  const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  return { args: ['--plugin-dir', plugin], env: { PATH } };
}

inClaudeCode('the plugin in Claude Code', () => {
  it.each([
    ['the plugin', 'plugin'],
    ['the marketplace', '.'],
  ])('%s is valid to the letter', async (_, path) => {
    const { exitCode, stdout, stderr } = await makeProject('').call([
      'plugin',
      'validate',
      '--strict',
      join(ROOT, path),
    ]);
    expect(exitCode, `${stdout}${stderr}`).toBe(0);
  });

  it('holds the agent and brings its own commands along', async () => {
    const project = makeProject(PLAN);
    const played = await project.play(
      [
        call(write('a.txt', 'early\n')),
        call(bash('test ! -e a.txt && req satisfy plan')),
        call(write('a.txt', 'one\n')),
        say('Done.'),
      ],
      pluggedIn(project),
    );
    expect(played.news(1)).toContain('requires `plan` before');
    expect(played.news(2)).toContain("Satisfied 'plan'");
    expect(readFileSync(join(project.repo, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('shows the status to the model when a person asks for it', async () => {
    const project = makeProject(PLAN);
    const played = await project.play([say('It is open.')], {
      ...pluggedIn(project),
      prompt: '/holdpoint:status',
    });
    expect(played.news(0)).toContain('plan');
    expect(played.asked).toHaveLength(1);
  });

  it('cancels a loop before the model is asked', async () => {
    const project = makeProject('inherit: false\n');
    project.holdpoint(['loop', 'start', '--session', SESSION, '--max', '5', 'Do it']);
    const { args, env } = pluggedIn(project);
    const played = await project.play([say('It is cancelled.')], {
      args: [...args, '--session-id', SESSION],
      env,
      prompt: '/holdpoint:cancel-loop',
    });
    expect(played.asked).toHaveLength(1);
    expect(project.holdpoint(['loop', 'status', '--json', '--session', SESSION]).json).toMatchObject({
      active: false,
      reason: 'USER_CANCELLED',
    });
  });

  it('beside the installed hook counts nothing twice', async () => {
    const project = makeProject(PLAN);
    install(project);
    const { args } = pluggedIn(project);
    const played = await project.play(
      [
        call(write('a.txt', 'early\n')),
        call(bash("req satisfy plan; holdpoint loop start --max 4 'Do it'")),
        call(write('a.txt', 'one\n')),
        say('one'),
        say('two'),
        say('three'),
        say('four'),
      ],
      { args },
    );
    const iterations = played.asked.map(({ news }) => /\[ITERATION \d\/\d\]/.exec(news)?.[0]);
    expect(iterations.filter((one) => one !== undefined)).toEqual([
      '[ITERATION 2/4]',
      '[ITERATION 3/4]',
      '[ITERATION 4/4]',
    ]);
    expect(existsSync(join(project.repo, 'a.txt'))).toBe(true);
    const key = played.sessionId.replaceAll('-', '').slice(0, 8);
    const counts = project.readJson(`.git/requirements/sessions/${key}.json`);
    expect(at(counts, 'tools', 'Write')).toMatchObject({ count: 2, blocked_count: 1 });
  });
});
