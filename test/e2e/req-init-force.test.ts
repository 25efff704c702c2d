import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, eventsIn } from './events';
import { at, CONFIG_FILE, deniedBecause, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const OWN = '.holdpoint/config.yaml';
const path = (file: string): string => join(rig.repo, file);
const read = (file: string): string => readFileSync(path(file), 'utf8');
const problems = (): unknown => at(rig.holdpoint(['config', '--json']).json, 'problems');
const force = (...more: string[]) => rig.req(['init', '--force', '--yes', '--preset', 'strict', ...more]);

const ABOVE = '# the team’s\nloop: {max_iterations: 5}  # mine\n\n# what holds\n';
const BELOW = '\n# phases\nworkflow:\n  # none yet\n  discipline: {no_phase_skipping: false}\n';

describe.each([
  ['a block', 'requirements: # here\n  # inner\n  plan: {enabled: true}\n\n  review:\n    enabled: true\n'],
  ['one line', 'requirements: {plan: {enabled: true}}\n'],
  ['several lines in braces', 'requirements: {\n  plan: {enabled: true},\n  }\n'],
])('req init --force on requirements in %s of our own file', (_, section) => {
  beforeEach(() => rig.write(OWN, `${ABOVE}${section}${BELOW}`));

  it('replaces what it named before, and nothing else', () => {
    const refused = rig.req(['init', '--yes']);
    expect(refused).toMatchObject({ exitCode: 0, stderr: '' });
    expect(refused.stdout).toContain(`Config already exists: ${path(OWN)}`);
    expect(refused.stdout).toContain('--force to replace the requirements in it');
    expect(force()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(existsSync(path('.claude'))).toBe(false);
    expect(problems()).toEqual([]);
    const text = read(OWN);
    expect(text.startsWith(`${ABOVE}requirements:\n  commit_plan:\n    enabled: true\n`)).toBe(true);
    expect(text).toContain(BELOW);
    expect(text).not.toContain('plan: {enabled: true}');
    const reason = deniedBecause(rig.hook(eventsIn(rig).pre('Edit', EDIT)));
    expect(reason).toContain('commit_plan');
  });

  it('keeps a copy and names it with the way back', () => {
    const before = read(OWN);
    const { stdout } = force();
    expect(stdout).toContain(`To undo: mv '${path(OWN)}.bak' '${path(OWN)}'`);
    expect(read(`${OWN}.bak`)).toBe(before);
  });

  it('shows with --preview what the file would say', () => {
    const before = read(OWN);
    const { stdout, exitCode } = force('--preview');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(BELOW.trimEnd());
    expect(stdout).toContain('protected_branch');
    expect(read(OWN)).toBe(before);
    expect(existsSync(path(`${OWN}.bak`))).toBe(false);
  });
});

describe('req init', () => {
  it('sets in our own file what else a preset says', () => {
    rig.write(
      OWN,
      'hooks: {stop: {verify_requirements: false}, session_start: {inject_context: true}}\nrequirements: {}\n',
    );
    force();
    expect(read(OWN)).toContain(
      'hooks: {stop: {verify_requirements: true}, session_start: {inject_context: true}}',
    );
  });

  it('adds requirements to our own file where it has none yet, and needs no force for it', () => {
    const before = '# ours\nloop: {max_iterations: 5}\nhooks: {stop: {verify_requirements: false}}\n';
    rig.write(OWN, before);
    expect(rig.req(['init', '-y', '-p', 'strict'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(read(OWN).startsWith(`${before}requirements:\n`)).toBe(true);
    expect(existsSync(path('.claude'))).toBe(false);
    expect(existsSync(path(`${OWN}.bak`))).toBe(false);
    expect(problems()).toEqual([]);
  });

  it('--local goes to our own local file in such a project, and names it', () => {
    rig.write(OWN, 'requirements: {plan: {enabled: true}}\n');
    const { stdout } = rig.req(['init', '-y', '--local']);
    expect(stdout).toContain('add .holdpoint/config.local.yaml to .gitignore');
    expect(read('.holdpoint/config.local.yaml')).toContain('commit_plan');
    expect(problems()).toEqual([]);
  });

  it('in ~/.claude sees the requirements of our own global file', () => {
    const global = '.config/holdpoint/config.yaml';
    rig.writeHome(global, 'loop: {max_iterations: 5}\nrequirements: {plan: {enabled: true}}\n');
    rig.writeHome('.claude/keep', '');
    const cwd = join(rig.home, '.claude');
    expect(rig.req(['init', '-y'], { cwd }).stdout).toContain(
      `Config already exists: ${join(rig.home, global)}`,
    );
    rig.req(['init', '-y', '--force'], { cwd });
    expect(existsSync(join(rig.home, CONFIG_FILE))).toBe(false);
    const text = readFileSync(join(rig.home, global), 'utf8');
    expect(text).toContain('loop: {max_iterations: 5}\nrequirements:\n  commit_plan:\n');
  });

  it('--force keeps a copy of a whole file too, with its rights, and never overwrites an older one', () => {
    rig.write(CONFIG_FILE, 'requirements: {a: {enabled: true}}\n');
    chmodSync(path(CONFIG_FILE), 0o600);
    expect(force().stdout).toContain(`${path(CONFIG_FILE)}.bak`);
    expect(read(`${CONFIG_FILE}.bak`)).toBe('requirements: {a: {enabled: true}}\n');
    expect(statSync(path(`${CONFIG_FILE}.bak`)).mode & 0o777).toBe(0o600);
    rig.write(CONFIG_FILE, 'requirements: {b: {enabled: true}}\n');
    expect(at(force('--json').json, 'copy')).toBe(`${path(CONFIG_FILE)}.2.bak`);
    expect(read(`${CONFIG_FILE}.bak`)).toBe('requirements: {a: {enabled: true}}\n');
    expect(rig.holdpoint(['log', '--json']).stdout).toContain('req init');
  });

  it('--force leaves no copy where nothing can be written', () => {
    rig.write('.holdpoint/keep', '');
    rig.writeHome('real.yaml', 'requirements: {a: {enabled: true}}\n');
    symlinkSync(join(rig.home, 'real.yaml'), path(OWN));
    const ended = force();
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('leads outside the project');
    expect(existsSync(path(`${OWN}.bak`))).toBe(false);
    expect(existsSync(join(rig.home, 'real.yaml.bak'))).toBe(false);
  });

  it('--force leaves a file alone whose other sections use what stands in the requirements', () => {
    const text = 'requirements: {a: &x {enabled: true}}\nworkflow: {discipline: *x}\n';
    rig.write(OWN, text);
    const ended = force();
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('Nothing was written');
    expect(read(OWN)).toBe(text);
  });
});
