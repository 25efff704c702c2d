import type { TestRun } from '../core/command-effects';
import type { Assignment } from './scope';
import {
  Arguments,
  isOneOf,
  isTestScript,
  knownWord,
  NODE_VALUES,
  nameTable,
  type PossibleValues,
  PYTHON_VALUES,
  programOf,
  resolveFrom,
  runsNoTests,
  SCRIPT,
  type Word,
} from './words';

/** Programs that run tests with any arguments, unless `onlyAsks` matches one. */
const isRunner = isOneOf(
  `jest vitest mocha _mocha ts-mocha electron-mocha ava tap tape uvu jasmine karma wtr web-test-runner testcafe pytest
  py.test nose2 behave tox nox trial robot green ward rspec parallel_rspec cucumber cucumber-js minitest phpunit paratest pest
  behat phpspec codecept ctest bats shellspec busted ginkgo gotestsum gotest prove kyua`,
);

/** Options with which such a program only prints or sets up something. */
const onlyAsks = isOneOf(
  '--version --help -h --init --showConfig --clearCache --fixtures --markers --dump-config',
);

/** Options and first words with which a program lists, compiles or prints tests without running any. */
const isIdle = isOneOf(
  `--dry-run --dryRun --dry --list --list-tests --listTests --list-suites --list-groups --list-files --collect-only
  --collectonly --co --setup-plan --no-run --no-run-tests --compile-only --build-only --buildOnly --nobuild
  --just-print --recon --show-only --notest --install-only --skip-tests --skipTests --listenvs --list-sessions`,
);
const isIdleWord = isOneOf('list bench');
const SKIPS =
  /^-[DP](?:skipTests|maven\.test\.skip(?:\.exec)?|skipUnitTests|surefire\.skip|skipSurefire)(?:=true)?$/;

/** More such options, for single programs. */
const idleOptionsOf = nameTable(() => [
  ['make gmake', '-n -q -t --question --touch'],
  ['ninja scons', '-n'],
  ['just', '-n -l --summary --show --dump'],
  ['task', '-n -l -a --list-all --summary --status'],
  ['rake', '-n -P -T -D --tasks --prereqs'],
  ['gradle gradlew', '-m --test-dry-run'],
  ['go', '-c -n -list'],
  ['ctest', '-N'],
  ['dotnet', '-t'],
  ['tox', '-l -a -n'],
  ['nox swift', '-l'],
  ['cucumber behave', '-d'],
  ['prove', '-D'],
  ['bats', '-c --count'],
  ['xcodebuild', '-n -dry-run -list -showdestinations'],
  ['turbo nx', '--graph'],
  ['docker docker-compose podman podman-compose', '-d --detach'],
]);

/** Options that make a run without tests succeed. */
const allowsNone = isOneOf(
  `--if-present --passWithNoTests --pass-with-no-tests --no-tests=pass --allow-no-tests --allowNoTests
  --suppress-no-test-exit-code -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false
  -DfailIfNoSpecifiedTests=false --fail-if-no-tests=false --do-not-fail-on-empty-test-suite`,
);

/** A program that runs tests when one of its tasks is named. All lists are separated by spaces. */
interface TaskRunner {
  readonly tasks: string;
  /** Options whose value is the next word, besides those of `VALUES`. */
  readonly values?: string;
  /** Words that may come before the task. */
  readonly leads?: string;
  /** After one of `leads`, any name that looks like tests is a task. */
  readonly scripts?: boolean;
  /** The task may be one of several, as in `make clean test`. */
  readonly anywhere?: boolean;
}

/** Options of most task runners whose value is the next word. */
const VALUES = `-C --prefix --dir --cwd --cd --directory --working-dir --project-dir --package-path --manifest-path
  -f --file --config -p --package --project --projects --workspace --filter -F --scope --env --environment
  -P --features --target --targets -x --exclude-task --tests --loglevel --cache --userconfig --reporter`;

const among = (tasks: string, values = ''): TaskRunner => ({ tasks, values, anywhere: true });
const scripts = (leads: string, tasks: string, values = ''): TaskRunner => ({
  tasks,
  values,
  leads,
  scripts: true,
});
const RUN = 'run run-script rum urn';

const taskRunnerOf = nameTable<TaskRunner>(() => [
  ['npm', scripts(RUN, 'test t tst it cit install-test', '-w')],
  ['pnpm', scripts(`${RUN} recursive`, 'test t')],
  ['bun lerna melos', scripts(RUN, 'test')],
  ['yarn', scripts('run workspaces foreach', 'test')],
  ['deno', scripts('task', 'test', '-c')],
  ['composer', scripts('run run-script', 'test', '-d')],
  ['hatch pdm pixi rye pipenv poetry moon', scripts('run', 'test', '-e')],
  ['mise devbox', scripts('run r', 'test', '-e')],
  ['poe', scripts('', 'test')],
  ['rails', scripts('', 'test test:all spec')],
  ['nx', { tasks: 'test e2e', values: '-t' }],
  ['cargo cross', { tasks: 'test t nextest tarpaulin llvm-cov', leads: 'make xtask hack' }],
  ['zig', { tasks: 'test', leads: 'build' }],
  ['dart', { tasks: 'test', leads: 'run' }],
  ['bazel bazelisk', { tasks: 'test coverage' }],
  ['mix', { tasks: 'test coveralls' }],
  ['dotnet', { tasks: 'test vstest' }],
  ['cypress wdio', { tasks: 'run' }],
  ['stestr newman', { tasks: 'run last' }],
  ['ng', { tasks: 'test e2e' }],
  ['vue-cli-service', { tasks: 'test:unit test:e2e' }],
  ['rebar3', { tasks: 'eunit ct proper' }],
  ['crystal', { tasks: 'spec' }],
  ['dune', { tasks: 'test runtest' }],
  ['cmake', { tasks: 'test check', values: '--build' }],
  [
    `go richgo meson swift manage.py django-admin sail artisan buck2 rush stack cabal flutter devenv mage playwright
    react-scripts craco forge hardhat truffle anchor scarb nargo gleam nimble raco wasm-pack pants plz please scala-cli
    amper detox maestro patrol pio terraform tofu opa molecule`,
    { tasks: 'test' },
  ],
  ['make gmake ninja scons just', among('test tests check', '-o -W -I')],
  ['task', among('test tests check', '-d -t')],
  ['rake', among('test spec')],
  ['sbt bloop mill', among('test testOnly testQuick')],
  ['lein ant turbo start-server-and-test npm-run-all run-s run-p', among('test')],
  ['docker docker-compose podman podman-compose', { tasks: 'test', values: '-e -u -v -w --exit-code-from' }],
  ['earthly', among('+test +tests')],
  ['gradle gradlew', among('', '-c -I')],
  ['mvn mvnw mvnd', among('test verify integration-test surefire:test failsafe:integration-test', '-pl -s')],
  ['xcodebuild', among('test test-without-building', '-scheme -project -workspace -destination')],
]);

/**
 * The test run that a command is, or `undefined`. Only the command's own words count, never text that
 * mentions a runner. `declared` are the project's own test commands.
 */
export function testCallOf(
  words: readonly Word[],
  assignments: readonly Assignment[],
  declared: readonly (readonly string[])[],
): Omit<TestRun, 'places' | 'certain'> | undefined {
  const [first, ...args] = words;
  if (!first?.value) return undefined;
  const program = runnerName(first);
  const own = declared.find((line) => line.length > 0 && line.every((text, at) => words[at]?.value === text));
  const binary = own === undefined ? binaryRun(program, args) : undefined;
  if (binary !== undefined) return testCallOf(binary, assignments, declared);
  const runner = own === undefined ? runnerOf(program, args) : own.join(' ');
  if (runner === undefined) return undefined;
  const texts = [...args.map(({ text }) => text), ...optionsInVariables(assignments)];
  const idle = idleWord(program, texts, args) ?? scriptShellIn(assignments);
  const none = texts.find(allowsNone);
  const text = words.map((word) => word.text).join(' ');
  return {
    runner,
    text,
    ...(idle !== undefined && { idle }),
    ...(none !== undefined && { allowsNone: none }),
  };
}

/** A variable that makes npm run scripts with a program other than a shell. */
function scriptShellIn(assignments: readonly Assignment[]): string | undefined {
  const found = assignments.find(({ name }) => /^npm_config_script_shell$/i.test(name));
  return found && `${found.name}=`;
}

/** Reduces `vitest@latest`, `python3.12` and `gradlew.bat` to their plain names. */
function runnerName(word: Word): string {
  return programOf(word)
    .replace(/(.)@[^@]*$/, '$1')
    .replace(/\.(?:cmd|bat|exe|phar|[cm]?js)$/, '')
    .replace(/^(python|pytest)[0-9.-]*$/, '$1')
    .replace(/^py$/, 'python');
}

function runnerOf(program: string, args: readonly Word[]): string | undefined {
  const texts = args.map(({ text }) => text);
  const asks =
    texts.some(onlyAsks) ||
    texts[0] === 'init' ||
    (texts.includes('-V') && program !== 'ctest') ||
    isOtherSession(program, args);
  if (isRunner(program)) return asks ? undefined : program;
  switch (program) {
    case 'python':
      return asks ? undefined : pythonTests(args);
    case 'node':
    case 'tsx':
      return nodeTests(program, args);
    case 'php': {
      const [script, ...rest] = new Arguments(args, '-d -c', SCRIPT).rest ?? [];
      return script === undefined ? undefined : runnerOf(runnerName(script), rest);
    }
    default:
      return testTasks(program, args).length > 0 ? program : undefined;
  }
}

/** `node --test`, `node --run test`. */
function nodeTests(program: string, args: readonly Word[]): string | undefined {
  // Only before the script: later words are the script's arguments.
  const own = new Arguments(args, NODE_VALUES, SCRIPT);
  const isScript = own.has('--run') && isTestScript(own.rest?.[0]?.text ?? '');
  return isScript || own.has('--test') ? `${program} --test` : undefined;
}

/** `tox -e lint` and `nox -s docs` run no tests. */
function isOtherSession(program: string, args: readonly Word[]): boolean {
  if (program !== 'tox' && program !== 'nox') return false;
  const given = new Arguments(args, '-e --env -s --session --sessions');
  const names = given.valueOf('-e -s --env --session --sessions')?.text.split(',') ?? [];
  return (
    names.length > 0 &&
    names.every((name) => name.split(/[:._-]/).some((part) => runsNoTests(part) || /^docs?$/.test(part)))
  );
}

/** Variables from which programs read more options. */
const OPTIONS_IN = /^(?:PYTEST_ADDOPTS|MAKEFLAGS|GOFLAGS|MAVEN_ARGS|MAVEN_OPTS|NODE_OPTIONS)$/;

function optionsInVariables(assignments: readonly Assignment[]): readonly string[] {
  return assignments
    .filter(({ name }) => OPTIONS_IN.test(name))
    .flatMap(({ name, value }) =>
      name === 'MAKEFLAGS' ? [value.text.replace(/^\b/, '-')] : value.text.split(/\s+/),
    );
}

function idleWord(program: string, texts: readonly string[], args: readonly Word[]): string | undefined {
  const [first = ''] = texts;
  if (isRunner(program) && isIdleWord(first)) return first;
  if (program === 'ginkgo' && /^(?:build|bootstrap|generate|outline|labels)$/.test(first)) return first;
  const own = (idleOptionsOf(program) ?? '').split(' ');
  const found = texts.find((text) => {
    const [option = '', value] = text.split('=', 2);
    if (SKIPS.test(text)) return true;
    return value !== 'false' && (isIdle(option) || own.includes(option) || isCluster(program, text));
  });
  return found ?? excludedTask(program, args);
}

/** Clusters such as `make -kn`; the letters of an attached value, as in `-fname`, do not count. */
function isCluster(program: string, text: string): boolean {
  return /^g?make$/.test(program) && /^-(?![fCIoWjl])[a-zA-Z]*[nqt][a-zA-Z]*$/.test(text);
}

/** `gradle check -x test`. */
function excludedTask(program: string, args: readonly Word[]): string | undefined {
  if (!/^gradlew?$/.test(program)) return undefined;
  const excluded = new Arguments(args, VALUES).valuesOf('-x --exclude-task');
  const out = excluded.map(({ text }) => text).filter(isGradleTest);
  const left = testTasks(program, args).filter((task) => task !== 'check' && !out.includes(task));
  return out.length === 0 || left.length > 0 ? undefined : `-x ${out[0]}`;
}

const PYTHON_MODULES = isOneOf('pytest unittest nose2 tox nox behave trial robot green ward');

/** `python -m pytest`, `python manage.py test`. */
function pythonTests(args: readonly Word[]): string | undefined {
  const [first, ...others] = new Arguments(args, PYTHON_VALUES, SCRIPT).rest ?? [];
  if (first?.text !== '-m')
    return /(?:manage|setup)\.py$/.test(first?.text ?? '') && others[0]?.text === 'test'
      ? programOf(first)
      : undefined;
  const [name = '', task] = others.map(({ text }) => text);
  if (name === 'django') return task === 'test' ? name : undefined;
  return PYTHON_MODULES(name) ? name : undefined;
}

/** The words of `jest …` in `yarn jest …`: these programs run others that the project has installed. */
function binaryRun(program: string, args: readonly Word[]): readonly Word[] | undefined {
  if (!['yarn', 'pnpm', 'bun'].includes(program)) return undefined;
  const { operands } = new Arguments(args, VALUES);
  const isOfWorkspace = operands[0]?.text === 'workspace';
  const binary = operands.slice(isOfWorkspace ? 2 : 0).find(({ text }) => text !== 'run');
  if (binary === undefined) return undefined;
  const words = args.slice(args.indexOf(binary));
  return runnerOf(runnerName(binary), words.slice(1)) === undefined ? undefined : words;
}

/** Programs that run a script by its bare name. */
const runsScripts = isOneOf('yarn pnpm bun composer poe rails');

/** The words of a command that are test tasks. */
function testTasks(program: string, words: readonly Word[]): readonly string[] {
  const runner = taskRunnerOf(program);
  if (runner === undefined) return [];
  const args = new Arguments(words, [VALUES, runner.values].join(' '));
  if (words.some(({ text }) => /^(?:--help|-h|--version)$/.test(text))) return [];
  const tasks = runner.tasks.split(' ');
  // A number is the value of an option that may also stand alone, such as `-j`.
  const operands = args.operands.map(({ text }) => text).filter((text) => !/^\d+$/.test(text));
  // `cargo +nightly test`
  if (/^\+/.test(operands[0] ?? '') && !runner.anywhere) operands.shift();
  if (runner.anywhere) return operands.filter((word) => isTaskAmong(program, tasks, word));
  const special = specialTasks(program)?.(words, operands);
  if (special !== undefined) return special.filter((task) => tasks.includes(task) || isTestScript(task));
  const at = operands.findIndex((word) => !(runner.leads ?? '').split(' ').includes(word));
  const task = operands[at] ?? '';
  if (tasks.includes(task)) return [task];
  const isScript = runner.scripts === true && (at > 0 || runsScripts(program));
  return isScript && isTestScript(task) ? [task] : [];
}

type TasksIn = (words: readonly Word[], operands: readonly string[]) => readonly string[] | undefined;

/** Programs that name their tasks in their own way; `undefined` means the usual way. */
const specialTasks = nameTable<TasksIn>(() => [
  ['nx', nxTargets],
  ['docker podman', (words, [first, ...rest]) => (first === 'compose' ? composeService(words, rest) : [])],
  ['docker-compose podman-compose', composeService],
  ['cmake', (words) => (words[0]?.text === '--build' ? wordsAfter(words, '--target -t') : [])],
  // `yarn workspace name task`: the name is not a task.
  [
    'yarn',
    (_, [first, , ...rest]) => (first === 'workspace' ? rest.filter((each) => each !== 'run') : undefined),
  ],
  // A test may be run as a program: `bazel run //app:unit_test`.
  ['bazel bazelisk', (_, names) => tasksRun(names, (target) => /(?:^|[/:_-])tests?$/.test(target))],
  // `go run gotest.tools/gotestsum@latest`
  ['go', (_, names) => tasksRun(names, (name) => isRunner(runnerName(knownWord(name))))],
  [
    'cargo',
    (_, names) =>
      /^nextest (?!.*\brun\b)|^llvm-cov (?:report|clean)/.test(names.join(' ')) ? [] : undefined,
  ],
]);

/** A service for tests may have their command in the compose file. `up` has the exit code of a service only if asked. */
function composeService(words: readonly Word[], [command, ...services]: readonly string[]) {
  const source = new Arguments(words, '--exit-code-from').valueOf('--exit-code-from');
  if (command === 'up') return source === undefined ? [] : [source.text];
  return command === 'run' && services.length === 1 ? services : [];
}

function tasksRun([first, ...rest]: readonly string[], isTest: (name: string) => boolean) {
  if (first !== 'run') return undefined;
  return rest.some(isTest) ? ['test'] : [];
}

/** The words after the first of the options. */
function wordsAfter(words: readonly Word[], options: string): readonly string[] {
  const at = words.findIndex(({ text }) => options.split(' ').includes(text));
  return at < 0 ? [] : words.slice(at + 1).map(({ text }) => text);
}

function isTaskAmong(program: string, tasks: readonly string[], word: string): boolean {
  if (/^gradlew?$/.test(program)) return isGradleTest(word);
  // `mvn group:plugin:test`, `sbt "core/testOnly a.B"`
  const task = (word.split(' ', 1)[0] ?? '').replace(/^~|^.*[:/.](?=\w+$)/g, '');
  return tasks.includes(task) || isTestScript(word);
}

/** `:app:testDebugUnitTest` is a subproject's test task; `compileTestJava` and `testClasses` run no tests. */
function isGradleTest(word: string): boolean {
  const name = word.replace(/^.*:/, '');
  if (/^(?:check|connectedCheck|deviceCheck|allTests|test)$/.test(name)) return true;
  return (
    /^(?:test\w*(?:Test|Debug|Release|Suite)|\w+Tests?)$/.test(name) &&
    !/^(?:clean|compile|process|assemble|lint|generate|bundle|package|merge|pre|build|install|uninstall|kapt|ksp|checkstyle|detekt|ktlint|pmd|spotbugs|jacoco)/.test(
      name,
    )
  );
}

/** The targets of `nx test app`, `nx run app:test`, `nx affected:test` and `nx run-many -t lint test`. */
const nxTargets: TasksIn = (words, [first = '', second = '', ...others]) => {
  const options = '-t --target --targets';
  const named = new Arguments(words, options).valuesOf(options);
  const inOperands = [first, second].map((operand) => operand.split(':')[1] ?? '');
  const more = named.length > 0 ? [second, ...others] : [];
  return [first, ...inOperands, ...more, ...named.flatMap(({ text }) => text.split(','))];
};

/** Options that name the directory or the project to run in. */
const isDirectoryOption = isOneOf(
  `-C --prefix --dir --cwd --cd --chdir --directory --manifest-path --root --rootDir --root-dir --project --project-dir
  --project-directory --package-path --test-dir --working-dir --working-directory --start-directory --build-file`,
);
/**
 * Where a command's tests are: the paths that its words name, and the directory it runs in, unless they
 * replace it. An unknown path is `undefined`.
 */
export function testPlaces(words: readonly Word[], cwd: PossibleValues): PossibleValues {
  const program = words[0] === undefined ? '' : runnerName(words[0]);
  // Such a program runs the files it is given, from any directory.
  const runsFiles = isRunner(program) || ['python', 'node', 'tsx'].includes(program);
  const named = words.slice(1).flatMap((word, at) => {
    const { option, path } = optionAndValue(word, words[at]);
    if (path === '' || !(isDirectoryOption(option) || isTestPath(option, path))) return [];
    const replacesCwd = isDirectoryOption(option) || (runsFiles && option === '');
    return resolveFrom(cwd, path).map((place) => ({ place, replacesCwd }));
  });
  const places = named.map(({ place }) => place);
  return named.some(({ replacesCwd }) => replacesCwd) ? places : [...places, ...cwd];
}

/** A word as the value of an option: its own, or the one before it. The path is empty without a value. */
function optionAndValue(word: Word, before: Word | undefined): { option: string; path: string | undefined } {
  const [, glued, attached] = /^(-C|--[^=]+)=?(?<==|-C)(.+)$/s.exec(word.text) ?? [];
  if (glued !== undefined) return { option: glued, path: attached };
  const option = /^-[^=]+$/.test(before?.text ?? '') ? (before?.text ?? '') : '';
  return { option, path: word.text.startsWith('-') ? '' : word.value };
}

/** Options behind which a path is a place of tests; the value of most others is something else, such as a report. */
const BEFORE_TESTS =
  /^(?:|-(?![gkmnostEIP])[a-zA-Z]|--(?:config(?:uration)?|run|test|watch|ci|bail|silent|verbose|quiet|no-.*))$/;

/** `//pkg:test` is a bazel target, not a path. */
function isTestPath(option: string, path: string | undefined): boolean {
  return path !== undefined && /^\/(?!\/)|^\.\.?$|^[^/].*\//s.test(path) && BEFORE_TESTS.test(option);
}
