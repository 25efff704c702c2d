import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, SESSION } from '../e2e/events';
import { CONFIG_FILE, type HostDocument, makeRig, PLAN_CONFIG, type Rig } from '../e2e/rig';
import { type Client, makeServerRig, type ServerRig } from './server-rig';
import { neutral, stateOf } from './state-of';

/*
 * Two projects that are alike. In one, every event has a process of its own; in the other, the server is asked
 * first. The server belongs to neither: it serves all projects of a user.
 */

let host: Rig;
let server: ServerRig;
let [alone, served]: Rig[] = [];

beforeAll(async () => {
  host = makeRig('');
  server = makeServerRig(host);
  await server.serve();
});
afterAll(async () => {
  await server.stop();
  host.remove();
});
beforeEach(() => {
  [alone, served] = [makeRig(''), makeRig('')];
});
afterEach(() => {
  alone?.remove();
  served?.remove();
});

/** A plan for the branch, and for each pull request a review of its own. */
const RULES = `
inherit: false
requirements:
  plan: {enabled: true, scope: session}
  review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: 'gh\\s+pr\\s+create'}]}
`;

const AT_STOP = '{inherit: false, requirements: {plan: {enabled: true, scope: session, stop_only: true}}}\n';

type Step = (events: Events, rig: Rig) => HostDocument | 'satisfied';

const edit: Step = ({ pre }) => pre('Edit', EDIT, { tool_use_id: 'call-1' });
const satisfy: Step = (_, rig) => {
  rig.req(['satisfy', 'plan', 'review', '--session', SESSION]);
  return 'satisfied';
};
const rule =
  (config: string): Step =>
  (_, rig) => {
    rig.write(CONFIG_FILE, config);
    return 'satisfied';
  };
const editAs =
  (call: string): Step =>
  ({ pre }) =>
    pre('Edit', EDIT, { tool_use_id: call });
const request: HostDocument = { command: 'gh pr create --fill' };
const at = { tool_use_id: 'call-2' };

const SESSIONS: Readonly<Record<string, readonly [config: string, steps: readonly Step[]]>> = {
  'a project without rules': ['', [edit, ({ post }) => post('Edit', EDIT), ({ stop }) => stop(false)]],
  'denied, satisfied and allowed': [
    PLAN_CONFIG.replace('commit_plan', 'plan'),
    [
      ({ start }) => start('startup'),
      edit,
      edit,
      ({ pre }) => pre('Write', EDIT, { tool_use_id: 'call-9' }),
      ({ pre }) => pre('Read', EDIT),
      satisfy,
      edit,
      ({ post }) => post('Edit', EDIT, { tool_use_id: 'call-1' }),
      ({ stop }) => stop(false),
      ({ end }) => end(),
    ],
  ],
  'a pass that is used up': [
    RULES,
    [
      ({ pre }) => pre('Bash', request, at),
      satisfy,
      ({ pre }) => pre('Bash', request, at),
      ({ post }) => post('Bash', request, at),
      ({ pre }) => pre('Bash', request, { tool_use_id: 'call-3' }),
      ({ pre }) => pre('Bash', { command: 'ls -la && (cat a | head -1)' }, { tool_use_id: 'call-4' }),
    ],
  ],
  'rules that change and come back': [
    RULES,
    [
      editAs('call-5'),
      editAs('call-6'),
      rule(RULES.replace('plan:', 'draft:')),
      editAs('call-7'),
      editAs('call-8'),
      rule(RULES),
      editAs('call-9'),
      editAs('call-10'),
    ],
  ],
  'stops that are refused and let go': [
    AT_STOP,
    [edit, edit, ({ stop }) => stop(false), ({ stop }) => stop(true), ({ stop }) => stop(false)],
  ],
};

describe('answers are those of a process of its own', () => {
  it.each(Object.entries(SESSIONS))('%s', async (_, [config, steps]) => {
    const before = (await server.status())?.answered ?? 0;
    const [theirs, ours] = [await play(config, steps, alone), await play(config, steps, served, server)];
    expect(ours.said).toEqual(theirs.said);
    expect(ours.state).toEqual(theirs.state);
    expect(((await server.status())?.answered ?? 0) - before).toBe(ours.said.length);
  });
});

it('events that come together are each answered and counted, a double once', async () => {
  const [theirs, ours] = [alone, served];
  if (theirs === undefined || ours === undefined) throw new Error('no project');
  // A denial is told in full again after five seconds, so each project has its first one when the others follow.
  const begin = (rig: Rig): void => {
    rig.write(CONFIG_FILE, PLAN_CONFIG);
    rig.hook(editAs('first')(eventsIn(rig), rig) as HostDocument);
  };
  begin(ours);
  const calls = Array.from({ length: 40 }, (_, index) => `call-${index % 30}`);
  const before = (await server.status())?.answered ?? 0;
  const together = await Promise.all(
    calls.flatMap((call) => [
      server.ask(eventsIn(ours).pre('Edit', EDIT, { tool_use_id: call }), standing(ours)),
      server.ask(eventsIn(ours).pre('Read', EDIT, { tool_use_id: call }), standing(ours)),
      // Of another project, for which nothing is agreed.
      server.ask(eventsIn(host).pre('Edit', EDIT, { tool_use_id: call }), standing(host)),
    ]),
  );
  begin(theirs);
  const oneByOne = calls.flatMap((call) => [
    theirs.hook(eventsIn(theirs).pre('Edit', EDIT, { tool_use_id: call })),
    theirs.hook(eventsIn(theirs).pre('Read', EDIT, { tool_use_id: call })),
    { exitCode: 0, stdout: '', stderr: '' },
  ]);
  expect(together.map((said) => neutral(JSON.stringify(said), ours))).toEqual(
    oneByOne.map(({ exitCode, stdout, stderr }) =>
      neutral(JSON.stringify({ exitCode, stdout, stderr }), theirs),
    ),
  );
  expect((await server.status())?.answered).toBe(before + together.length);
  expect(sortedLines(stateOf(ours))).toEqual(sortedLines(stateOf(theirs)));
});

function standing(rig: Rig): Client {
  return { env: { HOME: rig.home }, lines: { cwd: rig.dir } };
}

/** Who was first does not matter. */
function sortedLines(state: readonly string[]): string[][] {
  return state.map((text) => text.split('\n').sort());
}

interface Played {
  readonly said: readonly string[];
  readonly state: readonly string[];
}

async function play(
  config: string,
  steps: readonly Step[],
  rig: Rig | undefined,
  through?: ServerRig,
): Promise<Played> {
  if (rig === undefined) throw new Error('no project');
  if (config !== '') rig.write(CONFIG_FILE, config);
  const said: string[] = [];
  for (const step of steps) {
    const event = step(eventsIn(rig), rig);
    if (event === 'satisfied') continue;
    const answer =
      (await through?.ask(event, standing(rig))) ?? rig.hook(event, { args: ['--host', 'claude-code'] });
    // A server writes counts after its answer, but before it answers the next request.
    await through?.status();
    const { exitCode, stdout, stderr } = answer;
    said.push(neutral(JSON.stringify({ exitCode, stdout, stderr }), rig));
  }
  return { said, state: stateOf(rig) };
}
