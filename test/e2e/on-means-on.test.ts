import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { times } from '../stress';
import { shareCompiledCode } from './compiled-code';
import { eventsIn, SESSION } from './events';
import { at, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = '.holdpoint/config.yaml';
const LOCAL = '.holdpoint/config.local.yaml';
const SETTINGS = '.claude/settings.json';
const LAUNCH = '.config/holdpoint/launch';
const HOST = { CLAUDE_PID: String(process.pid) };

const PLAN = 'requirements:\n  plan: {enabled: true}\n';
const TWO = `${PLAN}  review: {enabled: true}\n`;
const GATES = 'gates: {checks: {t: {command: "true"}}, entry_points: [{path: ".", checks: [t]}]}\n';

/** What each view says first. The host gives the hook the variables of its settings, and the others not. */
function views(env: Readonly<Record<string, string>> = {}, withDoctor = true) {
  const start = rig.hook(eventsIn(rig).start('startup'), { env: { ...HOST, ...env } });
  return { start: String(at(start.json, 'systemMessage')), ...laterViews(withDoctor) };
}

/** Doctor starts hooks, which takes longer than all the others together. */
function laterViews(withDoctor = true) {
  const input = JSON.stringify({ session_id: SESSION, workspace: { current_dir: rig.repo } });
  const glance = runNow('holdpoint', ['statusline'], input, { cwd: rig.home, env: rig.environment() });
  const report = withDoctor ? rig.holdpoint(['doctor', '--json']).json : { checks: [] };
  const checks = at(report, 'checks') as { id: string; message: string }[];
  return {
    status: rig.holdpoint(['status']).stdout.split('\n')[0] ?? '',
    json: at(rig.holdpoint(['status', '--json']).json, 'state'),
    statusline: glance.stdout.trimEnd(),
    ...(withDoctor && { doctor: checks.find(({ id }) => id === 'project.armed')?.message ?? '' }),
  };
}

function expectAll(said: Partial<ReturnType<typeof views>>, statement: string): void {
  const [state] = /^(?:on in part|on|off|paused)/.exec(statement) ?? [''];
  expect(said.status).toBe(`Holdpoint ${statement}`);
  expect(said.json).toBe(state);
  expect(said.statusline?.split(' · ')[0]).toBe(`holdpoint ${statement}`);
  if (said.doctor !== undefined) expect(said.doctor).toBe(`Holdpoint is ${statement}`);
  if (said.start === undefined) return;
  const [before, after = ''] = said.start.split(`Holdpoint is ${statement}`);
  expect(before, said.start).toBe('');
  expect(after).toMatch(state === 'on' ? /^: \S/ : /^\./);
}

const install = (...more: string[]): void => {
  shareCompiledCode(rig.home);
  const ended = rig.holdpoint(['install', '--host', 'claude-code', ...more]);
  expect(ended.exitCode, ended.stderr).toBe(0);
};
const settings = (file: string, members: object): void => {
  const before = at({ text: rig.readJson(file) }, 'text') as object | undefined;
  rig.write(file, JSON.stringify({ ...before, ...members }));
};
const finishedWorkflow = (): void => {
  rig.holdpoint(['flow', 'start', 'fix']);
  rig.holdpoint(['flow', 'cancel', '--reason', 'enough']);
};
const installedHook = (): string =>
  /holdpoint_hook='?([^'\n]+hook\.cjs)/.exec(readFileSync(join(rig.home, LAUNCH), 'utf8'))?.[1] ?? '';
const pointLaunchTo = (hook: string): void => {
  const file = join(rig.home, LAUNCH);
  writeFileSync(file, readFileSync(file, 'utf8').replace(installedHook(), hook));
};

const ownRule = (name: string, more = ''): void =>
  rig.write(
    `.holdpoint/rules/${name}.mjs`,
    `export default { name: '${name}', on: 'edit', ${more} decide() {} };\n`,
  );

interface Row {
  readonly what: string;
  readonly config?: string;
  /** Made after the hooks are installed into the project's settings. */
  arrange?(): void;
  readonly env?: Readonly<Record<string, string>>;
  readonly says: string;
  /** What `status` says to do. */
  readonly fix?: string;
}

const ROWS: readonly Row[] = [
  { what: 'everything in order', says: 'on' },
  { what: 'no config', config: '', says: 'off: this project has no config' },
  {
    what: 'a config with another extension',
    config: '',
    arrange: () => rig.write('.holdpoint/config.yml', PLAN),
    says: 'off: .holdpoint/config.yml is not read',
  },
  { what: 'an empty config', config: '# later\n', says: 'off: the config has no rules that hold' },
  {
    what: 'no requirements',
    config: 'requirements: {}\n',
    says: 'off: the config has no requirements',
  },
  { what: 'no requirements beside gates', config: `requirements: {}\n${GATES}`, says: 'on' },
  {
    what: 'a config that does not parse',
    config: `${PLAN} bad\n`,
    says: 'off: the config cannot be read (.holdpoint/config.yaml:3:1)',
  },
  {
    what: 'a local config that does not parse',
    arrange: () => rig.write(LOCAL, `${PLAN} bad\n`),
    says: 'on in part: the config cannot be read (.holdpoint/config.local.yaml:3:1)',
    fix: 'Fix it there',
  },
  {
    what: 'one invalid rule of two',
    config: `${PLAN}  review: {enabled: 1}\n`,
    says: 'on in part: requirements.review is invalid (.holdpoint/config.yaml:3:21)',
    fix: 'Fix it there',
  },
  {
    what: 'the only rule invalid',
    config: PLAN.replace('true', '1'),
    says: 'off: requirements.plan is invalid (.holdpoint/config.yaml:2:19)',
  },
  {
    what: 'all rules disabled',
    config: TWO.replaceAll('true', 'false'),
    says: 'off: all 2 rules are disabled (.holdpoint/config.yaml:2)',
  },
  {
    what: 'the only rule disabled',
    config: PLAN.replace('true', 'false'),
    says: 'off: rule plan is disabled (.holdpoint/config.yaml:2)',
  },
  {
    what: 'the only rule without `enabled`',
    config: 'requirements:\n  plan: {on: push}\n',
    says: 'off: rule plan is off: `enabled: true` is missing (.holdpoint/config.yaml:2)',
  },
  {
    what: 'a rule without `enabled` beside one that is on',
    config: `${PLAN}  review: {on: push}\n`,
    says: 'on',
  },
  {
    what: 'a rule disabled in the local config',
    config: TWO,
    arrange: () => rig.write(LOCAL, '# mine\nrequirements:\n  review: {enabled: false}\n'),
    says: 'on in part: rule review is disabled (.holdpoint/config.local.yaml:3)',
  },
  {
    what: 'a rule that the project itself does not enable',
    config: `${PLAN}  review: {enabled: false}\n`,
    says: 'on',
  },
  {
    what: 'a rule of one’s own, without a config',
    config: '',
    arrange: () => ownRule('mine'),
    says: 'on',
  },
  {
    what: 'rules of one’s own that only warn',
    config: '',
    arrange: () => ownRule('mine', "mode: 'warn',"),
    says: 'off: the rules only warn',
    fix: 'Run `holdpoint rules`',
  },
  {
    what: 'the only rule of one’s own does not load',
    config: '',
    arrange: () => rig.write('.holdpoint/rules/mine.ts', 'export default 1;\n'),
    says: 'off: the rule mine is invalid (.holdpoint/rules/mine.ts:1:1)',
    fix: 'Fix it there',
  },
  {
    what: 'a rule of one’s own that does not load beside a requirement',
    arrange: () => rig.write('.holdpoint/rules/mine.ts', 'export default 1;\n'),
    says: 'on in part: the rule mine is invalid (.holdpoint/rules/mine.ts:1:1)',
  },
  {
    what: 'all rules of one’s own disabled',
    config: 'rules:\n  mine: {enabled: false}\n  yours: {enabled: false}\n',
    arrange: () => {
      for (const name of ['mine', 'yours']) ownRule(name);
    },
    says: 'off: all 2 rules are disabled (.holdpoint/config.yaml:2)',
    fix: 'Remove `enabled: false` there',
  },
  {
    what: 'a rule of one’s own disabled in the local config',
    arrange: () => {
      ownRule('mine');
      rig.write(LOCAL, 'rules:\n  mine: {enabled: false}\n');
    },
    says: 'on in part: rule mine is disabled (.holdpoint/config.local.yaml:2)',
    fix: 'Remove `enabled: false` there',
  },
  {
    what: 'requirements disabled beside gates',
    config: `${PLAN}${GATES}`,
    arrange: () => void rig.req(['disable']),
    says: 'on in part: requirements are disabled (.holdpoint/config.local.yaml:3)',
    fix: 'Run `req enable`',
  },
  {
    what: 'gates disabled',
    config: GATES.replace('{', '{stop_hook: {enabled: false}, '),
    says: 'off: gates are disabled by `stop_hook.enabled` (.holdpoint/config.yaml:1)',
    fix: 'Set it to true',
  },
  {
    what: 'gates for CI alone',
    config: GATES.replace('command:', 'run_locally: false, command:'),
    says: 'off: no gate runs on this machine',
    fix: 'Name one in an entry point, without `run_locally: false`',
  },
  {
    what: 'gates that no entry point names',
    config: GATES.replace('[t]', '[]'),
    says: 'off: no gate runs on this machine',
  },
  {
    what: 'gates with an invalid check',
    config: `${PLAN}${GATES.replace('command', 'comand')}`,
    says: 'on in part: gates are off: their config is invalid',
    fix: 'Run `holdpoint gates validate`',
  },
  {
    what: 'a past workflow, and none active',
    config: 'workflow: {}\n',
    arrange: finishedWorkflow,
    says: 'off: no workflow is active',
  },
  {
    what: 'a past workflow without a config',
    config: '',
    arrange: finishedWorkflow,
    says: 'off: this project has no config',
  },
  { what: 'a past workflow beside rules', arrange: finishedWorkflow, says: 'on' },
  {
    what: 'hooks in the user settings',
    arrange: () => {
      rig.write(SETTINGS, '{}');
      install('--user');
    },
    says: 'on',
  },
  {
    what: 'hooks by the plugin',
    arrange: () => rig.write(SETTINGS, '{"enabledPlugins": {"holdpoint@holdpoint": true}}'),
    says: 'on',
  },
  {
    what: 'a session that calls by settings unknown to us',
    arrange: () => rig.write(SETTINGS, '{}'),
    says: 'on',
  },
  {
    what: 'hooks without PreToolUse',
    arrange: () => {
      const { PreToolUse: _, ...hooks } = at(rig.readJson(SETTINGS), 'hooks') as Record<string, unknown>;
      settings(SETTINGS, { hooks });
    },
    says: 'on in part: .claude/settings.json does not call the hook at every PreToolUse',
    fix: 'Run `holdpoint install --host claude-code`',
  },
  ...[
    { matcher: 'Bash' },
    { hooks: { async: true } },
    { hooks: { if: 'Bash(git *)' } },
    { hooks: { timeout: 1 } },
  ].map((limit) => ({
    what: `hooks with ${JSON.stringify(limit)}`,
    arrange: () => {
      const hooks = at(rig.readJson(SETTINGS), 'hooks') as Record<string, [{ hooks: [object] }]>;
      const [group] = hooks['PreToolUse'] ?? [{ hooks: [{}] }];
      const limited = { ...group, ...limit, hooks: [{ ...group.hooks[0], ...limit.hooks }] };
      settings(SETTINGS, { hooks: { ...hooks, PreToolUse: [limited] } });
    },
    says: 'on in part: .claude/settings.json does not call the hook at every PreToolUse',
    fix: 'Run `holdpoint install --host claude-code`',
  })),
  {
    what: '`disableAllHooks` in the project settings',
    arrange: () => settings(SETTINGS, { disableAllHooks: true }),
    says: 'off: .claude/settings.json says `disableAllHooks`: Claude Code runs no hook',
  },
  {
    what: '`disableAllHooks` in the local settings',
    arrange: () => rig.write('.claude/settings.local.json', '{"disableAllHooks": true}'),
    says: 'off: .claude/settings.local.json says `disableAllHooks`: Claude Code runs no hook',
    fix: 'Remove `disableAllHooks` from .claude/settings.local.json',
  },
  {
    what: '`disableAllHooks` in the user settings, with the plugin',
    arrange: () => {
      rig.write(SETTINGS, '{"enabledPlugins": {"holdpoint@holdpoint": true}}');
      rig.writeHome(SETTINGS, '{"disableAllHooks": true}');
    },
    says: 'off: ~/.claude/settings.json says `disableAllHooks`: Claude Code runs no hook',
  },
  {
    what: 'HOLDPOINT_DISABLE in the env of the settings',
    arrange: () => rig.write('.claude/settings.local.json', '{"env": {"HOLDPOINT_DISABLE": "1"}}'),
    env: { HOLDPOINT_DISABLE: '1' },
    says: 'off: .claude/settings.local.json sets HOLDPOINT_DISABLE in `env`',
  },
  {
    what: 'a launch file that is missing',
    arrange: () => rmSync(join(rig.home, LAUNCH)),
    says: 'off: ~/.config/holdpoint/launch is missing or cannot be read',
    fix: 'Run `holdpoint install --host claude-code`',
  },
  {
    what: 'a program that is missing, and its copy',
    arrange: () => {
      rmSync(join(rig.home, '.config/holdpoint/lib'), { recursive: true });
      pointLaunchTo('/gone/hook.cjs');
    },
    says: 'off: /gone/hook.cjs is missing, and so is its copy',
  },
  {
    what: 'another installed version',
    arrange: () => {
      const other = join(rig.dir, 'other', 'dist', 'hook.cjs');
      mkdirSync(join(rig.dir, 'other', 'dist'), { recursive: true });
      writeFileSync(join(rig.dir, 'other', 'package.json'), '{"version": "0.0.1"}');
      writeFileSync(other, `require(${JSON.stringify(installedHook())});\n`);
      pointLaunchTo(other);
    },
    says: 'on',
  },
];

describe('a session’s start, status, the status line and doctor say the same', () => {
  it.each(ROWS)('$what', (row) => {
    const { config = PLAN, arrange, env, says, fix = '' } = row;
    rig = makeRig(config, CONFIG);
    install();
    arrange?.();
    expectAll(views(env, ROWS.indexOf(row) % times(4, 1) === 0), says);
    expect(rig.holdpoint(['status']).stdout.split('\n')[1]).toContain(fix);
  });

  it('no hooks in any settings, and no session', () => {
    rig = makeRig(PLAN, CONFIG);
    const { statusline: _, ...said } = laterViews();
    expect(said).toEqual({
      status: 'Holdpoint off: no settings file calls the hook',
      json: 'off',
      doctor: 'Holdpoint is off: no settings file calls the hook',
    });
  });

  it.each([
    ['without an end', [], ''],
    ['for a while', ['--for', '30m'], / until (?:\w{3} \d{1,2} )?\d\d:\d\d/],
  ])('a paused session: %s', (_what, more, end) => {
    rig = makeRig(PLAN, CONFIG);
    install();
    rig.hook(eventsIn(rig).start('startup'), { env: HOST });
    expect(rig.holdpoint(['pause', '--session', SESSION, ...more]).exitCode).toBe(0);
    const said = views();
    expectAll(said, said.status.replace(/^Holdpoint /, ''));
    expect(said.status).toMatch(new RegExp(`^Holdpoint paused by ${userInfo().username}${end && '.*'}$`));
    if (end !== '') expect(said.status).toMatch(end);
    expect(said.start).toContain('`holdpoint resume` ends it');
    expect(rig.holdpoint(['resume', '--session', SESSION]).exitCode).toBe(0);
    expectAll(views(), 'on');
  });
});

it.each([
  ['`enabled: false`', 'enabled: false', undefined, 'pass'],
  ['without `enabled`', 'on: push', '`enabled: true` is missing', 'warn'],
])('a disabled rule is listed with its file and line: %s', (_what, keys, why, status) => {
  rig = makeRig(`${PLAN}  review: {${keys}}\n`, CONFIG);
  const place = '.holdpoint/config.yaml:3';
  const row = ['review', place, ...(why === undefined ? [] : [why])];
  const listed = [{ rule: 'review', place, ...(why !== undefined && { why }) }];
  const shown = new RegExp(`^Disabled:?\n  ${row.join('  ')}$`, 'm');
  for (const run of [rig.holdpoint, rig.req]) {
    expect(run(['status']).stdout).toMatch(shown);
    expect(at(run(['status', '--json']).json, 'disabled')).toEqual(listed);
  }
  const checks = at(rig.holdpoint(['doctor', '--json']).json, 'checks');
  const message = `disabled: ${row.join(' ')}`;
  expect(checks).toContainEqual(expect.objectContaining({ id: 'project.disabled', status, message }));
});

it('`status` gives the reason also where it lists the rules', () => {
  rig = makeRig(`${PLAN} bad\n`, CONFIG);
  const { stdout } = rig.holdpoint(['status']);
  expect(stdout).toMatch(/^Rules +none: the config cannot be read \(\.holdpoint\/config\.yaml:3:1\)$/m);
  expect(stdout).not.toContain('none is configured');
});

it('where state cannot be written for lack of rights, nobody takes the session for one that never called', () => {
  if (process.getuid?.() === 0) return;
  rig = makeRig(PLAN, CONFIG);
  install();
  chmodSync(join(rig.repo, '.git'), 0o500);
  expect(views().statusline).toMatch(/^holdpoint on in part: state cannot be written/);
  chmodSync(join(rig.repo, '.git'), 0o700);
});

it('doctor takes rules of one’s own for a config', () => {
  rig = makeRig('', CONFIG);
  ownRule('mine');
  const checks = at(rig.holdpoint(['doctor', '--json']).json, 'checks');
  expect(checks).toContainEqual(
    expect.objectContaining({ id: 'project.config', status: 'pass', message: '.holdpoint/rules' }),
  );
});
