import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { configJsonSchema } from '../../../src/config/json-schema';
import { type ReadConfig, readConfig } from '../../../src/config/read-config';
import { compileConfig } from '../../../src/core/compile-config';
import { isJsonObject, type Json } from '../../../src/core/json';
import type { GatesConfig } from '../../../src/guards/gates/config';
import { gatesSection } from '../../../src/guards/gates/section';
import { type Files, inScratch, printed, readFiles } from '../../config/scratch';

const OURS = '.holdpoint/config.yaml';
const OLD = '.gauntlet/config.yml';
const HOME = '~/.config/agent-gauntlet/config.yml';
const CLI = 'cli: {default_preference: [claude, codex]}\n';

const read = (files: Files): ReadConfig => readFiles(files, [gatesSection]);

function configOf(files: Files): GatesConfig {
  const [guard] = read(files).guards;
  if (guard === undefined) throw new Error('there are no gates');
  return guard.config as unknown as GatesConfig;
}

/** Diagnostics as `severity file:line message`. */
function toldOf(files: Files): string[] {
  return read(files).diagnostics.map(
    ({ severity, place, message }) => `${severity} ${place.file}:${place.line} ${message}`,
  );
}

describe('the older program’s files', () => {
  it('are gates with all their defaults', () => {
    const files = {
      [OLD]: `${CLI}entry_points:\n  - path: src\n    checks: [lint]\n    reviews: [quality]\n`,
      '.gauntlet/checks/lint.yml': 'command: npm run lint\n',
      '.gauntlet/reviews/quality.md': '# Quality\n\nLook at it.\n',
    };
    expect(toldOf(files)).toEqual([]);
    expect(configOf(files)).toEqual({
      home: '.gauntlet',
      baseBranch: 'origin/main',
      weakening: 'tell',
      logDir: 'gauntlet_logs',
      allowParallel: true,
      maxRetries: 3,
      rerunNewIssueThreshold: 'high',
      reviewers: { preference: ['claude', 'codex'], checkUsageLimit: false },
      entryPoints: [
        { path: 'src', place: `${OLD}:3:5`, exclude: [], checks: ['lint'], reviews: ['quality'] },
      ],
      checks: [
        {
          name: 'lint',
          place: '.gauntlet/checks/lint.yml:1:1',
          command: 'npm run lint',
          parallel: false,
          runInCi: true,
          runLocally: true,
          failFast: false,
          cache: true,
        },
      ],
      reviews: [
        {
          name: 'quality',
          place: '.gauntlet/reviews/quality.md:1:1',
          prompt: '# Quality\n\nLook at it.',
          preference: ['claude', 'codex'],
          numReviews: 1,
          parallel: true,
          runInCi: true,
          runLocally: true,
          cache: true,
        },
      ],
      debugLog: { enabled: false, maxSizeMb: 10 },
      stopHook: { enabled: true, intervalMinutes: 10, reverify: false },
      problems: [],
    });
  });

  it('and our own section say the same, with every key', () => {
    const top = [
      'base_branch: dev',
      'log_dir: out/logs',
      'allow_parallel: false',
      'max_retries: 0',
      'rerun_new_issue_threshold: low',
      'cli: {default_preference: [claude], check_usage_limit: true}',
      'entry_points: [{path: "packages/*", exclude: ["**/*.md", ./gen/], checks: [c], reviews: [q]}]',
      'debug_log: {enabled: true, max_size_mb: 0.5}',
      'stop_hook: {enabled: false, run_interval_minutes: 0, reverify: true}',
    ];
    const check = [
      'command: make',
      'working_directory: ./sub/',
      'parallel: true',
      'run_in_ci: false',
      'run_locally: false',
      'timeout: 1.5',
      'cache: false',
    ];
    const review = [
      'model: big',
      'cli_preference: [claude]',
      'num_reviews: 2',
      'parallel: false',
      'run_in_ci: false',
      'run_locally: false',
      'timeout: 60',
      'cache: false',
    ];
    const old = {
      [OLD]: `${top.join('\n')}\n`,
      '.gauntlet/checks/c.yaml': `${check.join('\n')}\n`,
      '.gauntlet/reviews/q.md': `---\n${review.join('\n')}\n---\n\nLook.\n`,
    };
    const indent = (lines: string[], by: string) => lines.map((line) => `${by}${line}\n`).join('');
    const ours = {
      [OURS]: `gates:\n${indent(top, '  ')}  checks:\n    c:\n${indent(check, '      ')}  reviews:\n    q:\n      prompt: Look.\n${indent(review, '      ')}`,
    };
    expect([...toldOf(old), ...toldOf(ours)]).toEqual([]);
    const config = configOf(old);
    expect(config).toMatchObject({
      baseBranch: 'dev',
      logDir: 'out/logs',
      allowParallel: false,
      maxRetries: 0,
      rerunNewIssueThreshold: 'low',
      reviewers: { preference: ['claude'], checkUsageLimit: true },
      entryPoints: [{ path: 'packages/*', exclude: ['**/*.md', 'gen'] }],
      checks: [{ command: 'make', workingDirectory: 'sub', timeout: 1.5, parallel: true, cache: false }],
      reviews: [{ prompt: 'Look.', model: 'big', numReviews: 2, timeout: 60, runInCi: false }],
      debugLog: { enabled: true, maxSizeMb: 0.5 },
      stopHook: { enabled: false, intervalMinutes: 0, reverify: true },
    });
    const placeless = (value: GatesConfig) =>
      JSON.parse(JSON.stringify({ ...value, home: '' }), (key, inner) => (key === 'place' ? '' : inner));
    expect(placeless(configOf(ours))).toEqual(placeless(config));
  });

  it('cannot be used beside our own section', () => {
    const files = {
      [OURS]: 'gates: {entry_points: [{path: ., checks: [a]}], checks: {a: {command: x}}}\n',
      [OLD]: `${CLI}entry_points: [{path: src, checks: [b]}]\n`,
      '.gauntlet/checks/b.yml': 'command: y\n',
    };
    expect(configOf(files)).toMatchObject({ home: '.holdpoint', checks: [{ name: 'a' }] });
    expect(toldOf(files)).toEqual([
      `error ${OLD}:1 \`gates\` is also defined at ${OURS}:1:1, which wins`,
      `error .gauntlet/checks/b.yml:1 \`gates\` is also defined at ${OURS}:1:1, which wins`,
    ]);
  });
});

describe('places and layers', () => {
  const entry = 'entry_points: [{path: ., checks: [a]}]\n';
  const files = { [OLD]: CLI + entry, '.gauntlet/checks/a.yml': 'command: x\n' };

  it('logs go to our own directory where the older one is not in use', () => {
    const ours = 'gates: {entry_points: [{path: ., checks: [a]}], checks: {a: {command: x}}}\n';
    expect(configOf({ [OURS]: ours })).toMatchObject({ home: '.holdpoint', logDir: '.holdpoint/logs' });
  });

  it('a local file changes a part of it', () => {
    const local = { '.holdpoint/config.local.yaml': 'gates: {stop_hook: {enabled: false}}\n' };
    expect(configOf({ ...files, ...local })).toMatchObject({
      home: '.gauntlet',
      logDir: 'gauntlet_logs',
      stopHook: { enabled: false, intervalMinutes: 10 },
    });
  });

  it('the project goes before the person, key by key', () => {
    const home = {
      [HOME]: 'stop_hook: {run_interval_minutes: 15, enabled: false}\ndebug_log: {enabled: true}\n',
    };
    const project = { ...files, [OLD]: `${files[OLD]}stop_hook: {enabled: true}\n` };
    expect(configOf({ ...project, ...home })).toMatchObject({
      stopHook: { enabled: true, intervalMinutes: 15 },
      debugLog: { enabled: true, maxSizeMb: 10 },
    });
  });

  test.each([
    ['its own file of the older program', { [HOME]: 'stop_hook: {enabled: false}\n' }],
    ['our own file', { '~/.config/holdpoint/config.yaml': `gates: {stop_hook: {enabled: false}}\n` }],
    ['a wish to inherit', { [HOME]: 'stop_hook: {enabled: false}\n', [OURS]: 'inherit: true\n' }],
  ])('a person alone makes no gates: %s', (_, home) => {
    expect(read(home)).toMatchObject({ guards: [], diagnostics: [] });
  });

  test.each([
    ['stop_hook: [', /not valid YAML/],
    ['stop_hook: {enabled: maybe}', /must be true or false/],
    ['stop_hook: {run_interval_minutes: -1}', /must not be negative/],
    ['base_branch: main', /unknown key `base_branch`/],
    ['stop_hok: {}', /unknown key `stop_hok`/],
  ])('the person’s file is only warned of: %s', (text, message) => {
    const config = configOf({ ...files, [HOME]: `${text}\n` });
    expect(config).toMatchObject({ stopHook: { enabled: true, intervalMinutes: 10 }, problems: [] });
    const told = read({ ...files, [HOME]: `${text}\n` }).diagnostics;
    expect(told).toMatchObject([{ severity: 'warning', message: expect.stringMatching(message) }]);
  });

  it('names what the person’s file may hold', () => {
    expect(printed(read({ ...files, [HOME]: 'base_branch: main\n' }))).toContain(
      'hint: known here: stop_hook, debug_log',
    );
  });

  it('a broken file of the person is none that holds everything up', () => {
    inScratch({ ...files, [HOME]: 'stop_hook: [\n' }, (root, home) => {
      const { diagnostics } = readConfig({ root, home, sections: [gatesSection] });
      expect(diagnostics).toMatchObject([{ severity: 'warning' }]);
    });
  });
});

describe('what is wrong switches off as little as it can', () => {
  const good = { '.gauntlet/checks/good.yml': 'command: x\n' };
  const withCheck = (text: string): Files => ({
    ...good,
    [OLD]: `${CLI}entry_points:\n  - path: src\n    checks: [bad, good]\n`,
    '.gauntlet/checks/bad.yml': text,
  });

  test.each([
    ['an empty command', 'command: # later\n', '`command` is required but empty'],
    ['a blank command', 'command: " "\n', '`command` must not be empty'],
    ['no command', 'parallel: true\n', '`command` is missing'],
    ['an empty file', '', '`command` is missing'],
    ['a list as command', 'command: [a]\n', '`command` must be text, not a list'],
    ['no time', 'command: x\ntimeout: 0\n', '`timeout` must be more than 0 seconds'],
    ['time in words', 'command: x\ntimeout: soon\n', '`timeout` must be a number, not "soon"'],
    [
      'fail_fast beside others',
      'command: x\nparallel: true\nfail_fast: true\n',
      '`fail_fast` can only be used when parallel is false',
    ],
    ['no YAML at all', 'command: [\n', 'not valid YAML'],
    ['a list', '- command: x\n', 'the file must be a mapping of keys to values'],
  ])('a check with %s goes alone, and who names it says so', (_, text, message) => {
    const files = withCheck(text);
    expect(configOf(files)).toMatchObject({
      checks: [{ name: 'good' }],
      entryPoints: [{ checks: ['good'] }],
      problems: [expect.stringContaining(message)],
    });
    const told = read(files).diagnostics;
    expect(told).toMatchObject([
      {
        severity: 'warning',
        message: 'Entry point "src" runs without the check "bad", which is disabled',
        place: { file: OLD, line: 4, column: 14 },
      },
      {
        severity: 'error',
        message: expect.stringContaining(message),
        switchesOff: expect.stringMatching(/gates\.checks\.bad|everything in this file/),
        place: { file: '.gauntlet/checks/bad.yml' },
      },
    ]);
  });

  test.each([
    ['parralel: true', 'parralel', 'parallel'],
    ['comand: x', 'comand', 'command'],
    ['cach: false', 'cach', 'cache'],
  ])('a misspelt key of a check is an error: %s', (line, key, meant) => {
    const files = withCheck(`command: x\n${line}\n`);
    expect(printed(read(files))).toBe(
      [
        `.gauntlet/checks/bad.yml:2:1: error: unknown key \`${key}\``,
        `  ${line}`,
        `  ^${'~'.repeat(key.length - 1)}`,
        `hint: did you mean \`${meant}\`?`,
        `disabled until this is fixed: ${key}`,
      ].join('\n'),
    );
    expect(configOf(files).problems).toEqual([
      `.gauntlet/checks/bad.yml:2:1: unknown key \`${key}\` (did you mean \`${meant}\`?)`,
    ]);
    expect(configOf(files).checks.map(({ name }) => name)).toEqual(['bad', 'good']);
  });

  const withReview = (text: string): Files => ({
    ...good,
    [OLD]: `${CLI}entry_points:\n  - {path: src, checks: [good], reviews: [bad]}\n`,
    '.gauntlet/reviews/bad.md': text,
  });
  test.each([
    ['no prompt', '---\nparallel: true\n---\n\n', '`prompt` must not be empty', 4],
    ['an empty file', '', '`prompt` must not be empty', 1],
    [
      'no reviewer',
      '---\ncli_preference: []\n---\nLook.',
      '`cli_preference` must name at least one reviewer',
      2,
    ],
    ['half a reviewer', '---\nnum_reviews: 0.5\n---\nLook.', '`num_reviews` must be a whole number', 2],
    ['no reviews', '---\nnum_reviews: 0\n---\nLook.', '`num_reviews` must be at least 1', 2],
    ['no time', '---\ntimeout: -1\n---\nLook.', '`timeout` must be more than 0 seconds', 2],
    ['a reviewer nobody knows', '---\ncli_preference: [cluade]\n---\nLook.', 'not "cluade"', 2],
    [
      'a reviewer who may not be asked',
      '---\ncli_preference: [claude, gemini]\n---\nLook.',
      '`cli_preference` names gemini, which is not in `cli.default_preference` (claude, codex)',
      2,
    ],
    ['no YAML in its head', '---\nmodel: [\n---\nLook.', 'not valid YAML', 2],
  ])('a review with %s goes alone', (_, text, message, line) => {
    const files = withReview(text);
    expect(configOf(files)).toMatchObject({
      checks: [{ name: 'good' }],
      reviews: [],
      entryPoints: [{ checks: ['good'], reviews: [] }],
    });
    const [gone, ...errors] = read(files).diagnostics;
    expect(gone?.message).toBe('Entry point "src" runs without the review "bad", which is disabled');
    expect(errors).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining(message),
        place: expect.objectContaining({ file: '.gauntlet/reviews/bad.md', line }),
      }),
    );
  });

  it('a prompt in the head of a review does not count', () => {
    const files = withReview('---\nprompt: This.\n---\nThat.');
    expect(configOf(files).reviews).toMatchObject([{ prompt: 'That.' }]);
    expect(toldOf(files)).toEqual([
      'error .gauntlet/reviews/bad.md:2 `prompt` has no effect here: the text below the front matter is used',
    ]);
  });

  it('one name with two endings is an error', () => {
    const files = withCheck('command: x\n');
    const twice = { ...files, '.gauntlet/checks/bad.yaml': 'command: y\nodd: key\n' };
    expect(configOf(twice).checks).toMatchObject([{ name: 'bad', command: 'x' }, { name: 'good' }]);
    expect(toldOf(twice)).toEqual([
      'error .gauntlet/checks/bad.yaml:1 `bad` is also defined at .gauntlet/checks/bad.yml:1:1, which wins',
    ]);
  });

  it('an unknown reviewer leaves the list, not the others', () => {
    const files = {
      ...good,
      [OLD]: 'cli: {default_preference: [cluade, codex]}\nentry_points: [{path: ., checks: [good]}]\n',
    };
    expect(configOf(files).reviewers.preference).toEqual(['codex']);
    expect(printed(read(files))).toContain('hint: did you mean `claude`?');
  });

  test.each([
    ['nothing in it', '', ['`entry_points` is missing', '`cli.default_preference` is missing']],
    ['no entry point', `${CLI}entry_points: []\n`, ['`entry_points` is missing']],
    [
      'no reviewer',
      'cli: {default_preference: []}\nentry_points: [{path: ., checks: [good]}]\n',
      ['`cli.default_preference` is missing'],
    ],
    [
      'a bad entry point alone',
      `${CLI}entry_points: [{checks: [good]}]\n`,
      ['`entry_points[0]` needs the key `path`'],
    ],
    ['a broken file', 'cli: [\n', ['not valid YAML']],
  ])('a config with %s says so, and the rest holds', (_, text, messages) => {
    const config = configOf({ ...good, [OLD]: text });
    expect(config.checks).toMatchObject([{ name: 'good' }]);
    expect(config.problems).toEqual(messages.map((message) => expect.stringContaining(message)));
  });

  it('no file but those of gates is told of at one of them', () => {
    expect(toldOf(good)[0]).toMatch(/^error \.gauntlet\/checks\/good\.yml:1 `entry_points` is missing/);
  });

  it('who has no reviews needs no reviewers, in our own file', () => {
    const text = 'gates: {entry_points: [{path: ., checks: [a]}], checks: {a: {command: x}}}\n';
    expect(toldOf({ [OURS]: text })).toEqual([]);
    const reviewed = 'gates: {entry_points: [{path: ., reviews: [a]}], reviews: {a: {prompt: x}}}\n';
    expect(toldOf({ [OURS]: reviewed })).toEqual([
      `error ${OURS}:1 \`cli.default_preference\` is missing: it lists the reviewers to use`,
      `warning ${OURS}:1 Entry point "." runs without the review "a", which is disabled`,
    ]);
  });

  test.each([
    ['max_retries: -1', 'must not be negative'],
    ['max_retries: 1.5', 'must be a whole number'],
    ['max_retries: many', 'must be a number'],
    ['rerun_new_issue_threshold: 3', 'must be one of critical, high, medium, low'],
    ['debug_log: {max_size_mb: 0}', 'must be more than 0'],
    ['stop_hook: {run_interval_minutes: 0.5}', 'must be a whole number'],
    ['base_branch: ""', 'must not be empty'],
    ['log_dir: .', '`log_dir` contains more than logs'],
    ['log_dir: .gauntlet', '`log_dir` contains more than logs'],
    ['log_dir: ../..', '`log_dir` contains more than logs'],
    ['log_dir: .git', '`log_dir` contains more than logs'],
    ['log_dir: .git/logs', '`log_dir` contains more than logs'],
    ['log_dir: .gauntlet/checks', '`log_dir` contains more than logs'],
    ['log_dir: ../logs', '`log_dir` must be inside the project'],
    ['allow_paralel: false', 'unknown key'],
  ])('%s is without effect, and told', (line, message) => {
    const files = { ...good, [OLD]: `${CLI}entry_points: [{path: ., checks: [good]}]\n${line}\n` };
    expect(configOf(files)).toMatchObject({
      maxRetries: 3,
      rerunNewIssueThreshold: 'high',
      baseBranch: 'origin/main',
      weakening: 'tell',
      logDir: 'gauntlet_logs',
      checks: [{ name: 'good' }],
      problems: [expect.stringContaining(message)],
    });
    expect(read(files).diagnostics).toMatchObject([{ place: { file: OLD, line: 3 } }]);
  });

  it.each(['../logs', '.holdpoint/rules', 'src', 'src/lib', 'packages'])(
    'our own logs are not in %s',
    (dir) => {
      const gates = `{log_dir: ${dir}, entry_points: [{path: src/lib, checks: [c]}, {path: packages/*, checks: [c]}], checks: {c: {command: x}}}`;
      expect(configOf({ '.holdpoint/config.yaml': `gates: ${gates}\n` })).toMatchObject({
        logDir: '.holdpoint/logs',
        problems: [expect.stringContaining('`log_dir` ')],
      });
    },
  );

  it('what is wrong elsewhere is no problem of the gates', () => {
    const files = {
      [OURS]: 'gates: {entry_points: [{path: ., checks: [a]}], checks: {a: {command: x}}}\ninherit: maybe\n',
    };
    expect(configOf(files).problems).toEqual([]);
    expect(toldOf(files)).toHaveLength(1);
  });
});

describe('entry points', () => {
  const checks = { '.gauntlet/checks/lint.yml': 'command: x\n' };
  const withEntries = (text: string): Files => ({ ...checks, [OLD]: `${CLI}entry_points:\n${text}` });

  test.each([
    ['./src', 'src'],
    ['src/', 'src'],
    ['./', '.'],
    ['src\\app', 'src/app'],
    ['packages/*', 'packages/*'],
    ['docs/**/*.md', 'docs/**/*.md'],
    ['a/../b', 'b'],
  ])('%s is the path %s', (written, path) => {
    const files = withEntries(`  - {path: '${written}', checks: [lint]}\n`);
    expect(configOf(files).entryPoints).toMatchObject([{ path }]);
  });

  test.each(['../x', '/etc', '..', 'C:\\x', 'a/../../b'])('%s leads out of the project', (path) => {
    const files = withEntries(`  - {path: '${path}', checks: [lint]}\n  - {path: src, checks: [lint]}\n`);
    expect(configOf(files)).toMatchObject({
      entryPoints: [{ path: 'src' }],
      problems: [`${OLD}:3:6: \`path\` must be inside the project; "${path}" is not`],
    });
  });

  it('name gates that exist, else the nearest name is offered at the place', () => {
    const files = withEntries('  - path: src\n    checks: [lint, lnit]\n    reviews: [none]\n');
    expect(printed(read(files))).toBe(
      [
        `${OLD}:4:20: error: Entry point "src" references non-existent check gate: "lnit"`,
        '      checks: [lint, lnit]',
        '                     ^~~~',
        'hint: did you mean `lint`?',
        '',
        `${OLD}:5:15: error: Entry point "src" references non-existent review gate: "none"`,
        '      reviews: [none]',
        '                ^~~~',
      ].join('\n'),
    );
    expect(configOf(files).entryPoints).toMatchObject([{ checks: ['lint'], reviews: [] }]);
  });

  it('keep their places when one before them is bad', () => {
    const files = withEntries('  - {checks: [lint]}\n  - {path: src, checks: [nope]}\n');
    expect(toldOf(files)).toEqual([
      `error ${OLD}:3 \`entry_points[0]\` needs the key \`path\``,
      `error ${OLD}:4 Entry point "src" references non-existent check gate: "nope"`,
    ]);
  });

  it('without gates are warned of', () => {
    const files = withEntries(
      '  - {path: src, checks: [lint]}\n  - {path: docs}\n  - {path: x, checks: []}\n',
    );
    expect(toldOf(files)).toEqual([
      `warning ${OLD}:4 Entry point "docs" has no gates`,
      `warning ${OLD}:5 Entry point "x" has no gates`,
    ]);
    expect(configOf(files).problems).toEqual([]);
  });

  it('for one path count all', () => {
    const files = withEntries(
      '  - {path: ., checks: [lint]}\n  - {path: ./, exclude: [docs], checks: [lint]}\n',
    );
    expect(configOf(files).entryPoints).toMatchObject([
      { path: '.', exclude: [] },
      { path: '.', exclude: ['docs'] },
    ]);
  });
});

describe('keys that are only in the older documentation', () => {
  it('are accepted with a warning each', () => {
    const files = {
      [OLD]: `${CLI}entry_points: [{path: ., checks: [c], reviews: [q]}]\nlogging: {level: info, console: {enabled: true}}\nparallel: true\nfail_fast: false\n`,
      '.gauntlet/checks/c.yml': 'name: c\ncommand: x\n',
      '.gauntlet/reviews/q.md':
        '---\nname: q\npass_pattern: P\nfail_pattern: F\nignore_pattern: I\ninclude_context: true\n---\nLook.\n',
    };
    const told = read(files).diagnostics;
    expect(told.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
      Array.from({ length: 9 }, () => 'warning config.not-read'),
    );
    expect(configOf(files)).toMatchObject({
      checks: [{ name: 'c' }],
      reviews: [{ name: 'q' }],
      problems: [],
    });
  });
});

describe('instructions for a failed check', () => {
  const OUTSIDE = 'must be a path below .gauntlet/';
  const files = (path: string): Files => ({
    [OLD]: `${CLI}entry_points: [{path: ., checks: [c]}]\n`,
    '.gauntlet/checks/c.yml': `command: x\nfix_instructions: ${path}\n`,
    '.gauntlet/fix/c.md': 'Do this.\n',
    'outside.md': 'secret',
  });

  it('are the text of a file beside the config', () => {
    expect(configOf(files('fix/c.md')).checks).toMatchObject([{ fixInstructions: 'Do this.\n' }]);
    const ours = {
      [OURS]:
        'gates: {entry_points: [{path: ., checks: [c]}], checks: {c: {command: x, fix_instructions: fix.md}}}\n',
      '.holdpoint/fix.md': 'Ours.',
    };
    expect(configOf(ours).checks).toMatchObject([{ fixInstructions: 'Ours.' }]);
  });

  test.each([
    ['/etc/passwd', OUTSIDE],
    ['../outside.md', OUTSIDE],
    ['fix/../../outside.md', OUTSIDE],
    ['nope.md', 'names .gauntlet/nope.md, which does not exist'],
    ['fix', 'names .gauntlet/fix: this is not a regular file'],
  ])('%s is refused, and the check runs without', (path, message) => {
    const config = configOf(files(path));
    expect(config.checks).toMatchObject([{ name: 'c' }]);
    expect(config.checks[0]).not.toHaveProperty('fixInstructions');
    expect(config.problems).toEqual([
      expect.stringMatching(/^\.gauntlet\/checks\/c\.yml:2:1: `fix_instructions` /),
    ]);
    expect(config.problems[0]).toContain(message);
  });

  it('do not follow a link out of the project', () => {
    inScratch(files('link.md'), (root, home) => {
      symlinkSync('/etc/hostname', join(root, '.gauntlet/link.md'));
      const { guards } = readConfig({ root, home, sections: [gatesSection] });
      expect(guards).toMatchObject([{ config: { problems: [expect.stringContaining(OUTSIDE)] } }]);
    });
  });

  it('are watched like the config itself, even while they are missing', () => {
    inScratch(files('nope.md'), (root, home) => {
      expect(new Map(compileConfig(root, home).stamps).get(join(root, '.gauntlet/nope.md'))).toBe('-');
    });
  });
});

describe('the schema for editors', () => {
  const schema = configJsonSchema([gatesSection]);

  it('has a sentence for every key', () => {
    const bare: string[] = [];
    const walk = (value: Json | undefined, path: string): void => {
      if (Array.isArray(value)) for (const item of value) walk(item, path);
      if (!isJsonObject(value)) return;
      for (const [key, inner] of Object.entries(
        isJsonObject(value['properties']) ? value['properties'] : {},
      )) {
        const at = `${path}.${key}`;
        if (!isJsonObject(inner) || !/^.{10,}\.$/.test(String(inner['description']))) bare.push(at);
        walk(inner, at);
      }
      for (const key of ['items', 'additionalProperties', 'anyOf']) walk(value[key], path);
    };
    const properties = schema['properties'];
    walk({ properties: isJsonObject(properties) ? { gates: properties['gates'] ?? null } : {} }, '');
    expect(bare).toEqual([]);
    expect(JSON.stringify(schema)).toContain('"fix_instructions"');
  });

  it('does not know the file in the home', () => {
    expect(JSON.stringify(schema)).not.toContain('agent-gauntlet/config.yml');
  });
});

test('a misspelt key of the section is told beside what is missing because of it', () => {
  const told = printed(read({ [OURS]: 'gates: {entry_point: []}\n' }));
  expect(told).toContain('hint: did you mean `entry_points`?');
  expect(told).toContain('`entry_points` is missing');
});
