import { type Arguments, has, readArguments } from './arguments';
import { constantOf, textOf, type Word } from './command';
import { baseName } from './paths';
import { ONLY_ASKING, RUNNERS, type TaskRunner, taskRunners } from './test-runner-table';

/** A run of tests, and the word that names the directory for it if there is one. */
export interface FoundRun {
  readonly runner: string;
  readonly directory: Word | undefined;
}

/** Tells whether a command runs tests. Only the command's own words count, never what they mention. */
export function testRunOf(
  words: readonly Word[],
  declared: readonly (readonly string[])[],
): FoundRun | undefined {
  const [first, ...args] = words;
  const name = constantOf(first);
  if (name === undefined || name === '') return undefined;
  const own = declared.find(
    (line) => line.length > 0 && line.every((text, at) => constantOf(words[at]) === text),
  );
  if (own !== undefined) return { runner: own.join(' '), directory: undefined };
  const program = programName(name);
  if (RUNNERS.has(program)) return asks(args) ? undefined : { runner: program, directory: undefined };
  const interpreted = interpretedRun(program, args);
  if (interpreted !== undefined) return { runner: interpreted, directory: undefined };
  const tasks = taskRunners().get(program);
  return tasks && taskRun(program, tasks, args);
}

function programName(path: string): string {
  const base = baseName(path);
  const plain = base.endsWith('.cmd') || base.endsWith('.bat') ? base.slice(0, -4) : base;
  return /^python[0-9.]*$/.test(plain) ? 'python' : plain;
}

function asks(args: readonly Word[]): boolean {
  return args.some((word) => ONLY_ASKING.has(textOf(word)));
}

const PYTHON_MODULES = ['pytest', 'unittest', 'nose2', 'tox', 'nox', 'behave', 'django'];

/** Tests that an interpreter runs: `python -m pytest`, `node --test`, `php artisan test`, `manage.py test`. */
function interpretedRun(program: string, args: readonly Word[]): string | undefined {
  const texts = args.map(textOf);
  switch (program) {
    case 'python':
      return asks(args) ? undefined : pythonTests(texts);
    case 'node':
      return nodeTests(texts) ? 'node --test' : undefined;
    case 'php':
      return texts[0] === 'artisan' && texts[1] === 'test' ? 'artisan' : undefined;
    default:
      return undefined;
  }
}

function pythonTests(texts: readonly string[]): string | undefined {
  const option = texts.indexOf('-m');
  const module = option < 0 ? undefined : texts[option + 1];
  if (module !== undefined) return PYTHON_MODULES.includes(module) ? module : undefined;
  return texts[0]?.endsWith('manage.py') && texts[1] === 'test' ? 'manage.py' : undefined;
}

/** Only before the script: later words are the script's own. */
function nodeTests(texts: readonly string[]): boolean {
  for (const text of texts) {
    if (text === '--test') return true;
    if (!text.startsWith('-')) return false;
  }
  return false;
}

/** `yarn jest` runs the program of that name. */
const RUNS_BINARIES = ['yarn', 'pnpm', 'bun'];

function taskRun(program: string, runner: TaskRunner, words: readonly Word[]): FoundRun | undefined {
  const args = readArguments(words, runner.values);
  if (has(args, '--help', '-h', '--version') || !namesTask(program, runner, args)) return undefined;
  const directory = runner.directory
    .map((option) => args.values.get(option)?.at(-1))
    .find((word) => word !== undefined);
  return { runner: program, directory };
}

function namesTask(program: string, runner: TaskRunner, args: Arguments): boolean {
  const words = args.operands.map(textOf);
  if (runner.anywhere) return words.some((word) => runner.tasks.includes(taskName(word)));
  // `yarn workspace name task`: the name is no task.
  if (program === 'yarn' && words[0] === 'workspace') words.splice(0, 2);
  const leadCount = words.findIndex((word) => !runner.leads.includes(word));
  const task = words[leadCount < 0 ? words.length : leadCount];
  if (program === 'cargo' && task === 'nextest') return words.includes('run');
  if (program === 'nx') return runsTarget(runner, args, words);
  if (task === undefined) return false;
  if (runner.tasks.includes(task)) return true;
  if (RUNS_BINARIES.includes(program) && RUNNERS.has(task)) return true;
  return runner.scripts && (leadCount > 0 || program === 'yarn') && isTestScript(task);
}

/** Gradle's `:app:test` is the task `test` of a part. */
function taskName(word: string): string {
  return word.startsWith(':') ? word.slice(word.lastIndexOf(':') + 1) : word;
}

function runsTarget(runner: TaskRunner, args: Arguments, words: readonly string[]): boolean {
  const targets = ['-t', '--target', '--targets']
    .flatMap((option) => args.values.get(option) ?? [])
    .map(textOf);
  const named = [
    words[0] ?? '',
    (words[1] ?? '').split(':')[1] ?? '',
    ...targets.flatMap((target) => target.split(',')),
  ];
  return named.some((name) => runner.tasks.includes(name));
}

function isTestScript(name: string): boolean {
  return /^(test|tests|e2e|spec|unit)([:._-]|$)/.test(name) || name.endsWith(':test');
}
