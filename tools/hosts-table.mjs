// Writes the table of docs/hosts.md from the hosts' capabilities and shortfalls; `--check` only compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SHORTFALLS } from './host-shortfalls.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'hosts.md');
const BEGIN = '<!-- The table: written by tools/hosts-table.mjs. -->';
const END = '<!-- End of the table. -->';

/** What each discipline needs: event kind, capability, and the limit without it. The first is essential. */
const NEEDS = {
  requirements: [
    ['tool.before', 'deny', 'Tool calls are not held'],
    ['turn.stop', 'hold', 'The end of a turn is not held'],
    ['tool.before', 'advise-agent', 'Warnings about an allowed tool call do not reach the agent'],
    ['prompt.submit', 'advise-agent', 'Notes with a prompt do not reach the agent'],
    ['session.start', 'advise-agent', 'The agent is not briefed at session start'],
    [
      'permission.request',
      'deny',
      'Destructive commands in the host’s permission dialogs are not answered with no',
    ],
  ],
  workflow: [
    ['tool.before', 'deny', 'Tool calls are not held'],
    ['tool.before', 'ask', 'A person cannot be asked: the call is held instead'],
    ['tool.before', 'advise-agent', 'Warnings about an allowed tool call do not reach the agent'],
    ['tool.after', 'advise-agent', 'Changes to the workflow after a call are not reported to the agent'],
    ['tool.before', 'change-input', 'The model of a delegation cannot be set'],
    ['prompt.submit', 'advise-agent', 'Notes with a prompt do not reach the agent'],
  ],
  gates: [['turn.stop', 'hold', 'The end of a turn is not held']],
  loop: [
    ['turn.stop', 'hold', 'The end of a turn is not held'],
    ['prompt.submit', 'advise-agent', 'Notes with a prompt do not reach the agent'],
  ],
};

/** The rows of the second table: text, event kind and capability. */
const SAYINGS = [
  ['hold a tool call', 'tool.before', 'deny'],
  ['ask a person about a tool call', 'tool.before', 'ask'],
  ['change the input of a tool call', 'tool.before', 'change-input'],
  ['tell the agent something before a tool call', 'tool.before', 'advise-agent'],
  ['tell the agent something after a tool call', 'tool.after', 'advise-agent'],
  ['answer a permission dialog with no', 'permission.request', 'deny'],
  ['hold the end of a turn', 'turn.stop', 'hold'],
  ['tell the agent something with a prompt', 'prompt.submit', 'advise-agent'],
  ['tell the agent something at session start', 'session.start', 'advise-agent'],
  ['show the person a note', 'session.start', 'advise-person'],
];

const NOTES =
  'Notes to the person are not shown: the agent is told to pass them on, but not at the end of a turn';

async function loadHosts() {
  const folders = readdirSync(join(root, 'src/hosts'), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  const parts = folders.map(({ name }, index) => {
    const host = name === 'claude-code' ? 'claudeCode' : 'host';
    return `import { ${host} as host${index} } from './${name}/index';`;
  });
  const list = folders.map((_, index) => `host${index}`);
  const contents = [
    ...parts,
    "import { SETUPS } from './setup-table';",
    `const hosts = [${list.join(', ')}];`,
    'export const HOSTS = SETUPS.map(({ name, title }) => ({ title, ...hosts.find((host) => host.name === name) }));',
  ].join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, 'src/hosts'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const { HOSTS } = await import(`data:text/javascript;base64,${code}`);
  return HOSTS.map((host) => ({ ...host, shortfalls: SHORTFALLS[host.name] }));
}

/** Every limit of one discipline in one host, the essential one first. */
function lossesIn(host, guard) {
  const lacks = ([kind, power]) => !host.capabilities[kind]?.includes(power);
  const hasNotes = Object.values(host.capabilities).some((powers) => powers.includes('advise-person'));
  const named = host.shortfalls
    .filter(({ guards }) => guards.includes(guard))
    .map(({ text }) => text.replace(/\.$/, ''));
  return {
    isHeld: !lacks(NEEDS[guard][0]),
    isPartial: host.shortfalls.some(({ guards, isGrave }) => isGrave === true && guards.includes(guard)),
    losses: [
      ...new Set([
        ...NEEDS[guard].filter(lacks).map(([, , text]) => text),
        ...named,
        ...(hasNotes ? [] : [NOTES]),
      ]),
    ],
  };
}

const GUARDS = Object.keys(NEEDS);

function rowsOf(hosts, first, rows) {
  return [
    `| ${[first, ...hosts.map(({ title }) => title)].join(' | ')} |`,
    `|${'---|'.repeat(hosts.length + 1)}`,
    ...rows.map(([name, cell]) => `| ${[name, ...hosts.map(cell)].join(' | ')} |`),
  ];
}

function disciplineCell(guard) {
  return (host) => {
    const { isHeld, isPartial, losses } = lossesIn(host, guard);
    const count = losses.length === 1 ? '1 limit' : `${losses.length} limits`;
    const word = isPartial ? 'partly' : 'holds';
    return [isHeld ? word : 'does not hold', ...(losses.length > 0 ? [count] : [])].join(', ');
  };
}

/** The limits of one host, each once, with the disciplines it concerns. */
function listOf(host) {
  const concerned = new Map();
  for (const guard of GUARDS) {
    for (const loss of lossesIn(host, guard).losses) {
      concerned.set(loss, [...(concerned.get(loss) ?? []), guard]);
    }
  }
  const lines = [...concerned].map(([loss, guards]) => {
    const whose = guards.length === GUARDS.length ? 'all' : guards.join(', ');
    return `- ${loss}. *(${whose})*`;
  });
  return [`**${host.title}**`, '', ...lines, ''];
}

function tableOf(hosts) {
  const powers = SAYINGS.map(([words, kind, power]) => [
    words,
    ({ capabilities }) => (capabilities[kind]?.includes(power) ? 'yes' : '-'),
  ]);
  return [
    ...rowsOf(
      hosts,
      'discipline',
      GUARDS.map((guard) => [guard, disciplineCell(guard)]),
    ),
    '',
    'What Holdpoint can do in each host:',
    '',
    ...rowsOf(hosts, '', powers),
    '',
    'The limits, with the disciplines they concern:',
    '',
    ...hosts.flatMap(listOf),
  ]
    .join('\n')
    .trimEnd();
}

const text = readFileSync(page, 'utf8');
const [before, rest = ''] = text.split(BEGIN);
const [, after = ''] = rest.split(END);
const wanted = `${before}${BEGIN}\n\n${tableOf(await loadHosts())}\n\n${END}${after}`;
if (!process.argv.includes('--check')) writeFileSync(page, wanted);
else if (wanted !== text) {
  console.error('docs/hosts.md is not up to date: run `node tools/hosts-table.mjs`.');
  process.exitCode = 1;
}
