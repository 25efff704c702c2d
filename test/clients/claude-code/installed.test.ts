import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { bash, call, type Script, say, type Turn, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

const PLAN = 'inherit: false\nrequirements: {plan: {enabled: true, trigger_tools: [Write]}}\n';
const SETTINGS = '.claude/settings.json';

const fileIn = ({ repo }: Project, name: string): boolean => existsSync(join(repo, name));
const textIn = ({ repo }: Project, name: string): string => readFileSync(join(repo, name), 'utf8');
const oneWrite = [call(write('a.txt', 'one\n')), say('Done.')];

/** The same calls again, fifty times at the most, until something is so. */
function until(isSo: () => boolean, turn: Turn): Script {
  let asked = 0;
  return () => {
    asked += 1;
    return isSo() || asked > 50 ? say('Done.') : turn;
  };
}

/** How often a session was denied a write, by its own counts. */
function denials(project: Project, session: string): unknown {
  const key = session.replaceAll('-', '').slice(0, 8);
  return at(project.readJson(`.git/requirements/sessions/${key}.json`), 'tools', 'Write', 'blocked_count');
}

inClaudeCode('holdpoint install for Claude Code', () => {
  it('leaves foreign hooks and keys at work, and uninstall gives the very file back', async () => {
    const project = makeProject(PLAN);
    const foreign = {
      env: { FOREIGN: 'yes' },
      hooks: {
        PreToolUse: [
          {
            matcher: 'Write',
            hooks: [{ type: 'command', command: `echo "$FOREIGN" >> '${project.dir}/foreign.txt'` }],
          },
        ],
      },
    };
    const original = `${JSON.stringify(foreign, null, '\t').replaceAll('\n', '\r\n')}`;
    project.write(SETTINGS, original);
    install(project);
    const held = await project.play(oneWrite);
    expect(held.news(1)).toContain('requires `plan` before');
    expect(readFileSync(join(project.dir, 'foreign.txt'), 'utf8')).toBe('yes\n');
    expect(project.holdpoint(['uninstall', '--host', 'claude-code']).exitCode).toBe(0);
    expect(textIn(project, SETTINGS)).toBe(original);
    await project.play(oneWrite);
    expect(fileIn(project, 'a.txt')).toBe(true);
  });

  it.each(['--user', '--local'])(
    'works with %s, and beside the project’s own entries counts once',
    async (flag) => {
      const project = makeProject(PLAN);
      install(project, flag);
      const alone = await project.play(oneWrite);
      expect(alone.news(1)).toContain('requires `plan` before');
      expect(fileIn(project, SETTINGS)).toBe(false);
      install(project);
      const both = await project.play(oneWrite);
      expect([alone, both].map(({ sessionId }) => denials(project, sessionId))).toEqual([1, 1]);
    },
  );

  it('is found in order by doctor inside of the session, which status shows as on', async () => {
    const project = makeProject(PLAN);
    install(project);
    let status = '';
    const played = await project.play([
      call(bash('holdpoint doctor; echo "exit $?"')),
      () => {
        status = project.holdpoint(['status']).stdout;
        return say('Done.');
      },
    ]);
    expect(played.news(1)).toContain('exit 0');
    expect(status).toMatch(new RegExp(`^ *${played.sessionId.slice(0, 8)} .* on `, 'm'));
  });

  it('says so where the machine has no Holdpoint, and the agent goes on', async () => {
    const project = makeProject(PLAN);
    install(project);
    rmSync(join(project.home, '.config'), { recursive: true });
    const played = await project.play(oneWrite);
    expect(JSON.stringify(played.stream)).toContain('holdpoint: not installed on this machine');
    expect(fileIn(project, 'a.txt')).toBe(true);
  });

  it('with --fail-closed refuses there instead, and the model reads why', async () => {
    const project = makeProject(PLAN);
    install(project, '--fail-closed');
    rmSync(join(project.home, '.config'), { recursive: true });
    const played = await project.play(oneWrite);
    expect(played.news(1)).toContain('not installed on this machine');
    expect(fileIn(project, 'a.txt')).toBe(false);
  });

  it('an agent that empties the settings is still held, by the call or by the change', async () => {
    const project = makeProject(PLAN);
    install(project);
    // By name the call itself is held; by a script that nobody follows, the change is.
    writeFileSync(join(project.repo, 'empty.sh'), `echo '{}' > .claude/settings.json\n`);
    const seen =
      'for i in $(seq 99); do grep -q ConfigChange .git/holdpoint/journal* && break; sleep 0.1; done';
    const played = await project.play([
      call(bash(`echo '{}' > ${SETTINGS}`)),
      call(bash(`sh empty.sh; ${seen}`)),
      call(write('a.txt', 'one\n')),
      say('Done.'),
    ]);
    expect(played.news(1)).toContain('.claude/settings.json decides what Holdpoint holds');
    expect(project.journal()).toContainEqual(
      expect.objectContaining({ event: 'ConfigChange', decision: 'hold' }),
    );
    expect(played.news(3)).toContain('requires `plan` before');
    expect(fileIn(project, 'a.txt')).toBe(false);
  });

  it('an agent cannot take it out where something is kept from agents', async () => {
    const project = makeProject(
      'inherit: false\nrequirements: {plan: {enabled: true, agent_may_satisfy: false}}\n',
    );
    install(project);
    const before = textIn(project, SETTINGS);
    const played = await project.play([
      call(bash('holdpoint uninstall; echo "exit $?"')),
      call(write('a.txt', 'one\n')),
      say('A person has to approve it.'),
    ]);
    expect(played.news(1)).not.toContain('exit 0');
    expect(played.news(2)).toContain('requires `plan` before');
    expect(textIn(project, SETTINGS)).toBe(before);
  });

  it('a change of the settings that leaves our entries alone is applied', async () => {
    const project = makeProject(PLAN);
    install(project);
    const applied = join(project.dir, 'applied.txt');
    const settings = JSON.parse(textIn(project, SETTINGS));
    const handler = { type: 'command', command: `touch '${applied}'` };
    settings.hooks.PreToolUse.push({ matcher: 'Write', hooks: [handler] });
    const again = until(() => existsSync(applied), call(bash('sleep 0.2'), write('a.txt', 'one\n')));
    let asked = 0;
    const played = await project.playScript((question) => {
      asked += 1;
      if (asked === 2) project.write(SETTINGS, JSON.stringify(settings));
      return again(question);
    });
    expect(existsSync(applied)).toBe(true);
    expect(played.news(1)).toContain('requires `plan` before');
    expect(fileIn(project, 'a.txt')).toBe(false);
  });

  it('a person who uninstalls while a session runs lets it go', async () => {
    const project = makeProject(PLAN);
    install(project);
    const again = until(() => fileIn(project, 'a.txt'), call(bash('sleep 0.2'), write('a.txt', 'one\n')));
    let asked = 0;
    await project.playScript((question) => {
      asked += 1;
      if (asked === 2) project.holdpoint(['uninstall', '--host', 'claude-code']);
      return again(question);
    });
    expect(fileIn(project, 'a.txt')).toBe(true);
  });
});
