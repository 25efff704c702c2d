import {
  type Arguments,
  byName,
  constantOf,
  has,
  programOf,
  readArguments,
  textOf,
  type Word,
} from './words';

/** Programs that run tests whatever their arguments, unless they are only asked something. */
const RUNNERS: ReadonlySet<string> = new Set(
  `jest vitest mocha ava tap jasmine karma pytest py.test nose2 behave tox nox rspec cucumber phpunit pest ctest
  bats busted ginkgo gotestsum prove`.split(/\s+/),
);

/** Options and first words with which such a program runs nothing. */
const ONLY_ASKING: ReadonlySet<string> = new Set(
  `--version -V --help -h --init --listTests --showConfig --clearCache --collect-only --co --list-tests --list list
  init --fixtures --markers -N --show-only`.split(/\s+/),
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

const SCRIPTS = { leads: 'run run-script rum urn', scripts: true };

const TASK_RUNNERS = byName<TaskRunner>([
  ['npm', { ...SCRIPTS, tasks: 'test t tst', values: '--prefix -C -w --workspace --loglevel' }],
  ['pnpm', { ...SCRIPTS, tasks: 'test t', values: '--dir -C --filter -F --reporter' }],
  ['yarn', { tasks: 'test', leads: 'run workspaces foreach', scripts: true, values: '--cwd' }],
  ['bun', { ...SCRIPTS, tasks: 'test', values: '--cwd --filter -F' }],
  ['deno', { tasks: 'test', leads: 'task', scripts: true, values: '--config -c --cwd' }],
  ['composer', { tasks: 'test', leads: 'run run-script', scripts: true, values: '-d' }],
  ['turbo', { ...SCRIPTS, tasks: 'test', values: '--filter -F --cwd' }],
  ['lerna', { ...SCRIPTS, tasks: 'test', values: '--scope' }],
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
  [
    'make gmake ninja',
    { tasks: 'test tests check', values: '-C -f -j -o -W -I --directory --file', anywhere: true },
  ],
  ['just', { tasks: 'test tests check', values: '-d -f', anywhere: true }],
  ['task', { tasks: 'test tests check', values: '-d -t', anywhere: true }],
  ['rake', { tasks: 'test spec', values: '-f', anywhere: true }],
  ['sbt', { tasks: 'test testOnly', anywhere: true }],
  ['lein', { tasks: 'test', anywhere: true }],
  [
    'gradle gradlew',
    {
      tasks: 'test check integrationTest connectedTest',
      values: '-p --project-dir -b -c -I -x --exclude-task --tests',
      anywhere: true,
    },
  ],
  [
    'mvn mvnw',
    {
      tasks: 'test verify integration-test surefire:test failsafe:integration-test',
      values: '-pl --projects -f --file -P -s',
      anywhere: true,
    },
  ],
  [
    'xcodebuild',
    {
      tasks: 'test test-without-building',
      values: '-scheme -project -workspace -destination',
      anywhere: true,
    },
  ],
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
  if (!constantOf(first)) return undefined;
  const own = declared.find(
    (line) => line.length > 0 && line.every((text, at) => constantOf(words[at]) === text),
  );
  if (own !== undefined) return own.join(' ');
  const program = programOf(first)
    .replace(/\.(?:cmd|bat)$/, '')
    .replace(/^python[0-9.]*$/, 'python');
  const texts = args.map(textOf);
  const asks = texts.some((text) => ONLY_ASKING.has(text));
  if (RUNNERS.has(program)) return asks ? undefined : program;
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
  const runner = TASK_RUNNERS.get(program);
  if (runner === undefined) return false;
  const args = readArguments(words, runner.values);
  const tasks = runner.tasks.split(' ');
  const operands = args.operands.map(textOf);
  if (has(args, '--help -h --version')) return false;
  // Gradle's `:app:test` is the task `test` of a part.
  if (runner.anywhere) return operands.some((word) => tasks.includes(word.replace(/^:(?:.*:)?/, '')));
  if (program === 'nx') return nxTargets(args, operands).some((target) => tasks.includes(target));
  // `yarn workspace name task`: the name is no task.
  if (program === 'yarn' && operands[0] === 'workspace') operands.splice(0, 2);
  if (program === 'cargo' && operands[0] === 'nextest') return operands.includes('run');
  return namesTask(program, runner, operands, tasks);
}

function namesTask(
  program: string,
  { leads = '', scripts = false }: TaskRunner,
  operands: readonly string[],
  tasks: readonly string[],
): boolean {
  const at = operands.findIndex((word) => !leads.split(' ').includes(word));
  const task = operands[at];
  if (task === undefined) return false;
  if (tasks.includes(task) || (RUNS_BINARIES.includes(program) && RUNNERS.has(task))) return true;
  const isScript = scripts && (at > 0 || program === 'yarn');
  return isScript && /^(?:test|tests|e2e|spec|unit)(?:[:._-]|$)|:test$/.test(task);
}

/** The targets of `nx test app`, `nx run app:test` and `nx run-many -t test,lint`. */
function nxTargets(args: Arguments, [first = '', second = '']: readonly string[]): readonly string[] {
  const named = ['-t', '--target', '--targets'].flatMap((option) => args.values.get(option) ?? []);
  return [first, second.split(':')[1] ?? '', ...named.flatMap((word) => textOf(word).split(','))];
}
