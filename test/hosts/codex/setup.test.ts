import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { codexSetup } from '../../../src/hosts/codex/setup';
import type { Ground } from '../../../src/hosts/setup';

const LINE = 'L="$HOME/.config/holdpoint/launch"; . "$L"';
const WISHES = { start: { shell: LINE, library: 'l' }, stopSeconds: 900, failClosed: true };

let ground: Ground;
let file: string;

beforeEach(() => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-codex-')));
  ground = { project: join(dir, 'w'), home: join(dir, 'home'), env: {} };
  file = join(ground.project, '.codex', 'hooks.json');
  mkdirSync(join(ground.home, '.codex'), { recursive: true });
});

afterEach(() => rmSync(join(ground.home, '..'), { recursive: true, force: true }));

test('the entries have no key that Codex does not know, and the end of a session no more than it gets', () => {
  const sheet = codexSetup.sheet('project', ground, WISHES);
  if (sheet.kind !== 'entries') throw new Error('no entries');
  expect(sheet.file).toBe(file);
  expect(sheet.skeleton).toStrictEqual({});
  const timeouts = sheet.entries.map(({ path, value }) => {
    const [hook] = value['hooks'] as unknown as [JsonObject];
    expect(Object.keys(hook)).toStrictEqual(['type', 'command', 'timeout']);
    return [path.join('.'), hook['timeout']];
  });
  expect(Object.fromEntries(timeouts)).toMatchObject({
    'hooks.Stop': 900,
    'hooks.PreToolUse': 30,
    'hooks.SessionEnd': 3,
  });
});

test('one person’s settings are where CODEX_HOME says', () => {
  const elsewhere = { ...ground, env: { CODEX_HOME: '/elsewhere' } };
  expect(codexSetup.sheet('user', elsewhere, WISHES).file).toBe('/elsewhere/hooks.json');
});

/** As Codex 0.166 counted it for `LINE` at PreToolUse with 30 seconds. */
const HASH = 'sha256:500dcaeaf40b884d964c5639de856826a14832d30f7570bca76274e07c509cd8';

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

  test('is told as Codex itself has written it, and no more after a line has changed', () => {
    const trusted = readFileSync(new URL('../../fixtures/codex-trust.toml', import.meta.url), 'utf8');
    writeFileSync(join(ground.home, '.codex', 'config.toml'), trusted.replaceAll('FILE', file));
    const installed = (shell: string) => {
      const sheet = codexSetup.sheet('project', ground, { ...WISHES, start: { shell, library: 'l' } });
      const entries = sheet.kind === 'entries' ? sheet.entries : [];
      return { hooks: Object.fromEntries(entries.map(({ path, value }) => [path[1], [value]])) };
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
