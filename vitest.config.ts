import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { shared } from './vitest.shared.ts';

/** Files that take long. Left to the end, one of them would be waited for alone. */
const LONG = [
  'test/trust/attempts.test.ts',
  'test/uplink/approvals.test.ts',
  'test/e2e/resident-install.test.ts',
  'test/e2e/init.test.ts',
];

/** Files that mostly wait: for servers, for the end of other processes, for time to pass. */
const WAITING = [
  /\/test\/(?:server|uplink|crash|exec|trust|fuzz)\//,
  /\/test\/core\/(?:watchdog|failed-commits)\./,
  /\/test\/e2e\/(?:resident-|code-cache|try|gates-signals|gates-stop-hook-input|unwritable|parallel|loop-crash)/,
];
/** So many others are begun before the next of them: side by side they leave processors idle, at the end even more. */
const OTHERS_BETWEEN = 4;

class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker ends, with all that it has loaded, when the next file is one of another project.
    const hub = sorted.filter(({ project }) => project.name === 'hub');
    const hook = sorted.filter(({ project }) => project.name !== 'hub');
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((name) => moduleId.endsWith(name));
    const isWaiting = ({ moduleId }: TestSpecification): boolean =>
      WAITING.some((pattern) => pattern.test(moduleId));
    const rest = hook.filter((file) => !isLong(file));
    const waiting = rest.filter(isWaiting);
    const mixed = rest
      .filter((file) => !isWaiting(file))
      .flatMap((file, index) =>
        index % OTHERS_BETWEEN === OTHERS_BETWEEN - 1 ? [file, ...waiting.splice(0, 1)] : [file],
      );
    return [...hub, ...hook.filter(isLong), ...mixed, ...waiting];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: Mixed },
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
