import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn } from '../e2e/events';
import { CONFIG_FILE, type HostDocument, makeRig, PLAN_CONFIG, type Rig } from '../e2e/rig';
import { type Client, makeServerRig, type ServerRig } from './server-rig';
import { stateOf } from './state-of';

let host: Rig;
let server: ServerRig;
let rig: Rig;

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
  rig = makeRig('');
});
afterEach(() => rig.remove());

type Step = (events: Events) => HostDocument;

const edit: Step = ({ pre }) => pre('Edit', EDIT, { tool_use_id: 'call-1' });
const read: Step = ({ pre }) => pre('Read', EDIT);

/** What is left to a process of its own, by the word under which the server counts it. */
interface Left {
  readonly why: string;
  readonly config?: string;
  /** What a process of its own has done before. */
  readonly first?: readonly Step[];
  readonly event: Step;
  readonly client?: Client;
}

const AT_STOP = '{inherit: false, requirements: {plan: {enabled: true, scope: session, stop_only: true}}}\n';
const DYNAMIC =
  '{inherit: false, requirements: {size: {enabled: true, type: dynamic, calculator: "echo 9", thresholds: {block: 5}}}}\n';
const SLOW = `{inherit: false, requirements: {slow: {enabled: true, scope: session, trigger_tools: [{tool: Bash, command_pattern: '^(a+)+$'}]}}}\n`;

/** Only the kernel of Linux tells what another process sees. */
const UNSEEN: Readonly<Record<string, Left>> =
  process.platform !== 'linux'
    ? {}
    : {
        'a line whose host we do not see': {
          why: 'stranger',
          event: edit,
          client: { lines: { parent: '4194304000' } },
        },
      };

const LEFT: Readonly<Record<string, Left>> = {
  ...UNSEEN,
  'a config that was never compiled': { why: 'config', config: PLAN_CONFIG, event: edit },
  'a value that has to be computed': { why: 'effect', config: DYNAMIC, first: [read], event: edit },
  'a stop that is refused': {
    why: 'change',
    config: AT_STOP,
    first: [edit],
    event: ({ stop }) => stop(false),
  },
  'a call without an id, which would count twice': {
    why: 'change',
    config: PLAN_CONFIG,
    first: [edit],
    event: ({ pre }) => pre('Edit', EDIT),
  },
  'a call that has to be noted in two files, of which only one might be written': {
    why: 'change',
    config: PLAN_CONFIG,
    first: [read],
    event: edit,
  },
  'a session that begins': {
    why: 'change',
    config: PLAN_CONFIG,
    first: [edit],
    event: ({ start }) => start('startup'),
  },
  'a session that begins without rules': { why: 'unconfigured', event: ({ start }) => start('startup') },
  'what is no event': { why: 'no-event', event: () => ({ something: 'else' }) },
  'a pattern that does not come to an end': {
    why: 'deadline',
    config: SLOW,
    first: [edit],
    event: ({ pre }) => pre('Bash', { command: `${'a'.repeat(40)}!` }, { tool_use_id: 'call-2' }),
  },
  'the line of another installation': {
    why: 'installation',
    event: edit,
    client: { lines: { dist: '/elsewhere' } },
  },
  'a line from another machine': {
    why: 'stranger',
    event: edit,
    client: { lines: { machine: 'elsewhere' } },
  },
  'a line that stands where nobody can': {
    why: 'directory',
    event: edit,
    client: { lines: { cwd: '/gone' } },
  },
  'a host that nobody knows': { why: 'switch', event: edit, client: { lines: { args: '--host mine' } } },
  'guards that are switched off': { why: 'switch', event: edit, client: { env: { HOLDPOINT_DISABLE: '1' } } },
};

it.each(Object.entries(LEFT))('%s is left to a process of its own, with nothing written', async (_, row) => {
  const { why, config, first = [], event, client = {} } = row;
  if (config !== undefined) rig.write(CONFIG_FILE, config);
  for (const step of first) rig.hook(step(eventsIn(rig)));
  const [left, state] = [(await server.status())?.left[why] ?? 0, stateOf(rig)];
  const env = { HOME: rig.home, ...client.env };
  const request = server.request(event(eventsIn(rig)), { ...client, env });
  expect(await server.sendText(request)).toBe('alone\n');
  expect((await server.status())?.left[why] ?? 0).toBe(left + 1);
  expect(stateOf(rig)).toEqual(state);
});
