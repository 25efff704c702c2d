import { parse } from 'node:path';
import { attempt, detailOf } from '../core/failure';
import { type Chunks, chunksFrom } from '../core/guard';
import { type Caller, callerOf, isAgentEnvironment } from './caller';
import { type Cli, HelpShown } from './command';
import { gates } from './commands/gates';
import { holdpoint } from './commands/holdpoint';
import { req } from './commands/req';
import { COMMANDS } from './commands/table';
import { type Context, cannotRun, type ExitCode, Refusal } from './context';
import { internalError, NO_DIRECTORY } from './messages';
import { sessionDirectory } from './req/find-session';
import { lostOutput, printError, printJson } from './ui/output';

/** Loads the chunks from the directory of the command line's own file. */
interface Loader {
  load(name: string): unknown;
  readonly compile?: Chunks['compile'];
}

/** Command groups that are also installed as programs. */
const PROGRAMS = {
  req: { word: 'req', make: req },
  'agent-gauntlet': { word: 'gates', make: gates },
} as const;

/**
 * Runs one command and returns its exit code; internal errors of the command line are caught only here. Tests, which
 * run many commands in one process, pass `caller` to replace the detected one.
 */
export async function main(args: readonly string[], loader: Loader, caller?: Caller): Promise<ExitCode> {
  // Undefined if the directory was removed while the shell was in it.
  const cwd = attempt(() => process.cwd());
  const context = openContext(args, cwd ?? '/', loader, caller);
  let code: ExitCode = 0;
  try {
    const command = chosenCommand(args);
    // Help and version work without a directory.
    if (cwd === undefined && command.commands.length === 0 && !['help', 'version'].includes(command.name()))
      throw cannotRun(NO_DIRECTORY);
    const run = await command.load();
    const values = command.values();
    const { json, session } = values;
    // Loops need no config, so the current directory may be the right one anyway.
    const isMeant = typeof session === 'string' && !command.words.startsWith('loop');
    const place = isMeant ? sessionDirectory(session, context) : undefined;
    const found = place === undefined ? context : openContext(args, place, loader, caller);
    const given = { ...found, json: json === true };
    const work = async (): Promise<ExitCode> => await run(given, values as never, command.args);
    const isConfig = COMMANDS[command.words]?.[0] === 'config';
    code = await (isConfig ? (await import('./project')).acceptingOwnChange(context, work) : work());
  } catch (error) {
    if (error instanceof HelpShown) return 0;
    const refusal = error instanceof Refusal ? error : cannotRun(await reportInternalError(error, args, cwd));
    if (beforeDashes(args).includes('--json')) printJson(refusal.document);
    printError(refusal.message);
    code = refusal.code;
  }
  const lost = lostOutput();
  if (lost === undefined) return code;
  printError(`holdpoint: standard output could not be written: ${lost}.`);
  return 2;
}

/** Parses the arguments. If a group was called as its own program (`req`), that group is the whole program. */
function chosenCommand(args: readonly string[]): Cli {
  const called = parse(process.argv[1] ?? '').name;
  const own = Object.entries(PROGRAMS).find(([name, { word }]) => name === called && word === args[0]);
  const words = withDefaults(own === undefined ? args : args.slice(1), own?.[0]);
  const program = own === undefined || words[0] === 'version' ? holdpoint() : own[1].make().name(own[0]);
  program.parse(words, { from: 'user' });
  return program.chosen ?? program;
}

/** `req` without a command means `req status`, and `--version` works in every program. */
function withDefaults(args: readonly string[], program: string | undefined): readonly string[] {
  const depth = program === undefined && (args[0] === 'req' || args[0] === 'gates') ? 1 : 0;
  const [first] = args.slice(depth);
  if (first === '--version') return ['version', ...args.slice(depth + 1)];
  const isReq = depth === 1 ? args[0] === 'req' : program === 'req';
  const isOption = first === undefined || (/^-/.test(first) && first !== '--help' && first !== '-h');
  return isReq && isOption ? [...args.slice(0, depth), 'status', ...args.slice(depth)] : textsLast(args);
}

/** A task may begin with a dash, as list items do. Unlike an option, it contains a space. */
function textsLast(args: readonly string[]): readonly string[] {
  const before = beforeDashes(args);
  const isText = (arg: string): boolean => /^-[^=\s]*\s/.test(arg);
  if (!before.some(isText)) return args;
  const after = args.slice(before.length + 1);
  return [...before.filter((arg) => !isText(arg)), '--', ...before.filter(isText), ...after];
}

function beforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

async function reportInternalError(
  error: unknown,
  args: readonly string[],
  cwd: string | undefined,
): Promise<string> {
  const { reportBug } = await import('../core/report-bug');
  const input = JSON.stringify({ cwd });
  const file = reportBug({ error, args, input, env: process.env, now: Date.now() });
  return internalError(detailOf(error), file);
}

function openContext(argv: readonly string[], cwd: string, loader: Loader, given?: Caller): Context {
  let caller: Caller | undefined;
  return {
    argv,
    cwd,
    env: process.env,
    json: false,
    chunks: chunksFrom(loader.load, loader.compile),
    caller: () => {
      const isDetected = given === undefined || isAgentEnvironment(process.env);
      caller ??= isDetected ? callerOf({ env: process.env, cwd }) : given;
      return caller;
    },
  };
}
