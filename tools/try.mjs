// npm run try: uses the real client if `npm run test:clients` has installed it, else none.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programOf } from '../test/clients/pins.mjs';

const command = fileURLToPath(new URL('../dist/holdpoint.cjs', import.meta.url));
const installed = programOf('claude-code');
const env = { ...process.env };
if (env.HOLDPOINT_TRY_CLIENT === undefined && existsSync(installed)) env.HOLDPOINT_TRY_CLIENT = installed;
const { status } = spawnSync(process.execPath, [command, 'try', ...process.argv.slice(2)], {
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
