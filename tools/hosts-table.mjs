// Writes the table of docs/hosts.md from the hosts' capabilities and shortfalls; `--check` only compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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

const NOTES = 'Notes for the person do not arrive';

async function loadHosts() {
  const folders = readdirSync(join(root, 'src/hosts'), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  const parts = folders.map(({ name }, index) => {
    const host = name === 'claude-code' ? 'claudeCode' : 'host';
    return [
      `import { ${host} as host${index} } from './${name}/index';`,
      `import { shortfalls as shortfalls${index} } from './${name}/shortfalls';`,
    ].join('\n');
  });
  const list = folders.map((_, index) => `{ ...host${index}, shortfalls: shortfalls${index} }`);
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
  return (await import(`data:text/javascript;base64,${code}`)).HOSTS;
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
    losses: [
      ...new Set([
        ...NEEDS[guard].filter(lacks).map(([, , text]) => text),
        ...named,
        ...(hasNotes ? [] : [NOTES]),
      ]),
    ],
  };
}

function tableOf(hosts) {
  const guards = Object.keys(NEEDS);
  const notes = new Map();
  const numberOf = (text) => notes.get(text) ?? notes.set(text, notes.size + 1).get(text);
  const rows = guards.map((guard) => {
    const cells = hosts.map((host) => {
      const { isHeld, losses } = lossesIn(host, guard);
      const numbers = losses.map(numberOf);
      return [
        isHeld ? 'yes' : 'no',
        ...(numbers.length > 0 ? [`(${numbers.sort((a, b) => a - b).join(', ')})`] : []),
      ].join(' ');
    });
    return `| ${[guard, ...cells].join(' | ')} |`;
  });
  return [
    `| discipline | ${hosts.map(({ title }) => title).join(' | ')} |`,
    `|${'---|'.repeat(hosts.length + 1)}`,
    ...rows,
    '',
    'What is lost, by the numbers in the table:',
    '',
    ...[...notes].map(([text, number]) => `${number}. ${text}.`),
  ].join('\n');
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
