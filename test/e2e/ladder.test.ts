import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { EDIT, eventsIn } from './events';
import { at, type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = '.holdpoint/config.yaml';
const TEXT = `# Ours.
requirements:
  plan:           # agreed on in May
    enabled: true
    mode: shadow  # for now
  other: {enabled: true, mode: shadow}
  spare: {enabled: false}
  wrong: {enabled: true, mode: loud}
workflow: {rules: {branch-guard: {mode: warn}, gate-blocker: {mode: disabled}}}
gates:
  entry_points: [{path: ., checks: [lint]}]
  checks:
    lint: {command: "true"}
    unused: {command: "true"}
`;

const open = (text = TEXT): void => {
  rig = makeRig(text, CONFIG);
};
const run = (...args: string[]): Ended => rig.holdpoint(args);
const config = (path = CONFIG): string => readFileSync(join(rig.repo, path), 'utf8');
const edits = (count: number): void => {
  for (let number = 0; number < count; number++)
    rig.hook(eventsIn(rig).pre('Edit', EDIT, { tool_use_id: `c${number}-${Math.random()}` }));
};
const shadowIds = (): string[] =>
  run('log', '--json', '--all', '-n', '1000')
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(({ verdicts }) => JSON.stringify(verdicts)?.includes('"plan"'))
    .map(({ id }) => String(id));
const AGENT = { env: { CLAUDECODE: '1' } };

describe('holdpoint rules', () => {
  test('lists every rule with its kind, mode, file and state', () => {
    open();
    const { rules } = run('rules', '--json').json as { rules: JsonObject[] };
    const byName = Object.fromEntries(rules.map((one) => [one['name'], one]));
    const file = CONFIG;
    const none = { asked: 0, held: 0, warned: 0, shadowed: 0, false_alarms: 0 };
    expect(byName['plan']).toEqual({
      name: 'plan',
      kind: 'requirement',
      mode: 'shadow',
      file,
      state: 'on',
      why: null,
      ...none,
    });
    expect(byName['spare']).toMatchObject({ state: 'off', why: expect.stringContaining('enabled') });
    expect(byName['wrong']).toMatchObject({ state: 'broken', why: expect.stringContaining('mode') });
    expect(byName['lint']).toEqual({
      name: 'lint',
      kind: 'gate',
      mode: 'hold',
      file,
      state: 'on',
      why: null,
      ...none,
    });
    expect(byName['unused']).toMatchObject({ kind: 'gate', state: 'off' });
    expect(byName['branch-guard']).toMatchObject({ kind: 'workflow', mode: 'warn', state: 'on' });
    expect(byName['gate-blocker']).toMatchObject({ kind: 'workflow', state: 'off' });
    expect(run('rules', 'list', '--json').json).toEqual({ rules });
  });

  test('draws them with their figures, within the width', () => {
    open();
    edits(3);
    for (const columns of [60, 100]) {
      const { stdout } = rig.holdpoint(['rules'], { env: { COLUMNS: String(columns) } });
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      expect(stdout).toMatch(/^plan .*shadow +on +3/m);
    }
    run('mark', shadowIds()[0] ?? '', 'false-alarm');
    expect(at(run('rules', '--json').json, 'rules', '0')).toMatchObject({
      ...{ name: 'plan', asked: 3, held: 0, warned: 0, shadowed: 3, false_alarms: 1 },
    });
  });

  test.each([
    ['a: [\n', '.holdpoint/config.yaml:1:4: error: not valid YAML'],
    ['rules: no-secrets\n', '.holdpoint/config.yaml:1:8: error: `rules` must be a mapping or a list\n'],
    [
      'rules:\n  no-secrets: true\n',
      '.holdpoint/config.yaml:2:15: error: `no-secrets` must be a mapping; write `no-secrets: {}`',
    ],
    ['rules:\n  packages: x\n', ":2:13: error: `packages` must be a list, such as `['@acme/x']`"],
    ['rules:\n  no-secret: {}\n', '.holdpoint/config.yaml:2:3: error: there is no rule `no-secret`'],
  ])('shows the problems of the config: %j', (text, words) => {
    open(text);
    for (const args of [['rules'], ['status']]) expect(run(...args).stdout).toContain(words);
    expect(run('rules').stdout).not.toContain('no rules yet');
    for (const args of [
      ['rules', 'promote', 'x'],
      ['stats', '--rule', 'x'],
    ])
      expect(run(...args).stderr).toContain('No rule is in effect: fix the config first.');
    expect(run('rules', '--json')).toMatchObject({
      json: { rules: [] },
      stderr: expect.stringContaining(words),
    });
  });

  test.each([
    ['frob', "holdpoint rules: unknown command 'frob'. Known: list, promote, demote, new, test, help."],
    ['promot', "holdpoint rules: unknown command 'promot'. Did you mean 'promote'?"],
  ])('refuses the unknown command %s', (name, words) => {
    open();
    expect(run('rules', name)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
  });

  test('says where there are none', () => {
    open('version: 1\n');
    expect(run('rules').stdout).toContain('no rules yet');
    expect(run('rules', '--json').json).toEqual({ rules: [] });
  });
});

describe('holdpoint rules promote', () => {
  test('goes from shadow to warn once there were enough occasions, and changes one word of the config', () => {
    open();
    edits(19);
    const refused = run('rules', 'promote', 'plan');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'plan stays in shadow mode: it had 19 of the 20 occasions that are needed',
    );
    expect(config()).toBe(TEXT);
    edits(1);
    expect(run('rules', 'promote', 'plan', '--json')).toMatchObject({
      exitCode: 0,
      json: { rule: 'plan', from: 'shadow', to: 'warn', changed: true, file: CONFIG, occasions: 20 },
    });
    expect(config()).toBe(TEXT.replace('mode: shadow  # for now', 'mode: warn  # for now'));
    // What it did in shadow mode does not count for the next step.
    expect(run('rules', 'promote', 'plan')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /it had 0 of the 20 occasions(.|\n)*0 occasions in warn mode since \d{4}-\d\d-\d\d, 0 marked/,
      ),
    });
    edits(20);
    const { stdout } = run('rules', 'promote', 'plan');
    expect(stdout).toContain('plan: warn → hold');
    expect(stdout).toMatch(/^Modified: \.holdpoint\/config\.yaml\.$/m);
    rig.git('add', CONFIG);
    expect(run('rules', 'demote', 'plan').stdout).toContain(`See it with \`git diff ${CONFIG}\`.`);
    const below = { cwd: join(rig.repo, '.holdpoint') };
    expect(rig.holdpoint(['rules', 'demote', 'plan'], below).stdout).toContain('`git diff config.yaml`.');
    expect(run('rules', 'promote', 'plan', '--force').exitCode).toBe(0);
    expect(run('rules', 'promote', 'plan', '--force').exitCode).toBe(0);
    expect(config()).toContain('mode: hold  # for now');
    expect(run('rules', 'promote', 'plan')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is already in hold mode, the strictest'),
    });
  });

  test('not while too many occasions are marked as false alarms; --force is for people', () => {
    open();
    edits(20);
    const [first = '', second = ''] = shadowIds();
    run('mark', first, 'false-alarm');
    expect(run('mark', second, 'false-alarm').exitCode).toBe(0);
    const { exitCode, stderr } = run('rules', 'promote', 'plan');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('2 of 20 occasions (10 %) are marked as false alarms, and 5 % is the most');
    expect(rig.holdpoint(['rules', 'promote', 'plan', '--force'], AGENT)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Only a person can promote a rule by force'),
    });
    run('mark', second, 'right');
    expect(run('rules', 'promote', 'plan').exitCode).toBe(0);
    expect(run('rules', 'promote', 'other', '--force').exitCode).toBe(0);
    expect(config()).toContain('other: {enabled: true, mode: warn}');
  });

  test.each([
    [['rules', 'promote', 'plam'], "no rule 'plam' in this project. Did you mean 'plan'?"],
    [['rules', 'promote', 'spare'], 'spare is off'],
    [['rules', 'promote', 'wrong'], 'wrong is broken'],
    [['rules', 'promote', 'lint'], 'lint is already in hold mode'],
  ])('refuses %s', (args, words) => {
    open();
    const { exitCode, stderr } = run(...args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(words);
    expect(config()).toBe(TEXT);
  });
});

describe('holdpoint rules demote', () => {
  test('goes one step back, for every kind of rule, where its config is', () => {
    open(TEXT.replace('wrong: {enabled: true, mode: loud}', 'held: {enabled: true}'));
    const before = config();
    for (const name of ['held', 'lint', 'branch-guard'])
      expect(run('rules', 'demote', name).exitCode).toBe(0);
    expect(run('log').stdout).toMatch(/rules demote .*held hold → warn by a person/);
    expect(config()).toBe(
      before
        .replace('held: {enabled: true}', 'held: {mode: warn, enabled: true}')
        .replace('branch-guard: {mode: warn}', 'branch-guard: {mode: shadow}')
        .replace('lint: {command', 'lint: {mode: warn, command'),
    );
    expect(run('rules', 'demote', 'plan')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is already in shadow mode, the mildest'),
    });
  });

  test('changes the mode of an own rule where the config sets it', () => {
    open('rules: {no-secrets: {}, small-commits: {}}\n');
    rig.write('.holdpoint/config.local.yaml', 'rules: {no-secrets: {mode: hold}}\n');
    for (const name of ['no-secrets', 'small-commits'])
      expect(run('rules', 'demote', name)).toMatchObject({ exitCode: 0 });
    expect(config('.holdpoint/config.local.yaml')).toBe('rules: {no-secrets: {mode: warn}}\n');
    expect(config()).toBe('rules: {no-secrets: {}, small-commits: {mode: warn}}\n');
  });

  test.each([
    [
      'rules: [no-secrets]   # of the team\n',
      'rules: {no-secrets: {mode: warn}, packages: [no-secrets]}   # of the team\n',
    ],
    [
      '# Ours.\nrules:   # why\n  # first\n  - "no-secrets"   # of the team\n  - small-commits\n\n# Rest.\nloop: {}\n',
      '# Ours.\nrules:   # why\n  packages:\n    # first\n    - "no-secrets"   # of the team\n    - small-commits\n  no-secrets:\n    mode: warn\n\n# Rest.\nloop: {}\n',
    ],
    [
      'rules:\n- no-secrets  # x',
      'rules:\n  packages:\n  - no-secrets  # x\n  no-secrets:\n    mode: warn\n',
    ],
  ])('makes a mapping of a list of packages, with its comments: %j', (before, after) => {
    open(before);
    expect(run('rules', 'demote', 'no-secrets')).toMatchObject({ exitCode: 0 });
    expect(config()).toBe(after);
  });

  test('writes the files of the older programs', () => {
    open('');
    rig.write('.claude/requirements.yaml', 'requirements:\n  plan:\n    enabled: yes  # always\n');
    rig.write(
      '.gauntlet/config.yml',
      'cli: {default_preference: [claude]}\nentry_points: [{path: ., checks: [lint], reviews: [style]}]\n',
    );
    rig.write('.gauntlet/checks/lint.yml', '# Quick.\ncommand: "true"\n');
    rig.write('.gauntlet/reviews/style.md', '---\nnum_reviews: 1\n---\nLook at the style.\n');
    for (const name of ['plan', 'lint', 'style'])
      expect(run('rules', 'demote', name)).toMatchObject({ exitCode: 0 });
    expect(config('.claude/requirements.yaml')).toBe(
      'requirements:\n  plan:\n    enabled: yes  # always\n    mode: warn\n',
    );
    expect(config('.gauntlet/checks/lint.yml')).toBe('# Quick.\ncommand: "true"\nmode: warn\n');
    expect(config('.gauntlet/reviews/style.md')).toBe(
      '---\nnum_reviews: 1\nmode: warn\n---\nLook at the style.\n',
    );
  });

  test('is for people', () => {
    open();
    expect(rig.holdpoint(['rules', 'demote', 'lint'], AGENT)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Only a person can demote a rule'),
    });
    expect(config()).toBe(TEXT);
  });
});
