import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { deniedBecause, heldBecause, makeRig, type Rig } from './rig';

let rig: Rig;
let on: Events;

function project(config?: string): void {
  rig = makeRig(config);
  on = eventsIn(rig);
}

/** The id that a held agent is given, looked up the way the text says. */
function storyOf(reason: string): string {
  const id = /holdpoint why ([0-9a-z]+)/.exec(reason)?.[1] ?? '';
  const story = rig.holdpoint(['why', id]);
  expect(story, story.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  return story.stdout;
}

function requirements(count: number, more = ''): string {
  const names = Array.from({ length: count }, (_, index) => `need_${index}: {enabled: true${more}}`);
  return `{inherit: false, requirements: {${names.join(', ')}}}`;
}

afterEach(() => rig.remove());

describe('what a denied agent reads', () => {
  it.each([
    ['one requirement', 1],
    ['six', 6],
    ['thirty', 30],
  ])('has at most ten lines and names everything: %s', (_what, count) => {
    project(requirements(count));
    const reason = deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
    const names = Array.from({ length: count }, (_, index) => `need_${index}`);
    for (const name of names) expect(reason).toContain(name);
    expect(reason).toContain(`req satisfy ${names.join(' ')} --session ${KEY}`);
    expect(reason).toContain('Nothing was changed');
    const story = storyOf(reason);
    for (const part of ['need_0 (requirements)', '.claude/requirements.yaml:1:', `--session ${KEY}`])
      expect(story).toContain(part);
  });

  it('has at most ten lines also when two state files cannot be read', () => {
    project(requirements(30, ', scope: permanent'));
    rig.write('.git/requirements/feature-auth.json', '{bad');
    rig.write('.git/requirements/_project.json', '{bad');
    const reason = deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
    expect(reason).toContain('feature-auth.json');
    expect(reason).toContain('_project.json');
  });

  it.each([
    ['long', 'x'.repeat(20_000)],
    ['of many lines', 'x\n'.repeat(40)],
  ])('stays whole when the name of the tool is %s', (_what, tool) => {
    project('{inherit: false, requirements: {plan: {enabled: true, trigger_tools: ["*"]}}}');
    const reason = deniedBecause(rig.hook(on.pre(tool, {})));
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
    expect(reason).toContain(`req satisfy plan --session ${KEY}`);
    storyOf(reason);
  });

  it('is the message of the config, its placeholders filled and unknown ones left', () => {
    project(
      '{inherit: false, requirements: {plan: {enabled: true, auto_resolve_skill: "team:plan-it", message: "{req_name} on {branch} in {session_id}: /{auto_resolve_skill} {unknown}"}}}',
    );
    const reason = deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(reason).toContain(`plan on feature/auth in ${KEY}: /plan-it {unknown}`);
    expect(reason).toContain(`req satisfy plan --session ${KEY}`);
    storyOf(reason);
  });
});

describe('what an agent reads whose turn may not end', () => {
  it.each([1, 6, 30])('has at most ten lines and names everything: %i', (count) => {
    project(requirements(count, ', stop_only: true'));
    rig.hook(on.pre('Edit', EDIT));
    const reason = heldBecause(rig.hook(on.stop(false)));
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
    expect(reason).toContain('Unsatisfied Requirements');
    const names = Array.from({ length: count }, (_, index) => `need_${index}`);
    expect(reason).toContain(`req satisfy ${names.join(' ')} --session ${KEY}`);
    expect(storyOf(reason)).toContain('need_0 (requirements)');
  });
});
