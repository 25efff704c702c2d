import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
let on: Events;
beforeEach(() => {
  rig = makeRig(
    `requirements:
  plan: {enabled: true}
  tests: {enabled: true, mode: warn, trigger_tools: [Write]}
  quiet: {enabled: true, mode: shadow, trigger_tools: [Edit, Write]}
gates:
  entry_points: [{path: src, checks: [lint]}]
  checks: {lint: {command: 'exit 1'}}
`,
    '.holdpoint/config.yaml',
  );
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

const AGENT = { env: { CLAUDECODE: '1' } };
const run = (...args: string[]): Ended => rig.holdpoint(args);
const stats = (...args: string[]): Record<string, JsonObject> => {
  const { rules } = run('stats', '--json', ...args).json as { rules: JsonObject[] };
  return Object.fromEntries(rules.map((one) => [one['rule'], one]));
};
let calls = 0;
const call = (tool: string, id = `call-${++calls}`): Ended =>
  rig.hook(on.pre(tool, EDIT, { tool_use_id: id }));
const lastId = (rule: string): string => {
  const lines = run('log', '--json', '--all', '-n', '1000').stdout.trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as JsonObject);
  return String(
    entries.findLast((entry) => JSON.stringify(entry['verdicts'])?.includes(`"${rule}"`))?.['id'],
  );
};

/** Lines as the hook would have written them a while ago. */
function past(...lines: JsonObject[]): void {
  const dir = join(rig.repo, '.git/holdpoint');
  mkdirSync(dir, { recursive: true });
  for (const [at, line] of lines.entries())
    appendFileSync(join(dir, 'journal.jsonl'), `${JSON.stringify({ id: `p${at}`, ...line })}\n`);
}
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const held = (rule: string, seconds: number, more: JsonObject = {}): JsonObject => ({
  at: ago(seconds),
  host: 'claude-code',
  session: 's1-0000-0000-0000-000000000000',
  event: 'PreToolUse',
  decision: 'deny',
  verdicts: [{ guard: 'requirements', verdict: 'deny', grounds: [{ rule, fact: 'f' }] }],
  ...more,
});

describe('holdpoint stats', () => {
  test('names the problem in a config that cannot be read, and does not say that there are no rules', () => {
    rig.write('.holdpoint/config.yaml', 'version: 1\nrequirements: [\n');
    const { stdout } = run('stats');
    expect(stdout).toContain('No rule is in effect: fix the config first.\n');
    expect(stdout).toContain('.holdpoint/config.yaml:2:15: error: not valid YAML');
    expect(stdout).not.toContain('holdpoint init');
  });

  test('counts what each rule was asked, held, warned and would have held', () => {
    call('Edit', 'one');
    call('Edit', 'one');
    call('Edit', 'two');
    rig.req(['satisfy', 'plan', '--session', KEY]);
    call('Write');
    const found = stats();
    expect(found['plan']).toMatchObject({
      mode: 'hold',
      asked: 3,
      held: 2,
      warned: 0,
      shadowed: 0,
      repeated: 1,
      cleared: { by: { 'satisfied by person': 1 } },
      false_alarms: 0,
    });
    expect(found['tests']).toMatchObject({ mode: 'warn', asked: 1, held: 0, warned: 1 });
    expect(found['quiet']).toMatchObject({ mode: 'shadow', asked: 3, held: 0, shadowed: 3 });
    expect(found['lint']).toMatchObject({ mode: 'hold', asked: 0, held: 0 });
  });

  test('has exactly these keys', () => {
    const json = run('stats', '--json').json as { since: string; rules: JsonObject[] };
    expect(Object.keys(json)).toEqual(['since', 'rules']);
    expect(json.since).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(json.rules[0]).toEqual({
      rule: expect.any(String),
      mode: expect.any(String),
      guard: expect.any(String),
      asked: 0,
      held: 0,
      warned: 0,
      shadowed: 0,
      cleared: { median_s: null, p90_s: null, by: {} },
      repeated: 0,
      ended_held: 0,
      false_alarms: 0,
      right: 0,
    });
  });

  test('tells how long holds lasted, how they ended, and which sessions ended held', () => {
    const satisfied = (seconds: number, session: string): JsonObject => ({
      at: ago(seconds),
      host: 'command line',
      session,
      event: 'req satisfy',
      tool: 'plan',
      actor: 'agent',
      decision: 'nothing',
    });
    const other = 's2-0000-0000-0000-000000000000';
    past(
      held('plan', 1000),
      held('plan', 995),
      satisfied(990, 's1000000'),
      held('plan', 900, { session: other }),
      satisfied(800, other),
      held('plan', 700),
      { at: ago(600), host: 'claude-code', session: 's1-0000-0000-0000-000000000000', event: 'SessionEnd' },
    );
    expect(stats()['plan']).toMatchObject({
      held: 4,
      repeated: 1,
      ended_held: 1,
      cleared: { median_s: 100, p90_s: 100, by: { 'satisfied by agent': 2 } },
    });
  });

  test('counts a rule that was removed from the config once', () => {
    call('Edit');
    call('Edit');
    rig.write('.holdpoint/config.yaml', 'requirements: {review: {enabled: true}}\n');
    const { rules } = run('stats', '--json').json as { rules: JsonObject[] };
    expect(rules.filter(({ rule }) => rule === 'plan')).toMatchObject([
      { guard: 'requirements', mode: null, asked: 2, held: 2 },
    ]);
  });

  test.each([
    ['gates', ['lint']],
    ['lint', ['lint']],
    ['plan', ['plan']],
  ])('--rule %s', (rule, names) => {
    expect(Object.keys(stats('--rule', rule))).toEqual(names);
  });

  test('leaves out what was before --since, and counts gates by their names', () => {
    past(held('plan', 3 * 86_400), held('check:src:lint', 60));
    past({
      ...held('x', 50),
      decision: 'hold',
      verdicts: [{ guard: 'gates', verdict: 'hold', grounds: [{ rule: 'check:src:lint', fact: 'f' }] }],
    });
    expect(stats('--since', '1d')['plan']).toMatchObject({ held: 0 });
    expect(stats('--since', '4d')['plan']).toMatchObject({ held: 1 });
    expect(stats()['lint']).toMatchObject({ held: 1, asked: 1 });
  });

  test.each([
    [['--since', 'soon'], 2, '--since takes an age'],
    [['--rule', 'plam'], 1, "no rule 'plam' in this project. Did you mean 'plan'?"],
  ])('refuses %s', (args, code, words) => {
    const { exitCode, stderr } = run('stats', ...args);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(words);
  });

  test.each([60, 80, 100, 140])(
    'draws at most %i columns, without colour where there is no terminal',
    (columns) => {
      past(...Array.from({ length: 40 }, (_, at) => held('plan', at * 40_000)));
      const { stdout } = rig.holdpoint(['stats'], { env: { COLUMNS: String(columns) } });
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      expect(stdout).toMatch(/^RULE +MODE +ASKED +HELD/m);
      expect(stdout).not.toContain('\x1b');
      if (columns >= 100) expect(stdout).toMatch(/[▁▂▃▄▅▆▇█]{7,}/);
    },
  );

  test('of a torn or foreign journal counts what can be read', () => {
    past(held('plan', 100));
    appendFileSync(join(rig.repo, '.git/holdpoint/journal.jsonl'), '{"half":\nnot json\n[]\n"x"\n');
    appendFileSync(join(rig.repo, '.git/holdpoint/asked.jsonl'), '{"at":"x"}\n\0\0\n{"at":1,"rules":[7]}\n');
    past(held('plan', 50));
    expect(stats()['plan']).toMatchObject({ held: 2 });
  });
});

test('what rules in shadow mode would have held is in the log of those who ask for it', () => {
  rig.req(['satisfy', 'plan', '--branch']);
  call('Edit');
  expect(run('log').stdout).not.toContain('quiet');
  expect(run('log', '--rule', 'quiet').stdout).toMatch(/shadow +Edit .*quiet/);
  const id = lastId('quiet');
  expect(run('why', id).stdout).toMatch(/rule +quiet \(requirements, in shadow mode: nothing was held\)/);
});

describe('holdpoint mark', () => {
  test('counts the last word on a decision', () => {
    call('Edit');
    const id = lastId('plan');
    expect(run('log').stdout).toMatch(/held +Edit .*plan, quiet \(shadow\)$/m);
    expect(run('mark', id, 'false-alarm')).toMatchObject({ exitCode: 0 });
    expect(stats()['plan']).toMatchObject({ false_alarms: 1, right: 0 });
    // The same line has what the rule in shadow mode would have done, but people saw the hold.
    expect(stats()['quiet']).toMatchObject({ false_alarms: 0 });
    expect(run('mark', id, 'right', '--json').json).toEqual({ id, mark: 'right', rules: ['plan'] });
    expect(stats()['plan']).toMatchObject({ false_alarms: 0, right: 1 });
    expect(run('log').stdout).toMatch(new RegExp(`mark .*${id} right`));
  });

  test.each([
    [['nothere', 'right'], 1, "No decision 'nothere'"],
    [['x', 'wrong'], 2, "unknown mark 'wrong'"],
    [['x'], 2, 'give the id of a decision, then false-alarm or right'],
    [[], 2, 'give the id of a decision'],
  ])('refuses %s', (args, code, words) => {
    const { exitCode, stderr } = run('mark', ...args);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(words);
  });

  test('refuses a decision that held nothing, and an agent', () => {
    call('Edit');
    const id = lastId('plan');
    run('mark', id, 'right');
    const own = String((JSON.parse(run('log', '--json', '-n', '1').stdout) as JsonObject)['id']);
    expect(run('mark', own, 'right')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('held nothing'),
    });
    expect(rig.holdpoint(['mark', id, 'false-alarm'], AGENT)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Only a person can mark a decision'),
    });
  });
});
