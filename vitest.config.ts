import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from './vitest.shared';

export default defineConfig({
  test: {
    projects: [
      'hub/vitest.config.ts',
      {
        test: {
          ...shared,
          name: 'hook',
          include: ['test/**/*.test.ts'],
          // Real clients are installed on demand; `npm run test:clients` runs these.
          exclude: [...configDefaults.exclude, 'test/clients/**'],
          globalSetup: 'test/scratch-space.ts',
          env: { NODE_EXTRA_CA_CERTS: '' },
        },
        define: { __VERSION__: JSON.stringify('0.0.0-test'), __BUILD__: JSON.stringify('test') },
      },
    ],
  },
});
