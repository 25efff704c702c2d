import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** What starts many hubs, or a browser; `npm run test:hub` runs these too. */
const LONG = ['test/page/**', 'test/storage.test.ts', 'test/transfer.test.ts', 'test/db/embedded.test.ts'];

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    name: 'hub',
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env['HOLDPOINT_STRESS'] === '1' ? [] : LONG)],
    maxWorkers: availableParallelism() + 2,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A build machine does other things too. A test that needed its second try is named in the report.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    // A machine that has much else to do takes long for what comes by itself.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/global-setup.ts',
  },
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
});
