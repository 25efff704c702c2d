import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { at, commandFile, deniedBecause, makeRig, type Rig } from './rig';
import { hasTerminals, runAtTerminal } from './terminal';

const HOUR = 3_600_000;
const CONFIG = `
requirements:
  commit_plan: {enabled: true, description: Say your plan}
  pre_commit_review:
    enabled: true
    scope: single_use
    trigger_tools: [{tool: Bash, command_pattern: 'git commit'}]
    satisfied_by_skill: review
  protected_branch: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main]}
gates:
  entry_points: [{path: ., checks: [lint]}]
  checks: {lint: {command: 'test -e ok', run_in_ci: true}}
`;

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

type Line = Record<string, unknown> & { id: string };

/** Writes files of the journal, the newest first. */
function journal(...files: readonly (readonly Line[])[]): void {
  const dir = join(rig.repo, '.git/holdpoint');
  mkdirSync(dir, { recursive: true });
  for (const [number, lines] of files.entries()) {
    const name = number === 0 ? 'journal.jsonl' : `journal.${number}.jsonl`;
    writeFileSync(join(dir, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

function line(id: string, hoursAgo: number, more: Record<string, unknown> = {}): Line {
  const happened = new Date(Date.now() - hoursAgo * HOUR).toISOString();
  return {
    id,
    at: happened,
    host: 'claude-code',
    session: SESSION,
    event: 'PreToolUse',
    tool: 'Edit',
    ...more,
  };
}

function held(id: string, hoursAgo: number, rule = 'commit_plan', more: Record<string, unknown> = {}): Line {
  const verdicts = [{ guard: 'requirements', verdict: 'deny', grounds: [{ rule, fact: 'f' }] }];
  return line(id, hoursAgo, { decision: 'deny', verdicts, ...more });
}

const byHand = (id: string, hoursAgo: number, event: string, tool: string): Line =>
  line(id, hoursAgo, {
    host: 'command line',
    session: KEY,
    event,
    tool,
    actor: 'person',
    decision: 'nothing',
  });

function log(...args: string[]) {
  return rig.holdpoint(['log', ...args]);
}

function ids(...args: string[]): string[] {
  const { stdout } = log('--json', ...args);
  return stdout
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text).id);
}

describe('holdpoint log', () => {
  const started = { decision: 'started', event: 'Stop', tool: undefined };
  const sample = (): void =>
    journal(
      [
        held('h-review', 3, 'pre_commit_review'),
        byHand('satisfied', 2, 'req satisfy', 'commit_plan'),
        line('run', 1, {
          ...started,
          verdicts: [{ guard: 'gates', verdict: 'started', grounds: [{ rule: 'run started' }] }],
        }),
        line('run', 1, {
          event: 'Stop',
          tool: undefined,
          decision: 'nothing',
          status: 'passed',
          verdicts: [],
        }),
        held('h-other', 0.5, 'commit_plan', { session: OTHER_SESSION }),
        // Appended last, by a process that had begun long before.
        held('h-late', 2.5, 'commit_plan', { ms: 7_000_000 }),
      ],
      [
        held('h-plan', 30),
        line('start', 29, { event: 'SessionStart', tool: undefined, decision: 'advise', verdicts: [] }),
      ],
    );

  it.each<[string[], string[]]>([
    [[], ['h-plan', 'h-review', 'h-late', 'satisfied', 'run', 'h-other']],
    [['--all'], ['h-plan', 'start', 'h-review', 'h-late', 'satisfied', 'run', 'run', 'h-other']],
    [['--held'], ['h-plan', 'h-review', 'h-late', 'h-other']],
    [['--since', '150m', '--held'], ['h-other']],
    [
      ['--since', '1d'],
      ['h-review', 'h-late', 'satisfied', 'run', 'h-other'],
    ],
    [
      ['--since', new Date(Date.now() - 2.8 * HOUR).toISOString()],
      ['h-late', 'satisfied', 'run', 'h-other'],
    ],
    [
      ['--rule', 'commit_plan'],
      ['h-plan', 'h-late', 'satisfied', 'h-other'],
    ],
    [
      ['--rule', 'requirements/commit_plan', '--held'],
      ['h-plan', 'h-late', 'h-other'],
    ],
    [
      ['--session', KEY],
      ['h-plan', 'h-review', 'h-late', 'satisfied', 'run'],
    ],
    [
      ['--session', SESSION, '--rule', 'commit_plan', '--since', '3h'],
      ['h-late', 'satisfied'],
    ],
    [['--session', 'aaaa'], ['h-other']],
    [['--session', OTHER_SESSION.replaceAll('-', '')], ['h-other']],
    [
      ['-n', '2'],
      ['run', 'h-other'],
    ],
    [['-n', '1', '--held', '--session', KEY], ['h-late']],
  ])('%j shows %j, in the order in which it happened', (args, expected) => {
    sample();
    expect(ids(...args)).toEqual(expected);
  });

  it('shows a run that never ended', () => {
    journal([line('run', 1, { ...started, verdicts: [] })]);
    expect(log().stdout).toMatch(/started +Stop .*run/);
  });

  it.each<[string[], number, RegExp]>([
    [['--since', 'soon'], 2, /--since takes an age such as 30m, 2h or 7d, or .* not 'soon'\.$/],
    [['--since', '2h30'], 2, /not '2h30'/],
    [['--since', '2026-02-30'], 2, /not '2026-02-30'/],
    [['--since', '25:00'], 2, /not '25:00'/],
    [['--since', '-2h'], 2, /--since needs a value/],
    [['-n', 'x'], 2, /-n takes a whole number, not 'x'/],
    [['-n', '1.5'], 2, /-n takes a whole number/],
    [['--session', 'zzzz'], 1, /no session 'zzzz' in this project\. Known: .*cad0ac4d/],
    [['--session', ''], 2, /--session takes the id of a session/],
    [['--rule', 'comit_plan'], 1, /no rule 'comit_plan' in this project\. Did you mean 'commit_plan'\?/],
  ])('%j is an error with exit code %i', (args, exitCode, words) => {
    sample();
    const ended = log(...args);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr.trimEnd()).toMatch(words);
  });

  it('asks for more of an id that two sessions share', () => {
    journal([
      held('one', 2),
      held('two', 1, 'commit_plan', { session: 'cad0ffff-0000-4000-8000-000000000000' }),
    ]);
    expect(log('--session', 'cad0').stderr).toMatch(
      /'cad0' matches 2 sessions: cad0\w+, cad0\w+\. Give more of the id/,
    );
    expect(ids('--session', 'cad0f')).toEqual(['two']);
  });

  it.each<[string[], RegExp]>([
    [['--since', '10m'], /^Nothing was recorded since .+\. The last entry without this filter: .+\.$/],
    [
      ['--held', '--rule', 'pre_commit_review', '--session', 'aaaa'],
      /^Nothing was held by rule pre_commit_review in session aaaaaaaa\. The last hold/,
    ],
    [['--rule', 'lint'], /^Nothing was recorded by rule lint\./],
  ])('%j finds nothing, and says why', (args, words) => {
    sample();
    expect(log(...args)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(log(...args).stdout.trimEnd()).toMatch(words);
  });

  it('says that the journal cannot be read, which is not that it is empty', () => {
    mkdirSync(join(rig.repo, '.git/holdpoint/journal.jsonl'), { recursive: true });
    const refused = {
      exitCode: 2,
      stderr: expect.stringMatching(/the journal cannot be read: .*: is a directory/),
    };
    expect(log()).toMatchObject(refused);
    expect(rig.holdpoint(['why'])).toMatchObject(refused);
    expect(rig.holdpoint(['status'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('says that there is only bookkeeping', () => {
    rig.hook(on.start('startup'));
    expect(log().stdout).toBe('Nothing was recorded except bookkeeping; show it with --all.\n');
    expect(log('--all').stdout).toContain('SessionStart');
  });

  it('has local times: today only the time, before that with the date', () => {
    const now = new Date();
    const old = new Date(now.getTime() - 400 * 24 * HOUR);
    journal([held('old', 0, 'commit_plan', { at: old.toISOString() }), held('new', 0)]);
    const env = rig.environment({ TZ: 'Asia/Kolkata' });
    const { stdout } = spawnSync(process.execPath, [commandFile('holdpoint'), 'log'], {
      cwd: rig.repo,
      env,
      encoding: 'utf8',
    });
    const [first = '', second = ''] = stdout.split('\n');
    const local = (date: Date) =>
      new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', timeStyle: 'short' }).format(date);
    expect(first).toMatch(new RegExp(`^[A-Z][a-z]{2} \\d{1,2} \\d{4} ${local(old)}:\\d\\d  held`));
    expect(second).toMatch(new RegExp(`^ +${local(now)}:\\d\\d  held`));
  });

  it.runIf(hasTerminals).each([80, 120])(
    'fits a terminal of %i columns, with every rule and id whole',
    async (columns) => {
      const rules = ['pre_commit_review', 'hooks.permission_request.auto_deny_dangerous', 'commit_plan'];
      const verdicts = [
        { guard: 'requirements', verdict: 'deny', grounds: rules.map((rule) => ({ rule, fact: 'f' })) },
      ];
      const tool = 'mcp__a_server_with_a_long_name__create_pull_request';
      journal([
        line('mwizxgq0ay4', 30, { tool, decision: 'deny', verdicts }),
        held('mwizxgq0ay5', 0, 'commit_plan', { session: OTHER_SESSION }),
      ]);
      const { shown } = await runAtTerminal(rig, 'holdpoint', 'log', [], { NO_COLOR: '1' }, columns);
      const lines = shown.replaceAll('\r', '').split('\n');
      for (const text of lines) expect(text.length).toBeLessThanOrEqual(columns);
      for (const whole of [...rules, 'mwizxgq0ay4', 'mwizxgq0ay5', 'pull_request'])
        expect(shown).toContain(whole);
    },
  );
});

function hold(document: Record<string, unknown>): string {
  return /why (\w+)/.exec(deniedBecause(rig.hook(document)))?.[1] ?? '';
}

const PERSON = {};
const AGENT = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION };

describe('holdpoint why', () => {
  it('explains the latest hold where no id is given, of a session where one is', () => {
    expect(rig.holdpoint(['why'])).toMatchObject({
      exitCode: 1,
      stderr: 'Nothing has been held in this project yet.\n',
    });
    const first = hold(on.pre('Edit', EDIT));
    const second = hold(on.pre('Edit', EDIT, { session_id: OTHER_SESSION }));
    expect(at(rig.holdpoint(['why', '--json']).json, 'id')).toBe(second);
    expect(at(rig.holdpoint(['why', '--json', '--session', KEY]).json, 'id')).toBe(first);
    expect(rig.holdpoint(['why', '--session', 'nobody']).stderr).toContain("no session 'nobody'");
  });

  it('names the nearest and the latest where an id is unknown', () => {
    const id = hold(on.pre('Edit', EDIT));
    const ended = rig.holdpoint(['why', `${id.slice(0, -1)}!`]);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(`Did you mean '${id}'?`);
    expect(ended.stderr).toMatch(new RegExp(`The latest:\n {2}${id} .*held  Edit  commit_plan`));
  });

  const commit = { command: 'git commit -m x' };
  const tries = {
    edit: () => hold(on.pre('Edit', EDIT)),
    commit: () => {
      rig.req(['satisfy', 'commit_plan', '--session', KEY]);
      return hold(on.pre('Bash', commit));
    },
    stop: () => {
      rig.write('f', 'x');
      const { json } = rig.hook(on.stop(false));
      return /why (\w+)/.exec(String(at(json, 'reason')))?.[1] ?? '';
    },
  };

  it.each<[string, keyof typeof tries, () => void, string, RegExp]>([
    ['nothing was done', 'edit', () => undefined, 'open', /^still open/],
    [
      'a person satisfied it',
      'edit',
      () => void rig.req(['satisfy', 'commit_plan', '--session', KEY], { env: PERSON }),
      'satisfied',
      /^satisfied at \S+ by a person in a terminal with `req satisfy`$/,
    ],
    [
      'a person approved it',
      'edit',
      () => void rig.req(['approve', 'commit_plan', '--session', KEY], { env: PERSON }),
      'approved',
      /^approved at \S+ by a person in a terminal with `req approve`$/,
    ],
    [
      'it was approved and taken back',
      'edit',
      () => {
        rig.req(['approve', 'commit_plan', '--session', KEY]);
        rig.req(['clear', 'commit_plan']);
      },
      'approved',
      /; taken back at \S+ by a person in a terminal with `req clear`$/,
    ],
    [
      'the agent satisfied it',
      'edit',
      () => void rig.req(['satisfy', 'commit_plan'], { env: AGENT }),
      'satisfied',
      /^satisfied at \S+ by the agent with `req satisfy`$/,
    ],
    [
      'it was satisfied and taken back',
      'edit',
      () => {
        rig.req(['satisfy', 'commit_plan', '--session', KEY]);
        rig.req(['clear', 'commit_plan']);
      },
      'satisfied',
      /; taken back at \S+ by a person in a terminal with `req clear`$/,
    ],
    [
      'another session satisfied it for itself',
      'edit',
      () => void rig.req(['satisfy', 'commit_plan', '--session', OTHER_SESSION]),
      'open',
      /^still open/,
    ],
    [
      'a skill satisfied it',
      'commit',
      () => void rig.hook(on.post('Skill', { skill: 'review' })),
      'satisfied',
      /^satisfied at \S+ by the skill \/review$/,
    ],
    [
      'the session was paused',
      'edit',
      () => void rig.req(['pause', '--session', KEY]),
      'paused',
      /^paused at \S+ by a person in a terminal with `req pause`$/,
    ],
    [
      'the session was paused and resumed',
      'edit',
      () => {
        rig.req(['pause', '--session', KEY]);
        rig.req(['resume', '--session', KEY]);
      },
      'open',
      /^still open/,
    ],
    [
      'the rule was taken out of the config',
      'edit',
      () => {
        rig.write('.holdpoint/config.yaml', 'requirements: {other: {enabled: true}}\n');
        rig.holdpoint(['trust', '--accept']);
      },
      'off',
      /no longer in effect; since when is unknown/,
    ],
    ['the gates still fail', 'stop', () => undefined, 'open', /^still open/],
    [
      'the gates passed at the end of a turn',
      'stop',
      () => {
        rig.write('ok', '');
        rig.hook(on.stop(true));
      },
      'passed',
      /^the gates passed at \S+, at the end of a turn$/,
    ],
    [
      'the gates passed in a run of their own',
      'stop',
      () => {
        rig.write('ok', '');
        rig.holdpoint(['gates', 'run']);
      },
      'passed',
      /^the gates passed at \S+, in a run started by a person in a terminal$/,
    ],
    [
      'the host would end the turn anyway',
      'stop',
      () => {
        for (let count = 0; count < 9; count++) rig.hook(on.stop(true));
      },
      'limit_reached',
      /^allowed at \S+: /,
    ],
  ])('says what became of a hold: %s', (_name, held, act, state, words) => {
    rig.hook(on.start('startup'));
    const id = tries[held]();
    act();
    const { json } = rig.holdpoint(['why', id, '--json']);
    expect(at(json, 'outcome')).toMatchObject([{ state, text: expect.stringMatching(words) }]);
    expect(rig.holdpoint(['why', id]).stdout).toMatch(/^outcome {5}\S/m);
  });

  it('says that a protected branch was left', () => {
    rig.git('checkout', '-q', '-b', 'main');
    rig.req(['satisfy', 'commit_plan', '--session', KEY]);
    const id = hold(on.pre('Edit', EDIT));
    rig.git('checkout', '-q', '-b', 'topic');
    expect(at(rig.holdpoint(['why', id, '--json']).json, 'outcome')).toMatchObject([
      {
        rule: 'protected_branch',
        state: 'switched_branch',
        text: expect.stringContaining('branch topic now'),
      },
    ]);
  });

  it('knows a loop by its iterations, and how it ended', () => {
    const loop = (...args: string[]) => rig.holdpoint(['loop', ...args, '--session', SESSION]);
    const outcome = () => at(rig.holdpoint(['why', '--json']).json, 'outcome');
    rig.write('ok', '');
    loop('start', 'do it');
    rig.hook(on.stop(false, { last_assistant_message: 'working' }));
    expect(outcome()).toMatchObject([{ state: 'open', text: 'still open: iteration 2 of 10' }]);
    expect(log('--held').stdout).toMatch(/ loop iteration 2\/10$/m);
    loop('cancel');
    expect(outcome()).toMatchObject([{ state: 'ended', by: 'person' }]);
    loop('start', 'do it');
    rig.hook(on.stop(false, { last_assistant_message: 'still working' }));
    rig.hook(on.stop(true, { last_assistant_message: '<loop-done>COMPLETE</loop-done>' }));
    expect(outcome()).toMatchObject([
      { state: 'ended', text: expect.stringMatching(/^the loop ended at \S+ \(COMPLETE\)$/) },
    ]);
  });

  it('finds a decision that was journalled before branches were', () => {
    journal([held('abc', 1)]);
    expect(rig.holdpoint(['why', 'abc']).stdout).toMatch(/^outcome +still open; the session has ended$/m);
  });
});

describe('holdpoint status --watch', () => {
  it('needs a terminal', () => {
    const ended = rig.holdpoint(['status', '--watch']);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain('--watch needs a terminal');
  });

  it.runIf(hasTerminals)('repaints in place, and gives the terminal back at Ctrl-C', async () => {
    hold(on.pre('Edit', EDIT));
    const { shown, exitCode } = await runAtTerminal(
      rig,
      'holdpoint',
      'status --watch',
      [['req satisfy', '\x03']],
      {},
      60,
    );
    expect(exitCode).toBe(130);
    expect(shown.startsWith('\x1b[?1049h\x1b[?25l')).toBe(true);
    expect(shown).toContain('\x1b[H');
    expect(shown).not.toContain('\x1b[2J');
    expect(shown.trimEnd().endsWith('\x1b[?25h\x1b[?1049l')).toBe(true);
  });

  it.runIf(hasTerminals)('shows what changes meanwhile', async () => {
    hold(on.pre('Edit', EDIT));
    const satisfy = (): string => {
      rig.req(['satisfy', 'commit_plan', '--session', KEY]);
      return '';
    };
    const { shown } = await runAtTerminal(rig, 'holdpoint', 'status --watch', [
      ['held', satisfy],
      ['changed', '\x03'],
    ]);
    expect(shown.split('\x1b[H').length).toBeGreaterThan(2);
    expect(shown).toContain('commit_plan by a person');
  });
});
