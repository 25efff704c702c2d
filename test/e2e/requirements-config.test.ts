import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { at, CONFIG_FILE, deniedBecause, type Ended, makeRig, type Rig } from './rig';

const OWN = '.holdpoint/config.yaml';
const SILENT = { stdout: '', stderr: '', exitCode: 0 };
let rig: Rig;
let on: Events;

function project(config: string, file?: string): void {
  rig = makeRig(config, file);
  on = eventsIn(rig);
}

function edit(): Ended {
  return rig.hook(on.pre('Edit', EDIT));
}

/** What a person and the agent are told when a session begins. */
function told(): string {
  const { json } = rig.hook(on.start('startup'));
  return `${at(json, 'systemMessage')}\n${at(json, 'hookSpecificOutput', 'additionalContext')}`;
}

afterEach(() => rig.remove());

describe('one file or the other', () => {
  it('.holdpoint/config.yaml serves in place of .claude/requirements.yaml', () => {
    project('requirements:\n  plan:\n    enabled: true\n', OWN);
    expect(deniedBecause(edit())).toContain(`${OWN}:2:3`);
    expect(rig.req(['satisfy', 'plan', '--session', KEY]).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
  });

  it('both at once is reported with both places, and one of them stays in force', () => {
    project('requirements: {own: {enabled: true}}', OWN);
    rig.write(CONFIG_FILE, 'requirements: {seed: {enabled: true}}');
    const note = told();
    expect(note).toContain(OWN);
    expect(note).toContain(CONFIG_FILE);
    deniedBecause(edit());
  });

  it('a config that is edited counts at the next event', () => {
    project('requirements: {plan: {enabled: true}}', OWN);
    deniedBecause(edit());
    rig.write(OWN, 'requirements: {plan: {enabled: false}}');
    expect(edit()).toMatchObject(SILENT);
    rig.write(OWN, 'requirements: {plan: {enabled: true, trigger_tools: [Edit]}}');
    deniedBecause(edit());
  });
});

describe('a config that cannot be used', () => {
  it('a file that does not parse lets everything pass, loudly at every edit', () => {
    project('requirements: {plan: {enabled: true}');
    const ended = edit();
    expect(ended).toMatchObject({ stdout: '', exitCode: 0 });
    expect(ended.stderr).toMatch(/^holdpoint: .*\.claude\/requirements\.yaml:\d+:\d+.*\n$/);
    expect(told()).toContain(CONFIG_FILE);
  });
});

describe('triggers', () => {
  it('may be globs over the tools of a server', () => {
    project('{inherit: false, requirements: {db: {enabled: true, trigger_tools: [mcp__srv__*]}}}');
    expect(deniedBecause(rig.hook(on.pre('mcp__srv__drop_table', { table: 'a' })))).toContain('db');
    expect(rig.hook(on.pre('mcp__other__drop_table', {}))).toMatchObject(SILENT);
    expect(rig.hook(on.pre('xmcp__srv__drop_table', {}))).toMatchObject(SILENT);
    expect(edit()).toMatchObject(SILENT);
  });

  it.each(['req satisfy plan', '  holdpoint why abc', 'req'])(
    'never hold our own command, which is how a hold is cleared: %s',
    (command) => {
      project('{inherit: false, requirements: {plan: {enabled: true, trigger_tools: [Bash]}}}');
      expect(rig.hook(on.pre('Bash', { command }))).toMatchObject(SILENT);
    },
  );

  it.each([
    'req satisfy plan; rm -rf x',
    'req $(rm x)',
    'req a\nrm x',
    'required x',
    'req a > x',
    '/tmp/req a',
  ])('hold what only begins like it: %j', (command) => {
    project('{inherit: false, requirements: {plan: {enabled: true, trigger_tools: [Bash]}}}');
    deniedBecause(rig.hook(on.pre('Bash', { command })));
  });
});

describe('a project without any config', () => {
  it('is left alone: nothing is said at an edit and nothing is written', () => {
    project('');
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    expect(existsSync(join(rig.repo, '.git/holdpoint'))).toBe(false);
    expect(existsSync(join(rig.home, '.claude'))).toBe(false);
  });
});
