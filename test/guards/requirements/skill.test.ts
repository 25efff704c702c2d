import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/event';
import type { JsonObject } from '../../../src/core/json';
import type { Requirement } from '../../../src/guards/requirements/config';
import * as scene from './scene';

const { NOW, SESSION, FILE } = scene;
const PROJECT = 'requirements/_project.json';
const plan = scene.blocking('plan');

function afterwards(event: Event, requirements: readonly Requirement[] = [plan, scene.blocking('adr')]) {
  const skills = { 'team:plan': ['plan', 'license'], plan: ['plan', 'license'], gone: ['nobody'] };
  const config = scene.configOf(requirements, { skills });
  const { verdict, changes } = scene.outcomeOf(event, config, scene.snapshotOf());
  const on = (path: string) => scene.applied(changes, scene.fileRef(path)) as JsonObject | undefined;
  return { verdict, changes, branch: on(FILE), project: on(PROJECT), metrics: on(scene.METRICS) };
}

const satisfied = (metadata: JsonObject) => ({
  satisfied: true,
  satisfied_at: NOW,
  satisfied_by: 'skill',
  expires_at: null,
  metadata,
});

describe('a skill satisfies what the config maps to it', () => {
  const rows: [sentence: string, event: Event, metadata: JsonObject][] = [
    ['called by the agent', scene.skillUse('team:plan'), { skill: 'team:plan' }],
    ['called without its plugin', scene.skillUse('plan'), { skill: 'plan' }],
    ['called from another plugin', scene.skillUse('other:plan'), { skill: 'other:plan' }],
    ['typed by a person', scene.prompt('/team:plan'), { skill: 'team:plan', typed: true }],
    ['typed with words after it', scene.prompt(' /plan the login\nplease'), { skill: 'plan', typed: true }],
    ['expanded from a prompt', scene.expansion('team:plan'), { skill: 'team:plan', typed: true }],
  ];

  test.each(rows)('%s', (_sentence, event, metadata) => {
    const { verdict, branch, metrics } = afterwards(event);
    expect(verdict.kind).toBe('nothing');
    expect(branch).toMatchObject({
      requirements: { plan: { sessions: { [SESSION]: satisfied(metadata) } } },
    });
    expect(branch).not.toHaveProperty('requirements.adr');
    expect(metrics).toMatchObject({
      skills: [{ name: metadata['skill'], timestamp: NOW }],
      requirements: { plan: { satisfied_by: `skill:${metadata['skill']}` } },
    });
  });

  test.each<[string, Event]>([
    ['a call that failed', scene.skillUse('team:plan', 'failure')],
    ['another skill', scene.skillUse('team:planning')],
    ['a skill for what the config does not enable', scene.skillUse('gone')],
    ['a skill that is called like an inherited member', scene.skillUse('constructor')],
    ['a prompt that only mentions it', scene.prompt('please run /team:plan')],
    ['a path', scene.prompt('/team:plan/x is a path')],
    ['a prompt without one', scene.prompt('/')],
  ])('but not %s', (_sentence, event) => {
    expect(afterwards(event).changes).toEqual([]);
  });
});

describe('a skill satisfies each requirement in its own scope', () => {
  test('a branch at the root', () => {
    const { branch } = afterwards(scene.skillUse('plan'), [{ ...plan, scope: 'branch' }]);
    expect(branch).toMatchObject({
      requirements: { plan: { scope: 'branch', ...satisfied({ skill: 'plan' }) } },
    });
  });

  test('what is permanent in the file of the project, beside the others in theirs', () => {
    const license = scene.blocking('license', { scope: 'permanent', replanTtl: 60 });
    const { branch, project } = afterwards(scene.skillUse('plan'), [plan, license]);
    expect(Object.keys(branch?.['requirements'] as JsonObject)).toEqual(['plan']);
    expect(project).toMatchObject({ requirements: { license: { satisfied: true, expires_at: null } } });
  });

  test('for as long as the config lets a plan live', () => {
    const { branch } = afterwards(scene.skillUse('plan'), [{ ...plan, replanTtl: 60 }]);
    expect(branch).toMatchObject({
      requirements: { plan: { sessions: { [SESSION]: { expires_at: NOW + 60 } } } },
    });
  });
});
