import { lazily } from './lazily';

/** Programs that run tests whatever their arguments, unless they are only asked something. */
export const RUNNERS: ReadonlySet<string> = new Set(
  `jest vitest mocha ava tap jasmine karma pytest py.test nose2 behave tox nox rspec cucumber phpunit pest ctest
  bats busted ginkgo gotestsum prove`.split(/\s+/),
);

/** Options and first words with which such a program runs nothing. */
export const ONLY_ASKING: ReadonlySet<string> = new Set(
  '--version -V --help -h --init --listTests --showConfig --clearCache --collect-only --co --list-tests --list list init --fixtures --markers -N --show-only'.split(
    ' ',
  ),
);

/** A program that runs tests when one of its tasks is named. */
export interface TaskRunner {
  /** Options whose value is the next word. */
  readonly values: string;
  /** Those of them that name the directory to run in. */
  readonly directory: readonly string[];
  /** Words that may stand before the task. */
  readonly leads: readonly string[];
  /** Tasks that need no word before them. */
  readonly tasks: readonly string[];
  /** After one of `leads` any name that looks like tests is a task. */
  readonly scripts: boolean;
  /** The task may stand among others, as in `make clean test`. */
  readonly anywhere: boolean;
}

function runner(tasks: string, more: Partial<Omit<TaskRunner, 'tasks'>> = {}): TaskRunner {
  return {
    values: '',
    directory: [],
    leads: [],
    scripts: false,
    anywhere: false,
    tasks: tasks.split(' '),
    ...more,
  };
}

/** By the program's name. */
export const taskRunners = lazily((): ReadonlyMap<string, TaskRunner> => {
  const SCRIPTS = { leads: ['run', 'run-script', 'rum', 'urn'], scripts: true };
  const MAKE = runner('test tests check', {
    values: '-C -f -j -o -W -I --directory --file',
    directory: ['-C', '--directory'],
    anywhere: true,
  });
  const GRADLE = runner('test check integrationTest connectedTest', {
    values: '-p --project-dir -b -c -I -x --exclude-task --tests',
    directory: ['-p', '--project-dir'],
    anywhere: true,
  });
  const MAVEN = runner('test verify integration-test surefire:test failsafe:integration-test', {
    values: '-pl --projects -f --file -P -s',
    anywhere: true,
  });
  const BAZEL = runner('test coverage', { values: '--config' });
  return new Map([
    [
      'npm',
      runner('test t tst', {
        ...SCRIPTS,
        values: '--prefix -C -w --workspace --loglevel',
        directory: ['--prefix', '-C'],
      }),
    ],
    [
      'pnpm',
      runner('test t', { ...SCRIPTS, values: '--dir -C --filter -F --reporter', directory: ['--dir', '-C'] }),
    ],
    [
      'yarn',
      runner('test', {
        ...SCRIPTS,
        leads: ['run', 'workspaces', 'foreach'],
        values: '--cwd',
        directory: ['--cwd'],
      }),
    ],
    ['bun', runner('test', { ...SCRIPTS, values: '--cwd --filter -F', directory: ['--cwd'] })],
    [
      'deno',
      runner('test', { leads: ['task'], scripts: true, values: '--config -c --cwd', directory: ['--cwd'] }),
    ],
    [
      'composer',
      runner('test', { leads: ['run', 'run-script'], scripts: true, values: '-d', directory: ['-d'] }),
    ],
    ['cargo', runner('test t nextest', { values: '-p --package --manifest-path --features' })],
    ['go', runner('test', { values: '-C', directory: ['-C'] })],
    ['make', MAKE],
    ['gmake', MAKE],
    ['ninja', MAKE],
    ['meson', runner('test', { values: '-C', directory: ['-C'] })],
    ['just', runner('test tests check', { values: '-d -f', anywhere: true })],
    ['task', runner('test tests check', { values: '-d -t', directory: ['-d'], anywhere: true })],
    ['rake', runner('test spec', { values: '-f', anywhere: true })],
    ['gradle', GRADLE],
    ['gradlew', GRADLE],
    ['mvn', MAVEN],
    ['mvnw', MAVEN],
    ['mix', runner('test coveralls')],
    ['bazel', BAZEL],
    ['bazelisk', BAZEL],
    ['buck2', runner('test')],
    [
      'nx',
      runner('test e2e', {
        leads: ['run', 'run-many', 'affected'],
        values: '-p --projects --target -t --targets',
      }),
    ],
    ['turbo', runner('test', { ...SCRIPTS, values: '--filter -F --cwd', directory: ['--cwd'] })],
    ['lerna', runner('test', { ...SCRIPTS, values: '--scope' })],
    ['rush', runner('test')],
    ['dotnet', runner('test vstest')],
    ['swift', runner('test', { values: '--package-path', directory: ['--package-path'] })],
    [
      'xcodebuild',
      runner('test test-without-building', {
        values: '-scheme -project -workspace -destination',
        anywhere: true,
      }),
    ],
    ['rails', runner('test test:all spec')],
    ['sbt', runner('test testOnly', { anywhere: true })],
    ['lein', runner('test', { anywhere: true })],
    ['stack', runner('test')],
    ['cabal', runner('test')],
    ['zig', runner('test', { leads: ['build'] })],
    ['flutter', runner('test')],
    ['dart', runner('test')],
    ['hatch', runner('test')],
    ['playwright', runner('test')],
    ['cypress', runner('run')],
    ['ng', runner('test e2e')],
    ['react-scripts', runner('test')],
    ['vue-cli-service', runner('test:unit test:e2e')],
    ['forge', runner('test')],
    ['hardhat', runner('test')],
  ]);
});
