import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { fixturesOf, readEvent } from '../hosts/fixtures';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { type Ended, makeRig, type Rig, runNow } from './rig';

let rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs) rig.remove();
  rigs = [];
});

const CONFIG = '.holdpoint/config.yaml';

function made(config: string): { rig: Rig; on: Events } {
  const rig = makeRig(config, CONFIG);
  rigs.push(rig);
  return { rig, on: eventsIn(rig) };
}

function linesOf(rig: Rig, name: string): JsonObject[] {
  const file = join(rig.repo, '.git/holdpoint', name);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const journal = (rig: Rig): JsonObject[] => linesOf(rig, 'journal.jsonl');
const asked = (rig: Rig): JsonObject[] => linesOf(rig, 'asked.jsonl');

/** What the host and the agent see, without what differs between any two runs. */
function seen({ stdout, stderr, exitCode }: Ended, { dir }: Rig): object {
  const plain = (text: string): string =>
    text
      .replaceAll(dir, 'DIR')
      .replace(/`holdpoint why \w+`/g, '`holdpoint why ID`')
      .replace(/\([\d.]+ m?s\b/g, '(TIME');
  return { stdout: plain(stdout), stderr: plain(stderr), exitCode };
}

const HOSTS: [prefix: string, host: string][] = [
  ['claude', 'claude-code'],
  ['codex', 'codex'],
  ['gemini', 'gemini'],
  ['copilot', 'copilot'],
  ['cursor', 'cursor'],
  ['opencode', 'opencode'],
];

const SHADOW_RULES = `
  quiet: {enabled: true, mode: shadow, trigger_tools: ['*']}
  quiet_stop: {enabled: true, mode: shadow, stop_only: true}
  quiet_person: {enabled: true, mode: shadow, agent_may_satisfy: false, on: [edit, commit, network, delete]}
  quiet_branch: {enabled: true, mode: shadow, type: guard, guard_type: protected_branch, protected_branches: ['**']}
  quiet_alone: {enabled: true, mode: shadow, type: guard, guard_type: single_session}
  quiet_size: {enabled: true, mode: shadow, type: dynamic, calculator: 'echo 99', thresholds: {block: 5, warn: 1}}
  quiet_broken: {enabled: true, mode: shadow, type: dynamic, calculator: 'exit 3', thresholds: {block: 5}}
  quiet_proof: {enabled: true, mode: shadow, evidence: {command: 'false'}, satisfied_by_skill: plan}
  design_approved: {enabled: true, mode: shadow}`;
const RULES = ['branch-guard', 'phase-sequence-guard', 'gate-blocker', 'plan-surfacer', 'delegation-gate'];
const workflow = (mode: string): string =>
  `workflow: {rules: {${RULES.map((rule) => `${rule}: {mode: ${mode}}`).join(', ')}}}\n`;

/** The same config without and with rules of every kind in shadow mode. */
const PAIRS: [what: string, without: string, shadow: string][] = [
  [
    'beside no others',
    'version: 1\n',
    `version: 1\nrequirements:${SHADOW_RULES}\ngates: {entry_points: [{path: ., checks: [bad]}], checks: {bad: {command: 'exit 1', mode: shadow}}}\n`,
  ],
  [
    'beside rules that hold',
    `requirements:\n  plan: {enabled: true, agent_may_satisfy: false}\n  push: {enabled: true, on: push}\n${workflow('disabled')}gates: {entry_points: [{path: ., checks: [good]}], checks: {good: {command: 'true'}}}\n`,
    `requirements:\n  plan: {enabled: true, agent_may_satisfy: false}\n  push: {enabled: true, on: push}${SHADOW_RULES}\n${workflow('shadow')}gates: {entry_points: [{path: ., checks: [good, bad]}], checks: {good: {command: 'true'}, bad: {command: 'exit 1', mode: shadow}}}\n`,
  ],
];

describe('rules in shadow mode', () => {
  test.each(PAIRS)(
    '%s change no byte of an answer to any event of any host',
    (_, without, shadow) => {
      const [plain, quiet] = [made(without).rig, made(shadow).rig];
      for (const rig of [plain, quiet]) rig.write('changed.js', 'x\n');
      for (const [prefix, host] of HOSTS) {
        for (const name of fixturesOf(prefix)) {
          const answer = (rig: Rig): object => {
            const text = JSON.stringify(readEvent(name)).replaceAll('/home/dev/project', rig.repo);
            return { name, ...seen(rig.hookText(text, { args: ['--host', host] }), rig) };
          };
          expect(answer(quiet)).toEqual(answer(plain));
        }
      }
      const spoken = journal(quiet).flatMap(({ verdicts }) => verdicts as JsonObject[]);
      const shadowed = spoken.filter(({ verdict }) => verdict === 'shadow');
      const rules = shadowed.flatMap(({ grounds }) => (grounds as JsonObject[]).map(({ rule }) => rule));
      expect([...new Set(rules)]).toEqual(
        expect.arrayContaining(['quiet', 'quiet_person', 'quiet_branch', 'quiet_size', 'check:.:bad']),
      );
    },
    120_000,
  );

  test('record what they would have held, and which rules were asked', () => {
    const { rig, on } = made('requirements: {plan: {enabled: true, mode: shadow}}\n');
    const answer = rig.hook(on.pre('Edit', EDIT, { tool_use_id: 'call-1' }));
    expect(seen(answer, rig)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(journal(rig)).toMatchObject([
      {
        decision: 'nothing',
        call: 'call-1',
        verdicts: [
          {
            guard: 'requirements',
            verdict: 'shadow',
            would: 'deny',
            grounds: [{ rule: 'plan', fact: 'Edit would be held until `plan` is satisfied in this session' }],
          },
        ],
      },
    ]);
    expect(asked(rig)).toMatchObject([{ session: KEY, call: 'call-1', rules: ['plan'] }]);
  });

  test('are not in the briefing, the status line or the counts of the session', () => {
    const { rig, on } = made(
      'requirements: {plan: {enabled: true}, quiet: {enabled: true, mode: shadow, trigger_tools: ["*"]}}\n',
    );
    expect(rig.hook(on.start('startup')).stdout).not.toContain('quiet');
    rig.hook(on.pre('Bash', { command: 'ls' }));
    rig.hook(on.pre('Edit', EDIT));
    rig.hook(on.stop(false));
    const counts = JSON.stringify(rig.readJson(`.git/requirements/sessions/${KEY}.json`));
    expect(counts).toContain('plan');
    expect(counts).not.toContain('quiet');
    const line = rig.holdpoint(['statusline']).stdout;
    expect(line).not.toContain('/2 req');
  });

  test('are satisfied like any other, and then have nothing to say', () => {
    const { rig, on } = made(
      'requirements: {plan: {enabled: true, mode: shadow, satisfied_by_skill: planning}}\n',
    );
    rig.hook(on.pre('Edit', EDIT, { tool_use_id: 'a' }));
    rig.hook(on.post('Skill', { skill: 'planning' }));
    rig.hook(on.pre('Edit', EDIT, { tool_use_id: 'b' }));
    expect(journal(rig)).toMatchObject([
      { call: 'a', verdicts: [{ verdict: 'shadow' }] },
      { changes: ['satisfied plan by /planning'], actor: 'skill' },
      { call: 'b', changes: ['triggered plan'], verdicts: [] },
    ]);
    expect(asked(rig).map(({ call }) => call)).toEqual(['a', 'b']);
  });

  test('a gate runs and is recorded', () => {
    const { rig, on } = made(
      'gates: {entry_points: [{path: ., checks: [lint]}], checks: {lint: {command: "touch ran; exit 1", mode: shadow}}}\n',
    );
    rig.write('a.js', 'x\n');
    expect(seen(rig.hook(on.stop(false)), rig)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(existsSync(join(rig.repo, 'ran'))).toBe(true);
    expect(existsSync(join(rig.repo, '.holdpoint/logs'))).toBe(false);
    expect(journal(rig)).toMatchObject([
      {
        verdicts: [{ guard: 'gates', verdict: 'shadow', would: 'hold', grounds: [{ rule: 'check:.:lint' }] }],
      },
    ]);
    expect(asked(rig)).toMatchObject([{ rules: ['check:.:lint'] }]);
    expect(rig.holdpoint(['gates', 'list']).stdout).toContain('lint [shadow]');
    expect(rig.holdpoint(['gates', 'run']).exitCode).toBe(0);
    expect(rig.holdpoint(['gates', 'run', '-g', 'lint']).exitCode).toBe(1);
  });

  test.each([
    ['shadow', '✓ No applicable gates for these changes.'],
    [
      'warn',
      '✓ No applicable gates: none holds the end of a turn here.\n\nHoldpoint: check:.:lint only warns: Exited with code 1',
    ],
  ])('gates that are all in %s mode are no trouble for `gates stop-hook`', (mode, told) => {
    const { rig } = made(
      `gates: {entry_points: [{path: ., checks: [lint]}], checks: {lint: {command: exit 1, mode: ${mode}}}}\n`,
    );
    rig.write('a.js', 'x\n');
    const { json, stderr } = runNow('agent-gauntlet', ['stop-hook'], '{}', {
      cwd: rig.repo,
      env: rig.environment(),
    });
    expect([json, stderr]).toMatchObject([{ decision: 'approve', status: 'no_applicable_gates' }, '']);
    expect(String((json as JsonObject)['systemMessage'])).toContain(told);
  });

  test('a gate of the older program says its mode in its own file', () => {
    const { rig, on } = made('');
    rig.write(
      '.gauntlet/config.yml',
      'cli: {default_preference: [claude]}\nentry_points: [{path: ., checks: [lint]}]\n',
    );
    rig.write('.gauntlet/checks/lint.yml', 'command: exit 1\nmode: shadow\n');
    rig.write('a.js', 'x\n');
    expect(rig.hook(on.stop(false)).stdout).toBe('');
    expect(journal(rig)).toMatchObject([{ verdicts: [{ verdict: 'shadow' }] }]);
  });
});

describe('rules in warn mode', () => {
  test('tell the agent what they would hold, and hold nothing', () => {
    const { rig, on } = made(
      'requirements: {plan: {enabled: true, mode: warn}, review: {enabled: true, trigger_tools: [Write]}}\n',
    );
    const { json, stderr } = rig.hook(on.pre('Edit', EDIT, { tool_use_id: 'a' }));
    expect(stderr).toBe('');
    expect(json).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext:
          'Rule `plan` warns: Edit would be held until `plan` is satisfied in this session. ' +
          `What to do: req satisfy plan --session ${KEY}. Nothing is held.`,
      },
    });
    expect(journal(rig)).toMatchObject([
      { decision: 'advise', verdicts: [{ verdict: 'advise', grounds: [{ rule: 'plan', mode: 'warn' }] }] },
    ]);
    expect(rig.hook(on.start('startup')).stdout).not.toContain('plan');
    expect(rig.req(['satisfy', 'plan', '--session', KEY]).exitCode).toBe(0);
    expect(rig.hook(on.pre('Edit', EDIT, { tool_use_id: 'b' })).stdout).toBe('');
  });

  test('alone do not say that nothing is enabled', () => {
    const { rig, on } = made('requirements: {plan: {enabled: true, mode: warn}}\n');
    expect(rig.hook(on.start('startup')).stdout).not.toMatch(/plan|[Nn]o requirement/);
  });

  test('a gate tells the person alone, and the turn ends', () => {
    const { rig, on } = made(
      'gates: {entry_points: [{path: ., checks: [good, lint]}], checks: {good: {command: "true"}, lint: {command: exit 1, mode: warn}}}\n',
    );
    rig.write('a.js', 'x\n');
    const { json } = rig.hook(on.stop(false));
    expect(json).toMatchObject({ decision: 'approve', status: 'passed' });
    expect((json as JsonObject)['systemMessage']).toMatch(/check:\.:lint only warns/);
    expect(journal(rig).at(-1)).toMatchObject({
      decision: 'advise',
      verdicts: [{ verdict: 'advise', grounds: [{ rule: 'check:.:lint', mode: 'warn' }] }],
    });
    expect(asked(rig)).toMatchObject([{ rules: ['check:.:good', 'check:.:lint'] }]);
    const ended = rig.holdpoint(['gates', 'run']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('Warning: check:.:lint only warns: Exited with code 1');
  });
});

describe('a mode', () => {
  test.each([
    ['requirements: {plan: {enabled: true, mode: loud}}\n', '`mode`'],
    ['gates: {entry_points: [{path: ., checks: [a]}], checks: {a: {command: x, mode: deny}}}\n', '`mode`'],
    ['workflow: {rules: {branch-guard: {mode: off}}}\n', '`mode`'],
  ])('that is none is told with its line: %s', (config, words) => {
    const { rig } = made(config);
    const { stdout, stderr } = rig.holdpoint(['config']);
    expect(stdout + stderr).toContain(words);
    expect(stdout + stderr).toMatch(/config\.yaml:1:\d+/);
    expect(stdout + stderr).toContain('shadow, ');
  });

  test('is shown wherever rules are listed', () => {
    const { rig, on } = made('requirements: {plan: {enabled: true}, quiet: {enabled: true, mode: shadow}}\n');
    rig.hook(on.start('startup'));
    expect(rig.holdpoint(['status']).stdout).toContain('quiet [shadow]');
    expect(rig.req(['status']).stdout).toContain('Not holding: quiet (shadow)');
    expect(rig.req(['status', '--json']).json).toMatchObject({
      total: 1,
      needed: ['plan'],
      requirements: [{ name: 'plan' }, { name: 'quiet', mode: 'shadow' }],
    });
    expect(rig.holdpoint(['config']).stdout).toContain('shadow');
  });

  const of = (mode: string): string =>
    `requirements: {plan: {enabled: true, mode: ${mode}}, other: {enabled: true, trigger_tools: [Write]}}\n`;
  const answers = (rig: Rig, on: Events): unknown => {
    const { json } = rig.hook(on.pre('Edit', EDIT, { tool_use_id: String(Math.random()) }));
    const output = ((json as JsonObject)?.['hookSpecificOutput'] ?? {}) as JsonObject;
    return output['permissionDecision'] ?? (output['additionalContext'] === undefined ? 'nothing' : 'advice');
  };

  test.each([
    ['hold', 'shadow', 'deny'],
    ['hold', 'warn', 'deny'],
    ['warn', 'shadow', 'advice'],
    ['shadow', 'warn', 'advice'],
    ['shadow', 'hold', 'deny'],
    ['warn', 'hold', 'deny'],
  ])('that changes from %s to %s while an agent works: %s', (from, to, becomes) => {
    const { rig, on } = made(of(from));
    rig.hook(on.start('startup'));
    rig.hook(on.pre('Write', { file_path: 'b' }));
    rig.write(CONFIG, of(to));
    expect(answers(rig, on)).toBe(becomes);
    expect(rig.holdpoint(['status', '--json']).json).toMatchObject({
      tampering:
        becomes === 'nothing' || ['shadow hold', 'shadow warn', 'warn hold'].includes(`${from} ${to}`)
          ? []
          : [{}],
    });
  });

  test('that becomes stricter takes nothing else from its rule', () => {
    const { rig, on } = made(of('warn'));
    rig.hook(on.start('startup'));
    rig.write(CONFIG, of('hold, trigger_tools: [NotebookEdit]'));
    expect(answers(rig, on)).toBe('deny');
    expect(rig.holdpoint(['status', '--json']).json).toMatchObject({ tampering: [{}] });
  });
});

test('explain shows what rules in shadow mode would say, and keeps nothing of it', () => {
  const { rig, on } = made('requirements: {plan: {enabled: true, on: edit, mode: shadow}}');
  rig.write('event.json', JSON.stringify(on.pre('Edit', EDIT)));
  const told = rig.holdpoint(['explain', 'event.json']);
  expect(told.stdout).toMatch(/in shadow +requirements: would be held\n +rule +plan \(/);
  expect(told.stdout).toMatch(/decision +allowed/);
  const { json } = rig.holdpoint(['explain', 'event.json', '--json']);
  expect(json).toMatchObject({ decision: 'nothing', shadow: [{ guard: 'requirements', verdict: 'deny' }] });
  expect([...journal(rig), ...asked(rig)]).toEqual([]);
});
