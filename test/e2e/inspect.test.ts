import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { at, commandFile, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig(
    [
      'requirements:',
      '  commit_plan:',
      '    enabled: true',
      '  review: {enabled: true, scope: brnch}',
      '',
    ].join('\n'),
    '.holdpoint/config.yaml',
  );
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

function explain(event: unknown, ...flags: string[]) {
  return runNow('holdpoint', ['explain', '-', ...flags], JSON.stringify(event), {
    cwd: rig.repo,
    env: rig.environment(),
  });
}

describe('explain', () => {
  it('says what would be decided and why, and leaves nothing behind', () => {
    const told = explain(on.pre('Edit', EDIT));
    expect(told).toMatchObject({ exitCode: 0, stderr: '' });
    expect(told.stdout).toContain('verdict      requirements: held');
    expect(told.stdout).toContain('  rule       commit_plan (.holdpoint/config.yaml:2:3)');
    expect(told.stdout).toContain(`  to do      req satisfy commit_plan --session ${KEY}`);
    expect(told.stdout).toContain('"permissionDecision":"deny"');
    expect(readdirSync(join(rig.repo, '.git'))).not.toContain('holdpoint');
    expect(readdirSync(rig.home)).toEqual([]);
  });

  it.each([
    ['without a config', ''],
    ['with an empty config', 'version: 1\n'],
  ])('says in a project %s what a session reads there when it begins', (_what, config) => {
    rig.remove();
    rig = makeRig(config, '.holdpoint/config.yaml');
    const start = eventsIn(rig).start('startup');
    const told = explain(start).stdout.trim();
    expect(told).toMatch(/^Holdpoint is off: .*\.$/);
    expect(at(rig.hook(start).json, 'systemMessage')).toBe(told);
  });

  it('tells the same as data', () => {
    const { json } = explain(on.pre('Edit', EDIT), '--json');
    expect(json).toMatchObject({
      watched: true,
      kind: 'tool.before',
      decision: 'deny',
      exit_code: 0,
      guards: [
        { name: 'requirements', concerned: true },
        { name: 'workflow', concerned: false },
        { name: 'loop', concerned: false },
      ],
      verdicts: [{ guard: 'requirements', verdict: 'deny' }],
    });
  });

  it('says when nobody watches', () => {
    expect(explain(on.pre('Read', EDIT)).stdout).toContain('No rule applies to this event');
  });

  it.each([
    ['not json', 'is not JSON'],
    ['', 'is empty'],
    ['{}', 'names no event'],
  ])('refuses %j with exit code 2', (text, sentence) => {
    const told = runNow('holdpoint', ['explain', '-'], text, { cwd: rig.repo, env: rig.environment() });
    expect(told.exitCode).toBe(2);
    expect(told.stderr).toContain(sentence);
  });

  it('names a file that is not there', () => {
    const told = rig.holdpoint(['explain', 'nowhere.json']);
    expect(told.exitCode).toBe(2);
    expect(told.stderr).toContain('nowhere.json');
  });
});

describe('status', () => {
  it('shows guards, problems, requirements, sessions and decisions at a glance', () => {
    rig.hook(on.pre('Edit', EDIT));
    const { stdout, exitCode } = rig.holdpoint(['status']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Rules +requirements$/m);
    expect(stdout).toContain('.holdpoint/config.yaml:4:34: error: `scope` must be one of');
    expect(stdout).toContain('commit_plan');
    expect(stdout).toMatch(/held +Edit/);
    rig.git('checkout', '-q', '--detach');
    expect(rig.holdpoint(['status']).stdout).toMatch(/^Branch +detached HEAD$(.|\n)* on detached HEAD/m);
  });

  it('tells a live session what is open for it', () => {
    rig.hook(on.pre('Edit', EDIT));
    const status = () => rig.holdpoint(['status', '--json'], { env: { CLAUDE_CODE_SESSION_ID: KEY } }).json;
    expect(at(status(), 'requirements')).toMatchObject([{ name: 'commit_plan', satisfied: false }]);
    rig.req(['satisfy', 'commit_plan', '--session', KEY]);
    expect(at(status(), 'requirements')).toMatchObject([{ name: 'commit_plan', satisfied: true }]);
  });

  it('says what is missing where nothing is configured', () => {
    const bare = makeRig('');
    expect(bare.holdpoint(['status']).stdout).toContain(
      'Holdpoint off: this project has no config\n          Run `holdpoint init`',
    );
    bare.remove();
  });
});

describe('config', () => {
  it('prints what is in force, and the problems on stderr with exit code 1', () => {
    const { stdout, stderr, exitCode } = rig.holdpoint(['config']);
    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      '# project: .holdpoint/config.yaml\nrequirements:\n  commit_plan:\n    enabled: true\n',
    );
    expect(stderr).toContain('hint: did you mean `branch`?');
  });

  it('tells where each value came from, the local layer last', () => {
    rig.write('.holdpoint/config.local.yaml', 'requirements:\n  commit_plan:\n    scope: branch\n');
    const { stdout } = rig.holdpoint(['config', '--sources']);
    expect(stdout).toMatch(/^requirements\.commit_plan\.enabled +true +\.holdpoint\/config\.yaml:3:5$/m);
    expect(stdout).toMatch(
      /^requirements\.commit_plan\.scope +"branch" +\.holdpoint\/config\.local\.yaml:3:5$/m,
    );
    expect(stdout).toMatch(/^requirements\.review\.scope +"brnch" +\S+ \(not in effect\)$/m);
  });
});

describe('a mistake of ours', () => {
  it('is let through, reported to a file, journalled, and told at the next start', () => {
    const broken = join(rig.tmp, 'dist');
    cpSync(dirname(commandFile('hook')), broken, { recursive: true });
    writeFileSync(join(broken, 'decide.cjs'), 'throw new Error("a loose wire")');
    const ended = spawnSync(process.execPath, [join(broken, 'hook.cjs')], {
      input: JSON.stringify(on.pre('Edit', { content: 'TOP-SECRET' })),
      env: rig.environment(),
      encoding: 'utf8',
    });
    expect(ended).toMatchObject({ status: 0, stdout: '' });
    expect(ended.stderr).toMatch(
      /internal error: a loose wire\..*\n.*please report it and attach .*bug-\w+\.txt/,
    );
    const own = join(rig.repo, '.git', 'holdpoint');
    const report = readdirSync(own).find((name) => name.startsWith('bug-')) ?? '';
    const text = readFileSync(join(own, report), 'utf8');
    expect(text).toContain('a loose wire');
    expect(text).not.toContain('TOP-SECRET');
    expect(rig.holdpoint(['log']).stdout).toMatch(/error .*bug/);
    expect(rig.hook(on.start('startup')).stdout).toContain('failed in an earlier session');
  });
});
