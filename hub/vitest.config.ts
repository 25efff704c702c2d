import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../vitest.shared.ts';

/** What starts many hubs, or a browser; `npm run test:hub` runs these too. */
const LONG = [
  'test/page/**',
  'test/storage.test.ts',
  'test/transfer.test.ts',
  'test/db/embedded.test.ts',
  'test/try.test.ts',
];

const STRESS = process.env['HOLDPOINT_STRESS'] === '1';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    ...shared,
    name: 'hub',
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(STRESS ? [] : LONG)],
    globalSetup: 'test/global-setup.ts',
    execArgv: STRESS ? [] : ['--liftoff-only'],
  },
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
});
