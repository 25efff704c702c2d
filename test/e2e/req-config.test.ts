import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn } from './events';
import { CONFIG_FILE, deniedBecause, makeRig, type Rig } from './rig';

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig('');
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

const LOCAL = '.claude/requirements.local.yaml';
const OWN = '.holdpoint/config.yaml';
const OWN_LOCAL = '.holdpoint/config.local.yaml';
const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const AGENT = { env: { CLAUDECODE: '1' } };
const PLAN = '# ours\nrequirements:\n  plan: {enabled: true}   # keep\n';

const path = (file: string): string => join(rig.repo, file);
const read = (file: string): string => readFileSync(path(file), 'utf8');
const edit = () => rig.hook(on.pre('Edit', EDIT));

describe('req init', () => {
  it.each(['relaxed', 'strict', 'advanced', 'inherit', 'minimal'])(
    'writes the preset %s, which is accepted without a word',
    (preset) => {
      const ended = rig.req(['init', '--yes', '--preset', preset]);
      expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
      expect(ended.stdout).toContain(`Created project config (${preset} preset)`);
      expect(rig.req(['config']).stderr).toBe('');
      expect(statSync(path(CONFIG_FILE)).mode & 0o777).toBe(0o644);
    },
  );

  it('without a terminal takes the relaxed preset, which holds the next edit', () => {
    expect(rig.req(['init'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(deniedBecause(edit())).toContain('commit_plan');
  });

  it.each([[['init', '--help']], [['help', 'init']]])('%j names every preset with what it is', (args) => {
    const { stdout, exitCode } = rig.req(args);
    expect(exitCode).toBe(0);
    for (const preset of ['relaxed', 'strict', 'advanced', 'inherit', 'minimal'])
      expect(stdout).toMatch(new RegExp(`^  ${preset} +\\w.{10}`, 'm'));
  });

  it('strict leaves it to people to say that something is done', () => {
    rig.req(['init', '-y', '-p', 'strict']);
    const refused = rig.req(['satisfy', 'commit_plan', '--branch'], AGENT);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('agent_may_satisfy');
    expect(rig.req(['satisfy', 'commit_plan', '--branch'])).toMatchObject({ exitCode: 0 });
  });

  it.each(['strict', 'advanced'])('%s holds edits, commits and pushes on a protected branch', (preset) => {
    rig.req(['init', '-y', '-p', preset]);
    rig.git('switch', '--quiet', '-c', 'main');
    expect(deniedBecause(edit())).toContain('protected_branch');
    for (const command of ['git commit -m x', 'git push origin main'])
      expect(deniedBecause(rig.hook(eventsIn(rig).pre('Bash', { command })))).toContain('protected_branch');
  });

  it('leaves a file that is there alone, unless forced', () => {
    rig.write(CONFIG_FILE, PLAN);
    const ended = rig.req(['init', '-y']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain(`Config already exists: ${path(CONFIG_FILE)}`);
    expect(read(CONFIG_FILE)).toBe(PLAN);
    expect(rig.req(['init', '-y', '--force', '-p', 'minimal'])).toMatchObject({ exitCode: 0 });
    expect(read(CONFIG_FILE)).toContain('requirements: {}');
  });

  it('sees that our own file has requirements already', () => {
    rig.write(OWN, PLAN);
    expect(rig.req(['init', '-y']).stdout).toContain(`Config already exists: ${path(OWN)}`);
    expect(existsSync(path(CONFIG_FILE))).toBe(false);
  });

  it.each(['--preview', '--dry-run'])('%s shows what would be written', (flag) => {
    const ended = rig.req(['init', flag, '-p', 'advanced']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain(`Would create: ${path(CONFIG_FILE)}`);
    expect(ended.stdout).toContain('branch_size_limit');
    expect(existsSync(path('.claude'))).toBe(false);
  });

  it('--local writes the file that is not committed, and says so', () => {
    const ended = rig.req(['init', '-y', '--local']);
    expect(ended.stdout).toContain('Created local config (relaxed preset)');
    expect(ended.stdout).toContain('.gitignore');
    expect(existsSync(path(LOCAL))).toBe(true);
    expect(existsSync(path(CONFIG_FILE))).toBe(false);
  });

  it('in ~/.claude writes the global file', () => {
    rig.writeHome('.claude/keep', '');
    const ended = rig.req(['init', '-y'], { cwd: join(rig.home, '.claude') });
    expect(ended.stdout).toContain('Created global config (relaxed preset)');
    expect(existsSync(join(rig.home, CONFIG_FILE))).toBe(true);
  });

  it('from a directory below writes at the root', () => {
    rig.write('src/deep/a', '');
    rig.req(['init', '-y'], { cwd: path('src/deep') });
    expect(existsSync(path(CONFIG_FILE))).toBe(true);
  });

  it('in a repository of its own inside another project gives it a config of its own', () => {
    rig.write(CONFIG_FILE, PLAN);
    rig.git('init', '--quiet', 'inner');
    expect(rig.req(['init', '-y'], { cwd: path('inner') })).toMatchObject({ exitCode: 0 });
    expect(existsSync(path(`inner/${CONFIG_FILE}`))).toBe(true);
  });

  it('follows no link out of the project', () => {
    mkdirSync(join(rig.dir, 'elsewhere'));
    symlinkSync(join(rig.dir, 'elsewhere'), path('.claude'));
    const ended = rig.req(['init', '-y']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('leads outside the project');
    expect(existsSync(join(rig.dir, 'elsewhere/requirements.yaml'))).toBe(false);
  });

  it.each([
    [['--preset', 'lax'], 2, 'Known: relaxed'],
    [['--project', '--local'], 2, 'cannot be combined'],
    [['extra'], 2, ''],
  ])('%j ends with code %i', (args, exitCode, words) => {
    const ended = rig.req(['init', ...args]);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).toContain(words);
  });

  it('outside a repository is refused', () => {
    const ended = rig.req(['init', '-y'], { cwd: rig.tmp });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('Not in a git repository');
  });

  it('speaks JSON', () => {
    const file = path(CONFIG_FILE);
    expect(rig.req(['init', '--preview', '--json']).json).toMatchObject({ created: false, file });
    expect(rig.req(['init', '--json']).json).toEqual({
      created: true,
      file,
      context: 'project',
      preset: 'relaxed preset',
    });
    expect(rig.req(['init', '--json']).json).toEqual({ created: false, exists: true, file });
  });
});

describe('req enable and disable', () => {
  const TEXT = '# mine\nrequirements:\n    plan:   {scope:  branch}  # odd\nenabled: true # now\n# end';

  it('switch all requirements, and change no other byte', () => {
    rig.write(CONFIG_FILE, PLAN);
    rig.write(LOCAL, TEXT);
    chmodSync(path(LOCAL), 0o600);
    const off = rig.req(['disable']);
    expect(off).toMatchObject({ exitCode: 0, stderr: '' });
    expect(off.stdout).toContain('Requirements framework disabled for this project');
    expect(off.stdout).toContain(`Modified: ${LOCAL}`);
    expect(read(LOCAL)).toBe(TEXT.replace('enabled: true', 'enabled: false'));
    expect(statSync(path(LOCAL)).mode & 0o777).toBe(0o600);
    expect(edit()).toMatchObject(SILENT);
    const back = rig.req(['enable']);
    expect(back.stdout).toContain('Requirements framework enabled for this project');
    expect(read(LOCAL)).toBe(TEXT);
    deniedBecause(edit());
  });

  it('make the local file where there is none', () => {
    rig.write(CONFIG_FILE, PLAN);
    rig.req(['disable']);
    expect(read(LOCAL)).toBe('enabled: false\n');
    expect(rig.listing()).toEqual(expect.not.arrayContaining([expect.stringContaining('.tmp')]));
  });

  it('enable needs a config of the project', () => {
    rig.writeHome(CONFIG_FILE, PLAN);
    const ended = rig.req(['enable']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('req init');
    expect(existsSync(path(LOCAL))).toBe(false);
  });

  it('switch one requirement by name, in the file that has the layer’s requirements', () => {
    rig.write(CONFIG_FILE, PLAN);
    expect(rig.req(['disable', 'plan']).stdout).toContain("Requirement 'plan' disabled for this project");
    expect(read(LOCAL)).toBe('requirements:\n  plan:\n    enabled: false\n');
    expect(edit()).toMatchObject(SILENT);
    rig.write(OWN_LOCAL, 'requirements: {}\n');
    rig.write(LOCAL, '');
    rig.req(['disable', 'plan']);
    expect(read(OWN_LOCAL)).toBe('requirements: {plan: {enabled: false}}\n');
    expect(read(LOCAL)).toBe('');
    expect(edit()).toMatchObject(SILENT);
  });

  it('know a misspelt name', () => {
    rig.write(CONFIG_FILE, 'requirements: {commit_plan: {enabled: true}}\n');
    const ended = rig.req(['disable', 'comit_plan']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('commit_plan');
    expect(existsSync(path(LOCAL))).toBe(false);
  });

  it('leave a file alone that does not parse, and name the line', () => {
    rig.write(CONFIG_FILE, PLAN);
    rig.write(LOCAL, 'a: 1\nenabled: [\n');
    const ended = rig.req(['disable']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(`${LOCAL}:`);
    expect(read(LOCAL)).toBe('a: 1\nenabled: [\n');
  });

  it('are not for an agent where something is for people alone', () => {
    rig.write(CONFIG_FILE, 'requirements: {plan: {enabled: true, agent_may_satisfy: false}}\n');
    for (const args of [
      ['disable'],
      ['disable', 'plan'],
      ['config', 'plan', '--set', 'agent_may_satisfy=true', '--yes'],
      ['init', '--force', '-p', 'minimal', '-y'],
    ]) {
      const ended = rig.req(args, AGENT);
      expect(ended, args.join(' ')).toMatchObject({ exitCode: 1 });
      expect(ended.stderr).toContain('agent_may_satisfy: false');
    }
    expect(rig.req(['init', '--local', '--preview'], AGENT), 'writes nothing').toMatchObject({ exitCode: 0 });
    expect(existsSync(path(LOCAL))).toBe(false);
    deniedBecause(edit());
    expect(rig.req(['disable'])).toMatchObject({ exitCode: 0 });
  });

  it('of a name that no config has are refused for that, whoever asks', () => {
    rig.write(CONFIG_FILE, 'requirements: {plan: {enabled: true, agent_may_satisfy: false}}\n');
    for (const verb of ['enable', 'disable'])
      expect(rig.req([verb, 'nope'], AGENT)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("Requirement 'nope' is not defined"),
      });
    expect(rig.req(['enable', 'plan'], AGENT), 'nothing gets looser').toMatchObject({ exitCode: 0 });
  });

  it.each(['enable', 'disable'])('say where the config does not parse: %s', (verb) => {
    rig.write(CONFIG_FILE, 'requirements:\n  plan: {enabled: true\n');
    const { exitCode, stderr } = rig.req([verb, 'plan']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(new RegExp(`^Nothing was written.*\\n${CONFIG_FILE}:\\d+:\\d+: error: `));
    expect(stderr).not.toContain('not defined');
  });

  it('leave a line in the journal', () => {
    rig.write(CONFIG_FILE, PLAN);
    rig.req(['disable']);
    expect(rig.holdpoint(['log', '--json']).stdout).toContain('req disable');
  });

  it('speak JSON', () => {
    rig.write(CONFIG_FILE, PLAN);
    expect(rig.req(['disable', '--json']).json).toEqual({ enabled: false, file: LOCAL });
    const one = { enabled: true, requirement: 'plan', file: LOCAL };
    expect(rig.req(['enable', 'plan', '--json']).json).toEqual(one);
  });

  it('at the same time lose nothing', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `r${at}`);
    rig.write(CONFIG_FILE, `requirements:\n${names.map((name) => `  ${name}: {enabled: true}\n`).join('')}`);
    const ended = await Promise.all(names.map((name) => rig.startReq(['disable', name])));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    expect(edit()).toMatchObject(SILENT);
  });
});

describe('in a project that has only our own files', () => {
  const OURS = '# ours\nrequirements:\n  plan: {enabled: true}   # keep\n\nhooks: {}  # none\n';

  beforeEach(() => rig.write(OWN, OURS));
  afterEach(() => expect(existsSync(path('.claude'))).toBe(false));

  it('disable and enable write our local file, and keep what stands in it', () => {
    deniedBecause(edit());
    const off = rig.req(['disable']);
    expect(off).toMatchObject({ exitCode: 0, stderr: '' });
    expect(off.stdout).toContain(`Modified: ${OWN_LOCAL}`);
    expect(read(OWN_LOCAL)).toBe('guards:\n  requirements:\n    enabled: false\n');
    expect(rig.req(['status']).stdout).toContain('Requirements framework disabled');
    expect(rig.req(['config']).stdout).toContain('"enabled": false');
    expect(edit()).toMatchObject(SILENT);
    rig.write(OWN_LOCAL, `# mine\n${read(OWN_LOCAL)}# end\n`);
    expect(rig.req(['enable']).stdout).toContain(`Modified: ${OWN_LOCAL}`);
    expect(read(OWN_LOCAL)).toBe('# mine\nguards:\n  requirements:\n    enabled: true\n# end\n');
    deniedBecause(edit());
    expect(read(OWN)).toBe(OURS);
  });

  it('disable and enable of one requirement do so too', () => {
    rig.write(OWN_LOCAL, '# mine\ninherit: true # yes\n');
    expect(rig.req(['disable', 'plan', '--json']).json).toMatchObject({ file: OWN_LOCAL });
    expect(read(OWN_LOCAL)).toBe('# mine\ninherit: true # yes\nrequirements:\n  plan:\n    enabled: false\n');
    expect(edit()).toMatchObject(SILENT);
    rig.req(['enable', 'plan']);
    deniedBecause(edit());
  });

  it('config writes the local one, or with --project the committed one', () => {
    expect(rig.req(['config', 'plan', '--scope', 'branch', '-y']).stdout).toContain(`Modified: ${OWN_LOCAL}`);
    expect(read(OWN_LOCAL)).toBe('requirements:\n  plan:\n    scope: branch\n');
    expect(rig.req(['config', 'plan', '--disable', '--project', '-y']).stdout).toContain(`Modified: ${OWN}`);
    expect(read(OWN)).toBe(OURS.replace('{enabled: true}', '{enabled: false}'));
    expect(edit()).toMatchObject(SILENT);
  });

  it('a project file of ours that has no requirements yet takes those of the home', () => {
    rig.write(OWN, 'inherit: true\nenforce_everywhere: true\n');
    rig.writeHome('.config/holdpoint/config.yaml', PLAN);
    rig.req(['config', 'plan', '--scope', 'branch', '--project', '-y']);
    expect(read(OWN)).toBe(
      'inherit: true\nenforce_everywhere: true\nrequirements:\n  plan:\n    scope: branch\n',
    );
    rig.req(['disable']);
    expect(read(OWN_LOCAL)).toContain('enabled: false');
    expect(edit()).toMatchObject(SILENT);
  });
});

it('a project with files of both kinds has its switch in the older one, unless ours has it already', () => {
  rig.write(CONFIG_FILE, PLAN);
  rig.write(OWN, 'inherit: true\n');
  rig.req(['disable']);
  expect(read(LOCAL)).toBe('enabled: false\n');
  rig.write(LOCAL, '');
  rig.write(OWN_LOCAL, 'guards: {requirements: {enabled: false}}\n');
  expect(edit()).toMatchObject(SILENT);
  rig.req(['enable']);
  expect(read(OWN_LOCAL)).toBe('guards: {requirements: {enabled: true}}\n');
  deniedBecause(edit());
});

describe('req config', () => {
  beforeEach(() => {
    rig.writeHome(CONFIG_FILE, 'requirements: {plan: {enabled: true, scope: session}}\n');
    rig.write(CONFIG_FILE, '# ours\nrequirements:\n  plan: {scope: branch}   # keep\n');
  });

  it.each([[[]], [['show']]])('%j shows all layers as one', (args) => {
    const ended = rig.req(['config', ...args]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const [first, ...rest] = ended.stdout.split('\n');
    expect(first).toBe('Merged from: global -> project -> local');
    expect(JSON.parse(rest.join('\n'))).toEqual({
      requirements: { plan: { enabled: true, scope: 'branch' } },
    });
  });

  it('--sources shows each file, the absent ones too', () => {
    const { stdout } = rig.req(['config', 'show', '--sources']);
    expect(stdout).toContain(`GLOBAL (~/${CONFIG_FILE}):`);
    expect(stdout).toContain(`PROJECT (${CONFIG_FILE}):`);
    expect(stdout).toContain(`LOCAL (${LOCAL}):\n(not present)`);
    expect(stdout).toContain('MERGED RESULT:');
  });

  it('shows one requirement', () => {
    const ended = rig.req(['config', 'plan']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    for (const part of ['Configuration: plan', 'scope: branch', 'Currently enabled', `${CONFIG_FILE}:3:3`])
      expect(ended.stdout).toContain(part);
    rig.write(LOCAL, 'requirements: {plan: {enabled: false}}\n');
    expect(rig.req(['config', 'plan']).stdout).toContain('Currently disabled');
  });

  it('shows what is wrong with one', () => {
    rig.write(LOCAL, 'requirements: {plan: {scope: weekly}}\n');
    const ended = rig.req(['config', 'plan']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('`scope` must be one of');
  });

  it('writes to the local file with --yes, and keeps comments', () => {
    rig.write(LOCAL, '# mine\nhooks: {}   # none\n');
    const ended = rig.req([
      'config',
      'plan',
      '--disable',
      '--scope',
      'session',
      '--message',
      'Stop: now',
      '-y',
    ]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    for (const part of ['Before:', 'After:', `Modified: ${LOCAL}`]) expect(ended.stdout).toContain(part);
    expect(read(LOCAL)).toBe(
      [
        '# mine',
        'hooks: {}   # none',
        'requirements:',
        '  plan:',
        '    enabled: false',
        '    scope: session',
        '    message: "Stop: now"',
        '',
      ].join('\n'),
    );
  });

  it('writes to the project’s file with --project', () => {
    rig.req([
      'config',
      'plan',
      '--set',
      'replan_ttl=60',
      '--set',
      'evidence.dirs=["docs"]',
      '--project',
      '-y',
    ]);
    expect(read(CONFIG_FILE)).toBe(
      '# ours\nrequirements:\n  plan: {evidence: {dirs: [docs]}, replan_ttl: 60, scope: branch}   # keep\n',
    );
    expect(rig.req(['config']).stderr).toBe('');
  });

  it('previews with --project what will be in force beside the local file', () => {
    rig.write(LOCAL, 'requirements: {plan: {scope: single_use}}\n');
    const args = ['config', 'plan', '--scope', 'branch', '--set', 'replan_ttl=60', '--project', '-y'];
    const { stdout } = rig.req(args);
    const after = stdout.slice(stdout.indexOf('After:'));
    expect(after).toContain('scope: single_use');
    expect(after).toContain('replan_ttl: 60');
    expect(after).toContain(`Here ${LOCAL} sets \`scope\`, so that stays as it is.`);
    expect(read(CONFIG_FILE)).toContain('scope: branch');
  });

  it('asks before it writes, and where nobody can answer writes nothing', () => {
    const ended = rig.req(['config', 'plan', '--disable', '--local']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('--yes');
    expect(existsSync(path(LOCAL))).toBe(false);
  });

  it.each([
    [['nope'], 1, "'nope' is not defined"],
    [['plna'], 1, 'plan'],
    [['--enable'], 1, 'give the requirement'],
    [['plan', '--set', 'novalue'], 1, 'KEY=VALUE'],
    [['plan', '--set', 'replan_ttl=-1', '-y'], 1, 'must not be negative'],
    [['plan', '--set', 'scope=weekly', '-y'], 1, '`scope` must be one of'],
    [['plan', '--set', 'scoep=branch', '-y'], 1, 'did you mean `scope`?'],
    [['plan', '--set', 'type=dynamic', '-y'], 1, 'calculator'],
    [['plan', '--set', 'hooks.stop.verify_requirements=false', '-y'], 1, 'Edit `hooks:` at the top level'],
    [['plan', '--scope', 'weekly'], 2, '--scope takes one of'],
    [['plan', '--enable', '--disable'], 2, 'cannot be combined'],
    [['plan', '--project', '--local', '--enable'], 2, 'cannot be combined'],
    [['plan', 'other'], 2, 'give one requirement'],
  ])('%j ends with code %i and writes nothing', (args, exitCode, words) => {
    const before = read(CONFIG_FILE);
    const ended = rig.req(['config', ...args]);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).toContain(words);
    expect(read(CONFIG_FILE)).toBe(before);
    expect(existsSync(path(LOCAL))).toBe(false);
  });

  it('takes keys of the user’s own', () => {
    expect(rig.req(['config', 'plan', '--set', 'adr_path=docs/adr', '-y'])).toMatchObject({ exitCode: 0 });
    expect(read(LOCAL)).toContain('adr_path: docs/adr');
  });

  it('speaks JSON', () => {
    expect(rig.req(['config', '--json', '--sources']).json).toMatchObject({
      config: { requirements: { plan: { scope: 'branch' } } },
      sources: [
        { layer: 'global', config: expect.anything() },
        { layer: 'project', config: expect.anything() },
        { layer: 'local', file: LOCAL },
      ],
      problems: [],
    });
    expect(rig.req(['config', 'plan', '--json']).json).toMatchObject({ name: 'plan', enabled: true });
    rig.write(LOCAL, 'requirements: {plan: {pats: [src]}}\n');
    const wrong = [expect.stringContaining('`pats` looks like a misspelt `paths`')];
    expect(rig.req(['config', 'plan', '--json']).json).toMatchObject({ problems: wrong });
    rig.write(LOCAL, '');
    expect(rig.req(['config', 'plan', '--disable', '-y', '--json']).json).toEqual({
      requirement: 'plan',
      file: LOCAL,
      before: { enabled: true, scope: 'branch' },
      after: { enabled: false, scope: 'branch' },
    });
  });
});

describe('req messages', () => {
  beforeEach(() =>
    rig.write(
      CONFIG_FILE,
      'requirements: {plan: {enabled: true, description: Plan it.}, own: {enabled: true, message: m}}\n',
    ),
  );

  it('is content where there are none', () => {
    const ended = rig.req(['messages']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('These use the built-in messages: plan\n');
    expect(rig.req(['messages', 'list']).stdout).toContain('No message files');
  });

  it('--fix writes words to begin with, which an agent then reads', () => {
    const ended = rig.req(['messages', 'validate', '--fix']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('Created: .claude/messages/plan.yaml\nMessage files are valid (1)\n');
    expect(existsSync(path('.claude/messages/own.yaml'))).toBe(false);
    expect(rig.req(['messages', 'validate'])).toMatchObject({ exitCode: 0, stderr: '' });
    rig.write(CONFIG_FILE, 'requirements: {plan: {enabled: true}}\n');
    expect(deniedBecause(edit())).toContain('Plan it.');
    // Another session, since the first one would hear of the same hold in fewer words.
    rig.write('.claude/messages/plan.yaml', 'blocking_message: Think first.\n');
    const other = rig.hook(on.pre('Edit', EDIT, { session_id: 'another' }));
    expect(deniedBecause(other)).toContain('Think first.');
  });

  it('validate names mistakes, and files that belong to nobody', () => {
    rig.write('.claude/messages/plan.yaml', 'blocking_message: 5\n');
    rig.write('.claude/messages/plann.yaml', 'blocking_message: x\n');
    const ended = rig.req(['messages', 'validate']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('.claude/messages/plan.yaml:1:19');
    expect(ended.stderr).toContain("unknown requirement 'plann'. Did you mean plan?");
  });

  it('list says what becomes of each file', () => {
    rig.write('.claude/messages.local/plan.yaml', 'blocking_message: x\nheader: h\n');
    rig.write('.claude/messages/plan.yaml', 'blocking_message: x\n');
    rig.write('.claude/messages/own.yaml', 'blocking_message: x\n');
    rig.write('.claude/messages/_templates.yaml', 'a: {}\n');
    rig.writeHome('.claude/messages/other.yaml', 'blocking_message: x\n');
    expect(rig.req(['messages', 'list', '--json']).json).toMatchObject({
      files: [
        { file: '.claude/messages.local/plan.yaml', use: 'in use', unused: ['header'] },
        { file: '.claude/messages/plan.yaml', use: 'overridden by another file', unused: [] },
        { file: '.claude/messages/own.yaml', use: 'overridden by the config' },
        { file: '.claude/messages/_templates.yaml', use: 'not read' },
        { file: '~/.claude/messages/other.yaml', use: 'no such requirement' },
      ],
    });
    expect(rig.req(['messages', 'list']).stdout).toMatch(/^plan +in use +\.claude\/messages\.local/m);
  });

  it('knows no other word', () => {
    expect(rig.req(['messages', 'frob'])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

it.each(['logging', 'upgrade', 'learning', 'wip', 'budget'])('req %s is not part of Holdpoint', (name) => {
  const ended = rig.req([name, 'status', '--whatever']);
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toContain('not part of Holdpoint');
});
