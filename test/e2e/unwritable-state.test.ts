import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shareCompiledCode } from './compiled-code';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { type Check, commandFile, deniedBecause, type Ended, makeRig, PLAN_CONFIG, type Rig } from './rig';

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig(PLAN_CONFIG, '.holdpoint/config.yaml');
  shareCompiledCode(rig.home);
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

const own = (): string => join(rig.repo, '.git/holdpoint');
const WAY_OUT =
  'a person must fix it (`holdpoint doctor` says how) or start the host with HOLDPOINT_DISABLE=1.';

function finding({ json }: Ended, id: string): Check | undefined {
  return (json as { checks: Check[] }).checks.find((check) => check.id === id);
}

/** What is in the way, the sentence that tells of it, and the one that tells what to do. */
const HINDRANCES: [string, () => void, RegExp, string][] = [
  [
    'a plain file in the place of our directory',
    () => writeFileSync(own(), 'x'),
    /holdpoint\/lock could not be written \(ENOTDIR/,
    'Part of that path is not a directory; move it aside.',
  ],
  [
    'a link that leads out of the repository',
    () => {
      mkdirSync(join(rig.dir, 'tmp/out'));
      symlinkSync(join(rig.dir, 'tmp/out'), own());
    },
    /holdpoint\/lock leads outside the project, to .*\/tmp\/out; it was not followed\./,
    'Replace the symlink with a real file or directory.',
  ],
];

describe.each(HINDRANCES)('%s', (_what, hinder, trouble, repair) => {
  beforeEach(hinder);

  it('a deny stands, and says what has failed and who can help; it names no record that is not there', () => {
    const reason = deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(reason).toMatch(/^This project requires `commit_plan` before an edit/);
    const last = reason.split('\n').at(-1) ?? '';
    expect(last).toMatch(trouble);
    expect(last).toContain('nothing can be recorded as satisfied');
    expect(last).toContain(WAY_OUT);
    expect(reason).not.toContain('holdpoint why');
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
  });

  it.each([
    ['satisfy', 'commit_plan', '--session', KEY],
    ['pause', '--session', KEY],
  ])('`req %s` says what mends it', (...args) => {
    const { exitCode, stderr } = rig.req(args);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(trouble);
    expect(stderr).toContain(repair);
  });

  it('doctor finds it, says what mends it, and takes no session for one without a start', () => {
    rig.hook(on.start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    const ended = rig.holdpoint(['doctor', '--json']);
    expect(finding(ended, 'state.writable')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/\.git\/holdpoint (?:could not be written|leads outside the project)/),
      fix: { description: repair },
    });
    expect(finding(ended, 'state.no-start')).toBeUndefined();
  });
});

it('doctor tries to write where state is kept, and leaves nothing behind', () => {
  rig.hook(on.pre('Edit', EDIT));
  const state = (): string[] =>
    ['.git', '.git/holdpoint', '.git/requirements'].flatMap((dir) => readdirSync(join(rig.repo, dir)));
  const before = state();
  expect(finding(rig.holdpoint(['doctor', '--json']), 'state.writable')).toMatchObject({ status: 'pass' });
  expect(state()).toEqual(before);
});

it('a link out of the repository in the place of the requirements’ state is found by doctor too', () => {
  symlinkSync(rig.tmp, join(rig.repo, '.git/requirements'));
  expect(finding(rig.holdpoint(['doctor', '--json']), 'state.writable')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('.git/requirements leads outside the project'),
  });
});

const NOBODY = 65534;
const canBeNobody =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--reuid', String(NOBODY), 'true']).status === 0;

describe.runIf(canBeNobody)('without the right to write', () => {
  const asNobody = (command: string, args: readonly string[], input = ''): Ended => {
    const line = [
      '--reuid',
      String(NOBODY),
      '--clear-groups',
      process.execPath,
      commandFile(command),
      ...args,
    ];
    const { stdout, stderr, status } = spawnSync('setpriv', line, {
      cwd: rig.repo,
      env: rig.environment(),
      input,
      encoding: 'utf8',
    });
    const json: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
    return { stdout, stderr, exitCode: status, json };
  };
  beforeEach(() => {
    chmodSync(rig.dir, 0o755);
    chownSync(rig.home, NOBODY, NOBODY);
  });

  it('the deny, the command and doctor say so, without the words of a lock', () => {
    mkdirSync(own());
    const ended = asNobody('hook', [], JSON.stringify(on.pre('Edit', EDIT)));
    const reason = deniedBecause(ended);
    const words = `${own()}/lock could not be written (EACCES: permission denied, symlink '${own()}/lock').`;
    expect(reason.split('\n').at(-1)).toContain(words);
    expect(reason).toContain(WAY_OUT);
    const { stderr } = asNobody('req', ['satisfy', 'commit_plan', '--session', KEY]);
    expect(stderr).toContain(`${words} Give this user, or its sandbox, permission to write there.`);
    expect(finding(asNobody('holdpoint', ['doctor', '--json']), 'state.writable')).toMatchObject({
      status: 'fail',
      fix: { description: 'Give this user, or its sandbox, permission to write there.' },
    });
  });

  it('in one place alone the deny says what that may mean, and why knows of it', () => {
    mkdirSync(own());
    chmodSync(own(), 0o777);
    mkdirSync(join(rig.repo, '.git/requirements'));
    const reason = deniedBecause(asNobody('hook', [], JSON.stringify(on.pre('Edit', EDIT))));
    expect(reason).toMatch(/requirements\/sessions\/cad0ac4d\.json could not be written \(EACCES/);
    expect(reason).toContain(`If this cannot be recorded as satisfied either, ${WAY_OUT}`);
    const id = /holdpoint why (\w+)/.exec(reason)?.[1] ?? '';
    expect(asNobody('holdpoint', ['why', id]).stdout).toContain('commit_plan');
    const { stderr } = asNobody('req', ['satisfy', 'commit_plan', '--session', KEY]);
    expect(stderr).toContain("feature-auth.json')");
  });
});
