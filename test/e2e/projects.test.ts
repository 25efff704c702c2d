import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeServerRig } from '../server/server-rig';
import { type Events, eventsIn } from './events';
import { codex } from './host-documents';
import { contextOf, SILENT } from './requirements-project';
import { type Ended, type HostDocument, makeRig, type Rig } from './rig';

/** Every rule ends with the letter of its project. */
const rules = (letter: string): string => `inherit: false
requirements:
  edit_${letter}: {enabled: true, trigger_tools: [Edit, Write, mcp__files__write_file]}
  shell_${letter}:
    enabled: true
    trigger_tools: [{tool: Bash, command_pattern: 'touch|sed|git\\s.*commit|make|python3|cat'}]
  end_${letter}: {enabled: true, stop_only: true, trigger_tools: [TodoWrite]}
`;

let rig: Rig;
let on: Events;
/** Each test is a session of its own in the same projects. */
let session: string;
let sessions = 0;
let places: Readonly<Record<'a' | 'b' | 'sub' | 'plain' | 'none' | 'link' | 'tree', string>>;

function repository(dir: string, config?: string): string {
  execFileSync('git', ['init', '--quiet', '-b', 'work', dir]);
  if (config !== undefined) put(join(dir, '.holdpoint/config.yaml'), config);
  return dir;
}

function put(path: string, text = ''): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Two projects with rules, one without any within the first, a repository and a directory without config. */
beforeAll(() => {
  rig = makeRig(rules('a'), '.holdpoint/config.yaml');
  on = eventsIn(rig);
  const a = rig.repo;
  rig.git('add', '.');
  rig.git('commit', '--quiet', '-m', 'config');
  places = {
    a,
    b: repository(join(rig.dir, 'b'), rules('b')),
    sub: repository(join(a, 'sub'), 'requirements: {}\n'),
    plain: repository(join(rig.dir, 'plain')),
    none: rig.tmp,
    link: rig.link('link', a),
    tree: join(rig.dir, 'tree'),
  };
});
afterAll(() => rig.remove());
beforeEach(() => {
  sessions += 1;
  session = `${String(sessions).padStart(8, '0')}-1111-4111-8111-111111111111`;
});

const send = (event: HostDocument, env: Readonly<Record<string, string>> = {}): Ended =>
  rig.hook({ ...event, session_id: session }, { env });

/** The letters of the projects that hold an event, in order. */
function heldBy(ended: Ended): string {
  expect(ended.stderr).not.toContain('internal error');
  const found = `${ended.stdout}${ended.stderr}`.matchAll(/\b(?:edit|shell|end)_([a-z])\b/g);
  return [...new Set([...found].map(([, letter]) => letter))].sort().join('');
}

const start = (cwd: string): void => void send(on.start('startup', { cwd }));
const edit = (file_path: string, cwd: string): HostDocument => on.pre('Edit', { file_path }, { cwd });
const bash = (command: string, cwd: string): HostDocument => on.pre('Bash', { command }, { cwd });

type Row = readonly [what: string, began: string, by: string, event: (at: typeof places) => HostDocument];

describe('the rules of every project apply whose files a call changes, and of the one the session began in', () => {
  it.each<Row>([
    ['an edit at home', 'a', 'a', ({ a }) => edit(`${a}/x.js`, a)],
    ['an edit from a project within', 'a', 'a', ({ a, sub }) => edit(`${a}/x.js`, sub)],
    ['an edit from a project within, by a relative path', 'a', 'a', ({ sub }) => edit('../x.js', sub)],
    ['an edit in a project within', 'a', 'a', ({ a, sub }) => edit(`${sub}/x.js`, a)],
    ['an edit from a repository without rules', 'a', 'a', ({ a, plain }) => edit(`${a}/x.js`, plain)],
    ['an edit from no repository', 'a', 'a', ({ a, none }) => edit(`${a}/x.js`, none)],
    ['an edit from a directory that is gone', 'a', 'a', ({ a }) => edit(`${a}/x.js`, '/gone')],
    ['an edit of another project', 'a', 'b', ({ a, b }) => edit(`${b}/x.js`, a)],
    ['an edit of another project through a link', 'b', 'a', ({ b, link }) => edit(`${link}/x.js`, b)],
    ['an edit in the one where the agent went', 'a', 'b', ({ b }) => edit(`${b}/x.js`, b)],
    ['an edit of a project by a session of none', 'none', 'a', ({ a, none }) => edit(`${a}/x.js`, none)],
    ['an edit of neither', 'a', '', ({ a, none }) => edit(`${none}/x.js`, a)],
    ['an edit of a repository without rules', 'a', '', ({ a, plain }) => edit(`${plain}/x.js`, a)],
    ['reading another project', 'a', '', ({ a, b }) => on.pre('Read', { file_path: `${b}/x` }, { cwd: a })],
    [
      'an MCP tool',
      'none',
      'b',
      ({ b, none }) => on.pre('mcp__files__write_file', { at: { path: `${b}/x.js` } }, { cwd: none }),
    ],
    ['cd and a write', 'none', 'b', ({ b, none }) => bash(`cd ${b} && touch x.js`, none)],
    ['a write by a path in quotes', 'none', 'b', ({ b, none }) => bash(`touch "${b.slice(0, -1)}"b/x`, none)],
    ['a write by a variable', 'plain', 'b', ({ b, plain }) => bash(`d=${b}; touch $d/x`, plain)],
    ['a write by pieces', 'a', 'ab', ({ a, b }) => bash(`d=${dirname(b)}; e=b; touch $d/$e/x`, a)],
    ['a write by dots', 'plain', 'b', ({ plain }) => bash('touch ../b/x', plain)],
    ['a write through a link', 'none', 'a', ({ link, none }) => bash(`touch ${link}/x`, none)],
    ['cd below into a project within', 'plain', 'a', ({ a }) => bash('cd w && touch x', dirname(a))],
    ['git -C', 'none', 'b', ({ b, none }) => bash(`git -C ${b} commit -m x`, none)],
    ['git --git-dir', 'none', 'b', ({ b, none }) => bash(`git --git-dir=${b}/.git commit -m x`, none)],
    [
      'git --work-tree',
      'none',
      'b',
      ({ b, none }) => bash(`git --git-dir ${b}/.git --work-tree . commit -m x`, none),
    ],
    ['GIT_DIR', 'none', 'b', ({ b, none }) => bash(`GIT_DIR=${b}/.git git commit -m x`, none)],
    ['make -C', 'none', 'b', ({ b, none }) => bash(`make -C ${b} all`, none)],
    ['code', 'none', 'b', ({ b, none }) => bash(`python3 -c 'open("${b}/x", "w")'`, none)],
    ['a command that only reads', 'none', '', ({ b, none }) => bash(`cat ${b}/x | sed s/a/b/`, none)],
    ['git that only reads', 'none', '', ({ b, none }) => bash(`git -C ${b} log --grep commit`, none)],
    ['a command where the agent went', 'a', 'ab', ({ b }) => bash('touch x', b)],
    ['both at once', 'a', 'ab', ({ a, b }) => bash(`touch ${b}/x && touch y`, a)],
  ])('%s', (_what, began, by, event) => {
    start(places[began as keyof typeof places]);
    expect(heldBy(send(event(places)))).toBe(by);
  });

  it('a link in the directory leads to another project', () => {
    symlinkSync(put(join(places.b, 'x.js')), join(places.plain, 'x.js'));
    expect(heldBy(send(bash('touch x.js', places.plain)))).toBe('b');
    symlinkSync(join(places.b, 'new.js'), join(places.plain, 'new.js'));
    expect(heldBy(send(edit('new.js', places.plain)))).toBe('b');
  });

  it('a linked work tree is a project of its own', () => {
    rig.git('worktree', 'add', '--quiet', '-b', 'second', places.tree);
    put(join(places.tree, '.holdpoint/config.yaml'), rules('t'));
    start(places.a);
    expect(heldBy(send(edit(join(places.tree, 'x.js'), places.a)))).toBe('t');
    expect(heldBy(send(edit(join(places.a, 'x.js'), places.tree)))).toBe('a');
    expect(heldBy(send(bash(`git -C ${places.tree} commit -m x`, places.a)))).toBe('at');
  });

  it('three of them', () => {
    const c = repository(join(rig.dir, 'c'), rules('c'));
    start(places.a);
    const ended = send(bash(`touch ${c}/x`, places.b));
    expect(heldBy(ended)).toBe('abc');
    expect(ended.stdout).toContain(
      `This is a rule of the project ${places.a}; run the commands below there.`,
    );
    expect(ended.stdout).not.toContain(`rule of the project ${places.b};`);
  });

  it('odd and long command lines hide nothing', () => {
    start(places.none);
    for (const command of [
      `touch ${places.b}/x '\u0000'`,
      `touch ${places.b}/x ${'{,'.repeat(1000)} $a`,
      `touch ${places.b}/x ${'a"'.repeat(2000)}`,
      `: ${'x '.repeat(20_000)}; touch ${places.b}/x`,
      `touch ${places.b}/${'x'.repeat(5000)}`,
    ])
      expect(heldBy(send(bash(command, places.none))), command.slice(0, 80)).toBe('b');
  });

  it('of another host too', () => {
    const how = { args: ['--host', 'codex'] };
    expect(codex.denied(rig.hook(codex.edit(places.none, join(places.b, 'x')), how))).toContain('edit_b');
    expect(codex.denied(rig.hook(codex.edit(places.none, join(places.none, 'x')), how))).toBeUndefined();
  });
});

describe('where a session began', () => {
  const todo = (cwd: string): HostDocument => on.pre('TodoWrite', { todos: [] }, { cwd });

  it('is remembered, wherever a later event is', () => {
    start(places.a);
    send(on.start('compact', { cwd: places.b }));
    send(on.start('resume', { cwd: places.sub }));
    expect(heldBy(send(edit(join(places.a, 'x'), places.none)))).toBe('a');
    expect(heldBy(send(bash('touch x', places.none)))).toBe('a');
    expect(rig.readJson(join(rig.home, '.claude/sessions.json'))).toMatchObject({
      sessions: { [session.slice(0, 8)]: { session_id: session, began_in: places.a } },
    });
  });

  it('its briefing names it where the session goes on elsewhere', () => {
    start(places.a);
    const told = contextOf(send(on.start('compact', { cwd: places.b })));
    expect(told).toMatch(/^## Requirements: /);
    expect(told).toContain(`\n\nIn the project ${places.a}:\n## Requirements: `);
    expect(told).not.toContain(`In the project ${places.b}`);
  });

  it('its rules hold the end of a turn elsewhere', () => {
    start(places.a);
    expect(send(todo(places.a))).toMatchObject(SILENT);
    for (const cwd of [places.a, places.sub, places.plain, places.none, '/gone'])
      expect(heldBy(send(on.stop(false, { cwd }))), cwd).toBe('a');
    send(todo(places.b));
    expect(heldBy(send(on.stop(false, { cwd: places.b })))).toBe('ab');
  });

  it('the variable of the host only adds one', () => {
    const from = (dir: string, cwd: string): string =>
      heldBy(send(bash('touch x', cwd), { CLAUDE_PROJECT_DIR: dir }));
    expect(from(places.a, places.sub)).toBe('a');
    expect(from(places.sub, places.a)).toBe('a');
    start(places.a);
    expect(from(places.b, places.b)).toBe('ab');
    expect(from('/gone', places.sub)).toBe('a');
    expect(from(places.b, places.none)).toBe('ab');
  });

  it('a hold says where to run its commands, and `--session` finds the project from elsewhere', () => {
    const env = { CLAUDE_PROJECT_DIR: places.a };
    const said = `This is a rule of the project ${places.a}; run the commands below there.`;
    start(places.a);
    for (const cwd of [places.none, places.plain, '/gone'])
      expect(send(bash(`touch ${places.a}/x`, cwd), env).stdout, cwd).toContain(said);
    expect(send(bash('touch x', places.a), env).stdout).not.toContain(said);
    const req = (words: string, cwd: string): Ended => rig.req(words.split(' '), { cwd });
    const satisfied = req(`satisfy shell_a --session ${session.slice(0, 8)}`, places.none);
    expect(satisfied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(send(bash(`touch ${places.a}/x`, places.none), env)).toMatchObject(SILENT);
    expect(req(`clear shell_a --session ${session}`, places.plain)).toMatchObject({ exitCode: 0 });
    expect(heldBy(send(bash('touch x', places.a)))).toBe('a');
    const unknown = req('satisfy shell_a --session abcdefgh', places.none);
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Not in a git repository'),
    });
  });

  it('each project keeps state and a journal of its own', () => {
    start(places.a);
    send(bash('touch x', places.b));
    const journal = (root: string): string =>
      readFileSync(join(root, '.git/holdpoint/journal.jsonl'), 'utf8');
    expect(journal(places.a)).toContain('shell_a');
    expect(journal(places.a)).not.toContain('shell_b');
    expect(journal(places.b)).toContain('shell_b');
    rig.req(['satisfy', 'shell_b', '--session', session], { cwd: places.b });
    expect(heldBy(send(bash('touch x', places.b)))).toBe('a');
    rig.req(['satisfy', 'shell_a', '--session', session], { cwd: places.a });
    expect(send(bash('touch x', places.b))).toMatchObject(SILENT);
  });
});

it('the server says the same', async () => {
  const server = makeServerRig(rig);
  start(places.a);
  await server.serve();
  try {
    const env = { HOME: rig.home, CLAUDE_PROJECT_DIR: places.sub };
    for (const event of [
      bash('touch x', places.b),
      edit(join(places.b, 'x'), places.a),
      edit(join(places.a, 'x'), places.none),
      bash('touch x', places.sub),
      edit(join(places.none, 'x'), places.a),
    ]) {
      const said = await server.ask({ ...event, session_id: session }, { env, lines: { cwd: rig.dir } });
      expect(said).toBeDefined();
      expect(heldBy(said as Ended)).toBe(heldBy(send(event, env)));
    }
  } finally {
    await server.stop();
  }
});
