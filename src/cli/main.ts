import { createRequire } from 'node:module';
import { chunksFrom } from '../core/chunks';
import { detailOf } from '../core/failure';
import { cannotRun, NO_DIRECTORY, unknownVerb, wrongUsage } from './messages';
import { openOutput } from './ui/output';
import { usageTrouble } from './usage-trouble';
import type { Context, ExitCode } from './verb';
import { VERBS } from './verbs';

/** The commands that are about no directory. */
const ANYWHERE: readonly string[] = ['help', 'version'];

/** Runs one command and says how it ended. The only place where a bug of the command line is caught. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const cwd = currentDirectory();
  const context = openContext(cwd ?? '/');
  const [name = 'help', ...rest] = args;
  const asked = name === '--help' || name === '-h' ? 'help' : name === '--version' ? 'version' : name;
  const entry = Object.hasOwn(VERBS, asked) ? VERBS[asked] : undefined;
  if (entry === undefined) {
    context.out.error(unknownVerb(name, Object.keys(VERBS)));
    return 2;
  }
  if (cwd === undefined && !ANYWHERE.includes(asked)) {
    context.out.error(NO_DIRECTORY);
    return 2;
  }
  try {
    const { verb } = await entry.load();
    if (verb.commands === undefined && (rest.includes('--help') || rest.includes('-h'))) {
      context.out.line(`${entry.summary}\n\nUsage: ${verb.usage}`);
      return 0;
    }
    return await verb.run(rest, context);
  } catch (error) {
    const trouble = usageTrouble(error);
    context.out.error(trouble === undefined ? await mistake(error, args) : wrongUsage(asked, trouble));
    return 2;
  }
}

async function mistake(error: unknown, args: readonly string[]): Promise<string> {
  const { reportBug } = await import('../core/report-bug');
  const input = JSON.stringify({ cwd: currentDirectory() });
  const file = reportBug({ error, args, input, env: process.env, now: Date.now() });
  return cannotRun(detailOf(error), file);
}

/** Nothing where it was removed while the shell stood in it. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function openContext(cwd: string): Context {
  const load = createRequire(import.meta.url);
  return {
    cwd,
    env: process.env,
    chunks: chunksFrom((name) => load(`../${name}.cjs`) as unknown),
    out: openOutput({ env: process.env, isTerminal: process.stdout.isTTY === true }),
  };
}
