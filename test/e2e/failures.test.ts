import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn } from './events';
import { commandFile, deniedBecause, makeRig, type Rig } from './rig';

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig();
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

/** What the journal holds of the last failure. */
function journalled(): unknown {
  const last = rig.holdpoint(['log', '-n', '1', '--json']).json as
    | { failures?: { code: string }[] }
    | undefined;
  return last?.failures?.map(({ code }) => code);
}

describe('input that is no event is let through, said on one line and journalled', () => {
  it.each([
    ['input.empty', '', 'standard input is empty; expected one event as JSON.'],
    ['input.empty', ' \n', 'standard input is empty; expected one event as JSON.'],
    ['input.not-json', '{"a":', 'standard input is not JSON (it ends too early).'],
    ['input.not-json', '{"a":1} x', 'standard input is not JSON (at position 8).'],
    ['input.not-object', '[1]', 'standard input is a list, not a JSON object.'],
    ['input.not-object', '7', 'standard input is a number, not a JSON object.'],
    ['input.not-object', 'null', 'standard input is null, not a JSON object.'],
    ['input.no-event-name', '{}', 'standard input names no event (`hook_event_name`).'],
    [
      'input.no-event-name',
      '{"hook_event_name":{"toString":1}}',
      'standard input names no event (`hook_event_name`).',
    ],
  ])('%s: %j', (code, text, sentence) => {
    const ended = rig.hookText(text, { env: { CLAUDE_PROJECT_DIR: rig.repo } });
    expect(ended).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: `holdpoint: ${sentence} Nothing was checked.\n`,
    });
    expect(journalled()).toEqual([code]);
  });

  it('input.unreadable: a directory on standard input', () => {
    const fd = openSync(rig.repo, 'r');
    const { status, stdout, stderr } = spawnSync(process.execPath, [commandFile('hook')], {
      stdio: [fd, 'pipe', 'pipe'],
      env: rig.environment(),
      encoding: 'utf8',
    });
    closeSync(fd);
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      'holdpoint: standard input could not be read (EISDIR: illegal operation on a directory, read). Nothing was checked.\n',
    );
  });

  it('input.too-large: more than anybody sends', () => {
    const { exitCode, stdout, stderr } = rig.hookText(Buffer.alloc(65 * 1024 * 1024, 0x20));
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toBe('holdpoint: standard input is larger than 67108864 bytes. Nothing was checked.\n');
  });
});

it('input.no-session: an event without a session is let through, and said', () => {
  const ended = rig.hook(on.pre('Edit', EDIT, { session_id: '' }));
  expect(ended).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr:
      'holdpoint: PreToolUse names no session (`session_id`), so rules that count by session were not checked.\n',
  });
  expect(journalled()).toEqual(['input.no-session']);
});

describe('input.no-directory: an event from nowhere is let through, and said', () => {
  const SENTENCE = 'names no existing directory (`cwd`), so no project was found. Nothing was checked.\n';
  const ODD: [string, unknown][] = [
    ['no directory', undefined],
    ['an empty one', ''],
    ['a list', ['x']],
    ['one that is not there', '/nonexist'],
    ['one that is not absolute', 'w'],
  ];

  it.each(ODD)('%s', (_what, cwd) => {
    // The end of a turn in a directory that was removed needs no word.
    const stops = cwd === '/nonexist' ? [] : [on.stop(false, { cwd })];
    for (const event of [on.pre('Edit', EDIT, { cwd }), ...stops]) {
      expect(rig.hook(event)).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: `holdpoint: ${event['hook_event_name']} ${SENTENCE}`,
      });
    }
    expect(rig.hook(on.post('Edit', EDIT, { cwd }))).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it.each(ODD)('%s, where the host says which project it is, counts for that', (_what, cwd) => {
    const ended = rig.hook(on.pre('Edit', EDIT, { cwd }), { env: { CLAUDE_PROJECT_DIR: rig.repo } });
    expect(deniedBecause(ended)).toContain('commit_plan');
    expect(ended.stderr).toBe('');
  });

  it('a directory that was removed in a project counts for that, and one without a project is silent', () => {
    const gone = rig.hook(on.pre('Edit', EDIT, { cwd: join(rig.repo, 'gone/deep') }));
    expect(deniedBecause(gone)).toContain('commit_plan');
    expect(rig.hook(on.pre('Edit', EDIT, { cwd: rig.tmp }))).toMatchObject({ stdout: '', stderr: '' });
    const elsewhere = { env: { CLAUDE_PROJECT_DIR: rig.tmp } };
    expect(rig.hook(on.pre('Edit', EDIT, { cwd: '/nonexist' }), elsewhere)).toMatchObject({ stderr: '' });
  });

  it('a Cursor without a folder has none, and stays silent', () => {
    const event = {
      cursor_version: '2.0',
      hook_event_name: 'preToolUse',
      workspace_roots: [],
      tool_name: 'Write',
    };
    expect(rig.hook(event)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });
});

describe('input.no-tool: a call without a tool is let through, and said where somebody watches tools', () => {
  it.each<[string, unknown]>([
    ['no name', undefined],
    ['an empty one', ''],
    ['a list', ['Edit']],
  ])('%s', (_what, tool_name) => {
    expect(rig.hook(on.pre('Edit', EDIT, { tool_name }))).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'holdpoint: PreToolUse names no tool (`tool_name`), so rules about tools were not checked.\n',
    });
    expect(journalled()).toEqual(['input.no-tool']);
    expect(rig.hook(on.post('Edit', EDIT, { tool_name }))).toMatchObject({ stdout: '', stderr: '' });
  });

  it('nobody does', () => {
    rig.write('.claude/requirements.yaml', '{requirements: {changelog: {enabled: false}}}\n');
    expect(rig.hook(on.pre('Edit', EDIT, { tool_name: undefined }))).toMatchObject({
      stdout: '',
      stderr: '',
    });
  });
});

it('git.unreadable: a damaged HEAD is said, and the requirement still holds', () => {
  writeFileSync(join(rig.repo, '.git', 'HEAD'), 'rubbish\n');
  const ended = rig.hook(on.pre('Edit', EDIT));
  expect(deniedBecause(ended)).toContain('commit_plan');
  expect(ended.stderr).toBe(
    `holdpoint: ${join(rig.repo, '.git', 'HEAD')}: it names neither a branch nor a commit; the branch is unknown, so nothing that was satisfied on a branch counts.\n`,
  );
  expect(journalled()).toEqual(['git.unreadable']);
});

it('config.unreadable: what does not parse is not enforced, and said wherever it could have held', () => {
  rig.write('.claude/requirements.yaml', 'requirements: [\n');
  const ended = rig.hook(on.pre('Edit', EDIT));
  expect(ended).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr:
      'holdpoint: the config could not be read (.claude/requirements.yaml:1:15); its rules are not enforced until it can.\n',
  });
  expect(journalled()).toEqual(['config.unreadable']);
});

describe('config.unreadable: a link that leads nowhere is no missing config', () => {
  const CONFIG = '.holdpoint/config.yaml';
  const config = (): string => join(rig.repo, CONFIG);
  const SAID = `holdpoint: the config could not be read (${CONFIG}:1:1); its rules are not enforced until it can.\n`;
  beforeEach(() => {
    rm('.claude/requirements.yaml');
    mkdirSync(dirname(config()));
  });
  const rm = (path: string): void => rmSync(join(rig.repo, path));
  const edit = () => rig.hook(on.pre('Edit', EDIT));

  it('an event says so each time, and status and doctor do', () => {
    symlinkSync('/nonexist', config());
    for (let time = 0; time < 2; time++)
      expect(edit()).toMatchObject({ exitCode: 0, stdout: '', stderr: SAID });
    expect(journalled()).toEqual(['config.unreadable']);
    expect(rig.holdpoint(['status']).stdout).toMatch(
      /^Holdpoint off: the config cannot be read \(\.holdpoint\/config\.yaml:1:1\)/,
    );
    expect(rig.holdpoint(['doctor']).stdout).toContain('the file is a broken symlink');
  });

  it('also where nothing was there before, and until it leads somewhere', () => {
    expect(edit()).toMatchObject({ stdout: '', stderr: '' });
    symlinkSync(join(rig.tmp, 'shared.yaml'), config());
    expect(edit()).toMatchObject({ stdout: '', stderr: SAID });
    writeFileSync(join(rig.tmp, 'shared.yaml'), 'requirements: {commit_plan: {enabled: true}}\n');
    expect(deniedBecause(edit())).toContain('commit_plan');
    rmSync(join(rig.tmp, 'shared.yaml'));
    expect(edit()).toMatchObject({ stdout: '', stderr: SAID });
    rm(CONFIG);
    expect(edit()).toMatchObject({ stdout: '', stderr: '' });
  });
});

it('state.set-aside: a broken state file is kept whole beside the new one, and said', () => {
  const file = join(rig.repo, '.git', 'requirements', 'feature-auth.json');
  rig.req(['satisfy', 'commit_plan', '--session', 'cad0ac4d']);
  rig.req(['clear', 'commit_plan', '--session', 'cad0ac4d']);
  rig.write('.claude/requirements.yaml', '{requirements: {changelog: {enabled: true, stop_only: true}}}\n');
  writeFileSync(file, '{bad');
  const ended = rig.hook(on.pre('Edit', EDIT));
  expect(ended).toMatchObject({ exitCode: 0, stdout: '' });
  const kept = readdirSync(dirname(file)).find((name) => name.includes('.corrupt-')) ?? '';
  expect(readFileSync(join(dirname(file), kept), 'utf8')).toBe('{bad');
  expect(ended.stderr).toBe(
    `holdpoint: a state file could not be read and was set aside as ${join(dirname(file), kept)}; nothing in it counts.\n`,
  );
  expect(journalled()).toEqual(['state.set-aside']);
  expect(rig.holdpoint(['status']).stdout).toContain('1 damaged state file was set aside');
  const told = rig.hook(on.start('startup')).stdout;
  expect(told).toContain('A state file was damaged in an earlier session');
  expect(told).toContain('state.set-aside');
});
