import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, OTHER_SESSION } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT, STATE } from './requirements-project';
import { at, deniedBecause, heldBecause } from './rig';

let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('files that are not as they should be', () => {
  it.each(['{bad', '[]', '"x"', '{"tools": [], "branches": 7, "last_denial": "x"}'])(
    'counts that hold %s change no decision, and are begun anew',
    (text) => {
      const { rig, on, edit, satisfy, metrics } = open();
      rig.write(`.git/requirements/sessions/${KEY}.json`, text);
      deniedBecause(edit());
      satisfy('commit_plan', '--session', KEY);
      expect(edit()).toMatchObject(SILENT);
      expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
      expect(at(metrics(), 'tools', 'Edit', 'count')).toBe(2);
    },
  );

  it.each(['{bad', '[]', '{"feature/auth cost": {"kind": "value", "value": "x"}}'])(
    'kept values that hold %s are computed anew',
    (text) => {
      const { rig, edit } = open(
        configWith('cost: {enabled: true, type: dynamic, calculator: "echo 12", thresholds: {block: 10}}'),
      );
      rig.write('.git/holdpoint/values.json', text);
      expect(deniedBecause(edit())).toContain('`cost` is 12');
    },
  );

  it.each([
    '{"rejections": [{"rule": "plan", "session": "KEY", "note": 5}]}',
    '{"rejections": [{"rule": "plan", "session": "KEY"}, {"note": null}]}',
    '{"requests": [{"rule": "plan", "session": "KEY", "asked": 5, "answered": {}}], "clients": []}',
  ])('approvals that hold %s approve nothing', (text) => {
    const { rig, edit } = open(configWith('plan: {enabled: true, agent_may_satisfy: false}'));
    rig.write('.git/holdpoint/approvals.json', text.replace('KEY', KEY));
    deniedBecause(edit());
  });

  it('a state that is broken is left alone when a session begins, and named', () => {
    const { rig, on } = open();
    rig.write(STATE, '{bad');
    expect(contextOf(rig.hook(on.start('clear')))).toContain('feature-auth.json');
    expect(readFileSync(join(rig.repo, STATE), 'utf8')).toBe('{bad');
  });

  it('an event for which there is nothing to write leaves no file behind', () => {
    const { rig, on } = open(
      configWith(
        'review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: "git\\\\s+commit"}]}',
        'hooks: {session_end: {clear_session_state: true}}',
      ),
    );
    rig.hook(on.post('Bash', { command: 'git commit -m x' }));
    rig.hook(on.end());
    expect(rig.readJson(STATE)).toBeUndefined();
  });

  it('a message file that is broken leaves the built-in text, and every rule on', () => {
    const { rig, on, edit } = open();
    rig.write('.claude/messages/commit_plan.yaml', 'blocking_message: [');
    const held = edit();
    expect(deniedBecause(held)).toContain('## Blocked: commit_plan');
    expect(held.stderr).toBe('');
    const { stdout } = rig.hook(on.start('resume'));
    expect(stdout).toContain('this [ is never closed; the file is not used, the built-in text is');
    expect(stdout).toContain('Holdpoint is on: 1 requirement.');
    expect(rig.req(['doctor']).stdout).toMatch(
      /! project\.config +\.claude\/messages\/commit_plan\.yaml:1:19/,
    );
    expect(rig.req(['messages']).exitCode).toBe(1);
  });

  it('a directory in the place of the state denies, and names it, also right after another denial', () => {
    const { rig, edit } = open();
    expect(deniedBecause(edit())).not.toContain('feature-auth.json');
    mkdirSync(join(rig.repo, STATE), { recursive: true });
    expect(deniedBecause(edit())).toContain('feature-auth.json');
  });
});

describe('a value is kept for a while', () => {
  it('and not computed again before its time is over, nor for another branch', () => {
    const { rig, edit } = open(
      configWith(
        'cost: {enabled: true, type: dynamic, cache_ttl: 600, calculator: "echo x >> ran.txt; echo 3", thresholds: {block: 10}}',
      ),
    );
    const runs = () => readFileSync(join(rig.repo, 'ran.txt'), 'utf8').length / 2;
    for (let call = 0; call < 3; call++) expect(edit()).toMatchObject(SILENT);
    expect(runs()).toBe(1);
    rig.git('checkout', '--quiet', '-b', 'other');
    edit();
    expect(runs()).toBe(2);
  });
});

describe('one session at a time', () => {
  it('holds the later of two, at a call and at the end, until the first one ends', () => {
    const { rig, on, edit } = open(
      configWith('alone: {enabled: true, type: guard, guard_type: single_session}'),
    );
    rig.hook(on.start('startup', { session_id: OTHER_SESSION }));
    const registry = join(rig.home, '.claude/sessions.json');
    const earlier = readFileSync(registry, 'utf8').replace(/"started_at": ?(\d+)/, '"started_at": 5');
    rig.writeHome('.claude/sessions.json', earlier);
    rig.hook(on.start('startup'));
    expect(deniedBecause(edit())).toContain('session aaaaaaaa');
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
    rig.hook(on.end({ session_id: OTHER_SESSION }));
    expect(edit()).toMatchObject(SILENT);
  });
});

describe('switched off from outside', () => {
  it.each([{ CLAUDE_SKIP_REQUIREMENTS: '1' }, { HOLDPOINT_DISABLE: '1' }])(
    'by %j: nothing is held',
    (env) => {
      const { rig, on, edit } = open(
        configWith(
          'notes: {enabled: true, stop_only: true, trigger_tools: [Edit]}, plan: {enabled: true, trigger_tools: [Write]}',
        ),
      );
      edit();
      const writing = on.pre('Write', { file_path: 'a' });
      for (const event of [writing, on.stop(false)])
        expect(rig.hook(event, { env })).toMatchObject({ stdout: '', exitCode: 0 });
      deniedBecause(rig.hook(writing));
      heldBecause(rig.hook(on.stop(false)));
    },
  );
});

describe('path filters', () => {
  it('mean what they say, with alternatives, from any directory', () => {
    const { rig, on } = open(
      configWith(
        'plan: {enabled: true, paths: ["src/**/*.{ts,tsx}", "./db/"], exclude_paths: ["**/*.test.ts"]}',
      ),
    );
    const writing = (file_path: string, cwd = rig.repo) => rig.hook(on.pre('Write', { file_path }, { cwd }));
    for (const path of ['src/a.ts', 'src/deep/b.tsx', 'db/x/1.sql']) deniedBecause(writing(path));
    for (const path of ['src/a.js', 'src/a.test.ts', 'docs/a.ts', '/etc/a.ts'])
      expect(writing(path)).toMatchObject(SILENT);
    mkdirSync(join(rig.repo, 'src/deep'), { recursive: true });
    deniedBecause(writing('a.ts', join(rig.repo, 'src/deep')));
    deniedBecause(writing('../../db/1.sql', join(rig.repo, 'src/deep')));
  });

  it('of a huge path are judged all the same', () => {
    const { rig, on } = open(configWith('plan: {enabled: true, paths: ["**/x/**/y/**/*.ts"]}'));
    const file_path = `${'a/'.repeat(100_000)}b`;
    expect(rig.hook(on.pre('Write', { file_path }))).toMatchObject(SILENT);
    deniedBecause(rig.hook(on.pre('Write', { file_path: `${'a/'.repeat(50_000)}x/y/b.ts` })));
  });
});

describe('who counts what a session did', () => {
  it('the counts do: denials, times, files, and what kind of commands', () => {
    const { rig, edit, bash, skill, metrics } = open(
      configWith(
        'commit_plan: {enabled: true}, any: {enabled: true, stop_only: true, trigger_tools: [Bash]}',
      ),
    );
    deniedBecause(edit());
    skill('arch-review');
    edit();
    bash('git push https://secret@host');
    bash('TOKEN=secret run');
    rig.hook({
      session_id: project.on.end()['session_id'],
      hook_event_name: 'PreCompact',
      trigger: 'auto',
      cwd: rig.repo,
    });
    expect(metrics()).toMatchObject({
      version: '1.0',
      compaction_count: 1,
      tools: {
        Edit: { count: 2, blocked_count: 1, files: [join(rig.repo, 'a')] },
        Bash: {
          count: 2,
          blocked_count: 0,
          commands: [expect.stringContaining('git push'), expect.any(String)],
        },
      },
      requirements: {
        commit_plan: { blocked_count: 1, time_to_satisfy_seconds: expect.toSatisfy(Number.isInteger) },
      },
      skills: [{ name: 'arch-review' }],
    });
    expect(JSON.stringify(metrics())).not.toContain('secret');
    expect(readdirSync(join(rig.repo, '.git/requirements')).sort()).toEqual([
      'feature-auth.json',
      'sessions',
    ]);
  });
});
