import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { succeed } from '../../src/core/failure';
import { answerHook } from '../../src/core/hook';
import { HOST_NAMES } from '../../src/core/host-name';
import { ENVIRONMENT } from '../../src/server/protocol';
import { commandFile, makeRig, type Rig } from '../e2e/rig';

/*
 * A client sends the variables of the list and no others. Whoever makes the way of an event look at another one
 * has to add it there.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURES = join(ROOT, 'test/fixtures/events');
const KNOWN: readonly string[] = ENVIRONMENT;

let rig: Rig;
beforeEach(() => {
  rig = makeRig('{inherit: false, requirements: {plan: {enabled: true, scope: session}}}\n');
  rig.write(
    '.isdlc/state.json',
    '{"active_workflow": {"type": "feature", "current_phase": "06-implementation"}}',
  );
  rig.hook({
    session_id: 'x',
    hook_event_name: 'PreToolUse',
    cwd: rig.repo,
    tool_name: 'Edit',
    tool_input: {},
  });
  rig.holdpoint(['loop', 'start', 'work'], { env: { CLAUDE_CODE_SESSION_ID: 's' } });
});
afterEach(() => rig.remove());

it('no captured event makes anybody read a variable that is not sent', async () => {
  const read = new Set<string>();
  const seen: Record<string, string> = { HOME: rig.home, CLAUDE_PROJECT_DIR: rig.repo };
  const env = new Proxy(seen, {
    get: (values, name) => {
      read.add(String(name));
      return values[String(name)];
    },
    has: () => {
      throw new Error('who asks for names could ask for any');
    },
    ownKeys: () => {
      throw new Error('who takes all takes those that are not sent');
    },
  });
  const dist = dirname(commandFile('hook'));
  const load = createRequire(import.meta.url);
  const errors: string[] = [];
  for (const name of readdirSync(FIXTURES)) {
    const fixture: object = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));
    const document = JSON.stringify({ ...fixture, cwd: rig.repo });
    for (const host of HOST_NAMES.filter((each) => each === 'claude-code' || name.startsWith(each))) {
      const { stderr } = await answerHook({
        args: ['--host', host],
        read: () => succeed(document),
        load: (chunk) => load(`${dist}/${chunk}.cjs`),
        env,
        effectEnv: () => ({}),
        parentPid: process.pid,
        now: Date.now(),
      });
      if (stderr.includes('internal error')) errors.push(stderr);
    }
  }
  expect([...read].filter((name) => !KNOWN.includes(name))).toEqual([]);
  expect(read).toContain('CLAUDE_PROJECT_DIR');
  expect(errors).toEqual([]);
});

/** Files that no event that is answered ever runs: they set up, or are part of an effect. */
const ELSEWHERE =
  /^hosts\/(?:[a-z-]+\/(?:setup|check-settings|settings-file|client|plugin|plugin-file)\.ts)|^guards\/gates\/(?:detect\.ts|run\/|review\/|weaker\/)|^exec\/child-environment/;

it('no source on the way of an event names a variable that is not sent', () => {
  const src = join(ROOT, 'src');
  const rooms = ['core', 'git', 'guards', 'hosts', 'exec', 'shell', 'state'];
  const unsent = rooms
    .flatMap((room) =>
      readdirSync(join(src, room), { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`),
    )
    .filter((file) => file.endsWith('.ts') && !ELSEWHERE.test(file))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]+)/g)].map(
        ([, name = '']) => `${file} ${name}`,
      ),
    )
    .filter((found) => !KNOWN.includes(found.split(' ')[1] ?? ''));
  // The names of this machine and of git's own variables are facts of the process, whoever it serves. A server has no
  // other to start.
  expect(unsent).toEqual(['exec/processes.ts HOSTNAME', 'state/hub.ts HOLDPOINT_HUB_URL']);
});
