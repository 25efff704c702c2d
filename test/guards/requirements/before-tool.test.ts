import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import type { Scope } from '../../../src/guards/requirements/config';
import * as scene from './scene';

const FILE = 'requirements/feature-auth.json';
const PROJECT = 'requirements/_project.json';
const done = { satisfied: true };
const plan = scene.blocking('plan');

function verdictOn(requirement: typeof plan, files: Record<string, JsonObject>): string {
  const { verdict } = scene.outcomeOf(
    scene.before(),
    scene.configOf([requirement]),
    scene.snapshotOf({ files }),
  );
  return verdict.kind;
}

describe('what satisfies a requirement', () => {
  const own = { sessions: { [scene.SESSION]: done } };
  const others = { sessions: { aaaaaaaa: done } };
  const onBranch = (entry: JsonObject) => ({ [FILE]: scene.state({ plan: entry }) });
  const inProject = (entry: JsonObject) => ({ [PROJECT]: scene.state({ plan: entry }, '_project') });
  const expiring = (at: number | null) => ({ ...done, expires_at: at });

  const rows: [sentence: string, scope: Scope, files: Record<string, JsonObject>, verdict: string][] = [
    ['nothing satisfies a fresh session', 'session', {}, 'deny'],
    ["the session's own entry satisfies a session", 'session', onBranch(own), 'nothing'],
    ["another session's entry does not", 'session', onBranch(others), 'deny'],
    ['the root satisfies every session', 'session', onBranch(done), 'nothing'],
    ['a word other than true satisfies nothing', 'session', onBranch({ satisfied: 'true' }), 'deny'],
    ['an entry that is no mapping satisfies nothing', 'session', onBranch({ sessions: [1] }), 'deny'],
    ['the project file does not satisfy a session', 'session', inProject(done), 'deny'],
    ["the session's own entry is a pass for one use", 'single_use', onBranch(own), 'nothing'],
    ['the root lets every single use pass', 'single_use', onBranch(done), 'nothing'],
    ["another session's pass is not ours", 'single_use', onBranch(others), 'deny'],
    ['the root satisfies a branch', 'branch', onBranch(done), 'nothing'],
    ["a session's entry does not widen to a branch", 'branch', onBranch(own), 'deny'],
    ['the project file does not satisfy a branch', 'branch', inProject(done), 'deny'],
    ['the project file satisfies what is permanent', 'permanent', inProject(done), 'nothing'],
    ['an older root on the branch does so too', 'permanent', onBranch(done), 'nothing'],
    ["a session's entry does not widen to permanent", 'permanent', onBranch(own), 'deny'],
    ['a satisfaction stands in its last second', 'branch', onBranch(expiring(scene.NOW)), 'nothing'],
    ['and not in the one after', 'branch', onBranch(expiring(scene.NOW - 1)), 'deny'],
    ['no expiry means none', 'branch', onBranch(expiring(null)), 'nothing'],
    [
      "a session's entry expires",
      'session',
      onBranch({ sessions: { [scene.SESSION]: expiring(scene.NOW - 1) } }),
      'deny',
    ],
    [
      'a live entry counts beside an expired root',
      'session',
      onBranch({ ...expiring(scene.NOW - 1), ...own }),
      'nothing',
    ],
    ['what is permanent never expires', 'permanent', inProject(expiring(scene.NOW - 1)), 'nothing'],
  ];

  test.each(rows)('%s (%s)', (_sentence, scope, files, verdict) => {
    expect(verdictOn({ ...plan, scope }, files)).toBe(verdict);
  });

  test('the state of another branch says nothing about this one', () => {
    const files = { [FILE]: scene.state({ plan: done }) };
    const snapshot = scene.snapshotOf({ files, branch: 'other' });
    const config = scene.configOf([{ ...plan, scope: 'branch' }]);
    expect(scene.outcomeOf(scene.before(), config, snapshot).verdict.kind).toBe('deny');
  });
});

describe('which calls set a requirement off', () => {
  const command = (pattern: string) => [{ kind: 'command', tool: 'Bash', pattern } as const];
  const tool = (name: string) => [{ kind: 'tool', tool: name } as const];
  const mcp = scene.call({ nativeName: 'mcp__db__drop', names: ['mcp__db__drop'], op: 'mcp', paths: [] });
  const renamed = scene.call({ nativeName: 'Agent', names: ['Agent', 'Task'], op: 'agent', paths: [] });

  test.each([
    ['a tool by its name', tool('Edit'), scene.call(), 'deny'],
    ['not by a part of it', tool('Edi'), scene.call(), 'nothing'],
    ['not in another case', tool('edit'), scene.call(), 'nothing'],
    ['a tool by a glob', tool('mcp__*'), mcp, 'deny'],
    ['a tool by an older name', tool('Task'), renamed, 'deny'],
    [
      'a command by a pattern anywhere in it',
      command('git\\s+commit'),
      scene.bash('cd x && git commit'),
      'deny',
    ],
    ['a command in any case', command('GIT COMMIT'), scene.bash('git commit'), 'deny'],
    ['not another command', command('git\\s+commit'), scene.bash('git status'), 'nothing'],
    ['not a tool without a command', [{ ...command('.*')[0]!, tool: 'Edit' }], scene.call(), 'nothing'],
    ['no tool where none is named', [], scene.call(), 'nothing'],
  ] as const)('%s', (_sentence, triggers, made, verdict) => {
    const config = scene.configOf([{ ...plan, triggers }]);
    expect(scene.outcomeOf(scene.before(made), config, scene.snapshotOf()).verdict.kind).toBe(verdict);
  });
});

describe('calls that are never held', () => {
  const everything = scene.configOf([scene.blocking('plan', { triggers: [{ kind: 'tool', tool: '*' }] })]);
  const verdictOf = (made: ReturnType<typeof scene.call>) =>
    scene.outcomeOf(scene.before(made), everything, scene.snapshotOf()).verdict.kind;

  test.each([
    ['the project', `${scene.ROOT}/.claude/plans/a.md`, 'nothing'],
    ["the project's documents", `${scene.ROOT}/docs/plans/deep/a.md`, 'nothing'],
    ['the home', `${scene.HOME}/.claude/plans/a.md`, 'nothing'],
    ['not anything but Markdown', `${scene.ROOT}/docs/plans/evil.ts`, 'deny'],
    ['not a directory of that name elsewhere', `${scene.ROOT}/src/docs/plans/a.md`, 'deny'],
    ['not one that only begins like it', `${scene.ROOT}/docs/plans-b/a.md`, 'deny'],
    ['not a path that climbs out', `${scene.ROOT}/docs/plans/../../a.md`, 'deny'],
  ])('a plan file in %s', (_sentence, path, verdict) => {
    expect(verdictOf(scene.writing(path))).toBe(verdict);
  });

  test('a call with one plan file and one other file is held', () => {
    const paths = [`${scene.ROOT}/docs/plans/a.md`, `${scene.ROOT}/src/a.ts`];
    expect(verdictOf(scene.call({ paths }))).toBe('deny');
  });

  test.each([
    ['req satisfy plan', 'nothing'],
    ['  req satisfy plan --session cad0ac4d', 'nothing'],
    ['req', 'nothing'],
    ['holdpoint why abc', 'nothing'],
    [`req satisfy plan --metadata '{"ticket": 7}'`, 'nothing'],
    ['req satisfy plan; rm -rf /', 'deny'],
    ['req satisfy plan && rm -rf /', 'deny'],
    ['req satisfy plan | sh', 'deny'],
    ['req satisfy plan > src/a.ts', 'deny'],
    ['req satisfy $(rm -rf /)', 'deny'],
    ['req satisfy `rm -rf /`', 'deny'],
    ['req satisfy plan\nrm -rf /', 'deny'],
    ['req\nrm -rf /', 'deny'],
    ['req\rrm -rf /', 'deny'],
    ['PATH=/evil req satisfy plan', 'deny'],
    ['reqs', 'deny'],
    ['./req satisfy plan', 'deny'],
    ['echo req satisfy plan', 'deny'],
  ])('the command %j: %s', (command, verdict) => {
    expect(verdictOf(scene.bash(command))).toBe(verdict);
  });
});

describe('what an allowed call leaves behind', () => {
  const config = scene.configOf([
    plan,
    scene.blocking('changelog', { stopOnly: true }),
    scene.blocking('adr', { scope: 'branch' }),
  ]);
  const satisfied = scene.state({ plan: done, adr: done });

  test('everything that was set off is triggered, held or not', () => {
    const { verdict, changes } = scene.outcomeOf(
      scene.before(),
      config,
      scene.snapshotOf({ files: { [FILE]: satisfied } }),
    );
    expect(verdict.kind).toBe('nothing');
    const mark = { triggered: true, triggered_at: scene.NOW };
    expect(scene.applied(changes, scene.fileRef(FILE), satisfied)).toMatchObject({
      requirements: {
        plan: { sessions: { [scene.SESSION]: mark } },
        changelog: { sessions: { [scene.SESSION]: mark } },
        adr: { ...mark, triggered_sessions: { [scene.SESSION]: scene.NOW } },
      },
    });
  });

  test('a denied call triggers nothing', () => {
    const { verdict, changes } = scene.outcomeOf(scene.before(), config, scene.snapshotOf());
    expect(verdict.kind).toBe('deny');
    expect(scene.applied(changes, scene.fileRef(FILE))).toBeUndefined();
  });

  test('a second call is only counted', () => {
    const first = scene.outcomeOf(scene.before(), config, scene.snapshotOf({ files: { [FILE]: satisfied } }));
    const triggered = scene.applied(first.changes, scene.fileRef(FILE), satisfied) ?? null;
    const metrics = scene.applied(first.changes, scene.fileRef(scene.METRICS)) as JsonObject;
    const second = scene.snapshotOf({ files: { [FILE]: triggered }, metrics });
    const { changes } = scene.outcomeOf(scene.before(), config, second);
    expect(scene.changedPaths(changes)).toEqual([scene.METRICS]);
  });

  test('the session is registered and the call counted, whether it was held or not', () => {
    for (const [files, blocked_count] of [
      [{}, 1],
      [{ [FILE]: satisfied }, 0],
    ] as const) {
      const { changes } = scene.outcomeOf(scene.before(), config, scene.snapshotOf({ files }));
      expect(changes.map(({ what }) => what)).toContain(`registered session ${scene.SESSION}`);
      expect(scene.applied(changes, scene.fileRef(scene.METRICS))).toMatchObject({
        registered_at: scene.NOW,
        tools: { Edit: { count: 1, blocked_count, files: [`${scene.ROOT}/src/a.ts`] } },
        requirements: { plan: { triggered_at: scene.NOW, blocked_count } },
      });
    }
  });

  test.each([
    ['a minute after it was, or later', { branch: 'feature/auth', registered_at: scene.NOW - 60 }, true],
    ['not sooner', { branch: 'feature/auth', registered_at: scene.NOW - 59 }, false],
    ['on another branch at once', { branch: 'other', registered_at: scene.NOW }, true],
  ])('a session is registered again: %s', (_sentence, metrics, due) => {
    const { changes } = scene.outcomeOf(scene.before(), config, scene.snapshotOf({ metrics }));
    expect(scene.changedPaths(changes).includes('.claude/sessions.json')).toBe(due);
  });

  test('a call that sets nothing off changes nothing', () => {
    const reading = scene.call({ nativeName: 'Read', names: ['Read'], op: 'read' });
    const { verdict, changes } = scene.outcomeOf(scene.before(reading), config, scene.snapshotOf());
    expect([verdict.kind, changes.length]).toEqual(['nothing', 0]);
  });
});

describe('a session that is paused', () => {
  test('is held by nothing, and nothing is written for it', () => {
    const { verdict, changes } = scene.outcomeOf(
      scene.before(),
      scene.configOf([plan]),
      scene.snapshotOf({ paused: true }),
    );
    expect([verdict.kind, changes.length]).toEqual(['nothing', 0]);
  });
});

describe('who is not concerned', () => {
  test.each([
    ['an event without a session', scene.before(scene.call(), ''), scene.configOf([plan])],
    ['a config that is switched off', scene.before(), scene.configOf([plan], { enabled: false })],
    ['an event of another kind', { ...scene.start(), kind: 'notification' }, scene.configOf([plan])],
  ] as const)('%s', (_sentence, event, config) => {
    const { verdict, changes } = scene.outcomeOf(event, config, scene.snapshotOf());
    expect([verdict.kind, changes.length]).toEqual(['nothing', 0]);
  });
});
