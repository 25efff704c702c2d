import { Arguments, byName, isIn, programOf, type Word } from './words';

/** Programs that run tests whatever their arguments, unless they are only asked something. */
const isRunner = isIn(
  `jest vitest mocha ava tap jasmine karma pytest py.test nose2 behave tox nox rspec cucumber phpunit pest ctest
  bats busted ginkgo gotestsum prove`,
);

/** Options and first words with which such a program runs nothing. */
const onlyAsks = isIn(
  `--version -V --help -h --init --listTests --showConfig --clearCache --collect-only --co --list-tests --list list
  init --fixtures --markers -N --show-only`,
);

/** A program that runs tests when one of its tasks is named. All lists are separated by spaces. */
interface TaskRunner {
  readonly tasks: string;
  /** Options whose value is the next word. */
  readonly values?: string;
  /** Words that may stand before the task. */
  readonly leads?: string;
  /** After one of `leads` any name that looks like tests is a task. */
  readonly scripts?: boolean;
  /** The task may stand among others, as in `make clean test`. */
  readonly anywhere?: boolean;
}

const GRADLE_VALUES = '-p --project-dir -b -c -I -x --exclude-task --tests';
const MAVEN_TASKS = 'test verify integration-test surefire:test failsafe:integration-test';
const MAKE_VALUES = '-C -f -j -o -W -I --directory --file';
const XCODE_VALUES = '-scheme -project -workspace -destination';

const among = (tasks: string, values = ''): TaskRunner => ({ tasks, values, anywhere: true });
const scripts = (leads: string, tasks: string, values: string): TaskRunner => ({
  tasks,
  values,
  leads,
  scripts: true,
});
const RUN = 'run run-script rum urn';

const taskRunnerOf = byName<TaskRunner>(() => [
  ['npm', scripts(RUN, 'test t tst', '--prefix -C -w --workspace --loglevel')],
  ['pnpm', scripts(RUN, 'test t', '--dir -C --filter -F --reporter')],
  ['yarn', scripts('run workspaces foreach', 'test', '--cwd')],
  ['bun', scripts(RUN, 'test', '--cwd --filter -F')],
  ['deno', scripts('task', 'test', '--config -c --cwd')],
  ['composer', scripts('run run-script', 'test', '-d')],
  ['turbo', scripts(RUN, 'test', '--filter -F --cwd')],
  ['lerna', scripts(RUN, 'test', '--scope')],
  ['nx', { tasks: 'test e2e', values: '-p --projects --target -t --targets' }],
  ['cargo', { tasks: 'test t nextest', values: '-p --package --manifest-path --features' }],
  ['go meson', { tasks: 'test', values: '-C' }],
  ['swift', { tasks: 'test', values: '--package-path' }],
  ['zig', { tasks: 'test', leads: 'build' }],
  ['bazel bazelisk', { tasks: 'test coverage', values: '--config' }],
  ['mix', { tasks: 'test coveralls' }],
  ['dotnet', { tasks: 'test vstest' }],
  ['rails', { tasks: 'test test:all spec' }],
  ['cypress', { tasks: 'run' }],
  ['ng', { tasks: 'test e2e' }],
  ['vue-cli-service', { tasks: 'test:unit test:e2e' }],
  ['buck2 rush stack cabal flutter dart hatch playwright react-scripts forge hardhat', { tasks: 'test' }],
  ['make gmake ninja', among('test tests check', MAKE_VALUES)],
  ['just', among('test tests check', '-d -f')],
  ['task', among('test tests check', '-d -t')],
  ['rake', among('test spec', '-f')],
  ['sbt', among('test testOnly')],
  ['lein', among('test')],
  ['gradle gradlew', among('test check integrationTest connectedTest', GRADLE_VALUES)],
  ['mvn mvnw', among(MAVEN_TASKS, '-pl --projects -f --file -P -s')],
  ['xcodebuild', among('test test-without-building', XCODE_VALUES)],
]);

/**
 * The name of what runs tests, if a command does. Only the command's own words count, never what they mention.
 * `declared` are the project's own test commands.
 */
export function testRunnerOf(
  words: readonly Word[],
  declared: readonly (readonly string[])[],
): string | undefined {
  const [first, ...args] = words;
  if (!first?.value) return undefined;
  const own = declared.find((line) => line.length > 0 && line.every((text, at) => words[at]?.value === text));
  if (own !== undefined) return own.join(' ');
  const program = programOf(first)
    .replace(/\.(?:cmd|bat)$/, '')
    .replace(/^python[0-9.]*$/, 'python');
  const texts = args.map(({ text }) => text);
  const asks = texts.some(onlyAsks);
  if (isRunner(program)) return asks ? undefined : program;
  switch (program) {
    case 'python':
      return asks ? undefined : pythonTests(texts);
    case 'node':
      return nodeTests(texts) ? 'node --test' : undefined;
    case 'php':
      return texts[0] === 'artisan' && texts[1] === 'test' ? 'artisan' : undefined;
    default:
      return runsTask(program, args) ? program : undefined;
  }
}

/** Only before the script: later words are the script's own. */
function nodeTests(texts: readonly string[]): boolean {
  const script = texts.findIndex((text) => !text.startsWith('-'));
  return texts.slice(0, script < 0 ? undefined : script).includes('--test');
}

const PYTHON_MODULES = ['pytest', 'unittest', 'nose2', 'tox', 'nox', 'behave', 'django'];

/** `python -m pytest`, `python manage.py test`. */
function pythonTests(texts: readonly string[]): string | undefined {
  const option = texts.indexOf('-m');
  const module = option < 0 ? undefined : texts[option + 1];
  if (module !== undefined) return PYTHON_MODULES.includes(module) ? module : undefined;
  return texts[0]?.endsWith('manage.py') && texts[1] === 'test' ? 'manage.py' : undefined;
}

/** `yarn jest` runs the program of that name. */
const RUNS_BINARIES = ['yarn', 'pnpm', 'bun'];

function runsTask(program: string, words: readonly Word[]): boolean {
  const runner = taskRunnerOf(program);
  if (runner === undefined) return false;
  const args = new Arguments(words, runner.values);
  const tasks = runner.tasks.split(' ');
  const operands = args.operands.map(({ text }) => text);
  if (args.has('--help -h --version')) return false;
  // Gradle's `:app:test` is the task `test` of a part.
  if (runner.anywhere) return operands.some((word) => tasks.includes(word.replace(/^:(?:.*:)?/, '')));
  if (program === 'nx') return nxTargets(args, operands).some((target) => tasks.includes(target));
  // `yarn workspace name task`: the name is no task.
  if (program === 'yarn' && operands[0] === 'workspace') operands.splice(0, 2);
  if (program === 'cargo' && operands[0] === 'nextest') return operands.includes('run');
  const at = operands.findIndex((word) => !(runner.leads ?? '').split(' ').includes(word));
  const task = operands[at] ?? '';
  if (tasks.includes(task) || (RUNS_BINARIES.includes(program) && isRunner(task))) return true;
  const isScript = runner.scripts && (at > 0 || program === 'yarn');
  return isScript === true && /^(?:test|tests|e2e|spec|unit)(?:[:._-]|$)|:test$/.test(task);
}

/** The targets of `nx test app`, `nx run app:test` and `nx run-many -t test,lint`. */
function nxTargets(args: Arguments, [first = '', second = '']: readonly string[]): readonly string[] {
  const named = ['-t', '--target', '--targets'].flatMap((option) => args.valuesOf(option));
  return [first, second.split(':')[1] ?? '', ...named.flatMap(({ text }) => text.split(','))];
}
