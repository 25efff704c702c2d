import { describe, expect, test } from 'vitest';
import type { Requirement } from '../../../src/guards/requirements/config';
import { guard } from '../../../src/guards/requirements/index';
import * as scene from './scene';

const plan = scene.blocking('plan');
const START = { kind: 'session.start' };
const LIFE = [START, { kind: 'session.end' }, { kind: 'compact.before' }];
const beforeTools = (...tools: string[]) => ({ kind: 'tool.before', tools });
const afterTools = (...tools: string[]) => ({ kind: 'tool.after', tools: ['ExitPlanMode', ...tools] });
const STOP = { kind: 'turn.stop' };
const ASKING = { kind: 'permission.request', tools: ['Bash'] };
const TYPED = [{ kind: 'prompt.submit' }, { kind: 'prompt.expand' }];
const review = scene.blocking('review', { scope: 'single_use', triggers: [{ kind: 'tool', tool: 'Bash' }] });
const unverified = { stop: { verify: false, scopes: [] } };

describe('the events that requirements watch', () => {
  test.each([
    ['only beginnings while there are none', scene.configOf([]), [START]],
    ['only beginnings while they are switched off', scene.configOf([plan], { enabled: false }), [START]],
    [
      'only beginnings where a global config stands alone',
      scene.configOf([plan], { reach: 'global-only' }),
      [START],
    ],
    [
      'tools, each named once, and the end of turns',
      scene.configOf([plan, scene.blocking('adr')]),
      [...LIFE, beforeTools('Edit', 'Write'), afterTools(), STOP, ASKING],
    ],
    [
      'no end of turns where none is verified',
      scene.configOf([plan], unverified),
      [...LIFE, beforeTools('Edit', 'Write'), afterTools(), ASKING],
    ],
    [
      'the end of turns for the review alone',
      scene.configOf([plan], { ...unverified, review: { onStop: true, minToolUses: 5 } }),
      [...LIFE, beforeTools('Edit', 'Write'), afterTools(), STOP, ASKING],
    ],
    [
      'what follows a tool where a pass can be used up',
      scene.configOf([plan, review]),
      [...LIFE, beforeTools('Edit', 'Write', 'Bash'), afterTools('Bash'), STOP, ASKING],
    ],
    [
      'skills, called or typed, where one satisfies something',
      scene.configOf([plan], { skills: { 'team:plan': ['plan'] } }),
      [...LIFE, beforeTools('Edit', 'Write'), afterTools('Skill'), ...TYPED, STOP, ASKING],
    ],
    [
      'prompts and the way into plan mode where a design has to be agreed on',
      scene.configOf([plan], { thinkFirst: { onPlan: true, onPrompt: true } }),
      [
        ...LIFE,
        beforeTools('Edit', 'Write'),
        afterTools('EnterPlanMode'),
        { kind: 'prompt.submit' },
        STOP,
        ASKING,
      ],
    ],
    [
      'no requests for permission where they are left to the person',
      scene.configOf([plan], { denyDangerous: false }),
      [...LIFE, beforeTools('Edit', 'Write'), afterTools(), STOP],
    ],
  ])('%s', (_sentence, config, interests) => {
    expect(guard.interest(config)).toEqual(interests);
  });
});

describe('what is read for an event', () => {
  const { FILE, METRICS } = scene;
  const PAUSED = `requirements/sessions/${scene.SESSION}.paused`;
  const SESSION = [METRICS, PAUSED, FILE];
  const permanent = scene.blocking('adr', { scope: 'permanent' });
  const read = (
    requirements: readonly Requirement[],
    event: Parameters<typeof guard.needs>[0],
    world: scene.World = {},
  ) => guard.needs(event, scene.configOf(requirements), scene.snapshotOf(world));
  const pathsOf = (...args: Parameters<typeof read>) =>
    (read(...args).documents ?? []).map(({ path }) => path);

  test.each([
    ['nothing for a call that sets nothing off', [plan], scene.before(scene.bash('ls')), []],
    ['nothing for a prompt that names no skill', [plan], scene.prompt('go on'), []],
    ['nothing for an event without a session', [plan], { ...scene.stop(), sessionId: '' }, []],
    ['nothing but the command for a permission', [plan], scene.permission('ls'), []],
    ['the branch and the session before a tool', [plan], scene.before(), SESSION],
    ['the same for a prompt that may name a skill', [plan], scene.prompt('/plan'), SESSION],
    ['the same for a skill that was called', [plan], scene.skillUse('plan'), SESSION],
    [
      'the project too where something is permanent',
      [permanent],
      scene.before(),
      [...SESSION, 'requirements/_project.json'],
    ],
    [
      'computed values too where something has one',
      [scene.dynamic('size')],
      scene.before(),
      [...SESSION, 'values.json'],
    ],
    ['the same at the end of a turn', [plan], scene.stop(), SESSION],
    ['the same after a tool', [plan], scene.after(scene.call()), SESSION],
  ])('%s', (_sentence, requirements, event, documents) => {
    expect(pathsOf(requirements, event)).toEqual(documents);
  });

  test('every branch that the session was seen on, at the end of a turn', () => {
    const metrics = { branches: ['one/two', 'feature/auth', 'x'] };
    expect(pathsOf([plan], scene.stop(), { metrics })).toEqual([
      ...SESSION,
      'requirements/one-two.json',
      'requirements/x.json',
    ]);
  });

  test('a command only where a pattern asks for it', () => {
    const command = { kind: 'command', tool: 'Bash', pattern: 'x' } as const;
    const asking = scene.blocking('review', { triggers: [command] });
    expect(read([asking], scene.before(scene.bash('ls -l'))).command).toBe('ls -l');
    expect(read([review], scene.before(scene.bash('ls -l')))).not.toHaveProperty('command');
  });

  const fresh = { metrics: { branch: 'feature/auth', registered_at: scene.NOW - 59 } };
  test.each([
    ['when a session begins', [plan], scene.start(), {}, true],
    ['not before the counts were looked at', [plan], scene.before(), {}, false],
    ['not at a second call', [plan], scene.before(), fresh, false],
    ['not at the end of a turn', [plan], scene.stop(), { metrics: {} }, false],
    ['when a session has no counts yet', [plan], scene.before(), { metrics: {} }, true],
    ['at every call where only one session may run', [scene.singleSession()], scene.before(), fresh, true],
    ['and there at the end of a turn', [scene.singleSession()], scene.stop(), {}, true],
  ])('the registry %s', (_sentence, requirements, event, world, sessions) => {
    expect(read(requirements, event, world).sessions).toBe(sessions);
  });

  test('what was read for others before says nothing of the counts', () => {
    const known = scene.snapshotOf({ files: { 'requirements/another.json': {} } });
    expect(guard.needs(scene.before(), scene.configOf([plan]), known).sessions).toBe(false);
  });
});
