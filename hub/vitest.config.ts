import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    name: 'hub',
    include: ['test/**/*.test.ts'],
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    globalSetup: 'test/global-setup.ts',
  },
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
});
