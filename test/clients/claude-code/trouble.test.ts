import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandFile } from '../../e2e/rig';
import { runningCommands } from '../running-commands';
import { bash, call, say, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install, wireLine } from './wire';

const PLAN = 'inherit: false\nrequirements: {plan: {enabled: true, trigger_tools: [Write]}}\n';
const HOOK = `'${process.execPath}' '${commandFile('hook')}'`;

/** The hook, with something done before it. `$input` is the event. */
function disturbed(project: Project, script: string): string {
  project.program('disturbed', `input=$(cat)\n${script}\nprintf '%s' "$input" | ${HOOK}`);
  return join(project.dir, 'bin', 'disturbed');
}

/** Does something only at the first event whose document has that text in it. */
function firstTime({ dir }: Project, text: string, script: string): string {
  return `case "$input" in *${text}*) mkdir '${dir}/happened' 2>/dev/null && ${script};; esac`;
}

const hasFile = ({ repo }: Project, name: string): boolean => existsSync(join(repo, name));

/** Every state file, parsed; one that is not whole fails the test. */
function stateFiles({ repo }: Project): string[] {
  const dirs = ['.git/requirements', '.git/requirements/sessions', '.git/holdpoint'];
  const files = dirs.flatMap((dir) => readdirSync(join(repo, dir)).map((name) => join(repo, dir, name)));
  const documents = files.filter((file) => file.endsWith('.json'));
  for (const file of documents) JSON.parse(readFileSync(file, 'utf8'));
  return files;
}

inClaudeCode('trouble in Claude Code', () => {
  it('a hook that takes too long is ended by the client, and the next event is held again', async () => {
    const project = makeProject(PLAN);
    wireLine(project, disturbed(project, firstTime(project, '"PreToolUse"', 'sleep 99')), { timeout: 4 });
    const played = await project.play([
      call(write('a.txt', 'one\n')),
      call(write('b.txt', 'two\n')),
      say('Done.'),
      say('Done.'),
    ]);
    expect(hasFile(project, 'a.txt')).toBe(true);
    expect(JSON.stringify(played.stream)).toContain('hook_no_verdict');
    expect(played.news(2)).toContain('requires `plan` before');
    expect(hasFile(project, 'b.txt')).toBe(false);
  });

  it('with onFailure "block" the call is refused instead', async () => {
    const project = makeProject(PLAN);
    const line = disturbed(project, firstTime(project, '"PreToolUse"', 'sleep 99'));
    wireLine(project, line, { timeout: 4, onFailure: 'block' });
    await project.play([call(write('a.txt', 'one\n')), say('Held.')]);
    expect(hasFile(project, 'a.txt')).toBe(false);
  });

  it('hooks that are killed in the middle leave a whole state, and the next event is judged', async () => {
    const project = makeProject(PLAN);
    project.program(
      'killed',
      [
        'input=$(cat)',
        `printf '%s' "$input" | ${HOOK} & pid=$!`,
        // Each kill comes a little later than the one before it.
        `case "$input" in *'"PostToolUse"'*) n=$(ls '${project.dir}/kills' | wc -l); mkdir '${project.dir}/kills/'$$;`,
        'sleep 0.0$((n % 9 + 1)); kill -9 "$pid" 2>/dev/null;; esac',
        `wait "$pid"; [ $? -ne 137 ] || echo killed >> '${project.dir}/killed.txt'`,
      ].join('\n'),
    );
    project.program('prepare', `mkdir -p '${project.dir}/kills'`);
    wireLine(project, join(project.dir, 'bin', 'killed'));
    const names = Array.from({ length: 18 }, (_, index) => `${index}.txt`);
    const played = await project.play([
      call(bash('prepare; req satisfy plan')),
      call(...names.slice(0, 9).map((name) => write(name, name))),
      ...names.slice(9).map((name) => call(write(name, name))),
      call(bash('req clear plan')),
      call(write('late.txt', 'late\n')),
      say('Done.'),
      say('Done.'),
    ]);
    expect(existsSync(join(project.dir, 'killed.txt'))).toBe(true);
    expect(names.filter((name) => !hasFile(project, name))).toEqual([]);
    expect(played.asked.some(({ news }) => news.includes('requires `plan` before'))).toBe(true);
    expect(hasFile(project, 'late.txt')).toBe(false);
    expect(stateFiles(project).filter((file) => file.includes('corrupt'))).toEqual([]);
    expect(project.holdpoint(['status']).exitCode).toBe(0);
  });

  it('a check that outlives the time for the end of a turn is ended with it, and the next turn is checked', async () => {
    const project = makeProject(
      [
        'inherit: false',
        'gates:',
        '  base_branch: main',
        '  entry_points: [{ path: src, checks: [slow] }]',
        '  checks: { slow: { command: "test -e src/quick || sleep 987", working_directory: . } }',
      ].join('\n'),
    );
    project.write('.gitignore', '.holdpoint/logs\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'gates');
    project.git('branch', '--force', 'main');
    wireLine(project, HOOK, { timeout: 6 });
    const played = await project.play([call(write('src/a.txt', 'one\n')), say('Done.')]);
    expect(played.asked).toHaveLength(2);
    expect(hasFile(project, '.holdpoint/logs/check_src_slow.1.log')).toBe(true);
    expect(runningCommands().filter((line) => line.includes('sleep 987'))).toEqual([]);
    await project.play([call(write('src/quick', 'yes\n')), say('Done.')], {
      args: ['--resume', played.sessionId],
    });
    const state = readFileSync(join(project.repo, '.holdpoint/logs/.execution_state'), 'utf8');
    expect(JSON.parse(state)).toMatchObject({ last_status: 'passed' });
  });

  it('a config that does not parse is said at the start, and the session goes on', async () => {
    const project = makeProject('requirements:\n  plan: {enabled: true\n');
    install(project);
    const played = await project.play([call(write('a.txt', 'one\n')), say('Done.')]);
    expect(played.news(0)).toMatch(/\.holdpoint\/config\.yaml:\d+:\d+/);
    expect(hasFile(project, 'a.txt')).toBe(true);
    expect(played.result).toMatchObject({ subtype: 'success' });
  });

  it('an agent that changes its directory is judged by the same config', async () => {
    const project = makeProject(PLAN);
    project.write('deep/er/.keep', '');
    install(project);
    const played = await project.play([
      call(bash('cd deep/er')),
      call(write('a.txt', 'early\n')),
      call(bash('pwd; req satisfy plan')),
      call(write('a.txt', 'one\n')),
      say('Done.'),
    ]);
    expect(played.news(2)).toContain('requires `plan` before');
    expect(played.news(3)).toContain('deep/er');
    expect(hasFile(project, 'deep/er/a.txt')).toBe(true);
  });

  it('the client’s own bound on refused stops is respected when it is lower', async () => {
    const project = makeProject('inherit: false\n');
    install(project);
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' };
    const played = await project.play(
      [
        call(bash("holdpoint loop start --max 50 'Do it'")),
        ...[1, 2, 3, 4, 5, 6].map((n) => say(`words ${n}`)),
      ],
      { env },
    );
    expect(played.asked).toHaveLength(4);
    expect(JSON.stringify(played.stream)).not.toContain('blocked the turn from ending');
  });
});
