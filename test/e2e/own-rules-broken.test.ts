import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { processState } from '../../src/exec/processes';
import { STRESS } from '../stress';
import { eventsIn, SESSION } from './events';
import { codex, gemini } from './host-documents';
import { at, commandFile, deniedBecause, type Ended, type HostDocument } from './rig';
import { isSilent, type RulesRig, rulesRig, ruleText, saidTo } from './rules-project';

/** Never ends, like `for (;;);`, and leaves the processor to others. */
const SLEEPS = 'for (const place = new Int32Array(new SharedArrayBuffer(4)); ; ) Atomics.wait(place, 0, 0);';

let rig: RulesRig;
afterEach(() => rig.remove());

/** A process of its own, as a host starts it: what a rule does to it has to be seen. */
const apart = { NODE_NO_WARNINGS: '1' };
const send = (event: HostDocument): Ended => rig.hook(event, { env: apart });
const editEvent = (): HostDocument =>
  eventsIn(rig).pre('Edit', { file_path: join(rig.repo, 'src/a.ts'), old_string: 'a', new_string: 'b' });
const GOOD = ruleText('good', 'edit', "return hold('The good rule.');");
const throwing = (body: string): string => ruleText('bad', 'edit', body);

describe('a broken rule is off alone', () => {
  /** Each in a file of its own, called after its place. */
  const failing: readonly (readonly [body: string, line: number | undefined, detail: string])[] = [
    ["throw new Error('oh no');", 8, 'oh no'],
    ["throw 'no error';", undefined, 'no error'],
    ['throw undefined;', undefined, ''],
    ['throw Object.create(null);', undefined, 'threw an empty error'],
    ["return Promise.reject(new Error('rejected'));", 8, 'rejected'],
    ['return (event as any).nothing.more;', 8, "reading 'more'"],
    ['process.exit(1);', 8, 'process.exit'],
    ["process.kill(process.pid, 'SIGKILL');", 8, 'process.kill'],
    ["return new Promise(() => setTimeout(() => { throw new Error('late'); }, 5));", 8, 'late'],
    ["return 'no' as any;", undefined, 'returned something other'],
    ['return Promise.resolve(3 as any);', undefined, 'returned something other'],
    ["return hold('');", undefined, 'returned something other'],
    ['ctx.state.n = 1n;', undefined, 'its state cannot be kept'],
    ['ctx.projectState.me = ctx.projectState;', undefined, 'its state cannot be kept'],
    ["ctx.state.x = 'x'.repeat(2e6);", undefined, 'larger than 1 MB'],
    ['const f = (): number => f() + 1; f();', 8, 'call stack'],
  ];

  it('whatever it throws, returns, keeps or does to the process', () => {
    rig = rulesRig();
    for (const [at, [body]] of failing.entries())
      rig.rule(`bad-${at}.ts`, ruleText(`bad-${at}`, 'edit', body));
    rig.rule('good.ts', GOOD);
    rig.rule('zzz.ts', ruleText('zzz', 'edit', "return advise('The last rule.');"));
    const ended = send(editEvent());
    expect(ended.exitCode).toBe(0);
    expect(deniedBecause(ended)).toContain('The good rule.');
    expect(deniedBecause(ended)).toContain('The last rule.');
    const lines = ended.stderr.split('\n');
    for (const [at, [body, line, detail]] of failing.entries()) {
      const told = lines.find((one) => one.includes(`the rule bad-${at} failed`)) ?? '';
      expect(told, body).toContain(`bad-${at}.ts:${line === undefined ? '' : `${line}:`}`);
      expect(told, body).toContain(detail);
    }
  });

  /** Each takes the processor for seconds, and one of them shows the most. */
  const hanging: [string, string][] = [
    ['hangs', throwing('for (;;);')],
    [
      'hangs after a timer',
      throwing('return new Promise((done) => setTimeout(done, 5)).then(() => { for (;;); });'),
    ],
  ];

  it.each([
    ...(STRESS ? hanging : []),
    ['hangs after an await', throwing('return (async () => { await null; for (;;); })();')],
    ['never answers', throwing('return new Promise(() => undefined);')],
    [
      'waits for a program',
      throwing("require('child_process').execSync(\"trap '' TERM; sleep 60\", { timeout: 9000 });"),
    ],
    [
      'hangs when it is loaded',
      `const till = Date.now() + 1e9;\nwhile (Date.now() < till);\n${GOOD.replaceAll('good', 'bad')}`,
    ],
  ])('%s: answered in time', (_, text) => {
    rig = rulesRig();
    rig.rule('bad.ts', text);
    rig.rule('good.ts', GOOD);
    const begun = Date.now();
    const ended = send(editEvent());
    expect(Date.now() - begun).toBeLessThan(8000);
    expect(ended.exitCode).toBe(0);
    expect(deniedBecause(ended)).toContain('The good rule.');
    // The next event does not wait as long for it.
    const again = Date.now();
    expect(deniedBecause(send(editEvent()))).toContain('The good rule.');
    expect(Date.now() - again).toBeLessThan(4000);
  });

  it.each([
    ['execSync', "execSync('sleep 60 & echo $! > .git/pid; wait')"],
    ['spawnSync', "spawnSync('sh', ['-c', 'sleep 60 & echo $! > .git/pid; wait'])"],
  ])('what a program of %s has started ends with it', (_, call) => {
    rig = rulesRig();
    rig.rule('bad.ts', throwing(`process.chdir(ctx.root);\nrequire('child_process').${call};`));
    send(editEvent());
    const pid = Number(readFileSync(join(rig.repo, '.git/pid'), 'utf8'));
    expect(processState(pid)).toBe('dead');
  });

  it.each<[string, Readonly<Record<string, readonly [text: string, told: RegExp]>>]>([
    [
      'is no rule',
      {
        'broken.ts': ['export default {{{', /broken\.ts:1:\d+: error: .*does not parse/],
        'nothing.ts': ['const a = 1;\n', /nothing\.ts:1:1: error: .*exports no rule/],
        'undecided.ts': [
          "export default { name: 'a', on: 'edit' };\n",
          /undecided\.ts:1:1: .*exports no rule/,
        ],
        'nameless.ts': ["export default { on: 'edit', decide() {} };\n", /nameless\.ts:.*`name` must be/],
      },
    ],
    [
      'cannot be loaded',
      {
        'throws.ts': ["const a = 1;\nthrow new Error('at once');\n", /throws\.ts:2:\d+: error: .*at once/],
        'ends.ts': ['process.exit(3);\nexport default 1;\n', /ends\.ts:1:\d+: error: .*process\.exit/],
        'imports.ts': ["import { x } from './_x';\nexport default x;\n", /_x\.ts:1:\d+: .*deep down/],
      },
    ],
  ])('and what %s is told to a session that begins', (_, files) => {
    rig = rulesRig();
    for (const [file, [text]] of Object.entries(files)) rig.rule(file, text);
    rig.rule('_x.ts', "throw new Error('deep down');\nexport const x = 1;\n");
    rig.rule('good.ts', GOOD);
    const ended = send(editEvent());
    expect([ended.exitCode, ended.stderr]).toEqual([0, '']);
    expect(deniedBecause(ended)).toContain('The good rule.');
    const { text } = saidTo(rig.start());
    for (const [, told] of Object.values(files)) expect(text).toMatch(told);
  });

  it('a rule that needs half of its time has it again a minute after it did not end', () => {
    rig = rulesRig();
    const busy = "for (const end = Date.now() + (ctx.read('slow') ? 9e9 : 300); Date.now() < end; );";
    rig.rule('bad.ts', throwing(`${busy} return hold('Again.');`));
    rig.write('slow', 'yes');
    expect(send(editEvent()).stderr).toContain('did not end in time');
    rig.write('slow', '');
    expect(send(editEvent()).stderr).toContain('did not end in time');
    const failed = rig.readJson('.git/holdpoint/rules/failed.json') as { bad: { at: number } };
    failed.bad.at -= 60_000;
    rig.write('.git/holdpoint/rules/failed.json', JSON.stringify(failed));
    expect(deniedBecause(send(editEvent()))).toContain('Again.');
    expect(deniedBecause(send(editEvent()))).toContain('Again.');
  });

  it('is told to the person at the end of the turn, once', () => {
    rig = rulesRig();
    rig.rule('bad.ts', throwing("throw new Error('oh no');"));
    send(editEvent());
    const on = eventsIn(rig);
    const { json } = rig.hook(on.stop(false));
    expect(at(json, 'systemMessage')).toMatch(/rule\.failed bad \(.*bad\.ts:8:.*: oh no\)/);
    expect(rig.hook(on.stop(false))).toMatchObject({ stdout: '' });
  });

  it('many that hang do not add up', () => {
    rig = rulesRig();
    for (let at = 0; at < 8; at++) rig.rule(`a${at}.ts`, ruleText(`a${at}`, 'edit', SLEEPS));
    const begun = Date.now();
    const { exitCode, stderr } = send(editEvent());
    expect(exitCode).toBe(0);
    expect(stderr).toContain('the rule a0 failed');
    expect(Date.now() - begun).toBeLessThan(9000);
  });

  it('a rule that takes most of its second has it all, whatever the rules before it took', () => {
    rig = rulesRig();
    const busy = (ms: number): string => `for (const end = Date.now() + ${ms}; Date.now() < end; );`;
    rig.rule('a.ts', ruleText('a', 'edit', busy(450)));
    rig.rule('b.ts', ruleText('b', 'edit', `ctx.state.n = Number(ctx.state.n ?? 0) + 1; ${busy(650)}`));
    rig.rule(
      'c.ts',
      ruleText(
        'c',
        'edit',
        `ctx.state.n = Number(ctx.state.n ?? 0) + 1; ${busy(400)}
    return hold('Asked ' + ctx.state.n);`,
      ),
    );
    const ended = send(editEvent());
    expect(ended.stderr).toBe('');
    expect(deniedBecause(ended)).toContain('Asked 1\n');
  });

  it.each([
    ['a rejected promise', "void Promise.reject(new Error('alone')); return;"],
    ['a timer that throws', "setTimeout(() => { throw new Error('alone'); }, 0); return;"],
    ['a microtask that throws', "queueMicrotask(() => { throw new Error('alone'); }); return;"],
    ['a timer that hangs', `setTimeout(() => { ${SLEEPS} }, 0); return;`],
    ['an interval', 'setInterval(() => undefined, 1); return;'],
  ])('%s that is left alone harms nobody', (_, body) => {
    rig = rulesRig();
    rig.rule('a.ts', ruleText('a', 'edit', body));
    rig.rule('good.ts', GOOD);
    rig.rule(
      'waits.ts',
      ruleText(
        'waits',
        'edit',
        "return new Promise((done) => setTimeout(() => done(advise('Waited.')), 30));",
      ),
    );
    const ended = send(editEvent());
    expect(ended.exitCode).toBe(0);
    expect(deniedBecause(ended)).toContain('The good rule.');
  });

  const strayFile = "void require('node:fs').promises.readFile('/no/such/file');";
  const strayError = "void Promise.reject(new Error('stray'));";
  it.each([
    ['without a place', strayFile, /the rule a or waits failed \(unknown place: ENOENT/],
    ['of a rule that has answered', `${strayError} return;`, /the rule a failed \(.*a\.ts:8:\d+: stray\)/],
    [
      'of a rule that waits itself',
      `${strayError} return new Promise(() => undefined);`,
      /the rule a failed \(.*a\.ts:8:\d+: stray\)/,
    ],
  ])('a stray rejection %s does not switch off a rule that waits', (_, body, told) => {
    rig = rulesRig();
    rig.rule('a.ts', ruleText('a', 'edit', body));
    const waits = "return new Promise((done) => setTimeout(() => done(hold('Waited.')), 100));";
    rig.rule('waits.ts', ruleText('waits', 'edit', waits));
    const ended = send(editEvent());
    expect(deniedBecause(ended)).toContain('Waited.');
    expect(ended.stderr).toMatch(told);
    expect(ended.stderr).not.toContain('the rule waits failed');
  });

  it('a rule that loops after an await, or in a timer, does not switch off rules that wait', () => {
    rig = rulesRig();
    const waits = "return new Promise((done) => setTimeout(() => done(advise('Waited.')), 50));";
    for (const name of ['a', 'd']) rig.rule(`${name}.ts`, ruleText(name, 'edit', waits));
    rig.rule('b.ts', ruleText('b', 'edit', `return (async () => { await null; ${SLEEPS} })();`));
    const late = `return new Promise((done) => setTimeout(() => { ${SLEEPS} }, 5));`;
    rig.rule('c.ts', ruleText('c', 'edit', late));
    const ended = send(editEvent());
    expect(ended.stderr.match(/the rule \w+ failed/g)).toEqual(['the rule b failed', 'the rule c failed']);
    expect(saidTo(ended).text).toMatch(/Rule `a`: Waited\.\nRule `d`: Waited\./);
    // Both get only a tenth of a second from now on.
    const again = Date.now();
    expect(saidTo(send(editEvent())).text).toContain('Rule `d`: Waited.');
    expect(Date.now() - again).toBeLessThan(1500);
  });

  it('a rule that loops after its time, once what it waited for has ended, is the only one that fails', () => {
    rig = rulesRig();
    const slow = "await (await import('node:timers/promises')).setTimeout(1300);";
    rig.rule('a.ts', ruleText('a', 'edit', `return (async () => { ${slow} ${SLEEPS} })();`));
    const waits = "return new Promise((done) => setTimeout(() => done(hold('Waited.')), 700));";
    rig.rule('b.ts', ruleText('b', 'edit', waits));
    const ended = send(editEvent());
    expect(deniedBecause(ended)).toContain('Waited.');
    expect(ended.stderr.match(/the rule \w+ failed/g)).toEqual(['the rule a failed']);
  });

  it('in shadow mode a rule that hangs is shown as broken, and the others are counted', () => {
    rig = rulesRig();
    const shadow = "  mode: 'shadow',\n";
    rig.rule('a.ts', ruleText('a', 'edit', SLEEPS, shadow));
    rig.rule('b.ts', ruleText('b', 'edit', "return hold('No.');", shadow));
    expect(isSilent(send(editEvent()))).toBe(true);
    expect(rig.holdpoint(['rules', '--json']).json).toMatchObject({
      rules: [
        { name: 'a', state: 'broken', why: expect.stringContaining('did not end in time') },
        { name: 'b', state: 'on', shadowed: 1 },
      ],
    });
  });

  it('what a rule prints, or does to globals, reaches nobody', () => {
    rig = rulesRig();
    rig.rule(
      'a.ts',
      ruleText(
        'a',
        'edit',
        "console.log('printed'); process.stdout.write('printed'); (Array.prototype as any).map = () => []; (globalThis as any).JSON = null; return;",
      ),
    );
    rig.rule('good.ts', GOOD);
    const ended = send(editEvent());
    expect(deniedBecause(ended)).toContain('The good rule.');
    expect(ended.stderr).toContain('printed');
  });

  it('is in the log and in `why` as what the person was told', () => {
    rig = rulesRig();
    rig.rule('boom.ts', ruleText('boom', 'edit', "throw new Error('bang');"));
    send(editEvent());
    const { systemMessage } = send(eventsIn(rig).stop(false)).json as { systemMessage: string };
    expect(systemMessage).toContain('rule.failed boom');
    const { stdout } = rig.holdpoint(['log']);
    expect(stdout).toContain(`told the person: ${systemMessage}`);
    const [, id = ''] = /(\w+) +told the person/.exec(stdout) ?? [];
    expect(rig.holdpoint(['why', id]).stdout).toMatch(/^person told +A rule failed/m);
  });

  it('on_error: hold holds where a rule failed', () => {
    rig = rulesRig('guards: {rules: {on_error: hold}}\n');
    rig.rule('bad.ts', throwing("throw new Error('oh no');"));
    expect(deniedBecause(send(editEvent()))).toMatch(/The rule `bad` failed \(.*bad\.ts:8:\d+: oh no\)/);
    rig.write('.holdpoint/config.yaml', 'guards: {rules: {on_error: hold}}\nrules: {bad: {mode: warn}}\n');
    expect(send(editEvent()).stdout).toBe('');
  });
});

it('the log knows every rule that `holdpoint rules` lists, and shows what failed', () => {
  rig = rulesRig('rules: {no-secrets: {}, good: {mode: shadow}}\n');
  rig.rule('good.ts', GOOD);
  rig.rule('bad.ts', throwing("throw new Error('oh no');"));
  const log = (name: string): Ended => rig.holdpoint(['log', '--rule', name]);
  for (const name of ['no-secrets', 'good', 'bad'])
    expect(log(name)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('journal is empty') });
  send(editEvent());
  expect(log('good').stdout).toContain('good');
  expect(log('bad').stdout).toContain('the rule bad failed (.holdpoint/rules/bad.ts:8:');
  expect(log('no-secrets').stdout).toContain('Nothing was recorded by rule no-secrets');
  expect(log('no-secret')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("Did you mean 'no-secrets'?"),
  });
});

describe('while an agent works', () => {
  const client = { CLAUDE_PID: String(process.pid) };
  const edit = (): Ended => rig.hook(editEvent(), { env: client });
  const begin = (): void => void rig.hook(eventsIn(rig).start('startup'), { env: client });

  it('a rule that is changed or removed stays as it was until a person accepts it', () => {
    rig = rulesRig();
    rig.rule('no-a.ts', ruleText('no-a', 'edit', "return hold('As it was.');"));
    begin();
    expect(deniedBecause(edit())).toContain('As it was.');
    rig.rule('no-a.ts', ruleText('no-a', 'edit', 'return;'));
    expect(deniedBecause(edit())).toContain('As it was.');
    // A change of one's own waits with it, and that is said.
    expect(rig.holdpoint(['rules', 'demote', 'no-a']).stderr).toContain('until a person accepts the changes');
    expect(deniedBecause(edit())).toContain('As it was.');
    expect(rig.holdpoint(['trust', '--accept']).exitCode).toBe(0);
    expect(isSilent(edit())).toBe(true);
  });

  it('removed', () => {
    rig = rulesRig();
    rig.rule('no-a.ts', ruleText('no-a', 'edit', "return hold('As it was.');"));
    begin();
    expect(deniedBecause(edit())).toContain('As it was.');
    rmSync(join(rig.repo, '.holdpoint/rules/no-a.ts'));
    expect(deniedBecause(edit())).toContain('As it was.');
    expect(rig.holdpoint(['trust', '--accept']).exitCode).toBe(0);
    expect(isSilent(edit())).toBe(true);
  });

  it('a new rule counts at once; one that is switched off or loosened does not', () => {
    rig = rulesRig('rules: {no-a: {mode: hold}}\n');
    rig.rule('no-a.ts', ruleText('no-a', 'edit', "return hold('As it was.');"));
    begin();
    edit();
    rig.rule('new.ts', ruleText('new', 'edit', "return hold('New.');"));
    expect(deniedBecause(edit())).toContain('New.');
    rig.write('.holdpoint/config.yaml', 'rules: {no-a: {mode: shadow}}\n');
    expect(deniedBecause(edit())).toContain('As it was.');
    rig.write('.holdpoint/config.yaml', 'rules: {no-a: {enabled: false}}\n');
    expect(deniedBecause(edit())).toContain('As it was.');
  });

  it('the agent’s own edit of a rule is asked about, like one of the config', () => {
    rig = rulesRig('requirements: {}\n');
    rig.rule('no-a.ts', ruleText('no-a', 'push', "return hold('x');"));
    begin();
    const made = (path: string): HostDocument =>
      eventsIn(rig).pre('Write', { file_path: join(rig.repo, path), content: 'x' });
    const config = saidTo(rig.hook(made('.holdpoint/config.yaml'), { env: client }));
    const own = saidTo(rig.hook(made('.holdpoint/rules/no-a.ts'), { env: client }));
    const fresh = saidTo(rig.hook(made('.holdpoint/rules/other.ts'), { env: client }));
    expect(config.decision).toBeDefined();
    expect([own.decision, fresh.decision]).toEqual([config.decision, config.decision]);
    const shell = eventsIn(rig).pre('Bash', { command: 'rm .holdpoint/rules/no-a.ts' });
    expect(saidTo(rig.hook(shell, { env: client })).decision).toBeDefined();
  });
});

describe.each([codex, gemini])('$name', (host) => {
  it('gets the hold in its own form', () => {
    rig = rulesRig();
    rig.rule('good.ts', GOOD);
    rig.rule('ends.ts', ruleText('ends', 'turn.stop', "return hold('Not yet.');"));
    const given = (event: HostDocument): Ended => rig.hook(event, { args: ['--host', host.name] });
    expect(host.denied(given(host.edit(rig.repo, 'src/a.ts')))).toContain('The good rule.');
    expect(host.held(given(host.stop(rig.repo, false, 'done')))).toContain('Not yet.');
  });
});

describe('the server', () => {
  it('gives the same answers', () => {
    rig = rulesRig();
    rig.rule('good.ts', GOOD);
    rig.rule(
      'slow.ts',
      ruleText('slow', 'edit', "return new Promise((done) => setTimeout(() => done(advise('Later.')), 20));"),
    );
    const counting = "ctx.state.n = Number(ctx.state.n ?? 0) + 1; return advise('count ' + ctx.state.n);";
    rig.rule('counts.ts', ruleText('counts', 'edit', counting));
    const runtime = join(rig.dir, 'tmp', 'run');
    mkdirSync(runtime, { mode: 0o700 });
    const env = rig.environment({ HOLDPOINT_RUNTIME_DIR: runtime });
    const product = (...args: string[]): void =>
      void execFileSync(process.execPath, [commandFile('holdpoint'), ...args], {
        cwd: rig.repo,
        env,
        stdio: 'pipe',
      });
    product('install', '--host', 'claude-code', '--resident');
    product('serve');
    try {
      const settings = JSON.parse(readFileSync(join(rig.repo, '.claude/settings.json'), 'utf8'));
      const [{ command }] = settings.hooks.PreToolUse.flatMap(({ hooks }: { hooks: unknown[] }) => hooks);
      const served = (id: string): string => {
        const input = JSON.stringify({ ...editEvent(), tool_use_id: id, prompt_id: 'p' });
        const { stdout, status } = spawnSync('sh', ['-c', command], {
          cwd: rig.repo,
          env,
          input,
          encoding: 'utf8',
        });
        expect(status).toBe(0);
        return stdout.replace(/holdpoint why \w+/, '');
      };
      const first = served('t1');
      expect(first).toContain('The good rule.');
      expect(first).toContain('Later.');
      expect(first).toContain('count 1');
      const hooked = send({ ...editEvent(), tool_use_id: 't2', prompt_id: 'p' }).stdout.replace(
        /holdpoint why \w+/,
        '',
      );
      expect(hooked).toBe(first.replace('count 1', 'count 2'));
      rig.rule('counts.ts', ruleText('counts', 'edit', SLEEPS));
      expect(served('t3')).toContain('The good rule.');
      rig.rule('counts.ts', ruleText('counts', 'edit', 'process.exit(1);'));
      expect(served('t4')).toContain('The good rule.');
      rig.rule(
        'counts.ts',
        ruleText(
          'counts',
          'edit',
          "setTimeout(() => { throw new Error('x'); }, 5); void Promise.reject(new Error('y')); return;",
        ),
      );
      expect(served('t4b')).toContain('The good rule.');
      rig.rule('counts.ts', ruleText('counts', 'edit', "return advise('still here');"));
      expect(served('t5')).toContain('still here');
    } finally {
      product('serve', '--stop');
    }
  });
});

it.each([
  ['./lib/words', "export const word = 'apple';\n", '.holdpoint/rules/lib/words.ts'],
  ['../../words.ts', "export const word = 'apple';\n", 'words.ts'],
  ['fruit', "exports.word = 'apple';\n", 'node_modules/fruit/index.js'],
])('a rule that imports `%s` holds as soon as that is there', (name, text, file) => {
  rig = rulesRig();
  rig.rule('late.ts', `import { word } from '${name}';\n${ruleText('late', 'edit', 'return hold(word);')}`);
  expect(isSilent(send(editEvent()))).toBe(true);
  rig.write(file, text);
  if (file.startsWith('node_modules')) rig.write('node_modules/fruit/package.json', '{"name": "fruit"}');
  expect(deniedBecause(send(editEvent()))).toContain('apple');
});

it('a rule that fails while a loop holds the turn is told of when the turn ends', () => {
  rig = rulesRig();
  rig.rule('bad.ts', throwing("throw new Error('oh no');"));
  rig.start();
  const { exitCode } = rig.holdpoint(['loop', 'start', 'Make it so', '--max', '2', '--session', SESSION]);
  expect(exitCode).toBe(0);
  rig.edit();
  const stops = Array.from({ length: 3 }, () => rig.stop().stdout);
  expect(stops[0]).toContain('ITERATION');
  expect(stops.filter((one) => one.includes('oh no'))).toHaveLength(1);
});
