import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { makeRig, type Rig } from './rig';

const FIXTURES = fileURLToPath(new URL('../fixtures/backtest', import.meta.url));
const PLAN = `inherit: false
requirements:
  plan: {enabled: true, scope: session, trigger_tools: [Write, {tool: Bash, command_pattern: touch}]}
`;
const CLAUDE = '.claude/projects/-w';

interface Told {
  readonly sessions: number;
  readonly calls: number;
  readonly skipped: number;
  readonly rules: readonly {
    readonly rule: string;
    readonly mode: string;
    readonly would_hold: number;
    readonly unknown: number;
    readonly failed: number;
    readonly failure?: { readonly place: string; readonly detail: string };
    readonly examples: readonly { session: string; at: string; tool: string; what: string }[];
  }[];
  readonly compare?: { readonly ref: string; readonly rules: Told['rules'] };
}

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

function rigWith(config: string): Rig {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  rigs.push(rig);
  return rig;
}

/** A real transcript of that host, as if it had worked in the repository. */
function transcript(rig: Rig, name: string): string {
  return readFileSync(join(FIXTURES, name), 'utf8').replaceAll('/home/dev/project', rig.repo);
}

function withClaude(rig: Rig): void {
  rig.writeHome(`${CLAUDE}/5e551011.jsonl`, transcript(rig, 'claude-code/session.jsonl'));
  rig.writeHome(`${CLAUDE}/5e551011/subagents/agent-1.jsonl`, transcript(rig, 'claude-code/subagent.jsonl'));
}

function told(rig: Rig, ...args: string[]): Told {
  const { json, stderr } = rig.holdpoint(['backtest', '--json', ...args]);
  if (json === undefined) throw new Error(stderr);
  return json as Told;
}

function countsOf({ rules }: Pick<Told, 'rules'>): Record<string, readonly [held: number, unknown: number]> {
  return Object.fromEntries(rules.map(({ rule, would_hold, unknown }) => [rule, [would_hold, unknown]]));
}

/** A session of Claude Code that runs these command lines, a minute apart. */
function claudeLines(rig: Rig, session: string, commands: readonly string[], day = '2026-11-01'): string[] {
  const common = { sessionId: session, cwd: rig.repo, gitBranch: 'feature/auth', isSidechain: false };
  const at = (minute: number): string => `${day}T10:${String(minute).padStart(2, '0')}:00.000Z`;
  return [
    {
      type: 'user',
      message: { role: 'user', content: 'Go.' },
      uuid: `${session}-0`,
      timestamp: at(0),
      ...common,
    },
    ...commands.flatMap((command, index) => {
      const id = `toolu_${session}_${index}`;
      const use = { type: 'tool_use', id, name: 'Bash', input: { command } };
      const result = { type: 'tool_result', tool_use_id: id, content: '', is_error: false };
      return [
        {
          type: 'assistant',
          message: { role: 'assistant', content: [use] },
          timestamp: at(index + 1),
          ...common,
        },
        { type: 'user', message: { role: 'user', content: [result] }, timestamp: at(index + 1), ...common },
      ];
    }),
    {
      type: 'assistant',
      message: { role: 'assistant', id: 'end', content: [{ type: 'text', text: 'Done.' }] },
      timestamp: at(commands.length + 1),
      ...common,
    },
  ].map((line) => JSON.stringify(line));
}

describe('holdpoint backtest', () => {
  it('reports of each host what its hook held in the recorded session, and of a subagent by time', () => {
    const rig = rigWith(PLAN);
    withClaude(rig);
    const claude = told(rig);
    expect(claude).toMatchObject({ sessions: 1, calls: 13, skipped: 0 });
    expect(claude.rules).toMatchObject([{ rule: 'plan', mode: 'hold', would_hold: 2, unknown: 0 }]);
    expect(claude.rules[0]?.examples).toStrictEqual([
      { session: expect.any(String), at: '2026-11-17T03:10:46.800Z', tool: 'Bash', what: 'touch a.txt' },
      {
        session: expect.any(String),
        at: '2026-11-17T03:10:46.891Z',
        tool: 'Write',
        what: 'b.txt',
      },
    ]);
    rig.writeHome('.codex/sessions/2026/11/17/rollout-1.jsonl', transcript(rig, 'codex/session.jsonl'));
    rig.writeHome('.gemini/tmp/w/chats/session-1.jsonl', transcript(rig, 'gemini/session.jsonl'));
    const all = told(rig);
    expect(all).toMatchObject({ sessions: 3, calls: 35, skipped: 0 });
    expect(countsOf(all)).toStrictEqual({ plan: [9, 0] });
    expect(all.rules[0]?.examples.map(({ tool }) => tool)).toStrictEqual([
      ...['Bash', 'Write'],
      ...['Bash', 'Bash', 'Bash', 'Bash'],
      ...['run_shell_command', 'write_file', 'run_shell_command'],
    ]);
  });

  it('reads lines with blanks between their parts', () => {
    const rig = rigWith(PLAN);
    const spaced = (name: string): string =>
      transcript(rig, name)
        .trim()
        .split('\n')
        .map((line) => ` ${JSON.stringify(JSON.parse(line), null, 1).replaceAll('\n', '\t')} \r`)
        .join('\n');
    rig.writeHome(`${CLAUDE}/5e551011.jsonl`, spaced('claude-code/session.jsonl'));
    rig.writeHome(`${CLAUDE}/5e551011/subagents/agent-1.jsonl`, spaced('claude-code/subagent.jsonl'));
    rig.writeHome('.codex/sessions/2026/11/17/rollout-1.jsonl', spaced('codex/session.jsonl'));
    rig.writeHome('.gemini/tmp/w/chats/session-1.jsonl', spaced('gemini/session.jsonl'));
    const all = told(rig);
    expect(all).toMatchObject({ sessions: 3, calls: 35, skipped: 0 });
    expect(countsOf(all)).toStrictEqual({ plan: [9, 0] });
  });

  it('reads the one JSON document that older versions of Gemini CLI write', () => {
    const rig = rigWith(PLAN);
    const lines = transcript(rig, 'gemini/session.jsonl').trim().split('\n');
    const [head = {}, ...entries] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const byId = new Map(entries.flatMap((entry) => ('id' in entry ? [[entry['id'], entry] as const] : [])));
    const messages = [...byId.values()];
    rig.writeHome('.gemini/tmp/w/chats/session-1.json', JSON.stringify({ ...head, messages }, null, 2));
    rig.writeHome('.gemini/tmp/w/.project_root', rig.repo);
    expect(told(rig)).toMatchObject({ sessions: 1, calls: 11, skipped: 0, rules: [{ would_hold: 3 }] });
  });

  it('prints the rules by how often they would have held, and writes nothing', () => {
    const rig = rigWith(
      `${PLAN}  status: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git status}]}\n`,
    );
    withClaude(rig);
    const before = [rig.listing(), rig.git('status', '--porcelain', '--ignored'), stateIn(rig)];
    const { stdout, stderr, exitCode } = rig.holdpoint(['backtest', '--transcripts', rig.home]);
    expect([exitCode, stderr]).toStrictEqual([0, '']);
    expect(stdout).toContain('1 session, 13 tool calls, 0 lines skipped');
    const rows = stdout.split('\n').filter((line) => /^ +\d+ +\d+ {2}hold/.test(line));
    expect(rows.map((row) => row.trim().split(/ +/))).toStrictEqual([
      ['2', '0', 'hold', 'plan'],
      ['2', '0', 'hold', 'status'],
    ]);
    expect(stdout).toMatch(/ {2}Bash {2}touch a\.txt/);
    expect([rig.listing(), rig.git('status', '--porcelain', '--ignored'), stateIn(rig)]).toStrictEqual(
      before,
    );
  });

  it('counts torn lines and lines of other programs, and a call of a forked session once', () => {
    const rig = rigWith(PLAN);
    const lines = claudeLines(rig, 'aaaa', ['touch a', 'touch b']);
    const torn = [
      lines[0],
      '{"type":"user","mess',
      lines[1],
      'no json',
      '{"type":"assistant","x":}',
      ...lines.slice(2),
    ];
    rig.writeHome(`${CLAUDE}/aaaa.jsonl`, torn.join('\n'));
    rig.writeHome(
      `${CLAUDE}/bbbb.jsonl`,
      lines.join('\n').replaceAll('"sessionId":"aaaa"', '"sessionId":"bbbb"'),
    );
    rig.writeHome(`${CLAUDE}/other.jsonl`, '{"tool":"other"}\n{"tool":"other"}\n');
    const { calls, skipped, rules } = told(rig);
    expect([calls, skipped, rules[0]?.would_hold]).toStrictEqual([2, 5, 2]);
  });

  it('plays sessions of this project and its work trees, since a time, and with --all every one', () => {
    const rig = rigWith(PLAN);
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'config');
    rig.git('worktree', 'add', '--quiet', join(rig.dir, 'tmp/tree'), '-b', 'tree');
    const write = (name: string, cwd: string, day: string): void =>
      rig.writeHome(
        `.claude/projects/${name}/${name}.jsonl`,
        claudeLines(rig, name, ['touch a'], day).join('\n').replaceAll(`"${rig.repo}"`, JSON.stringify(cwd)),
      );
    write('here', join(rig.repo, 'src'), '2026-11-01');
    write('tree', join(rig.dir, 'tmp/tree'), '2026-11-02');
    write('gone', '/gone/project', '2026-11-03');
    expect(told(rig).rules[0]?.examples.map(({ session }) => session)).toStrictEqual(['here', 'tree']);
    expect(told(rig, '--all').rules[0]?.examples.map(({ session }) => session)).toStrictEqual([
      'here',
      'tree',
      'gone',
    ]);
    expect(told(rig, '--since', '2026-11-02')).toMatchObject({ sessions: 1, calls: 1 });
  });

  it('says what it cannot know: files as they were, checks, values, and the branch where nobody noted it', () => {
    const rig = rigWith(`inherit: false
requirements:
  edits: {enabled: true, scope: session, on: [edit]}
  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 10}, trigger_tools: [Bash]}
  safe: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main], trigger_tools: [{tool: Bash, command_pattern: make}]}
gates:
  base_branch: main
  entry_points: [{path: ., checks: [proof]}]
  checks: {proof: {command: 'false'}}
`);
    // Whether a file was there decides whether touch or rm changes anything, and nobody can tell what make did.
    const lines = claudeLines(rig, 'aaaa', ['touch a.txt', 'echo x > a.txt', 'rm a.txt', 'ls', 'make']);
    rig.writeHome(`${CLAUDE}/aaaa.jsonl`, lines.join('\n'));
    expect(countsOf(told(rig))).toMatchObject({
      edits: [1, 3],
      size: [0, 6],
      safe: [0, 0],
      proof: [0, 1],
    });
    // Git's own log does not go back to a session of last year, and Gemini CLI notes no branch; but a later command made one.
    const gemini = transcript(rig, 'gemini/session.jsonl').replaceAll('2026-11-17T', '2025-11-17T');
    rig.writeHome(`${CLAUDE}/aaaa.jsonl`, '');
    rig.writeHome('.gemini/tmp/w/chats/session-1.jsonl', gemini.replaceAll('git status', 'make'));
    expect(countsOf(told(rig))['safe']).toStrictEqual([0, 1]);
  });

  it('knows the branch after a line that switched there and back', () => {
    const rig = rigWith(`inherit: false
requirements:
  safe: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main], trigger_tools: [{tool: Bash, command_pattern: make}]}
`);
    const there = 'git checkout main && git pull';
    const said = JSON.stringify("Switched to branch 'main'\nSwitched to branch 'feature/auth'");
    const played = (command: string, printed: string): unknown => {
      const lines = claudeLines(rig, 'aaaa', [command, 'make']);
      rig.writeHome(`${CLAUDE}/aaaa.jsonl`, lines.join('\n').replace('"content":""', `"content":${printed}`));
      return countsOf(told(rig))['safe'];
    };
    expect(played(`${there} && git checkout feature/auth`, said)).toStrictEqual([0, 0]);
    expect(played(there, JSON.stringify("Switched to branch 'main'"))).toStrictEqual([1, 0]);
  });

  it('knows of a file what the edit itself noted, and the list of dependencies as it is now', () => {
    const rig = rigWith('inherit: false\nrules:\n  no-new-dependencies: {}\n');
    rig.write('.holdpoint/dependencies.txt', 'react\n');
    const manifest = (...names: string[]): string =>
      JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) });
    const write = (path: string, content: string, noted?: object) => {
      const filePath = join(rig.repo, path);
      const use = { name: 'Write', input: { file_path: filePath, content } };
      return { use, noted: noted && { filePath, ...noted } };
    };
    const bash = (command: string) => ({ use: { name: 'Bash', input: { command } }, noted: undefined });
    const calls = [
      write('src/a.ts', 'let a;'),
      bash('npm install'),
      write('package.json', manifest('react'), { type: 'create', originalFile: null }),
      // Asks: what was there is known, and lacked it.
      write('package.json', manifest('react', 'left-pad'), {
        type: 'update',
        originalFile: manifest('react'),
      }),
      write('package.json', manifest('left-pad'), { type: 'update', originalFile: manifest('left-pad') }),
      // Unknown: nobody noted what was in the manifest.
      write('package.json', manifest('left-pad')),
      bash('npm install lodash'),
    ];
    const common = { sessionId: 'aaaa', cwd: rig.repo, gitBranch: 'main', timestamp: '2026-11-01T10:00:00Z' };
    const lines = calls.flatMap(({ use, noted }, index) => {
      const id = `toolu_${index}`;
      const called = { role: 'assistant', content: [{ type: 'tool_use', id, ...use }] };
      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '' }] };
      return [
        { type: 'assistant', message: called, ...common },
        { type: 'user', message: result, ...common, ...(noted && { toolUseResult: noted }) },
      ];
    });
    rig.writeHome(`${CLAUDE}/aaaa.jsonl`, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(told(rig)).toMatchObject({
      calls: 7,
      rules: [{ rule: 'no-new-dependencies', would_hold: 1, unknown: 2 }],
    });
  });

  it('puts the config of another commit beside it', () => {
    const rig = rigWith(PLAN);
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'config');
    rig.write('.holdpoint/config.yaml', PLAN.replace('touch', 'git status').replace('Write, ', ''));
    withClaude(rig);
    const { rules, compare } = told(rig, '--compare', 'HEAD');
    expect(countsOf({ rules })).toStrictEqual({ plan: [0, 0] });
    expect(compare?.ref).toBe('HEAD');
    expect(countsOf(compare as Pick<Told, 'rules'>)).toStrictEqual({ plan: [2, 0] });
    expect(rig.holdpoint(['backtest', '--compare', 'HEAD']).stdout).toMatch(
      /at HEAD[\s\S]* 0 +0 +2 +0 {2}hold +plan/,
    );
    expect(rig.holdpoint(['backtest', '--compare', 'nowhere'])).toMatchObject({ exitCode: 2 });
  });

  it('says how often a rule failed, and where and why', () => {
    const rig = rigWith(PLAN);
    rig.write(
      'rules/throws.ts',
      "export default {\n  name: 'throws',\n  on: ['edit'],\n  decide() {\n    throw new Error('boom');\n  },\n};\n",
    );
    const lines = claudeLines(rig, 'aaaa', ['echo x > a.txt', 'ls', 'echo y > b.txt']);
    rig.writeHome(`${CLAUDE}/aaaa.jsonl`, lines.join('\n'));
    const { rules } = told(rig, '--rules', 'rules/throws.ts');
    expect(rules.find(({ rule }) => rule === 'throws')).toMatchObject({
      ...{ would_hold: 0, unknown: 0, failed: 2 },
      failure: { place: 'rules/throws.ts:5:11', detail: 'boom' },
    });
    const { stdout } = rig.holdpoint(['backtest', '--rules', 'rules/throws.ts']);
    expect(stdout).toMatch(/would hold +unknown +failed [\s\S]* 0 +0 +2 {2}hold +throws/);
    expect(stdout).toContain('failed 2 times, the first time at rules/throws.ts:5:11: boom');
  });

  it('reads a single file, and says in plain words what it cannot read', () => {
    const rig = rigWith(PLAN);
    rig.write('session.log', claudeLines(rig, 'aaaa', ['touch a']).join('\n'));
    expect(told(rig, '--transcripts', 'session.log')).toMatchObject({ sessions: 1, calls: 1, skipped: 0 });
    const refused = (path: string): string =>
      rig.holdpoint(['backtest', '--transcripts', path]).stderr.trim();
    const cannot = (path: string): string => `holdpoint backtest: cannot read ${join(rig.repo, path)}`;
    expect(refused('missing')).toBe(`${cannot('missing')}: no such file or directory.`);
    expect(refused('session.log/x')).toBe(`${cannot('session.log/x')}: not a file or directory.`);
    expect(rig.holdpoint(['backtest', '--transcripts', 'missing'])).toMatchObject({ exitCode: 2 });
  });

  it('says why where there is nothing to play', () => {
    const rig = rigWith(PLAN);
    const none = rig.holdpoint(['backtest']);
    expect(none).toMatchObject({ exitCode: 0 });
    expect(none.stderr).toContain(
      'no transcripts found. Looked in ~/.claude/projects, ~/.codex/sessions, ~/.gemini/tmp',
    );
    rig.writeHome(
      `${CLAUDE}/a.jsonl`,
      claudeLines(rig, 'a', ['ls']).join('\n').replaceAll(rig.repo, '/elsewhere'),
    );
    expect(rig.holdpoint(['backtest']).stderr).toMatch(
      /no sessions of this project, but 1 session of other projects\. .* '--all' plays/,
    );
    expect(told(rig)).toMatchObject({ sessions: 0, other_projects: 1 });
    rig.write('other/notes.jsonl', '{"tool":"other"}\n');
    const other = rig.holdpoint(['backtest', '--transcripts', 'other']);
    expect(other.stderr).toContain('no transcripts of Claude Code, Codex or Gemini CLI');
    expect(other.stdout).toContain('0 sessions, 0 tool calls, 1 line skipped');
    const plain = rigWith('');
    withClaude(plain);
    expect(plain.holdpoint(['backtest']).stderr).toContain('no rules in this project');
  });

  it.skipIf(process.getuid?.() === 0)(
    'refuses a directory that it cannot read [skipped as root, who can]',
    () => {
      const rig = rigWith(PLAN);
      withClaude(rig);
      chmodSync(join(rig.home, '.claude/projects'), 0o000);
      expect(rig.holdpoint(['backtest'])).toMatchObject({ exitCode: 2 });
      chmodSync(join(rig.home, '.claude/projects'), 0o700);
    },
  );
});

function stateIn(rig: Rig): unknown {
  return [
    rig.readJson('.git/requirements/feature-auth.json'),
    rig.readJson(join(rig.home, '.claude/sessions.json')),
  ];
}
