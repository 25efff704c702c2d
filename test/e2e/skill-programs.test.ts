import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eventsIn } from './events';
import { deniedBecause, makeRig, type Rig } from './rig';

/* Claude Code runs programs that stand in the file of a skill, and tells nobody but by the call of the skill. */

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = `requirements:
  plan: {enabled: true, on: edit}
  once: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: 'make ship'}]}
  sketch: {enabled: true, stop_only: true, satisfied_by_skill: sketch}
`;

const skill = (body: string, head = ''): string =>
  `---\nname: x\ndescription: does it\n${head}---\n${body}\n`;
const hooks = (command: string): string =>
  `hooks:\n  PreToolUse:\n    - matcher: "*"\n      hooks:\n        - type: command\n          command: ${command}\n`;

const call = (name: string, args?: string) =>
  eventsIn(rig).pre('Skill', { skill: name, ...(args && { args }) });

it.each<[string, string, string, string, string?]>([
  ['a line in the text', '.claude/skills/x/SKILL.md', skill('See !`rm src/a.js` there.'), 'x'],
  ['a block', '.claude/skills/x/SKILL.md', skill('```!\nls\nrm src/a.js\n```'), 'x'],
  ['a command file', '.claude/commands/x.md', 'Look: !`rm src/a.js`\n', '/x'],
  ['a command file in a directory', '.claude/commands/team/x.md', '!`rm src/a.js`', 'team:x'],
  ['a name in capitals, with its place', '.claude/commands/x.md', '!`rm src/a.js`', ' project:X '],
  ['a name in the head', '.claude/skills/other/SKILL.md', skill('!`rm src/a.js`'), 'x'],
  ['a directory of the project', 'packages/a/.claude/skills/x/SKILL.md', skill('!`rm src/a.js`'), 'x'],
  ['a hook in the head', '.claude/skills/x/SKILL.md', skill('Think.', hooks('rm src/a.js')), 'x'],
  ['all that the agent gives', '.claude/commands/x.md', '!`rm $ARGUMENTS`', 'x', 'src/a.js'],
  [
    'signs that mean something where texts are replaced',
    '.claude/commands/x.md',
    '!`rm $ARGUMENTS`',
    'x',
    "src/a.js '$&'",
  ],
  ['a word that the agent gives', '.claude/commands/x.md', '!`rm $2`', 'x', '-f src/a.js'],
  ['words counted from zero', '.claude/commands/x.md', '!`$1 src/a.js`', 'x', 'ls rm'],
  ['words in quotes', '.claude/commands/x.md', '!`$ARGUMENTS[1] src/a.js`', 'x', '"a b" rm'],
  ['more than ten words', '.claude/commands/x.md', '!`$10 src/a.js`', 'x', '0 1 2 3 4 5 6 7 8 9 rm'],
  [
    'lines that end as on Windows',
    '.claude/skills/x/SKILL.md',
    skill('!`rm src/a.js`').replaceAll('\n', '\r\n'),
    'x',
  ],
])('what a skill runs is held as in a shell: %s', (_, file, text, name, args) => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.write('src/a.js', '');
  rig.write(file, text);
  const said = deniedBecause(rig.hook(call(name, args)));
  expect(said).toContain('Skill (it changes src/a.js) is held');
});

it('skills of the home are found too, and others are free', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.write('src/a.js', '');
  mkdirSync(join(rig.home, '.claude/skills/mine'), { recursive: true });
  writeFileSync(join(rig.home, '.claude/skills/mine/SKILL.md'), '!`rm src/a.js`');
  rig.write(
    '.claude/skills/reads/SKILL.md',
    skill('!`git status`\n\nUse `rm` with care!').replace('name: x', ''),
  );
  rig.write('.claude/commands/says.md', 'Never run `rm src/a.js`.');
  deniedBecause(rig.hook(call('mine')));
  for (const name of ['reads', 'says', 'unknown', 'plugin:own']) expect(rig.hook(call(name)).stdout).toBe('');
});

it('a file of any size, and one that is none, keep nobody waiting', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.write('src/a.js', '');
  rig.write('.claude/commands/long.md', `${'```!\n'.repeat(300_000)}!\`rm src/a.js\``);
  spawnSync('mkfifo', [join(rig.repo, '.claude/commands/pipe.md')]);
  deniedBecause(rig.hook(call('long')));
  expect(rig.hook(call('pipe')).stdout).toBe('');
});

it('it uses up what was approved for one call, and still satisfies what it is for', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.write('.claude/skills/sketch/SKILL.md', skill('!`make ship`').replace('name: x', 'name: sketch'));
  const on = eventsIn(rig);
  const before = on.pre('Skill', { skill: 'sketch' }, { tool_use_id: 'toolu_1' });
  deniedBecause(rig.hook(before));
  rig.req(['satisfy', 'once', '--session', 'cad0ac4d']);
  expect(rig.hook(before).stdout).toBe('');
  rig.hook(on.post('Skill', { skill: 'sketch' }, { tool_use_id: 'toolu_1' }));
  expect(rig.req(['status', '--session', 'cad0ac4d', '--json']).stdout).toContain('"actor":"skill"');
  deniedBecause(rig.hook(on.pre('Bash', { command: 'make ship' }, { tool_use_id: 'toolu_2' })));
});
