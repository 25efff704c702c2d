import { afterEach, describe, expect, it } from 'vitest';
import { KEY } from './events';
import { makeGatesRig } from './gates-project';
import { configWith, type Project, projectWith, SILENT } from './requirements-project';
import { at, deniedBecause, heldBecause, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

function open(config: string, file?: string): Project {
  const project = projectWith(config, file);
  rig = project.rig;
  return project;
}

const NAMES = ['constructor', 'toString', '__proto__', 'prototype', 'hasOwnProperty', 'valueOf'];

describe.each(NAMES)('a requirement called %s', (name) => {
  it('holds, is satisfied, shown, counted and cleared like any other', () => {
    const { edit, satisfy, on, metrics } = open(configWith(`"${name}": {enabled: true, message: first}`));
    expect(deniedBecause(edit())).toContain(name);
    expect(at(rig.req(['status', '--session', KEY, '--json']).json, 'needed')).toEqual([name]);
    satisfy(name, '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    const state = rig.readJson('.git/requirements/feature-auth.json');
    const entries = Object.entries(at(state, 'requirements') as object);
    expect(entries).toEqual([[name, expect.objectContaining({ scope: 'session' })]]);
    expect(at(rig.req(['status', '--session', KEY, '--json']).json, 'satisfied')).toBe(1);
    expect(at(rig.holdpoint(['status', '--json']).json, 'requirements')).toMatchObject([{ name }]);
    const counted = Object.entries(at(metrics(), 'requirements') as object);
    expect(counted).toEqual([[name, expect.objectContaining({ satisfied_by: 'cli', blocked_count: 1 })]]);
    expect(rig.req(['clear', name]).exitCode).toBe(0);
    expect(deniedBecause(edit())).toContain(name);
  });

  it('holds the end of a turn until its skill has run', () => {
    const { edit, on, skill } = open(
      configWith(`"${name}": {enabled: true, stop_only: true, satisfied_by_skill: "${name}"}`),
    );
    edit();
    expect(heldBecause(rig.hook(on.stop(false)))).toContain(name);
    skill(name);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it.each(['branch', 'permanent', 'single_use'])('holds in the scope %s', (scope) => {
    const { edit, satisfy } = open(configWith(`"${name}": {enabled: true, scope: ${scope}}`));
    expect(deniedBecause(edit())).toContain(name);
    satisfy(name, '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
  });

  it('may have a computed value, in a config of ours', () => {
    const { edit } = open(
      `requirements:\n  "${name}": {enabled: true, type: dynamic, calculator: echo 30, thresholds: {block: 10}}\n`,
      '.holdpoint/config.yaml',
    );
    expect(deniedBecause(edit())).toContain(name);
    expect(rig.req(['approve', name, '--session', KEY]).stdout).toContain(`Approved '${name}'`);
    expect(edit()).toMatchObject(SILENT);
  });

  it('may be global and switched off here, by `req config`', () => {
    const { edit } = open('{requirements: {other: {enabled: false}}}');
    rig.writeHome('.claude/requirements.yaml', `requirements: {"${name}": {enabled: true}}\n`);
    expect(deniedBecause(edit())).toContain(name);
    expect(rig.req(['config', name, '--disable', '--local', '-y']).stderr).toBe('');
    expect(edit()).toMatchObject(SILENT);
    expect(rig.req(['config', name]).stdout).toContain('disabled');
  });

  // A file whose name begins with `_` is a template.
  it.skipIf(name.startsWith('_'))('may have words in a file of its own', () => {
    const { edit } = open(configWith(`"${name}": {enabled: true}`));
    rig.write(`.claude/messages/${name}.yaml`, 'blocking_message: words of its own\n');
    expect(deniedBecause(edit())).toContain('words of its own');
  });
});

describe.each(['__proto__', 'constructor', 'toString'])('a check called %s', (name) => {
  const ENTRY = `entry_points: [{ path: src, checks: ["${name}"] }]\n`;

  it('runs from a file of that name', () => {
    const gates = makeGatesRig();
    rig = gates;
    rig.write(`.gauntlet/checks/${name}.yml`, 'command: exit 1\n');
    rig.write('.gauntlet/config.yml', `cli: { default_preference: [claude] }\n${ENTRY}`);
    expect(gates.gauntlet(['validate'])).toMatchObject({ exitCode: 0 });
    expect(gates.gauntlet(['list']).stdout).toContain(name);
    const id = expect.stringContaining(name);
    expect(at(gates.gauntlet(['run', '--json']).json, 'gates')).toContainEqual(
      expect.objectContaining({ id, status: 'fail' }),
    );
    expect(gates.stopHook()).toMatchObject({ decision: 'block' });
    rig.write(`.gauntlet/checks/${name}.yml`, 'command: exit 0\n');
    expect(gates.gauntlet(['clean']).exitCode).toBe(0);
    expect(at(gates.gauntlet(['run', '--json']).json, 'status')).toBe('passed');
  });

  it('runs from our own config', () => {
    const gates = makeGatesRig();
    rig = gates;
    rig.write('.holdpoint/config.yaml', `gates:\n  checks: { "${name}": { command: exit 1 } }\n  ${ENTRY}`);
    expect(at(gates.gauntlet(['run', '--json']).json, 'gates')).toMatchObject([{ status: 'fail' }]);
  });
});
