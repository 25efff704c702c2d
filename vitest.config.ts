import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { shared } from './vitest.shared.ts';

/** Of the files that take long. Left to the end, one of them would be waited for alone. */
const LONG = [
  'test/trust/attempts.test.ts',
  'test/e2e/resident-install.test.ts',
  'test/e2e/init.test.ts',
  'hub/test/people.test.ts',
  'hub/test/attempts.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
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
