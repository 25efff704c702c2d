import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json';
import { examine, wrongKeys } from '../../src/hosts/claude-code/check-settings';
import { olderProgram } from '../../src/hosts/claude-code/setup';
import { codexSetup } from '../../src/hosts/codex/setup';
import { COMMAND_TEXTS } from '../../src/hosts/command-texts';
import { copilotSetup } from '../../src/hosts/copilot/setup';
import { cursorSetup } from '../../src/hosts/cursor/setup';
import { commandFile as asToml, geminiSetup } from '../../src/hosts/gemini/setup';
import { commandFile as asMarkdown, opencodeSetup } from '../../src/hosts/opencode/setup';
import type { InstallTarget } from '../../src/hosts/setup';
import { startLineFor } from '../../src/hosts/start-line';

const LINE = 'L="$HOME/.config/holdpoint/launch"; . "$L"';
const GROUND = { project: '/w', home: '/h', env: {} };

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-setup-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('Claude Code', () => {
  const handler = (more: JsonObject = {}): JsonObject => ({ type: 'command', command: 'x', ...more });
  const stop = (...hooks: Json[]): JsonObject => ({ hooks: { Stop: [{ hooks }] } });

  describe('keys that the client does not take', () => {
    test.each<[string, JsonObject, readonly string[]]>([
      ['none in common settings', { model: 'x', env: { A: '1' }, permissions: { allow: ['Bash(ls)'] } }, []],
      ['none that nobody knows', { somethingNew: 7, hooks: { NewEvent: [] } }, []],
      ['permissions as a text', { permissions: 'x' }, ['permissions']],
      ['a rule that is no text', { permissions: { deny: [7] } }, ['permissions.deny']],
      ['a number in the environment', { env: { A: 1 } }, ['env']],
      ['an event that is no list', { hooks: { Stop: 'x' } }, ['hooks.Stop']],
      ['a group without handlers', { hooks: { Stop: [{ matcher: '' }] } }, ['hooks.Stop[0].hooks']],
      ['a timeout in quotes', stop(handler({ timeout: '5' })), ['hooks.Stop[0].hooks[0].timeout']],
      ['a timeout of nothing', stop(handler({ timeout: 0 })), ['hooks.Stop[0].hooks[0].timeout']],
      ['a handler without a type', stop({ command: 'x' }), ['hooks.Stop[0].hooks[0].type']],
      ['a handler that is a text', stop(handler(), 'x'), ['hooks.Stop[0].hooks[1]']],
    ])('%s', (_what, settings, keys) => {
      expect(wrongKeys(settings)).toEqual(keys);
    });
  });

  describe("the organisation's settings", () => {
    const idsFor = (scope: 'user' | 'project'): string[] =>
      examine(scope, 'settings.json', {}, [join(dir, 'managed')]).map(({ id }) => id);

    test.each<[string, string, JsonObject, readonly string[]]>([
      ['that disable all hooks', 'managed-settings.json', { disableAllHooks: true }, ['hooks-disabled']],
      [
        'that allow their own alone',
        'managed-settings.json',
        { allowManagedHooksOnly: true },
        ['managed-only'],
      ],
      ['in a part', 'managed-settings.d/a.json', { allowManagedHooksOnly: true }, ['managed-only']],
      ['of another kind', 'managed-settings.json', { model: 'x' }, []],
    ])('%s are found once, beside those of the person', (_what, file, settings, ids) => {
      mkdirSync(join(dir, 'managed', 'managed-settings.d'), { recursive: true });
      writeFileSync(join(dir, 'managed', file), JSON.stringify(settings));
      expect(idsFor('user')).toEqual(ids);
      expect(idsFor('project')).toEqual([]);
    });
  });

  test.each<[string, string | undefined]>([
    ['agent-gauntlet stop-hook', 'agent-gauntlet'],
    ['npx agent-gauntlet stop-hook', 'agent-gauntlet'],
    ['npx -y agent-gauntlet@latest stop-hook', 'agent-gauntlet'],
    ['node "/opt/x y/agent-gauntlet.cjs" stop-hook', 'agent-gauntlet'],
    ['agent-gauntlet run', undefined],
    ['python3 ~/.claude/hooks/check-requirements.py', 'claude-requirements-framework'],
    ['"$HOME"/.claude/hooks/handle-stop.py', 'claude-requirements-framework'],
    ['python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/auto-satisfy-skills.py"', 'claude-requirements-framework'],
    ['python3 .claude/hooks/check-requirements.pyc', undefined],
    ['python3 ~/.claude/hooks/handle-mine.py', undefined],
    ['bash ~/src/idle/hooks/stop-hook.sh', 'idle'],
    ['/usr/local/bin/idle stop', 'idle'],
    ['bash hooks/stop-hook.sh', undefined],
    ['idle stop-watch', undefined],
    ['node $CLAUDE_PROJECT_DIR/.claude/hooks/branch-guard.cjs', 'iSDLC'],
    ['node "$CLAUDE_PROJECT_DIR"/.claude/hooks/dispatchers/pre-task-dispatcher.cjs', 'iSDLC'],
    ['node .claude/hooks/branch-guard.cjs.bak', undefined],
    ['node $CLAUDE_PROJECT_DIR/.claude/hooks/my-own.cjs', undefined],
  ])('%s is a line of %s', (command, program) => {
    expect(olderProgram({ hooks: [{ type: 'command', command }] })?.program).toBe(program);
  });

  test('the exec form has its arguments apart', () => {
    expect(olderProgram({ hooks: [{ command: 'agent-gauntlet', args: ['stop-hook'] }] })?.command).toBe(
      'agent-gauntlet stop-hook',
    );
  });
});

describe('Codex', () => {
  let ground: InstallTarget;
  let file: string;

  beforeEach(() => {
    ground = { project: join(dir, 'w'), home: join(dir, 'home'), env: {} };
    file = join(ground.project, '.codex', 'hooks.json');
    mkdirSync(join(ground.home, '.codex'), { recursive: true });
  });

  test('the entries have no key that Codex does not know, and the end of a session no more than it gets', () => {
    const sheet = codexSetup.installSpec('project', ground);
    expect(sheet.file).toBe(file);
    const timeouts = sheet.entries.map(({ path, value }) => {
      const [hook] = value['hooks'] as unknown as [JsonObject];
      expect(Object.keys(hook)).toStrictEqual(['type', 'command', 'timeout']);
      return [path.join('.'), hook['timeout']];
    });
    expect(Object.fromEntries(timeouts)).toMatchObject({
      'hooks.Stop': 600,
      'hooks.PreToolUse': 300,
      'hooks.SessionEnd': 3,
    });
  });

  test('one person’s settings are where CODEX_HOME says', () => {
    const elsewhere = { ...ground, env: { CODEX_HOME: '/elsewhere' } };
    expect(codexSetup.installSpec('user', elsewhere).file).toBe('/elsewhere/hooks.json');
  });

  /** As Codex 0.166 counted it for `LINE` at PreToolUse with 30 seconds. */
  const HASH = 'sha256:500dcaeaf40b884d964c5639de856826a14832d30f7570bca76274e07c509cd8';

  test.each<[string, JsonObject, boolean]>([
    ['a member that Codex does not know', { version: 1, hooks: {} }, true],
    ['a hook of type http', { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'http://h/' }] }] } }, true],
    ['nothing odd', { description: '"type":"http"', hooks: {} }, false],
  ])('a file with %s is read as Codex reads it', (_what, settings, isUnread) => {
    const ids = codexSetup.examine('project', ground, settings).map(({ id }) => id);
    expect(ids.includes('codex-unread')).toBe(isUnread);
  });

  describe('trust', () => {
    const foreign = { hooks: [{ type: 'command', command: 'true' }] };
    const settings = {
      hooks: {
        PreToolUse: [
          foreign,
          {
            hooks: [
              { type: 'command', command: 'x' },
              { type: 'command', command: LINE, timeout: 30 },
            ],
          },
        ],
      },
    };
    const examined = (toml: string) => {
      writeFileSync(join(ground.home, '.codex', 'config.toml'), toml);
      return codexSetup.examine('project', ground, settings).map(({ id }) => id);
    };
    const key = () => `${file}:pre_tool_use:1:1`;

    test.each<[string, () => string, string[]]>([
      ['is missing where nothing is noted', () => 'model = "x"\n', ['codex-untrusted']],
      [
        'is missing where another place is trusted',
        () => `[hooks.state."${file}:pre_tool_use:0:0"]\ntrusted_hash = "${HASH}"\n`,
        ['codex-untrusted'],
      ],
      [
        'is there as a table',
        () => `[a]\n[hooks.state."${key()}"]\ntrusted_hash = "${HASH}"\n[b]\n`,
        ['codex-trusted'],
      ],
      [
        'is there as an item',
        () => `[hooks.state]\n'${key()}' = { trusted_hash = "${HASH}" }\n`,
        ['codex-trusted'],
      ],
      [
        'is missing where the table is of somebody else',
        () => `[hooks.state."${key()}"]\n[other]\ntrusted_hash = "${HASH}"\n`,
        ['codex-untrusted'],
      ],
      [
        'does not help a hook that is switched off',
        () => `[hooks.state."${key()}"]\nenabled = false\ntrusted_hash = "${HASH}"\n`,
        ['codex-trusted', 'codex-hook-off'],
      ],
      [
        'does not help where all hooks are off',
        () => `[features]\nhooks = false\n[hooks.state."${key()}"]\ntrusted_hash = "${HASH}"\n`,
        ['codex-hooks-off', 'codex-trusted'],
      ],
    ])('%s', (_, toml, ids) => {
      expect(examined(toml())).toStrictEqual(ids);
    });

    test.each<[boolean, string]>([
      [true, '[features] # mine\nhooks = false\n'],
      [true, '[features]\nx = 1\n"hooks" = false\n'],
      [true, 'model = "m"\nfeatures.hooks = false\n'],
      [true, 'features = { x = true, hooks = false }\n[a]\n'],
      [false, '[features]\nx = 1\n# hooks = false\n'],
      [false, '[features]\nhooks = true\n[x]\nhooks = false\n'],
      [false, '[profiles.x]\nfeatures.hooks = false\n'],
    ])('all hooks are off: %s with %j', (off, toml) => {
      expect(examined(toml).includes('codex-hooks-off')).toBe(off);
    });

    test('is told as Codex itself has written it, and no more after a line has changed', () => {
      const trusted = readFileSync(new URL('../fixtures/codex-trust.toml', import.meta.url), 'utf8');
      writeFileSync(join(ground.home, '.codex', 'config.toml'), trusted.replaceAll('FILE', file));
      const installed = (line: string) => {
        const { entries } = codexSetup.installSpec('project', ground);
        const hooks = Object.fromEntries(entries.map(({ path, value }) => [path[1], [value]]));
        // Codex wrote the fixture for hooks with other timeouts.
        const text = JSON.stringify(hooks)
          .replaceAll(JSON.stringify(startLineFor('codex')), JSON.stringify(line))
          .replaceAll('"timeout":300', '"timeout":30');
        return { hooks: JSON.parse(text.replace('"timeout":600', '"timeout":900')) };
      };
      const ids = (shell: string) =>
        codexSetup.examine('project', ground, installed(shell)).map(({ id, level }) => `${id} ${level}`);
      expect(ids(LINE)).toStrictEqual(['codex-trusted fine']);
      expect(ids(`${LINE} `)).toStrictEqual(['codex-changed warning']);
    });

    test('is nobody’s business where nothing of ours is installed', () => {
      expect(codexSetup.examine('project', ground, { hooks: { Stop: [foreign] } })).toStrictEqual([]);
      expect(codexSetup.examine('project', ground, undefined)).toStrictEqual([]);
    });
  });
});

describe('Gemini CLI', () => {
  test('times are in milliseconds, and the hook has a name', () => {
    const sheet = geminiSetup.installSpec('project', GROUND);
    expect(sheet.file).toBe('/w/.gemini/settings.json');
    const hooks = sheet.entries.map(({ path, value }) => {
      const [hook] = value['hooks'] as unknown as [JsonObject];
      expect(hook['name']).toBe('holdpoint');
      return [path[1], hook['timeout']];
    });
    expect(Object.fromEntries(hooks)).toMatchObject({ AfterAgent: 600_000, BeforeTool: 300_000 });
  });

  const installed = (timeout: number): JsonObject => ({
    hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: LINE, timeout }] }] },
  });

  test.each<[string, JsonObject | undefined, string[]]>([
    ['nothing is wrong with what we write', installed(30_000), []],
    ['seconds are too short', installed(30), ['gemini-milliseconds']],
    [
      'hooks may be off altogether',
      { ...installed(30_000), hooksConfig: { enabled: false } },
      ['gemini-hooks-off'],
    ],
    [
      'or ours by its name',
      { ...installed(30_000), hooksConfig: { disabled: ['holdpoint'] } },
      ['gemini-hook-off'],
    ],
    [
      'other people’s seconds are their own',
      { hooks: { BeforeTool: [{ hooks: [{ command: 'x', timeout: 3 }] }] } },
      [],
    ],
    ['without settings there is nothing to say', undefined, []],
  ])('%s', (_, settings, ids) => {
    expect(geminiSetup.examine('project', GROUND, settings).map(({ id }) => id)).toStrictEqual(ids);
  });
});

describe('Copilot CLI and Cursor', () => {
  test('Copilot CLI has a file of its own, in the spelling whose documents carry their name', () => {
    const sheet = copilotSetup.installSpec('project', GROUND);
    expect(sheet).toMatchObject({ file: '/w/.github/hooks/holdpoint.json', skeleton: { version: 1 } });
    const values = Object.fromEntries(sheet.entries.map(({ path, value }) => [path[1], value]));
    expect(values).toMatchObject({
      PreToolUse: { type: 'command', bash: startLineFor('copilot'), timeoutSec: 300 },
      Stop: { timeoutSec: 600 },
    });
  });

  test('the user’s file lies in the home, or where the environment says', () => {
    expect(copilotSetup.installSpec('user', GROUND).file).toBe('/h/.copilot/hooks/holdpoint.json');
    const elsewhere = { ...GROUND, env: { COPILOT_HOME: '/c' } };
    expect(copilotSetup.installSpec('user', elsewhere).file).toBe('/c/hooks/holdpoint.json');
  });

  test('Cursor gets one entry an event, flat, and fails closed only where it could refuse', () => {
    const sheet = cursorSetup.installSpec('project', GROUND, true);
    const command = startLineFor('cursor');
    expect(sheet).toMatchObject({ file: '/w/.cursor/hooks.json', skeleton: { version: 1 } });
    const values = Object.fromEntries(sheet.entries.map(({ path, value }) => [path[1], value]));
    expect(values['stop']).toStrictEqual({ command, timeout: 600, loop_limit: 5 });
    expect(values['preToolUse']).toStrictEqual({ command, timeout: 300, failClosed: true });
    expect(Object.keys(values)).not.toContain('beforeShellExecution');
    const open = cursorSetup.installSpec('project', GROUND);
    expect(JSON.stringify(open)).not.toContain('failClosed');
  });

  test('Cursor says at install that it was not run', () => {
    expect(cursorSetup.afterwards('project').join(' ')).toContain('has not been tested with Cursor itself');
  });
});

describe('OpenCode', () => {
  test.each([
    ['the project’s', 'project', {}, '/w/.opencode/plugin/holdpoint.js'],
    ['a person’s', 'user', {}, '/h/.config/opencode/plugin/holdpoint.js'],
    ['one elsewhere', 'user', { XDG_CONFIG_HOME: '/x' }, '/x/opencode/plugin/holdpoint.js'],
  ] as const)('the plugin lies in a folder of OpenCode: %s', (_, scope, env, file) => {
    expect(opencodeSetup.installSpec(scope, { ...GROUND, env }).file).toBe(file);
  });

  test('it is said at install that `run` cannot be held', () => {
    expect(opencodeSetup.afterwards('project').join(' ')).toContain(
      'nothing can hold the end of a turn there',
    );
  });
});

describe('commands of a host', () => {
  test.each(COMMAND_TEXTS)('$name can be written as TOML without escapes, and as Markdown', (command) => {
    const toml = asToml(command);
    expect(toml).toMatch(/^description = '[^'\n]+'\nprompt = '''\n.+\n'''\n$/s);
    expect(toml.split("'''")).toHaveLength(3);
    expect(asMarkdown(command)).toMatch(/^---\ndescription: "[^"\\\n]+"\n---\n\n\S/);
  });

  test('what was typed and what a line prints are put in as each host has it', () => {
    const command = {
      name: 'x',
      description: 'X',
      shows: 'holdpoint status',
      takes: 'Typed:',
      prompt: 'Go.',
    };
    expect(asToml(command)).toContain('!{holdpoint status}\n\nTyped:\n\n{{args}}\n\nGo.');
    expect(asMarkdown(command)).toContain('!`holdpoint status`\n\nTyped:\n\n$ARGUMENTS\n\nGo.');
  });
});
