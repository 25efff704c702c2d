import { describe, expect, test } from 'vitest';
import { guard } from '../../../src/guards/requirements/index';
import * as scene from './scene';

const plan = scene.blocking('plan');
const START = { kind: 'session.start' };
const BEFORE = { kind: 'tool.before', tools: ['Edit', 'Write'] };
const STOP = { kind: 'turn.stop' };

describe('the events that requirements watch', () => {
  test.each([
    ['none while there are none', scene.configOf([]), []],
    ['none while they are switched off', scene.configOf([plan], { enabled: false }), []],
    [
      'only beginnings where a global config stands alone',
      scene.configOf([plan], { reach: 'global-only' }),
      [START],
    ],
    [
      'tools, each named once, and the end of turns',
      scene.configOf([plan, scene.blocking('adr')]),
      [START, BEFORE, STOP],
    ],
    [
      'no end of turns where none is verified',
      scene.configOf([plan], { stop: { verify: false, scopes: [] } }),
      [START, BEFORE],
    ],
    [
      'what follows a tool only where a pass can be used up',
      scene.configOf([
        plan,
        scene.blocking('review', { scope: 'single_use', triggers: [{ kind: 'tool', tool: 'Bash' }] }),
      ]),
      [START, { ...BEFORE, tools: ['Edit', 'Write', 'Bash'] }, { kind: 'tool.after', tools: ['Bash'] }, STOP],
    ],
  ])('%s', (_sentence, config, interests) => {
    expect(guard.interest(config)).toEqual(interests);
  });
});

describe('what is read for an event', () => {
  const paths = (config: ReturnType<typeof scene.configOf>, event: Parameters<typeof guard.needs>[0]) => {
    const { documents = [], sessions = false } = guard.needs(event, config, scene.snapshotOf());
    return [documents.map(({ path }) => path), sessions];
  };
  const FILE = 'requirements/feature-auth.json';
  const permanent = scene.blocking('adr', { scope: 'permanent' });

  test.each([
    ['nothing for a call that sets nothing off', [plan], scene.before(scene.bash('ls')), [], false],
    ['the branch and the sessions before a tool', [plan], scene.before(), [FILE], true],
    [
      'the project too where something is permanent',
      [permanent],
      scene.before(),
      [FILE, 'requirements/_project.json'],
      true,
    ],
    ['the branch alone at the end of a turn', [plan], scene.stop(), [FILE], false],
    ['the sessions too where only one may run', [scene.singleSession()], scene.stop(), [FILE], true],
    ['the branch after a tool', [plan], scene.after(scene.call()), [FILE], false],
  ])('%s', (_sentence, requirements, event, documents, sessions) => {
    expect(paths(scene.configOf(requirements), event)).toEqual([documents, sessions]);
  });
});
