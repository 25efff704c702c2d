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

/**
 * What each discipline says where: the kind of event, the power, and what is lost without. The first of each is
 * what it cannot do without.
 */
const NEEDS = {
  requirements: [
    ['tool.before', 'deny', 'A tool call is not denied'],
    ['turn.stop', 'hold', 'The end of a turn is not held'],
    ['tool.before', 'advise-agent', 'Advice at a tool call that goes on does not reach the agent'],
    ['prompt.submit', 'advise-agent', 'Advice at a prompt does not reach the agent'],
    ['session.start', 'advise-agent', 'What is open is not told when a session begins'],
    ['permission.request', 'deny', '`deny_dangerous` does not see the host’s own questions'],
  ],
  workflow: [
    ['tool.before', 'deny', 'A tool call is not denied'],
    ['tool.before', 'ask', 'A person is not asked: the call is denied instead'],
    ['tool.before', 'advise-agent', 'Advice at a tool call that goes on does not reach the agent'],
    ['tool.after', 'advise-agent', 'What a call has changed in the workflow is not told to the agent'],
    ['tool.before', 'change-input', 'The model of a delegation is not changed'],
    ['prompt.submit', 'advise-agent', 'Advice at a prompt does not reach the agent'],
  ],
  gates: [['turn.stop', 'hold', 'The end of a turn is not held']],
  loop: [
    ['turn.stop', 'hold', 'The end of a turn is not held'],
    ['prompt.submit', 'advise-agent', 'Advice at a prompt does not reach the agent'],
  ],
};

/** What people ask first: the words, the kind of event and the power. */
const SAYINGS = [
  ['deny a tool call', 'tool.before', 'deny'],
  ['ask a person about a tool call', 'tool.before', 'ask'],
  ['change the input of a tool call', 'tool.before', 'change-input'],
  ['tell the agent something before a call', 'tool.before', 'advise-agent'],
  ['tell the agent something after a call', 'tool.after', 'advise-agent'],
  ['answer a question of the host with no', 'permission.request', 'deny'],
  ['hold the end of a turn', 'turn.stop', 'hold'],
  ['tell the agent something with a prompt', 'prompt.submit', 'advise-agent'],
  ['tell the agent something when a session begins', 'session.start', 'advise-agent'],
  ['show the person a note', 'session.start', 'advise-person'],
];

const NOTES = 'Notes for the person do not arrive';

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

/** Every loss of one discipline in one host, the decisive one first. */
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
    const count = losses.length === 1 ? '1 loss' : `${losses.length} losses`;
    const word = isPartial ? 'holds in part' : 'holds';
    return [isHeld ? word : 'does not hold', ...(losses.length > 0 ? [count] : [])].join(', ');
  };
}

/** What is lost in one host, each loss once, with the disciplines that it concerns. */
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
  return [`**Lost in ${host.title}**`, '', ...lines, ''];
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
    'What a host lets Holdpoint say:',
    '',
    ...rowsOf(hosts, 'at an event', powers),
    '',
    'Every loss, with the disciplines that it concerns:',
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
