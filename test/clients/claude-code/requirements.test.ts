import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { at } from '../../e2e/rig';
import { bash, call, say, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

const SERVER = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));

function projectWith(requirements: string): Project {
  const project = makeProject(`inherit: false\nrequirements: ${requirements}\n`);
  install(project);
  return project;
}

const fileIn = ({ repo }: Project, name: string): string => readFileSync(join(repo, name), 'utf8');
const stateOf = (project: Project): unknown => project.readJson('.git/requirements/feature-auth.json');

inClaudeCode('requirements in Claude Code', () => {
  it('deny an edit with a reason that the model reads, until the agent has run the command', async () => {
    const project = projectWith('{commit_plan: {enabled: true}}');
    const played = await project.play([
      call(write('a.txt', 'too early\n')),
      call(bash('test ! -e a.txt && req satisfy commit_plan')),
      call(write('a.txt', 'in time\n')),
      say('Done.'),
    ]);
    expect(played.news(0)).toContain('SessionStart hook additional context:');
    expect(played.news(0)).toContain('req satisfy commit_plan');
    expect(played.news(1)).toContain('requires `commit_plan` before');
    expect(played.news(2)).toContain("Satisfied 'commit_plan' for session ");
    expect(played.asked).toHaveLength(4);
    expect(fileIn(project, 'a.txt')).toBe('in time\n');
    const key = played.sessionId.replaceAll('-', '').slice(0, 8);
    expect(at(stateOf(project), 'requirements', 'commit_plan', 'sessions', key)).toMatchObject({
      session_id: played.sessionId,
      satisfied: true,
      satisfied_by: 'cli_bypass',
      actor: 'agent',
      triggered: true,
    });
  });

  it('do not let the agent satisfy what is a person’s to say', async () => {
    const project = projectWith('{plan_approved: {enabled: true, agent_may_satisfy: false}}');
    const played = await project.play([
      call(bash('req satisfy plan_approved; echo "exit $?"')),
      call(write('a.txt', 'one\n')),
      say('A person has to approve the plan.'),
    ]);
    expect(played.news(1)).toContain('exit 1');
    expect(played.news(2)).toContain('requires `plan_approved` before');
    expect(played.asked).toHaveLength(3);
  });

  it('hold the end of a turn once, and the model reads why', async () => {
    const project = projectWith('{changelog: {enabled: true, stop_only: true}}');
    const played = await project.play([
      call(write('a.txt', 'one\n')),
      say('Done.'),
      say('There is nothing to log.'),
    ]);
    expect(played.news(2)).toContain(
      'Stop hook feedback:\nThis project requires `changelog` before the turn ends.\nThe turn is held: ',
    );
    expect(played.asked).toHaveLength(3);
    expect(played.result).toMatchObject({ subtype: 'success' });
  });

  it('judge calls that are made at once each on its own, and count all of them', async () => {
    const project = projectWith('{plan: {enabled: true, trigger_tools: [Write]}}');
    const names = ['a', 'b', 'c', 'd', 'e'];
    const writes = names.map((name) => write(`${name}.txt`, `${name}\n`));
    const played = await project.play([
      call(...writes),
      call(bash('ls *.txt; req satisfy plan')),
      call(...writes),
      say('Done.'),
    ]);
    expect(played.news(1).match(/requires `plan` before/g)).toHaveLength(5);
    expect(played.news(2)).not.toMatch(/^[a-e]\.txt$/m);
    expect(names.map((name) => fileIn(project, `${name}.txt`))).toEqual(names.map((name) => `${name}\n`));
    const key = played.sessionId.replaceAll('-', '').slice(0, 8);
    const counts = project.readJson(`.git/requirements/sessions/${key}.json`);
    expect(at(counts, 'tools', 'Write')).toMatchObject({ count: 10, blocked_count: 5 });
  });

  it('look into the command line: a commit inside of bash -c needs its pass, which one commit uses up', async () => {
    const project = projectWith(
      "{commit_reviewed: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]}}",
    );
    const commit = call(bash('bash -c "git -C . commit --allow-empty --quiet -m work"'));
    const played = await project.play([
      commit,
      call(bash('req satisfy commit_reviewed')),
      commit,
      commit,
      say('Done.'),
    ]);
    expect(played.news(1)).toContain('requires `commit_reviewed` before');
    expect(played.news(4)).toContain('requires `commit_reviewed` before');
    expect(project.git('rev-list', '--count', 'HEAD')).toBe('2');
  });

  it('are satisfied by a skill, whether the agent calls it or a person types it', async () => {
    const project = projectWith('{design: {enabled: true, satisfied_by_skill: sketch}}');
    project.write(
      '.claude/skills/sketch/SKILL.md',
      '---\nname: sketch\ndescription: Sketches\n---\nSketch it.\n',
    );
    const byAgent = await project.play([
      call(write('a.txt', 'one\n')),
      call({ name: 'Skill', input: { skill: 'sketch' } }),
      call(write('a.txt', 'one\n')),
      say('Done.'),
    ]);
    expect(byAgent.news(1)).toContain('requires `design` before');
    expect(fileIn(project, 'a.txt')).toBe('one\n');
    await project.play([call(write('b.txt', 'two\n')), say('Done.')], { prompt: '/sketch' });
    expect(fileIn(project, 'b.txt')).toBe('two\n');
  });

  it('hold what the file of a skill runs, of which no other event tells', async () => {
    const project = projectWith('{plan: {enabled: true, on: edit}}');
    project.write('.claude/commands/make.md', 'Made: !`touch made.txt`\n');
    const skill = call({ name: 'Skill', input: { skill: 'make' } });
    const args = ['--allowedTools', 'Bash(touch:*) Bash(req:*) Bash(ls:*)'];
    const played = await project.play([skill, call(bash('ls; req satisfy plan')), skill, say('Done.')], {
      args,
    });
    expect(played.news(1)).toContain('Skill (it changes made.txt) is held until `plan` is satisfied');
    expect(played.news(2)).not.toContain('made.txt');
    expect(fileIn(project, 'made.txt')).toBe('');
  });

  it('hold mods, which the client would load beside its hooks', async () => {
    const project = projectWith('{plan: {enabled: true, on: commit}}');
    const played = await project.play([
      call({ name: 'Skill', input: { skill: 'plugin-authoring' } }),
      call(
        bash(
          'D=~/.claude/dev-mods/$CLAUDE_CODE_SESSION_ID/m; mkdir -p $D/hooks; echo {} > $D/hooks/hooks.json',
        ),
      ),
      say('Done.'),
    ]);
    expect(played.news(1)).toContain('/.claude/dev-mods/');
    expect(played.news(2)).toContain('.claude/dev-mods decides what Holdpoint holds');
  });

  it('hold the tools of servers by a pattern', async () => {
    const project = projectWith("{noting: {enabled: true, trigger_tools: ['mcp__notes__*']}}");
    const notes = join(project.dir, 'notes.txt');
    const notesServer = { command: process.execPath, args: [SERVER, notes] };
    const config = JSON.stringify({ mcpServers: { notes: notesServer } });
    const note = (line: string) => call({ name: 'mcp__notes__note', input: { line } });
    const played = await project.play(
      [note('early'), call(bash('req satisfy noting')), note('in time'), say('Done.')],
      { args: ['--mcp-config', config] },
    );
    expect(played.news(1)).toContain('requires `noting` before');
    expect(played.news(3)).toContain('NOTED');
    expect(readFileSync(notes, 'utf8')).toBe('in time\n');
  });
});
