import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const LOCAL = '.claude/settings.local.json';
const GATES = 'agent-gauntlet stop-hook';

const path = (name: string): string => join(rig.repo, name);
const text = (name: string): string => readFileSync(path(name), 'utf8');
const gatesInit = (): Ended => rig.holdpoint(['gates', 'init', '-y', '--stop-hook']);

const HOSTS: readonly [host: string, folder: string, file: string][] = [
  ['claude-code', '.claude', 'settings.json'],
  ['codex', '.codex', 'hooks.json'],
  ['gemini', '.gemini', 'settings.json'],
  ['cursor', '.cursor', 'hooks.json'],
  ['copilot', '.github/hooks', 'holdpoint.json'],
];
const LAYOUTS: readonly [name: string, change: (text: string) => string][] = [
  ['on one line', (before) => JSON.stringify(JSON.parse(before))],
  ['with tabs and CRLF', (before) => JSON.stringify(JSON.parse(before), null, '\t').replaceAll('\n', '\r\n')],
  ['with a byte order mark', (before) => `\ufeff${before}`],
];

describe('a file of ours that somebody has formatted anew', () => {
  it.each(HOSTS.flatMap((host) => LAYOUTS.map((layout) => [...host, ...layout] as const)))(
    '%s, %s/%s, %s: is removed as a whole, with its directory',
    (host, folder, file, _layout, change) => {
      expect(rig.holdpoint(['install', '--host', host]).exitCode).toBe(0);
      writeFileSync(path(`${folder}/${file}`), change(text(`${folder}/${file}`)));
      expect(rig.holdpoint(['uninstall'])).toMatchObject({ exitCode: 0, stderr: '' });
      expect(readdirSync(rig.repo)).toEqual(['.git']);
    },
  );

  it('is an empty document where somebody else had put it there empty', () => {
    rig.write('.claude/settings.json', '{ }\n');
    rig.holdpoint(['install', '--host', 'claude-code']);
    writeFileSync(
      path('.claude/settings.json'),
      JSON.stringify(JSON.parse(text('.claude/settings.json')), null, 4),
    );
    expect(rig.holdpoint(['uninstall']).exitCode).toBe(0);
    expect(rig.readJson('.claude/settings.json')).toEqual({});
  });
});

describe('the entry of `gates init --stop-hook`', () => {
  it('is taken out with the file that was made for it, however it is laid out', () => {
    for (const [, change] of LAYOUTS) {
      expect(gatesInit().exitCode).toBe(0);
      expect(text(LOCAL)).toContain(GATES);
      writeFileSync(path(LOCAL), change(text(LOCAL)));
      const { exitCode, stdout } = rig.holdpoint(['uninstall', '--local']);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`✓ Claude Code: ${LOCAL} (removed)\n`)]);
      expect(existsSync(path(LOCAL))).toBe(false);
      expect(existsSync(path('.git/holdpoint/installed.json'))).toBe(false);
    }
  });

  it.each<[string, string[][]]>([
    ['alone', []],
    ['beside our entries', [['install', '--local']]],
    ['in whose place ours were put', [['install', '--local', '--replace']]],
  ])('%s: what stood there before comes back, and no copy of it stays', (_what, more) => {
    const before = '{\n\t"model": "x",\n\t"hooks": {"Stop": [ {"hooks": []} ]}\n}';
    rig.write(LOCAL, before);
    expect(gatesInit().exitCode).toBe(0);
    for (const args of more) expect(rig.holdpoint(args).exitCode).toBe(0);
    const { exitCode, stdout } = rig.holdpoint(['uninstall', '--local']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('entries removed')]);
    expect(text(LOCAL)).toBe(before);
    expect(readdirSync(path('.claude')).filter((name) => name.startsWith('settings'))).toEqual([
      'settings.local.json',
    ]);
    expect(rig.holdpoint(['uninstall', '--local']).stdout).toContain(
      'No hooks of Holdpoint are installed here.',
    );
  });

  it("is left and named where nobody has noted it: it may be the older program's", () => {
    const older = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: GATES }] }] } });
    rig.write(LOCAL, older);
    const { exitCode, stdout } = rig.holdpoint(['uninstall', '--local']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${LOCAL} (hooks.Stop) still runs the gates`);
    expect(text(LOCAL)).toBe(older);
  });
});
