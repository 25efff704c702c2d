import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, SESSION } from '../e2e/events';
import { CONFIG_FILE, type HostDocument, makeRig, PLAN_CONFIG, type Rig } from '../e2e/rig';
import { type Client, makeServerRig, type ServerRig } from './server-rig';

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
const read: Step = ({ pre }) => pre('Read', EDIT);
const satisfy: Step = (_, rig) => {
  rig.req(['satisfy', 'plan', 'review', '--session', SESSION]);
  return 'satisfied';
};
const request: HostDocument = { command: 'gh pr create --fill' };
const at = { tool_use_id: 'call-2' };

const SESSIONS: Readonly<Record<string, readonly [config: string, steps: readonly Step[], served: number]>> =
  {
    'a project without rules': ['', [edit, ({ post }) => post('Edit', EDIT), ({ stop }) => stop(false)], 3],
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
      7,
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
      2,
    ],
    'stops that are refused and let go': [
      AT_STOP,
      [edit, edit, ({ stop }) => stop(false), ({ stop }) => stop(true), ({ stop }) => stop(false)],
      1,
    ],
  };

describe('answers are those of a process of its own', () => {
  it.each(Object.entries(SESSIONS))('%s', async (_, [config, steps, least]) => {
    const before = (await server.status())?.answered ?? 0;
    const [theirs, ours] = [await play(config, steps, alone), await play(config, steps, served, server)];
    expect(ours.said).toEqual(theirs.said);
    expect(ours.state).toEqual(theirs.state);
    expect(((await server.status())?.answered ?? 0) - before).toBeGreaterThanOrEqual(least);
  });
});

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
    const env = { HOME: rig.home };
    const answer =
      (await through?.ask(event, { env, lines: { cwd: rig.dir } })) ??
      rig.hook(event, { args: ['--host', 'claude-code'] });
    const { exitCode, stdout, stderr } = answer;
    said.push(neutral(JSON.stringify({ exitCode, stdout, stderr }), rig));
  }
  return { said, state: stateOf(rig) };
}

/** Every file that was written, without times, ids of decisions and of processes. */
function stateOf(rig: Rig): string[] {
  return [join(rig.repo, '.git'), rig.home]
    .flatMap(filesBelow)
    .map((file) => [file.slice(rig.dir.length), file] as const)
    .filter(([name]) =>
      /^\/home\/(?!.config\/holdpoint\/code\/)|\.git\/(?:holdpoint|requirements)\//.test(name),
    )
    .map(([name, file]) => `${name} ${neutral(readFileSync(file, 'utf8'), rig)}`);
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

function neutral(text: string, rig: Rig): string {
  return text
    .replaceAll(rig.dir, '/dir')
    .replace(/why \w+/g, 'why')
    .replace(/"id":"\w+"/g, '"id":""')
    .replace(/"\w+_seconds": \d+/g, '""')
    .replace(/"(?:ms|duration_ms|pid|ppid|start)": ?"?\d+"?/g, '""')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/\b1[78]\d{8,11}(?:\.\d+)?\b/g, 'time');
}

/** What is left to a process of its own, by the word under which the server counts it. */
interface Left {
  readonly why: string;
  readonly config?: string;
  /** What a process of its own has done before. */
  readonly first?: readonly Step[];
  readonly event: Step;
  readonly client?: Client;
}

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
    event: ({ pre }) => pre('Bash', { command: `${'a'.repeat(40)}!` }, at),
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

describe('left to a process of its own, with nothing written', () => {
  it.each(Object.entries(LEFT))('%s', async (_, { why, config, first = [], event, client = {} }) => {
    const rig = served;
    if (rig === undefined) throw new Error('no project');
    if (config !== undefined) rig.write(CONFIG_FILE, config);
    for (const step of first) rig.hook(step(eventsIn(rig), rig) as HostDocument);
    const [left, state] = [(await server.status())?.left[why] ?? 0, stateOf(rig)];
    const document = event(eventsIn(rig), rig) as HostDocument;
    const env = { HOME: rig.home, ...client.env };
    expect(await server.sendText(server.request(document, { ...client, env }))).toBe('alone\n');
    expect((await server.status())?.left[why] ?? 0).toBe(left + 1);
    expect(stateOf(rig)).toEqual(state);
  });
});
