import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { deniedBecause, type Ended, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig();
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

/** Denies one edit and tells the decision's id. */
function deny(more: Record<string, unknown> = {}): string {
  return /why (\w+)/.exec(deniedBecause(rig.hook(on.pre('Edit', EDIT, more))))?.[1] ?? '';
}

function gauntlet(...args: string[]): Ended {
  return runNow('agent-gauntlet', args, '', { cwd: rig.repo, env: rig.environment() });
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
// Everything that a terminal may obey, but line ends.
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('holdpoint', () => {
  it.each([[[]], [['help']], [['--help']], [['-h']]])('%j shows every command', (args) => {
    const help = rig.holdpoint(args);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    for (const verb of ['help', 'hook', 'req', 'log', 'why', 'try', 'version'])
      expect(help.stdout).toMatch(new RegExp(`^ +${verb} `, 'm'));
  });

  it.each(['help', 'version', 'hook', 'req', 'gates', 'log', 'why', 'try'])(
    'help %s says how it is used, and so does --help behind it',
    (verb) => {
      const help = rig.holdpoint(['help', verb]);
      expect(help).toMatchObject({ exitCode: 0, stderr: '' });
      expect(help.stdout).toContain('Usage: ');
      expect(rig.holdpoint([verb, '--help'])).toEqual(help);
    },
  );

  it('help of a command below another, as JSON', () => {
    const { json } = rig.holdpoint(['help', 'rules', 'new', '--json']);
    expect(json).toMatchObject({ command: 'new', examples: ['holdpoint rules new no-fixme'] });
  });

  it('hook --help does not wait for an event', () => {
    expect(rig.holdpoint(['hook', '--help']).stdout).toContain('--host');
  });

  it('says its version, which is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const flag of ['version', '--version'])
      expect(rig.holdpoint([flag])).toMatchObject({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
    expect(rig.holdpoint(['version', '--json']).json).toEqual({ version });
  });

  it.each(['frobnicate', 'constructor', '__proto__', '', '--frob', 'lgo\u001b[31m'])(
    'does not know %j, and says so without harm',
    (verb) => {
      const ended = rig.holdpoint([verb]);
      expect(ended).toMatchObject({ stdout: '', exitCode: 2 });
      expect(ended.stderr).toContain('holdpoint help');
      expect(ended.stderr).not.toMatch(CONTROL);
    },
  );

  it.each([
    ['log', '--bogus'],
    ['log', 'extra'],
    ['log', '-n', 'many'],
    ['log', '-n', '-1'],
    ['why', '--bogus'],
    ['try', '--bogus'],
    ['req', 'satisfy', '--bogus'],
    ['req', 'frobnicate'],
  ])('%s %s %s is wrong usage: one or two lines and code 2', (...args) => {
    const ended = rig.holdpoint(args);
    expect(ended).toMatchObject({ stdout: '', exitCode: 2 });
    expect(lines(ended.stderr).length).toBeLessThanOrEqual(2);
    expect(ended.stderr).not.toContain('internal error');
  });

  it.each([['log'], ['why', 'abc'], ['status']])('%s outside a repository says so', (...args) => {
    const ended = rig.holdpoint(args, { cwd: rig.home });
    expect(ended).toMatchObject({ stdout: '', exitCode: 2 });
    expect(ended.stderr).toContain('Not in a git repository');
  });

  it('as agent-gauntlet lets a stop pass and says that nothing was checked', () => {
    const stop = gauntlet('stop-hook');
    expect(stop).toMatchObject({ exitCode: 0, stderr: '' });
    expect(stop.json).toMatchObject({ decision: 'approve' });
    expect(lines(stop.stdout)).toHaveLength(1);
    expect(gauntlet('run')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('holdpoint log', () => {
  it('says that there is nothing yet', () => {
    expect(rig.holdpoint(['log'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rig.holdpoint(['log']).stdout).toContain('The journal is empty');
    expect(rig.holdpoint(['log', '--json']).stdout).toBe('');
  });

  it('shows one line a decision, the newest last', () => {
    const ids = [deny(), deny(), deny()];
    const shown = lines(rig.holdpoint(['log']).stdout);
    expect(shown).toHaveLength(3);
    for (const [index, id] of ids.entries())
      expect(shown[index]).toMatch(new RegExp(`held +Edit .*${KEY} .*${id}.*commit_plan`));
  });

  it('shows as many as asked for', () => {
    const [, , last] = [deny(), deny(), deny()];
    expect(lines(rig.holdpoint(['log', '-n', '1']).stdout)).toEqual([expect.stringContaining(last ?? '?')]);
    expect(rig.holdpoint(['log', '-n', '0']).stdout).toBe('');
    expect(lines(rig.holdpoint(['log', '-n', '99']).stdout)).toHaveLength(3);
  });

  it('shows documents for programs', () => {
    const ids = [deny(), deny()];
    const documents = lines(rig.holdpoint(['log', '--json']).stdout).map((line) => JSON.parse(line));
    expect(documents.map(({ id }) => id)).toEqual(ids);
    expect(documents[0]).toMatchObject({ event: 'PreToolUse', tool: 'Edit', decision: 'deny' });
  });
});

describe('holdpoint why', () => {
  it('takes the beginning of an id, as long as it means one decision', () => {
    const first = deny();
    expect(rig.holdpoint(['why', first.slice(0, 3), '--json']).json).toMatchObject({ id: first });
    const second = deny({ session_id: 'another' });
    const shared = [...first].findIndex((letter, at) => second[at] !== letter);
    expect(rig.holdpoint(['why', second.slice(0, shared + 1), '--json']).json).toMatchObject({ id: second });
    const unclear = rig.holdpoint(['why', first.slice(0, shared)]);
    expect(unclear).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unclear.stderr).toContain('2 decisions have ids that begin with');
    for (const id of [first, second]) expect(unclear.stderr).toContain(id);
    expect(rig.holdpoint(['why', `${first}x`])).toMatchObject({ exitCode: 1, stdout: '' });
    expect(rig.holdpoint(['why', ''])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('says that it knows no such decision', () => {
    deny();
    const ended = rig.holdpoint(['why', 'nosuchid\u001b[31m']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).not.toMatch(CONTROL);
  });
});

describe('on a terminal', () => {
  it.each([
    ['nothing said', {}, false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, false],
    ['NO_COLOR', { NO_COLOR: '1' }, false],
    ['both', { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['an empty NO_COLOR', { NO_COLOR: '', FORCE_COLOR: '1' }, true],
  ])('colours are used only where wanted: %s', (_what, env, coloured) => {
    const id = deny();
    for (const args of [['log'], ['why', id], ['status']])
      expect(rig.holdpoint(args, { env }).stdout.includes('\u001b['), args.join(' ')).toBe(coloured);
    expect(rig.holdpoint(['log', '--json'], { env }).stdout).not.toContain('\u001b');
  });

  const EVIL = 'x\u009b31m\u202e\u2066y';
  it('nothing in a name is ever obeyed by the terminal', () => {
    rig.git('checkout', '--quiet', '-b', EVIL);
    rig.write(
      '.claude/requirements.yaml',
      'requirements: {plan: {enabled: true, scope: branch, trigger_tools: ["*"]}}',
    );
    const tool = `t\u001b]0;title\u0007\r\n2026-01-01 deny forged\t${EVIL}`;
    const denied = rig.hook(on.pre(tool, {}, { session_id: `s\u001b[2J\n${EVIL}` }));
    const id = /why (\w+)/.exec(deniedBecause(denied))?.[1] ?? '';
    const shown = [
      rig.holdpoint(['log']),
      rig.holdpoint(['log', '--json']),
      rig.holdpoint(['why', id]),
      rig.holdpoint(['why', id, '--json']),
      rig.holdpoint(['status']),
      rig.holdpoint(['status', '--json']),
      rig.req(['satisfy', 'plan', '--branch']),
      rig.req(['satisfy', 'plan', '--branch', '--json']),
      rig.req(['satisfy', `no\u001b[31m${EVIL}`]),
      rig.req(['satisfy', 'plan', '--ttl', '\u001b[31m']),
      rig.req(['satisfy', 'plan', '--branch', `other\u001b[31m${EVIL}`]),
      rig.req(['satisfy', 'plan', '--session', `\u001b[31m${EVIL}`]),
      rig.holdpoint(['log', '-n', '\u001b[31m']),
    ];
    for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toMatch(CONTROL);
    expect(lines(shown[0]?.stdout ?? '')).toHaveLength(1);
    expect(lines(shown[2]?.stdout ?? '').some((line) => line.startsWith('2026-01-01 deny'))).toBe(false);
  });
});

it.each(['serve', 'install', 'doctor'])(
  '%s says which option it does not know, and nothing of dashes',
  (verb) => {
    const rig = makeRig();
    const { stderr, exitCode } = rig.holdpoint([verb, '--bogus']);
    rig.remove();
    expect([exitCode, stderr.split('\n')[0]]).toEqual([2, `holdpoint ${verb}: Unknown option '--bogus'`]);
  },
);

it.each([
  ['statsu', "holdpoint: unknown command 'statsu'. Did you mean 'status'? Try 'holdpoint help'."],
  ['loop foo', "holdpoint loop: unknown command 'foo'. Known: "],
  ['gates foo', "error: unknown command 'foo'. Known: "],
])('`%s --json` names the unknown command, not the option', (words, says) => {
  const rig = makeRig();
  const { stderr, exitCode } = rig.holdpoint([...words.split(' '), '--json']);
  rig.remove();
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
});
