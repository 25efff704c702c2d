// node test/clients/measure.mjs [calls [rounds]]: what hooks add to a tool call inside of the real Claude Code.
// Needs a build; prints a table in Markdown.
import { fileURLToPath } from 'node:url';
import { runCutOff, whyNot } from './cut-off.mjs';
import { installClient } from './install.mjs';

const problem = await whyNot();
const client = problem === undefined ? installClient('claude-code') : { problem };
if (client.path === undefined) {
  console.error(`Cannot be measured here: ${client.problem}.`);
  process.exitCode = 2;
} else {
  const inside = fileURLToPath(new URL('measure-inside.mjs', import.meta.url));
  const HOLDPOINT_DIST = process.env.HOLDPOINT_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
  process.exitCode = await runCutOff([inside, ...process.argv.slice(2)], {
    ...process.env,
    NODE_EXTRA_CA_CERTS: '',
    HOLDPOINT_CLIENTS: JSON.stringify({ 'claude-code': client }),
    HOLDPOINT_DIST,
  });
}
