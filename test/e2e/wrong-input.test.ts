import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRig, type Rig } from './rig';

const CONFIG = '.holdpoint/config.yaml';
const SESSION = '5e551011-0000-4000-8000-000000000000';
let rig: Rig;
beforeAll(() => {
  rig = makeRig('requirements: {plan: {enabled: true}}\n', CONFIG);
  rig.hook({ session_id: SESSION, cwd: rig.repo, hook_event_name: 'SessionStart', source: 'startup' });
});
afterAll(() => rig.remove());

describe('a session that nobody knows', () => {
  it.each([
    [['req', 'status']],
    [['req', 'clear', 'plan']],
    [['req', 'pause']],
    [['req', 'resume']],
    [['req', 'explain', 'Edit']],
    [['loop', 'status']],
    [['loop', 'log']],
    [['loop', 'pause']],
    [['loop', 'cancel']],
    [['loop', 'resume']],
  ])('%j: an error that lists those that are known', (args) => {
    for (const name of ['nosuch', 'ffffffff-0000-4000-8000-000000000000']) {
      const { exitCode, stdout, stderr } = rig.holdpoint([...args, '--session', name]);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`unknown session '${name}'.\nKnown sessions:\n  5e551011`);
    }
  });

  it('that is known is taken, whole or cut short', () => {
    for (const name of [SESSION, '5e551011', '5e55']) {
      expect(rig.holdpoint(['req', 'status', '--session', name]).exitCode).toBe(0);
      const { stdout } = rig.holdpoint(['req', 'satisfy', 'plan', '--session', name]);
      expect(stdout).toMatch(
        /^Using explicit session: 5e551011\n.* for session 5e551011 \(session scope\)\n$/,
      );
    }
  });

  it('may still begin: what is satisfied for it counts then, and that is said', () => {
    const later = 'abcdabcd-0000-4000-8000-000000000000';
    const { exitCode, stdout } = rig.holdpoint(['req', 'satisfy', 'plan', '--session', later]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('has been seen here yet')]);
    const again = rig.holdpoint(['req', 'satisfy', 'plan', '--session', later]);
    expect(again.stdout).not.toContain('has been seen here yet');
    expect(rig.holdpoint(['req', 'status', '--session', later]).exitCode).toBe(0);
  });
});

it.each([
  [['flow', 'record', 'constitution'], 'Which articles did you check?'],
  [['req', 'clear'], 'Specify requirement name or use --all'],
])('%j: outside of a repository, the wrong argument is named first', (args, words) => {
  const { exitCode, stdout, stderr } = rig.holdpoint(args, { cwd: rig.tmp });
  expect([exitCode === 0, stdout]).toEqual([false, '']);
  expect(stderr).toContain(words);
});

describe('a config', () => {
  const told = (text: string): string => {
    const other = makeRig(text, CONFIG);
    const { stderr } = other.holdpoint(['config']);
    other.remove();
    return stderr;
  };

  it.each([
    ['git (push', 'unterminated group'],
    ['[z-a]', 'range out of order in character class'],
    ['*x', 'nothing to repeat'],
    ['a: (b', 'unterminated group'],
  ])('with the command_pattern %s says what is wrong and where', (pattern, why) => {
    const line = `    trigger_tools: [{tool: Bash, command_pattern: '${pattern}'}]`;
    const said = told(`requirements:\n  push:\n${line}\n`);
    expect(said).toContain(`${CONFIG}:3:${line.indexOf("'") + 1}: error: `);
    expect(said).toContain(`\`command_pattern\` is not a valid regular expression: ${why} in \`${pattern}\``);
  });

  it.each([
    ['src/[a', 'the `[` is never closed'],
    ['src/{a,b', 'the `{` is never closed'],
    ['src/a}', 'the `}` closes nothing'],
  ])('with the glob %s says what is wrong and where, for a requirement and for a gate', (glob, why) => {
    const requirement = told(`requirements:\n  a:\n    paths: ['${glob}']\n`);
    expect(requirement).toContain(`${CONFIG}:3:13: error: `);
    expect(requirement).toContain(why);
    const gate = told(`gates:\n  entry_points:\n    - path: '${glob}'\n      checks: []\n`);
    expect(gate).toContain(`${CONFIG}:3:13: error: `);
    expect(gate).toContain(why);
  });

  it.each([
    ['requirements:\n<<<<<<< HEAD\n  a: {enabled: true}\n=======\n  a: {}\n>>>>>>> b\n', 2, 'lines 2, 4, 6'],
    ['version: 1\n<<<<<<< a\n||||||| base\n=======\nx: [\n>>>>>>> b\n', 2, 'lines 2, 3, 4, 6'],
    ['version: 1\r\n>>>>>>> left over\r\n', 2, 'line 2'],
  ])('with merge markers is one error that says so: %j', (text, line, lines) => {
    const said = told(text);
    expect(said.match(/: error: /g)).toHaveLength(1);
    expect(said).toContain(`${CONFIG}:${line}:1: error: merge conflict markers left in the file (${lines})`);
  });

  it('may keep anchors in keys that begin with x-, at the top and below', () => {
    const text = `x-base: &base {enabled: true, scope: branch}
x-list: [&edit Edit]
requirements:
  a:
    <<: *base
    x-note: mine
    trigger_tools: [*edit]
  b: *base
gates:
  x-check: &check {command: 'true'}
  entry_points: [{path: ., checks: [t]}]
  checks:
    t: *check
`;
    for (const file of [CONFIG, '.claude/requirements.yaml']) {
      const other = makeRig(file === CONFIG ? text : text.slice(0, text.indexOf('gates:')), file);
      const { json, exitCode } = other.holdpoint(['config', '--json']);
      expect([exitCode, json]).toMatchObject([0, { problems: [] }]);
      expect(json).toMatchObject({
        config: {
          requirements: {
            a: { enabled: true, scope: 'branch', trigger_tools: ['Edit'] },
            b: { enabled: true, scope: 'branch' },
          },
        },
      });
      expect(other.holdpoint(['config', '--sources']).stdout).not.toContain('x-');
      other.remove();
    }
    const schema = JSON.parse(rig.holdpoint(['schema']).stdout) as { patternProperties: object };
    expect(schema.patternProperties).toEqual({ '^x-': {} });
  });
});

/** Every command below a group, with its words. */
function commandsBelow(words: readonly string[]): string[][] {
  const { json } = rig.holdpoint([...words, 'help', '--json']);
  const names = (json as { command: string }[]).map(({ command }) => command);
  return names.flatMap((name) => {
    const own = [...words, name];
    const isGroup = /\nCommands:\n/.test(rig.holdpoint([...own, '--help']).stdout) && name !== 'help';
    return [own, ...(isGroup ? commandsBelow(own) : [])];
  });
}

it('every command has an example, and every flag and argument is explained', () => {
  // The test's runner, as the launcher, answers `stop-hook` as an event.
  const commands = [[], ...commandsBelow([])].filter(
    (words) => !['stop-hook', 'help'].includes(words.at(-1) ?? ''),
  );
  expect(commands.length).toBeGreaterThan(60);
  for (const words of commands) {
    const asked = [...words.slice(0, -1), 'help', ...words.slice(-1)];
    const { stdout, exitCode } = rig.holdpoint(asked);
    const name = words.join(' ');
    expect(exitCode, name).toBe(0);
    expect(stdout, name).toMatch(/\nExamples:\n {2}\S/);
    const [, options = ''] = /\nOptions:\n([\s\S]*?)(?:\n\n|\n*$)/.exec(stdout) ?? [];
    const flags = options.match(/^ {2}-.*$/gm) ?? [];
    expect(flags.length, name).toBeGreaterThan(0);
    for (const flag of flags)
      expect(`${flag}\n${options}`, `${name}: ${flag}`).toMatch(/^ {2}-.*?( {2,}\S|\n {10,}\S)/);
    const examples = stdout.slice(stdout.indexOf('\nExamples:'));
    const known = new Set(options.match(/--?[a-z][\w-]*/g) ?? []);
    if (stdout.includes('\nCommands:\n')) continue;
    const own = (line: string): boolean =>
      new RegExp(`\\b${words.at(-1) ?? 'x'}\\b`).test(line) && words.length > 0;
    for (const line of examples.split('\n').filter(own))
      for (const flag of line.replace(/#.*|"[^"]*"|'[^']*'/g, '').match(/ --[a-z][\w-]*/g) ?? [])
        expect([...known], `${name}: ${line}`).toContain(flag.trim());
  }
});

it.each([
  [['init', '--preset', 'bogus'], 'bogus'],
  [['init', '--bogus'], '--bogus'],
  [['install', '--host', 'bogus'], 'bogus'],
  [['uninstall', '--host', 'bogus'], 'bogus'],
  [['status', '--bogus'], '--bogus'],
  [['log', '-n', 'bogus'], 'bogus'],
  [['explain', 'x', '--host', 'bogus'], 'bogus'],
  [['req', 'satisfy', 'x', '--ttl', 'bogus'], 'bogus'],
  [['req', 'satisfy', 'x', '--ttl', 'Infinity'], 'Infinity'],
  [['req', 'init', '--yes', '--preset', 'bogus'], 'bogus'],
  [['req', 'status', '--bogus'], '--bogus'],
  [['loop', 'start', 'x', '--mode', 'bogus'], 'bogus'],
  [['loop', 'log', '-n', 'bogus'], 'bogus'],
  [['gates', 'run', '--bogus'], '--bogus'],
  [['flow', 'status', '--bogus'], '--bogus'],
])('outside of a repository %j names the wrong flag', (args, wrong) => {
  const { exitCode, stderr } = rig.holdpoint(args, { cwd: rig.tmp });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(wrong);
  expect(stderr).not.toContain('git repository');
});
