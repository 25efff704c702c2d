import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, SESSION } from './events';
import { loopProject } from './loop-project';
import { configWith, type Project, projectWith, SILENT } from './requirements-project';
import { at, deniedBecause, type Ended, heldBecause, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

function open(config?: string): Project {
  const project = projectWith(config);
  rig = project.rig;
  return project;
}

/** The id that a denial tells people to use. */
function namedIn(ended: Ended): string {
  return /--session (\S+)`/.exec(deniedBecause(ended))?.[1] ?? '';
}

const metricsFiles = () => readdirSync(join(rig.repo, '.git/requirements/sessions')).sort();

describe.each([
  ['a UUID', SESSION],
  ['a UUID that begins with the time', '01900000-0000-7000-8000-0000000000aa'],
  ['a short id', 'ab-cd'],
  ['an id of eight', 'abcd-efgh'],
  ['an id that could be a path', '../a-b/c'],
  ['a long id', `cad0ac4d-${'f-'.repeat(150)}`],
])('%s', (_what, dashed) => {
  const plain = dashed.replaceAll('-', '');
  const both: [string, string][] = [
    [dashed, plain],
    [plain, dashed],
  ];

  it.each(both)('is one session with dashes and without (%#)', (first, second) => {
    const { edit, satisfy, on, registry } = open();
    const name = namedIn(edit({ session_id: first }));
    expect(namedIn(edit({ session_id: second }))).toBe(name);
    satisfy('commit_plan', '--session', second);
    expect(edit({ session_id: first })).toMatchObject(SILENT);
    expect(edit({ session_id: second })).toMatchObject(SILENT);
    rig.hook(on.start('resume', { session_id: second }));
    expect(Object.keys(registry() as object)).toEqual([name]);
    expect(metricsFiles()).toEqual([`${name}.json`]);
    rig.hook(on.end({ session_id: second }));
    expect(registry()).toEqual({});
  });
});

describe('an id with dashes and without', () => {
  const both: [string, string][] = [
    [SESSION, SESSION.replaceAll('-', '')],
    [SESSION.replaceAll('-', ''), SESSION],
  ];

  it.each(both)('is one session at the end of a turn (%#)', (first, second) => {
    const { edit, on } = open(configWith('notes: {enabled: true, stop_only: true}'));
    edit({ session_id: first });
    heldBecause(rig.hook(on.stop(false, { session_id: second, prompt_id: 'p' })));
    expect(rig.hook(on.stop(true, { session_id: first, prompt_id: 'p' }))).toMatchObject(SILENT);
  });

  it.each(both)('drives one loop (%#)', (first, second) => {
    const project = loopProject();
    rig = project.rig;
    expect(project.person(['start', '--session', first, 'Work']).exitCode).toBe(0);
    const stop = { session_id: second, hook_event_name: 'Stop', stop_hook_active: false, cwd: rig.repo };
    expect(rig.hook({ ...stop, last_assistant_message: 'more' })).toMatchObject({ exitCode: 2 });
    expect(at(project.person(['status', '--session', second, '--json']).json, 'stack', '0', 'iter')).toBe(2);
    expect(rig.hook({ ...stop, last_assistant_message: '<loop-done>COMPLETE</loop-done>' }).exitCode).toBe(0);
    expect(at(project.person(['status', '--session', first, '--json']).json, 'active')).toBe(false);
  });
});

describe.each<[string, string, string, string]>([
  ['UUIDs', SESSION, `${KEY}-ffff-4000-8000-000000000000`, `${KEY}-eeee-4000-8000-000000000000`],
  ['that share twelve characters', 'aaaaaaaabbbb-1', 'aaaaaaaabbbb-2', 'aaaaaaaabbbb-3'],
  ['of words', 'session-one', 'session-o2', 'session-o3'],
  ['without dashes', 'abcdefgh1', 'abcdefgh2', 'abcdefgh3'],
])('ids with the same first eight characters, %s,', (_what, ...ids) => {
  it.each([
    ['in their order', [0, 1, 2]],
    ['the other way round', [2, 1, 0]],
  ])('are sessions of their own: what a denial names works for that one alone (%s)', (_order, order) => {
    const { edit } = open();
    const names = ids.map((session_id) => namedIn(edit({ session_id })));
    expect(new Set(names).size).toBe(3);
    order.forEach((index, step) => {
      const done = rig.req(['satisfy', 'commit_plan', '--session', names[index] ?? '']);
      expect(done).toMatchObject({ exitCode: 0, stderr: '' });
      const free = order.slice(0, step + 1);
      ids.forEach((session_id, which) => {
        const ended = edit({ session_id });
        if (free.includes(which)) expect(ended, session_id).toMatchObject(SILENT);
        else expect(namedIn(ended)).toBe(names[which]);
      });
    });
  });

  it('are all in the registry and in the counts, and leave one by one', () => {
    const { on, registry, send } = open();
    for (const session_id of ids) rig.hook(on.start('startup', { session_id }));
    for (const session_id of ids) send('UserPromptSubmit', { session_id, prompt: 'go' });
    const registered = () => Object.values(registry() as object).map((one) => at(one, 'session_id'));
    expect(registered()).toEqual(ids);
    expect(metricsFiles()).toHaveLength(3);
    rig.hook(on.end({ session_id: ids[0] }));
    expect(registered()).toEqual(ids.slice(1));
    rig.hook(on.start('resume', { session_id: ids[1] }));
    expect(registered()).toEqual(ids.slice(1));
  });

  it('are paused, cleared, shown and resumed one by one, by their names and by their ids', () => {
    const { edit, satisfy } = open();
    const [one = '', two = ''] = ids;
    const names = ids.map((session_id) => namedIn(edit({ session_id })));
    const [first = '', second = ''] = names;
    expect(rig.req(['pause', '--session', second]).stdout).toContain(`paused for session ${second}`);
    expect(edit({ session_id: two })).toMatchObject(SILENT);
    deniedBecause(edit({ session_id: one }));
    expect(rig.req(['resume', '--session', two]).exitCode).toBe(0);
    deniedBecause(edit({ session_id: two }));
    for (const name of [one, second]) satisfy('commit_plan', '--session', name);
    for (const name of [one, first, two, second])
      expect(at(rig.req(['status', '--session', name, '--json']).json, 'satisfied'), name).toBe(1);
    expect(rig.req(['clear', 'commit_plan', '--session', second]).exitCode).toBe(0);
    expect(edit({ session_id: one })).toMatchObject(SILENT);
    expect(namedIn(edit({ session_id: two }))).toBe(second);
  });
});

it('a state of an older program with two whole ids that begin alike keeps both', () => {
  const { edit, writeState, sessionKeys } = open();
  const other = `${KEY}-ffff-4000-8000-000000000000`;
  const satisfied = { satisfied: true, satisfied_at: 100 };
  writeState({ commit_plan: { scope: 'session', sessions: { [SESSION]: satisfied, [other]: satisfied } } });
  expect(edit()).toMatchObject(SILENT);
  expect(edit({ session_id: other })).toMatchObject(SILENT);
  deniedBecause(edit({ session_id: `${KEY}-eeee-4000-8000-000000000000` }));
  expect(sessionKeys('commit_plan')).toHaveLength(2);
});

it('a name of a session that nobody knows is told, and none is told without one', () => {
  const { edit } = open();
  deniedBecause(edit());
  const stranger = rig.req(['satisfy', 'commit_plan', '--session', 'ffffffff']);
  expect(stranger.stdout).toContain(`No session ffffffff has been seen here yet (live: ${KEY}).`);
  expect(stranger.stderr).toBe('');
  const again = rig.req(['satisfy', 'commit_plan', '--session', 'ffffffff']);
  expect(again.stderr).toContain(`Note: ffffffff is not a live session (live: ${KEY})`);
  expect(again.stdout).not.toContain('seen here yet');
  const both = rig.req(['satisfy', 'commit_plan', '--branch', 'feature/auth', '--session', KEY]);
  expect(both).toMatchObject({ exitCode: 0, stderr: '' });
});
