import { defineConfig } from 'vitest/config';

/** Started by `npm run test:clients`; never a part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
});
