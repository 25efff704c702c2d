import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copilotSetup } from '../../src/hosts/copilot/setup';
import { cursorSetup } from '../../src/hosts/cursor/setup';

const LINE = '. ~/.config/holdpoint/launch';
const wishes = { start: { shell: LINE, library: 'l' }, stopSeconds: 900, failClosed: true };
const ground = { project: '/w', home: '/h', env: {} };

test('Copilot CLI has a file of its own, in the spelling whose documents carry their name', () => {
  const sheet = copilotSetup.sheet('project', ground, wishes);
  if (sheet.kind !== 'own-file') throw new Error('no file of its own');
  expect(sheet.file).toBe('/w/.github/hooks/holdpoint.json');
  const { version, hooks } = JSON.parse(sheet.text);
  expect(version).toBe(1);
  expect(hooks).toMatchObject({
    PreToolUse: [{ type: 'command', bash: LINE, timeoutSec: 30 }],
    Stop: [{ timeoutSec: 900 }],
  });
  expect(copilotSetup.isOurs(hooks.PreToolUse[0])).toBe(true);
});

test('the user’s file lies in the home, or where the environment says', () => {
  expect(copilotSetup.sheet('user', ground, wishes).file).toBe('/h/.copilot/hooks/holdpoint.json');
  const elsewhere = { ...ground, env: { COPILOT_HOME: '/c' } };
  expect(copilotSetup.sheet('user', elsewhere, wishes).file).toBe('/c/hooks/holdpoint.json');
});

test('Cursor gets one entry an event, flat, and fails closed only where it could refuse', () => {
  const sheet = cursorSetup.sheet('project', ground, wishes);
  if (sheet.kind !== 'entries') throw new Error('no entries');
  expect(sheet).toMatchObject({ file: '/w/.cursor/hooks.json', skeleton: { version: 1 } });
  const values = Object.fromEntries(sheet.entries.map(({ path, value }) => [path[1], value]));
  expect(values['stop']).toStrictEqual({ command: LINE, timeout: 900, loop_limit: 5 });
  expect(values['preToolUse']).toStrictEqual({ command: LINE, timeout: 30, failClosed: true });
  expect(Object.keys(values)).not.toContain('beforeShellExecution');
  const open = cursorSetup.sheet('project', ground, { ...wishes, failClosed: false });
  expect(JSON.stringify(open)).not.toContain('failClosed');
});

test('Cursor says at install that it was not run', () => {
  expect(cursorSetup.afterwards('project').join(' ')).toContain(
    'written from Cursor’s documentation, not run',
  );
});

test('settings of Claude Code that call us too are named', () => {
  const project = mkdtempSync(join(tmpdir(), 'holdpoint-setup-'));
  try {
    const here = { ...ground, project };
    expect(copilotSetup.examine('project', here, {})).toStrictEqual([]);
    mkdirSync(join(project, '.claude'));
    writeFileSync(
      join(project, '.claude/settings.json'),
      JSON.stringify({ hooks: { Stop: [{ command: LINE }] } }),
    );
    for (const setup of [copilotSetup, cursorSetup]) {
      expect(setup.examine('project', here, {})).toMatchObject([
        { level: 'fine', text: expect.stringContaining('.claude/settings.json') },
      ]);
    }
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
