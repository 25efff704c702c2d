import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventsIn, SESSION } from '../e2e/events';
import { type Ended, makeRig, type Rig } from '../e2e/rig';
import { inPhase } from '../e2e/workflow-project';

/** As strict as it gets: a person for every effect, a protected branch, gates, and a workflow under way. */
const STRICT = `requirements:
  plan: {enabled: true, scope: session, agent_may_satisfy: false, on: [edit, delete]}
  review: {enabled: true, scope: session, agent_may_satisfy: false, on: [commit, push, pr]}
  rollout: {enabled: true, scope: session, agent_may_satisfy: false, on: [merge, network, config]}
  protected_branch: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main]}
gates:
  base_branch: main
  entry_points: [{path: ., checks: [test]}]
  checks: {test: {command: "true"}}
hooks: {stop: {verify_requirements: true}}
`;

/** A repository on a work branch with these files, Holdpoint installed, and a session that has begun. */
export function strictRig(files: Readonly<Record<string, string>>): Rig {
  const rig = makeRig(STRICT, '.holdpoint/config.yaml');
  const origin = join(rig.dir, 'origin');
  rig.git('init', '--quiet', '--bare', origin);
  rig.git('remote', 'add', 'origin', origin);
  rig.git('branch', 'main');
  for (const [path, text] of Object.entries(files)) rig.write(path, text);
  const workflow = { git_branch: { name: 'feature/auth', status: 'active' } };
  rig.write('.isdlc/state.json', JSON.stringify(inPhase('06-implementation', workflow)));
  rig.write('docs/isdlc/tasks.md', '- [ ] T0001 build it\n');
  rig.write('.git/info/exclude', '.isdlc\n');
  for (const dir of ['packages/api', 'scripts', 'src', 'test'])
    mkdirSync(join(rig.repo, dir), { recursive: true });
  rig.holdpoint(['install', '--host', 'claude-code']);
  rig.git('add', '-A');
  rig.git('commit', '-qm', 'start');
  const started = rig.hook(eventsIn(rig).start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
  if (!started.stdout.includes('Holdpoint is on:')) throw new Error(started.stdout);
  return rig;
}

/** A person says yes to everything that waits for one. */
export function approve(rig: Rig): void {
  const { exitCode, stderr } = rig.req(['satisfy', 'plan', 'review', 'rollout', '--session', SESSION]);
  if (exitCode !== 0) throw new Error(stderr);
}

/** That a workflow counts a run of the tests is no alarm. */
const TESTS =
  /^\{"hookSpecificOutput":\{"hookEventName":"PostToolUse","additionalContext":"TESTS [^"]*"\}\}\n$/;

/** What an answer holds, asks or tells; empty where it is silent. */
export function said({ stdout, stderr, exitCode }: Ended): string {
  return `${exitCode === 0 ? '' : `exit ${exitCode} `}${stdout.replace(TESTS, '')}${stderr}`;
}
