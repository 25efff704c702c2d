import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { STRESS } from '../stress';
import { makeWorld, type Step } from '../trust/world';
import { type FakeHub, fakeHub } from './rig';

/* An agent that brings a hub of its own, on which it approves what it likes. */

let own: FakeHub;
beforeAll(async () => {
  own = await fakeHub();
});
afterAll(() => own.end());

const bash = (command: string): Step => ({ tool: 'Bash', input: { command } });
const MARK = '// by the agent';
const EDIT: Step = {
  tool: 'Edit',
  input: { file_path: 'src/a.js', old_string: 'exports', new_string: `${MARK}\nexports` },
};
const APPROVE_ALL = `const hub = process.argv[1];
fetch(hub + '/test/state').then((answer) => answer.json()).then(({ requests }) => {
  for (const { id } of requests) fetch(hub + '/test/answer', { method: 'POST', body: JSON.stringify({ id }) });
});`;

const WAYS: readonly (readonly [string, (url: string, code: string) => string])[] = [
  ['joins', (url: string, code: string) => `holdpoint join ${url} ${code}`],
  [
    'has the environment join at a sync',
    (url: string, code: string) => `HOLDPOINT_HUB_URL=${url} HOLDPOINT_HUB_CODE=${code} holdpoint hub sync`,
  ],
  [
    'has the environment join at a sync that it lets go of',
    (url: string, code: string) =>
      `env -u CLAUDECODE -u AI_AGENT -u CLAUDE_PID -u CLAUDE_CODE_SESSION_ID HOLDPOINT_HUB_URL=${url} HOLDPOINT_HUB_CODE=${code} setsid -f holdpoint hub sync; sleep 2`,
  ],
  [
    'starts a server with the environment',
    (url: string, code: string) =>
      `HOLDPOINT_RUNTIME_DIR=$TMPDIR/run HOLDPOINT_HUB_URL=${url} HOLDPOINT_HUB_CODE=${code} timeout 5 holdpoint serve --foreground || true`,
  ],
];

// The others differ in how it gets rid of what tells that it is one.
it.each(STRESS ? WAYS : WAYS.filter((_, at) => at % 2 === 0))(
  'an agent that %s gets no approval from its own hub',
  async (_, command) => {
    const world = makeWorld('rules');
    const config = join(world.repo, '.holdpoint/config.yaml');
    const rules = readFileSync(config, 'utf8')
      .replace('    satisfied_by_skill: approve-plan\n', '')
      .replace('    agent_may_satisfy: false\n', '    approval: hub\n');
    writeFileSync(config, rules);
    world.git('commit', '-qam', 'rules');
    const { code } = await own.tell('invite');
    const approve = `node -e "${APPROVE_ALL.replaceAll('\n', ' ')}" ${own.url}`;
    const sync = bash('holdpoint hub sync');
    await world.play([EDIT, bash(command(own.url, String(code))), sync, bash(approve), sync, EDIT]);
    expect(existsSync(join(world.home, '.config/holdpoint/hub.json'))).toBe(false);
    expect(world.read('src/a.js')).not.toContain(MARK);
    world.remove();
  },
);
