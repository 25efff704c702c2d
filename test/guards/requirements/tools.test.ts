import { describe, expect, test } from 'vitest';
import type { Event, ToolCall } from '../../../src/core/event';
import type { Context } from '../../../src/core/guard';
import type { JsonObject } from '../../../src/core/json';
import { guard } from '../../../src/guards/requirements';
import type { Requirement, Scope } from '../../../src/guards/requirements/section';
import * as ctx from './context';

const { FILE, HOME, METRICS, NOW, PROJECT, ROOT, SESSION } = ctx;
const { called, bash, calling, blocking, call, changed, decide, named, state } = ctx;
const done = { satisfied: true };
const plan = blocking('plan');
const onBranch = (entry: JsonObject) => ({ [FILE]: state({ plan: entry }) });

describe('what satisfies a requirement', () => {
  const own = { sessions: { [SESSION]: done } };
  const others = { sessions: { aaaaaaaa: done } };
  const inProject = (entry: JsonObject) => ({ [PROJECT]: state({ plan: entry }, '_project') });
  const expiring = (at: number | null) => ({ ...done, expires_at: at });
  const late = expiring(NOW - 1);

  test.each<[string, Scope, Record<string, JsonObject>, 'deny' | 'nothing']>([
    ['nothing satisfies a fresh session', 'session', {}, 'deny'],
    ['the session’s own entry does', 'session', onBranch(own), 'nothing'],
    ['another session’s entry does not', 'session', onBranch(others), 'deny'],
    ['the root satisfies every session', 'session', onBranch(done), 'nothing'],
    ['a word other than true satisfies nothing', 'session', onBranch({ satisfied: 'true' }), 'deny'],
    ['an entry that is no mapping satisfies nothing', 'session', onBranch({ sessions: [1] }), 'deny'],
    ['the project file does not satisfy a session', 'session', inProject(done), 'deny'],
    ['the session’s own entry is a pass for one use', 'single_use', onBranch(own), 'nothing'],
    ['the root lets every single use pass', 'single_use', onBranch(done), 'nothing'],
    ['another session’s pass is not ours', 'single_use', onBranch(others), 'deny'],
    ['the root satisfies a branch', 'branch', onBranch(done), 'nothing'],
    ['a session’s entry does not widen to a branch', 'branch', onBranch(own), 'deny'],
    ['the project file does not satisfy a branch', 'branch', inProject(done), 'deny'],
    ['the project file satisfies what is permanent', 'permanent', inProject(done), 'nothing'],
    ['an older root on the branch does so too', 'permanent', onBranch(done), 'nothing'],
    ['a session’s entry does not widen to permanent', 'permanent', onBranch(own), 'deny'],
    ['a satisfaction stands in its last second', 'branch', onBranch(expiring(NOW)), 'nothing'],
    ['and not in the one after', 'branch', onBranch(late), 'deny'],
    ['no expiry means none', 'branch', onBranch(expiring(null)), 'nothing'],
    ['a session’s entry expires', 'session', onBranch({ sessions: { [SESSION]: late } }), 'deny'],
    ['a live entry counts beside an expired root', 'session', onBranch({ ...late, ...own }), 'nothing'],
    ['what is permanent never expires', 'permanent', inProject(late), 'nothing'],
  ])('%s (%s)', async (_sentence, scope, files, kind) => {
    expect((await decide(calling(), [{ ...plan, scope }], { files })).kind).toBe(kind);
  });

  test('two sessions that begin alike share nothing', async () => {
    const theirs = { [SESSION]: { ...done, session_id: 'cad0ac4d-ffff-4000-8000-000000000000' } };
    const { reason } = await decide(calling(), [plan], { files: onBranch({ sessions: theirs }) });
    expect(reason).toContain('--session cad0ac4d3933');
    const sessions = { ...theirs, cad0ac4d3933: { ...done, session_id: ctx.SESSION_ID } };
    expect((await decide(calling(), [plan], { files: onBranch({ sessions }) })).kind).toBe('nothing');
  });
});

describe('which calls are held', () => {
  const command = (pattern: string, tool = 'Bash') => [{ kind: 'command', tool, pattern } as const];
  const tool = (name: string) => [{ kind: 'tool', tool: name } as const];
  const both = call({ paths: [`${ROOT}/docs/plans/a.md`, `${ROOT}/src/a.ts`] });
  const writing = (path: string) => call({ paths: [path] });
  const serverTool = (path: string) =>
    named('mcp__files__write_file', { mcp: { server: 'files', tool: 'write_file' }, input: { path } });

  test.each<[string, Requirement['triggers'], ToolCall, 'deny' | 'nothing']>([
    ['a tool by its name', tool('Edit'), call(), 'deny'],
    ['not by a part of it', tool('Edi'), call(), 'nothing'],
    ['not in another case', tool('edit'), call(), 'nothing'],
    ['a tool by a glob', tool('mcp__*'), named('mcp__db__drop'), 'deny'],
    ['a tool by an older name', tool('Task'), call({ names: ['Agent', 'Task'] }), 'deny'],
    ['a command by a pattern', command('git\\s+commit'), bash('cd x && git commit'), 'deny'],
    ['not another command', command('git\\s+commit'), bash('git status'), 'nothing'],
    ['not a tool without a command', command('.*', 'Edit'), call(), 'nothing'],
    ['no tool where none is named', [], call(), 'nothing'],
    ['not a plan in the home', tool('*'), writing(`${HOME}/.claude/plans/a.md`), 'nothing'],
    ['a directory that only begins like plans', tool('*'), writing(`${ROOT}/docs/plans-b/a.md`), 'deny'],
    ['a plan beside another file', tool('*'), both, 'deny'],
    ['not our own command', tool('*'), bash(`req satisfy plan --metadata '{"a": 7}'`), 'nothing'],
    ['our own command before another', tool('*'), bash('req satisfy plan && rm -rf /'), 'deny'],
    ['our own command in a pipe', tool('*'), bash('req satisfy plan | sh'), 'deny'],
    ['our own command with a substitution', tool('*'), bash('req satisfy `rm -rf /`'), 'deny'],
    ['our own command on two lines', tool('*'), bash('req\rrm -rf /'), 'deny'],
    ['our own command with another PATH', tool('*'), bash('PATH=/evil req satisfy plan'), 'deny'],
    ['our own command as an argument', tool('*'), bash('echo req satisfy plan'), 'deny'],
  ])('%s', async (_sentence, triggers, made, kind) => {
    expect((await decide(calling(made), [{ ...plan, triggers }])).kind).toBe(kind);
  });

  test.each<[string, ToolCall, Partial<Requirement>, 'deny' | 'nothing']>([
    ['not a file that .gitignore leaves out', writing(`${ROOT}/dist/a.js`), {}, 'nothing'],
    ['not by a tool of a server either', serverTool(`${ROOT}/dist/a.js`), {}, 'nothing'],
    ['such a file beside another', call({ paths: [`${ROOT}/dist/a.js`, `${ROOT}/a.js`] }), {}, 'deny'],
    ['such a file if the rule names paths', writing(`${ROOT}/dist/a.js`), { paths: ['dist/**'] }, 'deny'],
    ['what a link among these files leads to', writing(`${ROOT}/dist/link`), {}, 'deny'],
    ['config that is left out', writing(`${ROOT}/.claude/settings.local.json`), {}, 'deny'],
    ['our own config too', serverTool(`${ROOT}/.holdpoint/config.local.yaml`), {}, 'deny'],
    ['what git runs and reads', writing(`${ROOT}/.git/hooks/pre-commit`), {}, 'deny'],
  ])('an edit: %s', async (_sentence, made, rule, kind) => {
    const edits = { ...plan, triggers: [], effects: ['edit'] as const, ...rule } as Requirement;
    const text = '/dist/\n*.local.*\n';
    const over: Partial<Context> = {
      realPath: (path) => (path === `${ROOT}/dist/link` ? `${ROOT}/src/a.js` : path),
      file: ({ path }) => ({
        kind: 'file',
        size: 9,
        mtimeMs: 0,
        ...(path.endsWith('.gitignore') && { text }),
      }),
      refs: () => undefined,
    };
    const outcome = await decide(calling(made), [edits], { over });
    expect(outcome.kind).toBe(kind);
    // Git may track such a file all the same, which the end of the turn shows.
    expect(changed(outcome).includes(`changes/${SESSION}.json`)).toBe(kind === 'nothing');
  });

  test.each<[string, Event, Requirement[], ctx.Given?]>([
    ['a call that sets nothing off', calling(named('Read')), [plan]],
    ['an event without a session', calling(call(), ''), [plan]],
    ['an event of another kind', { ...ctx.stop(), kind: 'notification' }, [plan]],
  ])('nothing is said or written for %s', async (_sentence, event, requirements, given) => {
    expect(await decide(event, requirements, given)).toMatchObject({ kind: 'nothing', changes: [] });
  });

  test.each<[string, Event]>([
    ['a call that sets nothing off', calling(bash('ls'))],
    ['a prompt that names no skill', ctx.prompt('go on')],
    ['an event without a session', { ...calling(), sessionId: '' }],
  ])('nothing is read for %s', async (_sentence, event) => {
    expect(await guard.decide(event, ctx.configOf([plan]), {} as Context)).toEqual({ kind: 'nothing' });
  });
});

describe('what a call leaves behind', () => {
  const requirements = [
    plan,
    blocking('changelog', { stopOnly: true }),
    blocking('adr', { scope: 'branch' }),
  ];
  const files = { [FILE]: state({ plan: done, adr: done }) };
  const mark = { triggered: true, triggered_at: NOW };

  test('that is allowed: everything that it set off is triggered, and the next one is only counted', async () => {
    const first = await decide(calling(), requirements, { files });
    const own = { sessions: { [SESSION]: { ...mark, session_id: ctx.SESSION_ID } } };
    const adr = { ...mark, triggered_sessions: { [SESSION]: NOW } };
    expect(first.written(FILE)).toMatchObject({ requirements: { plan: own, changelog: own, adr } });
    const known = { [FILE]: first.written(FILE) ?? null, [METRICS]: first.written(METRICS) ?? null };
    expect(changed(await decide(calling(), requirements, { files: known }))).toEqual([METRICS]);
  });

  test.each([
    ['a minute after it was, or later', { branch: ctx.BRANCH, registered_at: NOW - 60 }, true],
    ['not sooner', { branch: ctx.BRANCH, registered_at: NOW - 59 }, false],
    ['on another branch at once', { branch: 'other', registered_at: NOW }, true],
  ])('a session that is registered again: %s', async (_sentence, metrics, due) => {
    const outcome = await decide(calling(), requirements, { files: { [METRICS]: metrics } });
    expect(changed(outcome).includes('.claude/sessions.json')).toBe(due);
  });
});

describe('a denial that is repeated', () => {
  const adr = blocking('adr');

  /** The text of a denial, so many seconds after another one. */
  async function denied(requirements: Requirement[], first: Requirement[], age: number): Promise<string> {
    const known = (await decide(calling(named('Write')), first)).written(METRICS);
    const last = { ...(known?.['last_denial'] as JsonObject), at: NOW - age };
    const files = { [METRICS]: { ...known, last_denial: last } };
    return (await decide(calling(), requirements, { files })).reason;
  }

  test.each([
    ['within five seconds is short', [plan], [plan], 4, true],
    ['later is whole again', [plan], [plan], 5, false],
    ['for something else is whole', [plan], [adr], 1, false],
    ['for more than before is whole', [plan, adr], [plan], 1, false],
    ['for the same two is short', [plan, adr], [plan, adr], 1, true],
    ['after a clock that went back is whole', [plan], [plan], -9, false],
  ])('%s', async (_sentence, requirements, first, age, short) => {
    const text = await denied(requirements, first, age);
    expect(text.includes('Still held')).toBe(short);
    for (const words of [
      ...requirements.map(({ name }) => name),
      `--session ${SESSION}`,
      'Nothing was changed.',
    ])
      expect(text).toContain(words);
  });

  test('is short in the words of the config, if it has any', async () => {
    const own = { ...plan, shortMessage: 'Still {req_name} on {branch}.', message: 'Long.' };
    expect(await denied([own], [own], 1)).toMatch(/^Still plan on feature\/auth\.\n/);
    expect(await denied([own], [own], 9)).toMatch(/^Long\.\n/);
  });
});

describe('a pass for one action', () => {
  const commit = blocking('plan', {
    scope: 'single_use',
    triggers: [{ kind: 'command', tool: 'Bash', pattern: 'commit|plan' }],
  });
  const write = { ...plan, scope: 'single_use' } as const;
  const pass = { [SESSION]: { triggered: true, ...done }, aaaaaaaa: done };
  const GIT = bash('git commit -m x');

  test.each<[string, Event, Requirement, boolean, JsonObject?]>([
    ['an action whose end nobody knows', called(GIT, 'unknown'), commit, false],
    ['any tool that it was for', called(call()), write, false],
    ['the command that records it', called(bash('req satisfy plan')), commit, true],
    ['a plan, which needs no pass', called(call({ paths: [`${ROOT}/docs/plans/a.md`] })), write, true],
    ['an action under a wider scope', called(call()), plan, true],
    ['an action, where it was only triggered', called(GIT), commit, true, { [SESSION]: { triggered: true } }],
  ])('is used up, or stays, after %s', async (_sentence, event, requirement, stays, sessions = pass) => {
    const outcome = await decide(event, [requirement], { files: onBranch({ sessions }) });
    expect(outcome.kind).toBe('nothing');
    const { [SESSION]: own, ...others } = sessions;
    expect(outcome.written(FILE)).toMatchObject(state({ plan: { sessions: stays ? sessions : others } }));
    expect(JSON.stringify(outcome.written(FILE)).includes(SESSION)).toBe(stays && own !== undefined);
  });
});

describe('a skill', () => {
  const using = (skill: string) => called(named('Skill', { op: 'skill', skill }));
  const use = (event: Event, ...requirements: Requirement[]) =>
    decide(event, requirements, {}, { skills: { plan: ['plan', 'license'], gone: ['nobody'] } });
  const satisfied = { satisfied: true, satisfied_at: NOW, satisfied_by: 'skill' };

  test.each([using('gone'), using('constructor'), ctx.prompt('/')])(
    'satisfies nothing: %#',
    async (event) => {
      expect((await use(event, plan)).changes).toEqual([]);
    },
  );

  test('satisfies each requirement in its own scope, for as long as the config lets a plan live', async () => {
    const license = blocking('license', { scope: 'permanent', replanTtl: 60 });
    const outcome = await use(using('plan'), { ...plan, scope: 'branch', replanTtl: 60 }, license);
    const entry = { scope: 'branch', ...satisfied, expires_at: NOW + 60 };
    expect(outcome.written(FILE)?.['requirements']).toEqual({ plan: expect.objectContaining(entry) });
    const project = { license: { ...satisfied, expires_at: null } };
    expect(outcome.written(PROJECT)).toMatchObject({ requirements: project });
  });
});
