import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, objectsIn, textIn } from '../../src/core/json';
import type { Rig } from '../e2e/rig';
import { makeProject as makeClaudeProject } from './claude-code/rig';
import { codex } from './codex/client';
import { gemini } from './gemini/client';
import { makeProject } from './host-project';
import { inClient } from './in-client';
import { bash, type Call, call, say, type Turn, write } from './scripted-model';

/** Rules of every scope, and one on what a call does; the turn's end is held for what is left open. */
const CONFIG = `inherit: false
requirements:
  plan: {enabled: true, scope: session, trigger_tools: [Write, Edit, {tool: Bash, command_pattern: touch}]}
  reviewed: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]}
  release: {enabled: true, scope: branch, trigger_tools: [{tool: Bash, command_pattern: 'make deploy'}]}
  careful: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main], trigger_tools: [{tool: Bash, command_pattern: 'make work'}]}
  told: {enabled: true, scope: session, on: [push]}
  notes: {enabled: true, scope: session, stop_only: true, trigger_tools: [{tool: Bash, command_pattern: 'make notes'}]}
`;

const RULES = ['careful', 'notes', 'plan', 'release', 'reviewed', 'told'];

/** What a session does, step by step; each line is a call by itself. */
const WORK = [
  'ls',
  'touch a.txt',
  'false',
  'git commit --allow-empty --quiet -m one',
  'req satisfy reviewed',
  'git commit --allow-empty --quiet -m two',
  'git commit --allow-empty --quiet -m three',
  'make deploy',
  'make work',
  'git switch --quiet main',
  'make work',
  'make deploy',
  'req satisfy release --branch',
  'make deploy',
  'git switch --quiet -c topic',
  'make work',
  'make deploy',
  'git push origin topic',
  'req satisfy told',
  'git push origin topic',
  'ls; req satisfy plan',
  'touch b.txt',
  'mkdir -p src && touch src/c.txt',
  'echo x > src/d.txt && cat src/d.txt',
  'req satisfy nothing_of_that_name',
  'req satisfy reviewed && git commit --allow-empty --quiet -m four',
  'git commit --allow-empty --quiet -m five',
  'git checkout feature/auth',
  'touch e.txt',
  'make notes',
];

type Held = { readonly rule: string; readonly session: string };

/** What the hook really held, rule by rule, in the order in which it did. */
function heldIn(journal: readonly JsonObject[]): Held[] {
  return journal.flatMap((entry) =>
    objectsIn(entry, 'verdicts')
      .filter(({ verdict }) => ['deny', 'hold', 'ask'].includes(String(verdict)))
      .flatMap((verdict) => objectsIn(verdict, 'grounds'))
      .map((ground) => ({ rule: textIn(ground, 'rule') ?? '', session: textIn(entry, 'session') ?? '' })),
  );
}

/** The same as `holdpoint backtest` tells it, and the calls that it has seen. */
function playedAgain({ holdpoint }: Pick<Rig, 'holdpoint'>) {
  const { stdout, stderr } = holdpoint(['backtest', '--json']);
  const told: unknown = JSON.parse(stdout || '{}');
  if (!isJsonObject(told)) throw new Error(stderr);
  const rules = objectsIn(told, 'rules');
  return {
    calls: Number(told['calls']),
    skipped: told['skipped'],
    counts: Object.fromEntries(rules.map((rule) => [rule['rule'], rule['would_hold']])),
    unknown: rules.filter(({ unknown }) => unknown !== 0).map(({ rule }) => rule),
    held: rules.flatMap((rule) =>
      objectsIn(rule, 'examples').map((one) => ({
        rule: textIn(rule, 'rule'),
        session: textIn(one, 'session'),
      })),
    ),
  };
}

function byRule(held: readonly { rule: string | undefined; session: string | undefined }[]): string[] {
  return held.map(({ rule, session }) => `${rule} ${session}`).sort();
}

function expectTheSame(project: Rig & { journal(): JsonObject[] }, fewest: number): void {
  const really = heldIn(project.journal());
  const again = playedAgain(project);
  expect(again.skipped).toBe(0);
  expect(again.unknown).toStrictEqual([]);
  expect(byRule(again.held)).toStrictEqual(byRule(really));
  const counts: Record<string, number> = {};
  for (const { rule } of really) counts[rule] = (counts[rule] ?? 0) + 1;
  expect(again.counts).toMatchObject(counts);
  expect(Object.values(again.counts).reduce((sum: number, one) => sum + Number(one), 0)).toBe(really.length);
  // Every rule has held something, the end of a turn among it.
  expect(Object.keys(counts).sort()).toStrictEqual(RULES);
  expect(again.calls).toBeGreaterThanOrEqual(fewest);
  if (process.env['HOLDPOINT_TEST_TELL']) console.log(`${again.calls} calls`, counts);
}

const SESSIONS = 2;

for (const client of [codex, gemini])
  inClient(client.host, client.title, () => {
    it('is held in a backtest where its hook really held it, and nowhere else', async () => {
      const project = makeProject(client, CONFIG);
      project.git('config', 'user.name', 'A');
      project.git('config', 'user.email', 'a@example.invalid');
      project.git('branch', '--force', 'main');
      project.install();
      for (let session = 0; session < SESSIONS; session++) {
        const steps = WORK.map((line) => call(client.shell(line.replaceAll('topic', `topic-${session}`))));
        const files: Turn[] = ['one', 'two'].map((name) =>
          call(client.write(project, `${name}.md`, `${name}\n`)),
        );
        const together = call(
          client.shell('touch f.txt'),
          client.shell('ls'),
          client.write(project, 'g.md', 'g\n'),
        );
        await project.play([...files, together, ...steps, ...files, say('Done.'), say('Really done.')]);
      }
      expectTheSame(project, 60);
    });
  });

inClient('claude-code', 'Claude Code', () => {
  it('is held in a backtest where its hook really held it, and nowhere else', async () => {
    const project = makeClaudeProject(CONFIG);
    project.git('branch', '--force', 'main');
    project.holdpoint(['install', '--host', 'claude-code']);
    const file = (name: string): Call => write(join(project.repo, name), `${name}\n`);
    const edit = (name: string): Call => ({
      name: 'Edit',
      input: { file_path: join(project.repo, name), old_string: name, new_string: 'changed' },
    });
    for (let session = 0; session < SESSIONS + 1; session++) {
      const steps = WORK.map((line) => call(bash(line.replaceAll('topic', `topic-${session}`))));
      const agent = {
        name: 'Agent',
        input: {
          description: 'sub',
          prompt: 'SUBAGENT go',
          subagent_type: 'general-purpose',
          run_in_background: false,
        },
      };
      const main = [
        call(file('one.md')),
        call(bash('touch a.txt'), bash('ls'), file('two.md')),
        call(agent),
        ...steps.slice(0, 20),
        call(bash('req satisfy plan'), bash('touch f.txt'), file('three.md')),
        call(edit('three.md')),
        call(edit('unread.md')),
        call(agent),
        ...steps.slice(20),
        say('Done.'),
        say('Really done.'),
      ];
      const inside = [
        call(bash('touch sub.txt'), bash('ls')),
        say('SUB DONE'),
        call(file('sub.md')),
        say('SUB DONE'),
      ];
      await project.playScript(
        ({ opening }) => (opening.includes('SUBAGENT') ? inside : main).shift() ?? say('Over.'),
      );
    }
    expectTheSame(project, 100);
  });
});
