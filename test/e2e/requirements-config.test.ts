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

describe('a project without any config', () => {
  it('is left alone: nothing is said at an edit and nothing is written', () => {
    project('');
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    expect(existsSync(join(rig.repo, '.git/holdpoint'))).toBe(false);
    expect(existsSync(join(rig.home, '.claude'))).toBe(false);
  });
});
