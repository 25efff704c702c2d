import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type GatesRig, makeGatesRig } from './gates-project';
import type { Ended, HostDocument } from './rig';
import { type Answer, hasTerminals, runAtTerminal } from './terminal';

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const here = (path: string): string => join(rig.repo, path);
const text = (path: string): string => readFileSync(here(path), 'utf8');
const yaml = (path: string): HostDocument => parse(text(path));
const init = (...args: string[]): Ended => rig.gauntlet(['init', ...args]);
const SETTINGS = '.claude/settings.local.json';
const ENTRY = { hooks: [{ type: 'command', command: 'agent-gauntlet stop-hook', timeout: 300 }] };

/** Every file of the project but git's own, with its text or what it links to. */
function everything(dir = ''): Record<string, string> {
  const all = readdirSync(here(dir), { withFileTypes: true }).filter(({ name }) => name !== '.git');
  return Object.assign(
    {},
    ...all.map((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return everything(path);
      return { [path]: entry.isSymbolicLink() ? readlinkSync(here(path)) : text(path) };
    }),
  );
}

describe('init -y', () => {
  it('writes a config that is valid and runs, for all reviewers that are there', () => {
    rig.program('claude', 'cat > /dev/null\necho \'{"status":"pass","message":"ok"}\'');
    rig.program('gemini', 'exit 0');
    const ended = init('-y');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toMatch(/✓ claude\n.*✗ codex\n.*✓ gemini\n/);
    expect(yaml('.gauntlet/config.yml')).toEqual({
      base_branch: 'origin/main',
      log_dir: 'gauntlet_logs',
      cli: { default_preference: ['claude', 'gemini'] },
      entry_points: [{ path: '.', reviews: ['code-quality'] }],
    });
    expect(existsSync(here('.gauntlet/checks'))).toBe(false);
    expect(rig.gauntlet(['validate'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rig.gauntlet(['run']).stderr).toContain('[PASS]  review:.:code-quality (claude@1)');
  });

  it('gives agents a command: a link for claude, a file of its own form for gemini', () => {
    rig.program('claude', 'exit 0');
    rig.program('gemini', 'exit 0');
    init('-y');
    expect(readlinkSync(here('.claude/commands/gauntlet.md'))).toBe('../../.gauntlet/run_gauntlet.md');
    expect(text('.claude/commands/gauntlet.md')).toContain('agent-gauntlet run');
    for (const words of [
      'Status: Passed',
      'Status: Retry limit exceeded',
      '"status": "skipped"',
      'trust_level',
    ])
      expect(text('.gauntlet/run_gauntlet.md')).toContain(words);
    const toml = text('.gemini/commands/gauntlet.toml');
    expect(toml).toMatch(/^description = ".+"\nprompt = """\n[\s\S]+"""\n$/);
    expect(toml).not.toContain('trust_level:');
    expect(existsSync(join(rig.home, '.claude'))).toBe(false);
  });

  it('lets git pass over the logs, once', () => {
    rig.write('.gitignore', 'dist');
    init('-y');
    expect(text('.gitignore')).toBe('dist\ngauntlet_logs/\n');
  });

  it.each(['gauntlet_logs', '/gauntlet_logs/', 'gauntlet_logs/**'])(
    'leaves .gitignore alone where it has %s',
    (line) => {
      rig.write('.gitignore', `${line}\r\n`);
      init('-y');
      expect(text('.gitignore')).toBe(`${line}\r\n`);
    },
  );

  it('changes nothing the second time, nor where gates stand elsewhere', () => {
    rig.program('claude', 'exit 0');
    init('-y');
    const before = everything();
    const again = init('-y');
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(again.stdout).toContain('.gauntlet already exists');
    expect(everything()).toEqual(before);
  });

  it('writes no second config beside a section of ours', () => {
    rig.write(
      '.holdpoint/config.yaml',
      'gates: { entry_points: [{ path: src, checks: [c] }], checks: { c: { command: "true" } } }\n',
    );
    const ended = init('-y');
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('.holdpoint/config.yaml already exists');
    expect(existsSync(here('.gauntlet'))).toBe(false);
    expect(rig.gauntlet(['run']).exitCode).toBe(0);
  });

  it('never writes over a file, and says so', () => {
    rig.program('claude', 'exit 0');
    rig.write('.claude/commands/gauntlet.md', 'mine');
    const ended = init('-y');
    expect(ended.stdout).toContain('Kept .claude/commands/gauntlet.md');
    expect(text('.claude/commands/gauntlet.md')).toBe('mine');
  });

  it('does not follow a link out of the project', () => {
    rig.program('claude', 'exit 0');
    mkdirSync(join(rig.dir, 'elsewhere'));
    symlinkSync(join(rig.dir, 'elsewhere'), here('.claude'));
    const ended = init('-y');
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('a symlink leads outside the project');
    expect(readdirSync(join(rig.dir, 'elsewhere'))).toEqual([]);
  });

  it('without any reviewer is still of use: a valid config, and the checks that the project seems to have', () => {
    rig.write('package.json', JSON.stringify({ scripts: { lint: 'x', test: 'y' } }));
    const ended = init('-y');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('No reviewer is installed');
    expect(yaml('.gauntlet/config.yml')).toMatchObject({
      entry_points: [{ path: '.', checks: ['lint', 'unit-tests'] }],
    });
    expect(yaml('.gauntlet/checks/unit-tests.yml')).toEqual({ command: 'npm test' });
    expect(existsSync(here('.gauntlet/reviews/code-quality.md'))).toBe(true);
    expect(rig.gauntlet(['validate']).exitCode).toBe(0);
  });

  it('without reviewers and checks leaves a config that can be filled in', () => {
    expect(init('-y').exitCode).toBe(0);
    expect(rig.gauntlet(['validate']).exitCode).toBe(0);
    expect(rig.gauntlet(['run']).exitCode).toBe(0);
  });

  it('takes a directory and checks from flags, in one entry; a blank command is none', () => {
    rig.program('claude', 'exit 0');
    init('-y', '--source', 'src', '--lint', 'echo "a: b" # c', '--test', '  ');
    expect(yaml('.gauntlet/config.yml')).toMatchObject({
      entry_points: [{ path: 'src', checks: ['lint'], reviews: ['code-quality'] }],
    });
    expect(yaml('.gauntlet/checks/lint.yml')).toEqual({ command: 'echo "a: b" # c' });
    expect(readdirSync(here('.gauntlet/checks'))).toEqual(['lint.yml']);
    expect(rig.gauntlet(['validate']).exitCode).toBe(0);
  });

  it('compares with the branch that there is', () => {
    rig.git('remote', 'remove', 'origin');
    rig.git('branch', 'master');
    init('-y');
    expect(yaml('.gauntlet/config.yml')).toMatchObject({ base_branch: 'master' });
  });

  it('--json tells what was written', () => {
    rig.program('claude', 'exit 0');
    expect(init('--json').json).toEqual({
      created: true,
      files: [
        '.gauntlet/reviews/code-quality.md',
        '.gauntlet/run_gauntlet.md',
        '.gauntlet/config.yml',
        '.claude/commands/gauntlet.md',
      ],
      skipped: [],
      reviewers: ['claude'],
      stop_hook: null,
    });
    expect(init('--json').json).toMatchObject({ created: false, exists: '.gauntlet', files: [] });
  });
});

describe('the stop hook', () => {
  it('is not installed unasked, and the output says how', () => {
    const ended = init('-y');
    expect(existsSync(here(SETTINGS))).toBe(false);
    expect(ended.stdout).toContain('holdpoint gates init --stop-hook');
  });

  it('is installed once, also in a project that has gates already', () => {
    const ended = init('-y', '--stop-hook');
    expect(ended.stdout).toContain('Stop hook installed');
    expect(text(SETTINGS)).toBe(`${JSON.stringify({ hooks: { Stop: [ENTRY] } }, null, 2)}\n`);
    expect(init('--stop-hook').stdout).toContain('Stop hook already installed');
    expect(rig.readJson(SETTINGS)).toEqual({ hooks: { Stop: [ENTRY] } });
  });

  it('leaves every other byte of the settings, and keeps them as they were', () => {
    const before = '{\r\n\t"model":  "x",\r\n\t"hooks": {\r\n\t\t"Stop": [ {"hooks": []} ]\r\n\t}\r\n}';
    rig.write(SETTINGS, before);
    init('-y', '--stop-hook');
    const added = `, ${JSON.stringify(ENTRY, null, 1).replace(/\n */g, ' ')}`;
    expect(text(SETTINGS)).toBe(before.replace('{"hooks": []}', `{"hooks": []}${added}`));
    expect(text(`${SETTINGS}.bak`)).toBe(before);
  });

  it.each(['{ "hooks": ', '[]', '{"hooks": []}', '{"hooks": {"Stop": {}}}', '// no\n{}'])(
    'refuses settings that read %s, and leaves them alone',
    (broken) => {
      rig.write(SETTINGS, broken);
      const ended = init('-y', '--stop-hook');
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toContain(`${SETTINGS}: `);
      expect(text(SETTINGS)).toBe(broken);
    },
  );

  it('is not needed where the hook of ours is called at the end of turns', () => {
    const stop = [{ hooks: [{ type: 'command', command: 'node /x/dist/hook.cjs' }] }];
    rig.writeHome('.claude/settings.json', JSON.stringify({ hooks: { Stop: stop } }));
    expect(init('-y', '--stop-hook').stdout).toContain('Holdpoint is installed here');
    expect(existsSync(here(SETTINGS))).toBe(false);
  });
});

describe.runIf(hasTerminals)('init at a terminal (where script can make one)', () => {
  const [ENTER, NO, CTRL_C] = ['\r', 'n', '\u0003'];
  const ask = (answers: readonly Answer[]) =>
    runAtTerminal(rig, 'agent-gauntlet', 'init', answers, { PATH: rig.bin });

  it('asks for reviewers, directory, checks, commands and the stop hook', async () => {
    rig.program('claude', 'exit 0');
    rig.write('package.json', JSON.stringify({ scripts: { lint: 'x' } }));
    const ended = await ask([
      ['Which reviewers may be used?', ENTER],
      ['Which directory', `src${ENTER}`],
      ['Add a lint check?', ENTER],
      ['Which command?', ENTER],
      ['Add a unit test check?', ENTER],
      ['Which command?', ENTER],
      ['for which agents?', ENTER],
      ['ends a turn?', NO],
    ]);
    expect(ended.exitCode).toBe(0);
    expect(yaml('.gauntlet/config.yml')).toMatchObject({
      cli: { default_preference: ['claude'] },
      entry_points: [{ path: 'src', checks: ['lint'], reviews: ['code-quality'] }],
    });
    expect(yaml('.gauntlet/checks/lint.yml')).toEqual({ command: 'npm run lint' });
    expect(existsSync(here('.gauntlet/checks/unit-tests.yml'))).toBe(false);
    expect(lstatSync(here('.claude/commands/gauntlet.md')).isSymbolicLink()).toBe(true);
    expect(existsSync(here(SETTINGS))).toBe(false);
  });

  it('writes nothing when the person gives up', async () => {
    const before = everything();
    const ended = await ask([['Which directory', CTRL_C]]);
    expect(ended.exitCode).toBe(1);
    expect(everything()).toEqual(before);
  });
});

describe('ci', () => {
  const CHECKS = { lint: 'command: npm run lint\n', unit: 'command: npm test\nworking_directory: .\n' };
  const CONFIG = `entry_points:
  - { path: 'packages/*', checks: [lint, unit] }
  - { path: docs, checks: [lint] }
`;

  it('init writes a first ci.yml with all checks, and the workflow', () => {
    rig.gates(CHECKS, CONFIG);
    expect(rig.gauntlet(['ci', 'init'])).toMatchObject({
      exitCode: 0,
      stdout: 'Wrote .gauntlet/ci.yml\nWrote .github/workflows/gauntlet.yml\n',
    });
    expect(yaml('.gauntlet/ci.yml')).toEqual({
      runtimes: null,
      services: null,
      setup: null,
      checks: [{ name: 'lint' }, { name: 'unit' }],
    });
    expect(rig.gauntlet(['validate'])).toMatchObject({ exitCode: 0, stderr: '' });
    const { jobs } = yaml('.github/workflows/gauntlet.yml') as { jobs: Record<string, HostDocument> };
    expect(Object.keys(jobs)).toEqual(['discover', 'checks']);
    expect(jobs['checks']).not.toHaveProperty('services');
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(text('.github/workflows/gauntlet.yml')).toContain(
      `PACKAGE: \${{ vars.HOLDPOINT_PACKAGE || 'holdpoint@${version}' }}`,
    );
  });

  it('init puts services into the workflow, leaves ci.yml alone, and keeps a foreign workflow beside its own', () => {
    rig.gates(CHECKS, CONFIG);
    const ci = 'services: { db: { image: "postgres:17", ports: ["5432:5432"] } }\nchecks: [{ name: lint }]\n';
    rig.write('.gauntlet/ci.yml', ci);
    rig.write('.github/workflows/gauntlet.yml', 'name: mine\n');
    expect(rig.gauntlet(['ci', 'init', '--json']).json).toEqual({
      written: ['.github/workflows/gauntlet.yml.before', '.github/workflows/gauntlet.yml'],
    });
    expect(text('.gauntlet/ci.yml')).toBe(ci);
    expect(text('.github/workflows/gauntlet.yml.before')).toBe('name: mine\n');
    expect(yaml('.github/workflows/gauntlet.yml')).toMatchObject({
      jobs: { checks: { services: { db: { image: 'postgres:17', ports: ['5432:5432'] } } } },
    });
    rig.write('.gauntlet/ci.yml', 'checks: [{ name: lint }]\n');
    expect(rig.gauntlet(['ci', 'init']).stdout).toBe('Wrote .github/workflows/gauntlet.yml\n');
    expect(rig.gauntlet(['ci', 'init']).stdout).toBe('');
  });

  it('list-jobs has a job for each check at each directory that there is, the same work once', () => {
    rig.gates(CHECKS, CONFIG);
    for (const file of ['packages/a/x', 'packages/b/x', 'packages/file', 'docs/d']) rig.write(file, 'x');
    rig.write(
      '.gauntlet/ci.yml',
      `runtimes: { node: { version: "22" } }
services: { db: { image: postgres } }
setup: [{ name: Install, run: npm ci }]
checks:
  - { name: lint, requires_runtimes: [node] }
  - name: unit
    requires_services: [db]
    setup: [{ name: Load, run: ./load.sh, working_directory: db }]
`,
    );
    const ended = rig.gauntlet(['ci', 'list-jobs']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout.split('\n')).toHaveLength(2);
    const { matrix, services, runtimes } = ended.json as { matrix: HostDocument[] } & HostDocument;
    expect({ services, runtimes }).toEqual({
      services: { db: { image: 'postgres' } },
      runtimes: { node: { version: '22' } },
    });
    expect(matrix.map(({ id, working_directory }) => [id, working_directory])).toEqual([
      ['lint-packages-a', 'packages/a'],
      ['unit-packages-a', '.'],
      ['lint-packages-b', 'packages/b'],
      ['lint-docs', 'docs'],
    ]);
    expect(matrix[1]).toEqual({
      id: 'unit-packages-a',
      name: 'unit',
      entry_point: 'packages/a',
      working_directory: '.',
      command: 'npm test',
      runtimes: [],
      services: ['db'],
      setup: 'echo "::group::Load"\n(cd "db" && ./load.sh)\necho "::endgroup::"',
      global_setup: 'echo "::group::Install"\nnpm ci\necho "::endgroup::"',
    });
  });

  it('a step runs where it says, and only there', () => {
    rig.gates({ c: 'command: x\n' });
    rig.write(
      '.gauntlet/ci.yml',
      'checks: [{ name: c, setup: [{ name: a "b" $c, run: "touch one\\ntouch two", working_directory: "no $dir" }] }]\n',
    );
    const { matrix } = rig.gauntlet(['ci', 'list-jobs']).json as { matrix: { setup: string }[] };
    expect(matrix[0]?.setup).toBe(
      'echo "::group::a \\"b\\" \\$c"\n(cd "no \\$dir" && {\ntouch one\ntouch two\n})\necho "::endgroup::"',
    );
  });

  it('leaves out what shall not run there', () => {
    rig.gates({ c: 'command: x\nrun_in_ci: false\n' });
    rig.write('.gauntlet/ci.yml', 'checks: [{ name: c }]\n');
    expect(rig.gauntlet(['ci', 'list-jobs']).json).toEqual({ matrix: [], services: {}, runtimes: {} });
  });

  it.each([
    ['checks: [{ name: x }]\n', 'unknown check "x"'],
    ['chekcs: []\n', 'hint: did you mean `checks`?'],
    ['setup: [{ run: x }]\n', '.gauntlet/ci.yml:1:'],
    ['setup: [\n', 'not valid YAML'],
  ])('a ci.yml that reads %j is refused with its place', (broken, words) => {
    rig.gates({ c: 'command: x\n' });
    rig.write('.gauntlet/ci.yml', broken);
    const ended = rig.gauntlet(['ci', 'list-jobs']);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(words);
  });

  it('says that a condition is ignored', () => {
    rig.gates({ c: 'command: x\n' });
    rig.write('.gauntlet/ci.yml', 'setup: [{ name: a, run: b, if: never() }]\nchecks: []\n');
    expect(rig.gauntlet(['ci', 'list-jobs'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('`if` in a step'),
    });
  });

  it('without ci.yml says how to get one', () => {
    rig.gates({ c: 'command: x\n' });
    writeFileSync(here('other'), '');
    expect(rig.gauntlet(['ci', 'list-jobs'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('holdpoint gates ci init'),
    });
  });
});
