import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface CommandLine {
  main(args: readonly string[]): Promise<number>;
}

/** The hook goes its fast way by itself; everything else loads the command line. */
export function runCommand(args: readonly string[]): void {
  if (args[0] === 'hook' && !args.includes('--help') && !args.includes('-h')) {
    const { runHook } = require('./hook.cjs') as { runHook(args: readonly string[]): void };
    runHook(args.slice(1));
    return;
  }
  const file = pathToFileURL(join(__dirname, 'cli', 'main.mjs')).href;
  void import(file).then(async (commandLine: CommandLine) => {
    process.exitCode = await commandLine.main(args);
  });
}
