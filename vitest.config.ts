import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const MEMORY = '/dev/shm';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real clients are installed on demand; `npm run test:clients` runs these.
    exclude: [...configDefaults.exclude, 'test/clients/**'],
    // Many tests wait for processes, locks and deadlines, so there are more workers than cores.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // Thousands of small repositories: a disk takes longer for them than the product does.
    env: { NODE_EXTRA_CA_CERTS: '', ...(existsSync(MEMORY) && { TMPDIR: MEMORY }) },
  },
  define: { __VERSION__: JSON.stringify('0.0.0-test'), __BUILD__: JSON.stringify('test') },
});
