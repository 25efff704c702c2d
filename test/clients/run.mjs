// npm run test:clients: installs the pinned clients and runs the tests where only the loopback can be reached.
// What follows is handed to vitest: npm run test:clients -- claude-code/loop. Where a client is named, no other is installed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runCutOff, whyNot } from './cut-off.mjs';
import { installClient } from './install.mjs';
import { PINS } from './pins.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const args = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/clients/vitest.config.ts',
  ...process.argv.slice(2),
];

const filters = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const isNamed = (client) => filters.some((word) => client.startsWith(word) || word.startsWith(client));
const wanted = Object.keys(PINS).some(isNamed) ? isNamed : () => true;

const problem = await whyNot();
const clients = Object.keys(PINS).map((name) => {
  if (problem !== undefined) return [name, { problem }];
  return [name, wanted(name) ? installClient(name) : { problem: 'another client was asked for' }];
});
const env = { ...process.env, HOLDPOINT_CLIENTS: JSON.stringify(Object.fromEntries(clients)) };
process.exitCode =
  problem === undefined
    ? await runCutOff(args, env)
    : (spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);
