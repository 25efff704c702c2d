import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { holdpoint } from '../../src/cli/commands/holdpoint';
import { claudeCodeSetup } from '../../src/hosts/claude-code/setup';
import { jsonOf, PLUGIN, ROOT } from './rig';

interface Handler {
  readonly type: string;
  readonly command: string;
  readonly timeout: number;
}
type Hooks = Readonly<Record<string, readonly { readonly hooks: readonly Handler[] }[]>>;

const { hooks } = jsonOf('plugin/hooks/hooks.json') as { hooks: Hooks };
const handlers = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks));

/** Events with the seconds that each is given. */
function secondsBy(entries: readonly (readonly [string, unknown])[]): Record<string, number> {
  const seconds = (groups: unknown) => (groups as Hooks[string])[0]?.hooks[0]?.timeout ?? 0;
  return Object.fromEntries(entries.map(([event, groups]) => [event, seconds(groups)]));
}

describe('the manifest', () => {
  const { version } = jsonOf('package.json') as { version: string };

  it('has the name and the version of the package', () => {
    expect(jsonOf('plugin/.claude-plugin/plugin.json')).toMatchObject({ name: 'holdpoint', version });
  });

  it('is found by the marketplace beside it', () => {
    const { plugins } = jsonOf('.claude-plugin/marketplace.json') as {
      plugins: { name: string; source: string }[];
    };
    expect(plugins.map(({ name }) => name)).toEqual(['holdpoint']);
    expect(existsSync(join(ROOT, plugins[0]?.source ?? '', '.claude-plugin/plugin.json'))).toBe(true);
  });

  it('is part of the package, with the marketplace', () => {
    const { files } = jsonOf('package.json') as { files: string[] };
    expect(files).toEqual(expect.arrayContaining(['plugin', '.claude-plugin', 'dist']));
  });
});

describe('the hooks', () => {
  it('are those that install writes, with the same seconds', () => {
    const ground = { project: '/p', home: '/h', env: {} };
    const { entries: written } = claudeCodeSetup.installSpec('project', ground);
    expect(secondsBy(Object.entries(hooks))).toEqual(
      secondsBy(written.map(({ path, value }) => [path[1] ?? '', [value]])),
    );
  });

  it('are one line for all events, and time enough for gates at the end of a turn', () => {
    expect(new Set(handlers.map(({ type, command }) => `${type} ${command}`)).size).toBe(1);
    expect(hooks['Stop']?.[0]?.hooks[0]?.timeout).toBe(600);
  });

  it('leave the folder to the environment, since text would be put into the line unquoted', () => {
    expect(handlers[0]?.command).not.toContain('${');
  });
});

const COMMANDS = readdirSync(join(PLUGIN, 'commands'));
const PAGES = [...COMMANDS.map((name) => `commands/${name}`), 'skills/held/SKILL.md'];

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(PLUGIN, page), 'utf8');
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const fields = parse(front) as Record<string, string>;

  test('says in one line what it is for', () => {
    expect(fields['description']).toMatch(/^[A-Z][^\n]{20,240}$/);
  });

  test('may run our own commands alone', () => {
    const rules = (fields['allowed-tools'] ?? '').split(/, (?=Bash)/).filter((rule) => rule !== '');
    expect(rules.filter((rule) => !/^Bash\((?:holdpoint [a-z ]+|req):\*\)$/.test(rule))).toEqual([]);
  });

  test('runs by itself only what it may', () => {
    const inline = [...body.matchAll(/!`([^`]+)`/g)].map(([, line]) => line ?? '');
    const allowed = [...(fields['allowed-tools'] ?? '').matchAll(/Bash\(([^:]+):/g)].map(
      ([, rule]) => rule ?? '',
    );
    expect(inline.filter((line) => !allowed.some((rule) => line.startsWith(rule)))).toEqual([]);
    expect(inline.filter((line) => line.includes('$'))).toEqual([]);
  });

  test('names only commands that there are', () => {
    const verbs = [...text.matchAll(/\bholdpoint ([a-z]+)\b/g)].map(([, verb]) => verb ?? '');
    const known = holdpoint().commands.map((command) => command.name());
    const spoken = verbs.filter((verb) => !known.includes(verb));
    expect(spoken.filter((verb) => new RegExp(`\`[^\`\\n]*holdpoint ${verb}`).test(text))).toEqual([]);
  });
});

it('has a command for each thing that people ask for', () => {
  const asked = ['approve', 'cancel-loop', 'flow', 'gates', 'loop', 'reject', 'req', 'status', 'why'];
  expect(COMMANDS.sort()).toEqual(asked.map((name) => `${name}.md`));
});

it.each(['holdpoint', 'req', 'agent-gauntlet'])('has the program %s, which can be run', (name) => {
  expect(() => accessSync(join(PLUGIN, 'bin', name), constants.X_OK)).not.toThrow();
  expect(Object.keys((jsonOf('package.json') as { bin: object }).bin)).toContain(name);
});
